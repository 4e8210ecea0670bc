#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// A real receiver behind gpsd, until the time is over or the user interrupts.
  @MainActor
  struct GPSD {
    private let options: GPSDOptions

    init(_ options: GPSDOptions) {
      self.options = options
    }

    func run() async throws -> ExitCode {
      let receiver = try RealReceiver(options)
      let provider = receiver.gpsd
      let manager = LocationManager(provider: receiver.provider)
      let events = EventLog(provider, bound: options.within)
      let printer = Printer(isQuiet: options.isJSON, isLive: true)
      let began = provider.uptime
      var hasHinted = false
      let log = try options.log.map { try LogFile($0, isLive: true) }
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
      manager.listeners.add(events)
      manager.errorBound = options.within
      manager.tryPromptAuthorization()
      let code = await receiver.run { false }
      printer.end()
      manager.listeners.remove(events)
      let summary = Summary(
        duration: provider.uptime - began, gpsOn: provider.receiverOnTime, bound: options.within, events)
      Output.standard.write(options.isJSON ? summary.json : "\n" + summary.text)
      try log?.close()
      return code
    }
  }
#endif
