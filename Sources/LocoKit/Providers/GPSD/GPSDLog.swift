#if os(Linux) || os(macOS)
  /// The provider's log lines: each change once, and problems within a budget.
  struct GPSDLog: Hashable, Sendable {
    private var changes = LogBudget(lines: 30)
    private var problems = LogBudget(lines: 10)
    private var connection = GPSDProvider.Connection.closed
    /// Whether the line about the cost of looks without a control socket was logged.
    private var hasAdvised = false

    /// Logs the connection if it has changed.
    mutating func tell(
      _ connection: GPSDProvider.Connection, at uptime: Duration, into actions: inout [GPSDCore.Action]
    ) {
      guard connection != self.connection else { return }
      self.connection = connection
      for line in changes.lines(for: connection.description, at: uptime) { actions.append(.log(line)) }
      actions.append(.connectionChanged(connection))
    }

    /// Logs a problem, within the budget.
    mutating func tell(
      problem: @autoclosure () -> String, at uptime: Duration, into actions: inout [GPSDCore.Action]
    ) {
      for line in problems.lines(for: problem(), at: uptime) { actions.append(.log(line)) }
    }

    /// Logs once the cost of looks without a control socket.
    mutating func advise(at uptime: Duration, into actions: inout [GPSDCore.Action]) {
      guard !hasAdvised else { return }
      hasAdvised = true
      let line =
        "gpsd keeps the receiver on for 60 s after each look, which leaves it on for most of a drive; it is closed at "
        + "once where the provider is given gpsd's control socket (gpsd's option -F)"
      tell(problem: line, at: uptime, into: &actions)
    }

    /// Logs how many problems were left out.
    mutating func summarize(into actions: inout [GPSDCore.Action]) {
      if let line = problems.summary() { actions.append(.log(line)) }
    }
  }
#endif
