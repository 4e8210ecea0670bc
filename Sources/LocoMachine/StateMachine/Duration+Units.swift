extension Duration {
  /// A hundred years of 365.25 days.
  package static let century = Duration.seconds(3_155_760_000 as Int64)

  package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }

  /// The number of nanoseconds, rounded up and limited to a century in either direction.
  package var inNanoseconds: Int64 {
    let (seconds, attoseconds) = min(max(self, .zero - .century), .century).components
    // Integer division rounds a negative number up.
    return seconds * 1_000_000_000 + (attoseconds + (attoseconds > 0 ? 999_999_999 : 0)) / 1_000_000_000
  }
}

/// Returns the earlier of two times; `nil` means never.
package func earlier(_ first: Duration?, _ second: Duration?) -> Duration? {
  guard let first, let second else { return first ?? second }
  return min(first, second)
}
