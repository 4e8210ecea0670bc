#if os(Linux) || os(macOS)
  /// What a user complains about, as a replay shows it.
  ///
  /// A further symptom is a case here, with its name and its words; a measure in ``ReplayMeter``; and the code of its test in
  /// ``JournalTestSource``.
  enum Symptom: Equatable {
    case errorBeyond(metres: Double)
    case gpsLonger(seconds: Double)
    case noLocation(seconds: Double)

    private static let kinds: KeyValuePairs<String, @Sendable (Double) -> Symptom> = [
      "error-beyond": { .errorBeyond(metres: $0) }, "gps-longer": { .gpsLonger(seconds: $0) },
      "no-location": { .noLocation(seconds: $0) },
    ]

    /// Reads a symptom such as `error-beyond=500`.
    init(_ text: String) throws {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let names = Self.kinds.map(\.key)
      guard let kind = Self.kinds.first(where: { $0.key == parts[0] }) else {
        let ending = Suggestion.ending(for: parts[0], in: names)
        throw Failure.usage(
          "--expecting is one of \(names.map { "\($0)=NUMBER" }.joined(separator: ", ")), not '\(text)'\(ending)")
      }
      guard parts.count == 2, let limit = Double(parts[1]), limit > 0, limit <= 1e7 else {
        throw Failure.usage("\(kind.key) needs a number above 0, as in \(kind.key)=500, not '\(text)'.")
      }
      self = kind.value(limit)
    }

    var limit: Double {
      switch self {
      case .errorBeyond(let limit), .gpsLonger(let limit), .noLocation(let limit): limit
      }
    }

    /// The limit without a fraction that is zero.
    var shortLimit: String { limit == limit.rounded() ? "\(Int(limit))" : "\(limit)" }

    var unit: String {
      switch self {
      case .errorBeyond: "m"
      case .gpsLonger, .noLocation: "s"
      }
    }

    /// The symptom in words.
    var words: String {
      switch self {
      case .errorBeyond: "the last location is more than \(shortLimit) m off"
      case .gpsLonger: "the GPS is on for more than \(shortLimit) s in one run"
      case .noLocation: "no location comes for more than \(shortLimit) s"
      }
    }

    /// The name of a test that isn't given one.
    var testName: String {
      let name =
        switch self {
        case .errorBeyond: "ErrorBeyond"
        case .gpsLonger: "GPSLonger"
        case .noLocation: "NoLocation"
        }
      return name + shortLimit.filter { $0.isNumber }
    }

    /// The measure that exceeds the limit.
    func measure(in meter: ReplayMeter) -> ReplayMeter.Measure {
      switch self {
      case .errorBeyond: meter.error
      case .gpsLonger: meter.gpsRun
      case .noLocation: meter.timeWithoutLocation
      }
    }

    func isShown(by meter: ReplayMeter) -> Bool { measure(in: meter).largest > limit }
  }
#endif
