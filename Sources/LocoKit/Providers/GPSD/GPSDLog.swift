#if os(Linux) || os(macOS)
  /// The provider's log lines. A budget per minute keeps a server that sends junk from filling a disk.
  struct GPSDLog: Hashable, Sendable {
    private var changes = Budget(limit: 30)
    private var problems = Budget(limit: 10)
    private var connection = GPSDProvider.Connection.closed
    private var hasAdvised = false

    /// Logs the connection if it has changed.
    mutating func add(
      _ connection: GPSDProvider.Connection, at uptime: Duration, into actions: inout [GPSDCore.Action]
    ) {
      guard connection != self.connection else { return }
      self.connection = connection
      changes.add(connection.description, at: uptime, into: &actions)
      actions.append(.connectionChanged(connection))
    }

    mutating func add(
      problem: @autoclosure () -> String, at uptime: Duration, into actions: inout [GPSDCore.Action]
    ) {
      problems.add(problem(), at: uptime, into: &actions)
    }

    /// Logs once the cost of looks without a control socket.
    mutating func advise(at uptime: Duration, into actions: inout [GPSDCore.Action]) {
      guard !hasAdvised else { return }
      hasAdvised = true
      let line =
        "gpsd keeps the receiver on for 60 s after each look, and so for most of a drive; give the provider gpsd's "
        + "control socket (gpsd's option -F) to close the receiver immediately"
      problems.add(line, at: uptime, into: &actions)
    }

    /// Logs the number of problems that were omitted.
    mutating func summarize(into actions: inout [GPSDCore.Action]) { problems.summarize(into: &actions) }

    /// The lines of each minute up to a limit, and the number of those omitted.
    private struct Budget: Hashable, Sendable {
      let limit: Int
      var periodEnd = Duration.zero
      var written = 0
      var omitted = 0

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

      mutating func summarize(into actions: inout [GPSDCore.Action]) {
        guard omitted > 0 else { return }
        actions.append(.log("\(omitted) more lines about gpsd were not logged"))
        omitted = 0
      }
    }
  }

  extension String {
    /// The first 400 scalars, with escapes for those that move a cursor, end a line, or are invisible.
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
