#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitGPSD

  /// The options of `gpsd`.
  struct GPSDOptions: Command {
    var host = "localhost"
    var port = 2_947
    var controlSocket: String?
    var duration: Duration?
    /// The error bound, in metres.
    var within: Double?
    var isJSON = false
    var log: URL?
    var journal = JournalOptions()

    /// The options of the receiver.
    static var receiver: [Option<Self>] {
      [
        Option(\.host, "--host", .text("HOST", "a name or an address"), help: "the host of gpsd (default: localhost)"),
        Option(\.port, "--port", .whole(1...65_535, "PORT"), help: "its port (default: 2947)"),
        Option(
          \.controlSocket, "--control-socket", .path("FILE"),
          help:
            "the path given to gpsd with -F, to close the receiver immediately; otherwise gpsd closes it after 60 s, "
            + "which count as time with the GPS on"),
        Option(
          \.duration, "--for", .duration(), help: "the duration: 90, 90s, 15m, 1h30m (default: until interrupted)"),
      ]
    }

    static var options: [Option<Self>] {
      receiver + [
        Option(
          \.within, "--within", .bound,
          help: "an error bound, 100 or more: look before the error of the last location may exceed it"),
        Option(\.isJSON, "--json", help: "print only the summary, as one JSON object"),
        Option(
          \.log, "--log", .file(),
          help: "write each transition, location, rejection and receiver mode as a line of JSON"),
      ] + JournalOptions.options.map { $0.within(\.journal) }
    }

    static func refusal(of names: Set<String>, for command: String) -> String? { JournalOptions.refusal(of: names) }

    static let examples: KeyValuePairs = [
      "gpsd": "the receiver of this machine",
      "gpsd --host boat.local --within 200 --json": "a receiver elsewhere, within 200 m, as JSON",
    ]

    static let about = """
      Finds the location with a real receiver behind gpsd, and prints the calls to its location manager's listeners.

      USAGE: LocoKitDemo gpsd [options]
      """

    static let notes = """
      The program releases the receiver before it ends, also if it is hung up, interrupted or terminated, or if the output's reader
      is gone.

      EXIT CODES: 0 done, 64 wrong usage, 69 gpsd was never reached, 73 the log or the journal cannot be created with access
                  for its owner only, 74 the output, the log or the journal cannot be written, 129 hung up, 130 interrupted,
                  141 the output's reader is gone (prints no message), 143 terminated
      """

    func run() async throws -> ExitCode {
      let receiver = try RealReceiver(self)
      let provider = receiver.gpsd
      let manager = LocationManager(provider: receiver.provider)
      let counts = EventCounts()
      let events = EventLog(provider)
      let printer = Printer(isQuiet: isJSON, isLive: true)
      let began = provider.uptime
      var hasHinted = false
      let log = try log.map { try LogFile($0, isLive: true, isNot: journal.files) }
      if let log { events.onEntry = { log.write($0) } }
      events.onCall = { printer.line($0, $1, $2) }
      receiver.onConnection = { connection in
        if case .failed(let reason) = connection, !hasHinted {
          hasHinted = true
          printer.end()
          Output.error.write("LocoKitDemo: \(reason)\n")
        }
        if connection == .withoutReceiver { Output.error.write("LocoKitDemo: \(connection)\n") }
        printer.status((provider.uptime - began).seconds, manager.state, "\(connection)")
      }
      manager.listeners.add(counts)
      manager.listeners.add(events)
      manager.errorBound = within
      manager.tryPromptAuthorization()
      let code = try await receiver.run { false }
      printer.end()
      manager.listeners.remove(events)
      manager.listeners.remove(counts)
      let summary = Summary(
        duration: provider.uptime - began, gpsOn: provider.receiverOnTime, bound: within, wakes: 0, counts)
      Output.standard.write(isJSON ? summary.json : "\n" + summary.text)
      try LogFile.close(log, finishing: receiver.journal)
      return code
    }
  }
#endif
