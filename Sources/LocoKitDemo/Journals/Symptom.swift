#if os(Linux) || os(macOS)
  import LocoKit

  /// A problem that a user reports and that a replay can show.
  ///
  /// To add a symptom, add a case with its name and its words here, a measure to ``ReplayMeter``, the code of its test to
  /// ``JournalTestSource``, and a line to the help of ``JournalTestOptions``.
  enum Symptom: Equatable {
    case errorBeyond(metres: Double)
    case gpsLonger(seconds: Double)
    case noLocation(seconds: Double)
    case health(LocationManager.Health.Problem)

    private static let kinds: KeyValuePairs<String, @Sendable (Double) -> Symptom> = [
      "error-beyond": { .errorBeyond(metres: $0) }, "gps-longer": { .gpsLonger(seconds: $0) },
      "no-location": { .noLocation(seconds: $0) },
    ]

    /// Parses a symptom such as `error-beyond=500`.
    init(_ text: String) throws {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if parts[0] == "health" {
        self = .health(try Self.problem(parts.count == 2 ? parts[1] : ""))
        return
      }
      let names = Self.kinds.map(\.key)
      guard let kind = Self.kinds.first(where: { $0.key == parts[0] }) else {
        let ending = Suggestion.ending(for: parts[0], in: names + ["health"])
        let known = names.map { "\($0)=NUMBER" } + ["health=PROBLEM"]
        throw Failure.usage("--expecting is one of \(known.joined(separator: ", ")), not '\(text)'\(ending)")
      }
      guard parts.count == 2, let limit = Double(parts[1]), limit > 0, limit <= 1e7 else {
        throw Failure.usage("\(kind.key) needs a number above 0, up to 10000000, as in \(kind.key)=500, not '\(text)'.")
      }
      self = kind.value(limit)
    }

    private static func problem(_ name: String) throws -> LocationManager.Health.Problem {
      if let problem = LocationManager.Health.Problem(rawValue: name) { return problem }
      let names = LocationManager.Health.Problem.allCases.map(\.rawValue)
      throw Failure.usage(
        "health needs a problem: \(names.joined(separator: ", ")), not '\(name)'\(Suggestion.ending(for: name, in: names))"
      )
    }

    var limit: Double {
      switch self {
      case .errorBeyond(let limit), .gpsLonger(let limit), .noLocation(let limit): limit
      case .health: 0
      }
    }

    /// The limit as text, without a fraction if it is a whole number.
    var shortLimit: String { limit == limit.rounded() ? "\(Int(limit))" : "\(limit)" }

    /// Returns a measure in words, such as `: 712.4 m`; an empty string for a health problem, which has no measure.
    func words(for measure: ReplayMeter.Measure) -> String {
      switch self {
      case .errorBeyond: ": \(measure.largest.oneDecimal) m"
      case .gpsLonger, .noLocation: ": \(measure.largest.oneDecimal) s"
      case .health: ""
      }
    }

    /// The symptom in words.
    var words: String {
      switch self {
      case .errorBeyond: "the last location is more than \(shortLimit) m off"
      case .gpsLonger: "the GPS is on for more than \(shortLimit) s in one run"
      case .noLocation: "no location comes for more than \(shortLimit) s"
      case .health(let problem): "the manager's health has the problem '\(problem)'"
      }
    }

    /// The default name of the test.
    var testName: String {
      let digits = String(shortLimit.map { $0 == "." ? "_" : $0 }.filter { $0.isNumber || $0 == "_" })
      return switch self {
      case .errorBeyond: "ErrorBeyond\(digits)"
      case .gpsLonger: "GPSLonger\(digits)"
      case .noLocation: "NoLocation\(digits)"
      case .health(let problem): "Health\(problem.rawValue.prefix(1).uppercased())\(problem.rawValue.dropFirst())"
      }
    }

    /// Returns the measure that is compared with the limit.
    func measure(in meter: ReplayMeter) -> ReplayMeter.Measure {
      switch self {
      case .errorBeyond: meter.error
      case .gpsLonger: meter.gpsRun
      case .noLocation: meter.timeWithoutLocation
      case .health(let problem): meter.problems[problem] ?? .init()
      }
    }

    func isShown(by meter: ReplayMeter) -> Bool { measure(in: meter).largest > limit }
  }
#endif
