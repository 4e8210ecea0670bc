#if os(Linux) || os(macOS)
  import LocoKit
  import LocoKitJournal
  import LocoKitSimulation

  /// A simulated device with its own clock.
  struct SimulatedReceiver: Receiver {
    let device: SimulatedProvider
    let provider: any LocationProvider
    let journal: Journal?
    private let speed: Double?

    init(_ options: DriveOptions) throws {
      let (route, notes) = try options.route()
      for note in notes { Output.error.write("note: \(note.printable)\n") }
      device = SimulatedProvider(route: route, seed: options.seed, configuration: options.configuration)
      journal = try options.journal.open()
      provider = journal.map { [device] in RecordingProvider(device, to: $0) } ?? device
      speed = options.speed
    }

    func run(_ isOver: () async -> Bool) async throws -> ExitCode {
      let pace = Pace(speed)
      defer { pace.end() }
      var code = ExitCode.done
      for second in 0..<Int(device.route.duration.seconds.rounded(.up)) where Output.standard.isOpen {
        if let signal = await pace.wait(for: second + 1) {
          code = signal
          break
        }
        device.advance(by: .seconds(1))
        if second % 100 == 0 { journal?.catchUp() }
        // Tasks that await a location run here.
        await Task.yield()
        if await isOver() { break }
      }
      journal?.catchUp()
      return code
    }
  }
#endif
