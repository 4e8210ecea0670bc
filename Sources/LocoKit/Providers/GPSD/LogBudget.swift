#if os(Linux) || os(macOS)
  /// How many lines a log gets: those that come first in a minute, and then how many more there were.
  ///
  /// A server that sends nothing but junk fills no disk.
  struct LogBudget: Hashable, Sendable {
    private let limit: Int
    private var periodEnd = Duration.zero
    private var written = 0
    private var omitted = 0

    /// A budget of so many lines a minute.
    init(lines limit: Int) { self.limit = limit }

    /// What is to be logged, now that there is this line: it, or nothing, and before it how many were left out.
    mutating func lines(for line: @autoclosure () -> String, at now: Duration) -> [String] {
      var lines: [String] = []
      if now >= periodEnd {
        periodEnd = now + .seconds(60)
        written = 0
        if let summary = summary() { lines.append(summary) }
      }
      if written < limit {
        written += 1
        lines.append(line().printable)
      } else {
        omitted += 1
      }
      return lines
    }

    /// How many lines were left out and not yet counted; `nil` where there were none.
    mutating func summary() -> String? {
      guard omitted > 0 else { return nil }
      defer { omitted = 0 }
      return "\(omitted) more lines about gpsd were not logged"
    }
  }

  extension String {
    /// The text, cut after 400 scalars, with an escape for whatever moves a cursor, ends a line, or is not seen.
    var printable: String {
      var text = ""
      for scalar in unicodeScalars.prefix(400) {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
          text += scalar.escaped(asASCII: true)
        default: text.unicodeScalars.append(scalar)
        }
      }
      return text
    }
  }
#endif
