#if os(Linux) || os(macOS)
  import Foundation
  import LocoKitGPSD
  import LocoKit

  /// The options of `gpsd`.
  struct GPSDOptions: Command {
    var host: String
    var port: Int
    var controlSocket: String?
    var duration: Duration?
    /// The error bound, in metres.
    var within: Double?
    var isJSON: Bool
    var log: URL?
    var journal: JournalOptions?

    static let known: [KnownOption] =
      ["--host=", "--port=", "--control-socket=", "--for=", "--json", "--log=", "--within="] + JournalOptions.known

    static func refusal(of names: Set<String>, for command: String) -> String? { JournalOptions.refusal(of: names) }

    init(_ given: GivenOptions) throws {
      journal = JournalOptions(given)
      host = given.text("--host") ?? "localhost"
      guard !host.isEmpty else { throw Failure.usage("--host is a name or an address.") }
      let text = given.text("--port") ?? "2947"
      guard let port = Int(text), (1...65_535).contains(port) else {
        throw Failure.usage("--port is a number from 1 to 65535, not '\(text)'.")
      }
      self.port = port
      controlSocket = given.text("--control-socket")
      isJSON = given.has("--json")
      log = given.file("--log")
      duration = try given.duration("--for")
      within = try given.bounds().last
    }

    static let help = """
      Finds the location with a real receiver behind gpsd, and prints the calls to its location manager's listeners.

      USAGE: LocoKitDemo gpsd [options]

      OPTIONS:
        --host H              the host of gpsd (default: localhost)
        --port P              its port (default: 2947)
        --control-socket F    the path given to gpsd with -F, to close the receiver immediately; otherwise gpsd closes it after
                              60 s, which count as time with the GPS on
        --for DURATION        the duration: 90, 90s, 15m, 1h30m (default: until interrupted)
        --within METRES       an error bound, 100 or more: look before the error of the last location may exceed it
        --json                print only the summary, as one JSON object
        --log FILE            write each transition, location, rejection and receiver mode as a line of JSON
      \(JournalOptions.help)
        -h, --help            print this

      The program releases the receiver before it ends, also if it is hung up, interrupted or terminated, or if the output's reader
      is gone.

      EXIT CODES: 0 done, 64 wrong usage, 69 gpsd was never reached, 73 the log or the journal cannot be created with access
                  for its owner only, 74 the output or the log cannot be written, 129 hung up, 130 interrupted,
                  141 the output's reader is gone (prints no message), 143 terminated

      """

    func run() async throws -> ExitCode {
      let receiver = try RealReceiver(self)
      let provider = receiver.gpsd
      let manager = LocationManager(provider: receiver.provider)
      let counts = EventCounts(provider, bound: within)
      let events = EventLog(provider)
      let printer = Printer(isQuiet: isJSON, isLive: true)
      let began = provider.uptime
      var hasHinted = false
      let log = try log.map { try LogFile($0, isLive: true) }
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
      let code = await receiver.run { false }
      printer.end()
      manager.listeners.remove(events)
      manager.listeners.remove(counts)
      let summary = Summary(
        duration: provider.uptime - began, gpsOn: provider.receiverOnTime, bound: within, counts)
      Output.standard.write(isJSON ? summary.json : "\n" + summary.text)
      try log?.close()
      return code
    }
  }
#endif
