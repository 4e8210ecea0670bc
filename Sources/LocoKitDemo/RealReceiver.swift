#if os(Linux) || os(macOS)
  import LocoKit
  import LocoKitGPSD
  import LocoKitJournal

  /// A real receiver.
  @MainActor
  final class RealReceiver: Receiver {
    let gpsd: GPSDProvider
    let provider: any LocationProvider
    let journal: Journal?
    /// Called with each state of the connection; prints errors by default.
    var onConnection: (GPSDProvider.Connection) -> Void = {
      switch $0 {
      case .failed, .withoutReceiver: Output.error.write("LocoKitDemo: \($0)\n")
      default: break
      }
    }
    private let duration: Duration?
    private var wasThere = false

    init(_ options: GPSDOptions) throws {
      gpsd = GPSDProvider(host: options.host, port: options.port, controlSocket: options.controlSocket)
      duration = options.duration
      journal = try options.journal.open()
      provider = journal.map { [gpsd] in RecordingProvider(gpsd, to: $0) } ?? gpsd
      gpsd.log = { [weak gpsd] line in
        // Connections are printed elsewhere, and may have changed again before their lines arrive.
        let connections = [.closed, .connecting, .open, .watching, .withoutReceiver, gpsd?.connection].compactMap(
          \.self)
        if !connections.map(\.description).contains(line) { Output.error.write("LocoKitDemo: \(line)\n") }
      }
      gpsd.onConnectionChange = { [weak self] connection in
        if connection == .open { self?.wasThere = true }
        self?.onConnection(connection)
      }
    }

    func run(_ isOver: () async -> Bool) async throws -> ExitCode {
      let interruption = Interruption()
      defer { interruption.end() }
      let end = duration.map { ContinuousClock.now + $0 }
      let running = Task { try await gpsd.run() }
      while interruption.reason == nil, Output.standard.isOpen, end.map({ $0 > .now }) ?? true, !(await isOver()) {
        let tick = ContinuousClock.now + .milliseconds(100)
        await interruption.sleep(until: min(tick, end ?? tick))
      }
      // Canceling also closes the receiver.
      running.cancel()
      _ = await running.result
      journal?.catchUp()
      return interruption.reason ?? (wasThere || !Output.standard.isOpen ? .done : .unavailable)
    }
  }
#endif
