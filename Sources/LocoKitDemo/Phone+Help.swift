#if os(Linux) || os(macOS)
  extension Phone {
    /// The phones, one on a line.
    static let help =
      allCases.map { "\($0.rawValue)\($0 == .background ? " (default)" : ""): \($0.words)" }.joined(separator: "\n")
      + "\nWithout an error bound, only significant changes wake the app, and all phones are the same but gpsd"

    private var words: String {
      switch self {
      case .background:
        "an app in the background, with the permission Always: kept running with coarse fixes while the phone moves; "
          + "regions, visits and significant changes wake it"
      case .dutyCycled:
        "the same, with coarse fixes only before looks, as with KeepsRunning.dutyCycled; the power in between is assumed"
      case .keptAtRest: "the first, kept running at rest too"
      case .suspended: "the first, never kept running"
      case .foreground: "an app in the foreground, with timers, the motion sensor and significant changes"
      case .gpsd:
        "a receiver without assistance data on Linux, with timers, and a modem whose cells give significant changes"
      }
    }
  }
#endif
