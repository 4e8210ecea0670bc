extension Duration {
  /// A hundred years of 365.25 days: longer than anything that is timed.
  static let century = Duration.seconds(3_155_760_000 as Int64)

  /// The duration as a number of seconds.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }

  /// The duration as a whole number of nanoseconds, which is what clocks have: rounded up, and within a century.
  var inNanoseconds: Int64 {
    let (seconds, attoseconds) = min(max(self, .zero - .century), .century).components
    // Division cuts off, which rounds a negative number up.
    return seconds * 1_000_000_000 + (attoseconds + (attoseconds > 0 ? 999_999_999 : 0)) / 1_000_000_000
  }

  /// `15 s`, or `1500 ms` for what is no whole number of seconds; what is no whole number of milliseconds is rounded up.
  func inUnits(separatedBy space: String) -> String {
    let (seconds, attoseconds) = components
    if attoseconds == 0 { return "\(seconds)\(space)s" }
    return "\(seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)\(space)ms"
  }
}

/// The earlier of two times that may be never.
func earlier(_ first: Duration?, _ second: Duration?) -> Duration? {
  guard let first, let second else { return first ?? second }
  return min(first, second)
}
