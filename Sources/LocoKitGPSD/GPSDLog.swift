#if os(Linux) || os(macOS)
  import LocoKit

  /// A limit for one kind of log lines: each minute, the log receives lines up to the limit, and later the number of omitted lines. Without
  /// the limit, a server that sends junk could fill a disk.
  struct GPSDLog: Equatable, Sendable {
    let limit: Int
    private var periodEnd = Duration.zero
    private var written = 0
    private var omitted = 0

    init(limit: Int) { self.limit = limit }

    mutating func add(_ line: @autoclosure () -> String, at now: Duration, into actions: inout [GPSDCore.Action]) {
      if now >= periodEnd {
        periodEnd = now + .seconds(60)
        written = 0
        summarize(into: &actions)
      }
      guard written < limit else { return omitted += 1 }
      written += 1
      actions.append(.log(line().printable))
    }

    /// Logs the number of lines that were omitted.
    mutating func summarize(into actions: inout [GPSDCore.Action]) {
      guard omitted > 0 else { return }
      actions.append(.log("\(omitted) more lines about gpsd were not logged"))
      omitted = 0
    }
  }

  extension String {
    /// The first 400 scalars, with escapes for those that move a cursor, end a line, or may be invisible.
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
