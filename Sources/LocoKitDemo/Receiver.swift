#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// Where `get`, `track` and `trip` have their fixes from: a simulated device, or a real receiver behind gpsd.
  struct ReceiverOptions {
    enum Source {
      case drive(DriveOptions)
      case gpsd(GPSDOptions)
    }

    var source: Source
    var desiredAccuracy: Double
    var timeout: Duration
    var distanceFilter: Double
    /// What a power policy decides by, and whether the user walks; `nil` tracks whatever the power.
    var conditions: PowerController.Policy.Conditions?
    var isWalking: Bool
    var isJSON: Bool

    static let known =
      DriveOptions.known.filter {
        !["--interactive", "--log", "--report", "--within", "--sensors", "--region"].contains($0.name)
      }
      + GPSDOptions.known.filter { ["--host", "--port", "--control-socket", "--for"].contains($0.name) }
      + [
        KnownOption("--gpsd"), KnownOption("--desired", takesValue: true), KnownOption("--timeout", takesValue: true),
        KnownOption("--distance-filter", takesValue: true), KnownOption("--background"), KnownOption("--charging"),
        KnownOption("--walk"),
      ]

    /// What only some of the commands have a use for.
    private static let uses = [
      "--desired": ["get", "track"], "--timeout": ["get"], "--distance-filter": ["track"], "--background": ["track"],
      "--charging": ["track"], "--walk": ["track"],
    ]
    private static let real = ["--host", "--port", "--control-socket", "--for"]
    private static let simulated = [
      "--gpx", "--route", "--seed", "--policy", "--trigger", "--realtime", "--answer", "--faults",
    ]

    /// Why a command does not accept these options together; `nil` where it does.
    static func refusal(of names: Set<String>, for command: String) -> String? {
      for (name, commands) in uses.sorted(by: { $0.key < $1.key })
      where names.contains(name) && !commands.contains(command) {
        return "\(name) is for \(commands.joined(separator: " and ")), not for \(command)."
      }
      let isReal = names.contains("--gpsd")
      if let name = (isReal ? simulated : real).first(where: names.contains) {
        return isReal
          ? "\(name) is for a simulated device, and --gpsd is a real one."
          : "\(name) is for a real receiver: add --gpsd."
      }
      if let refusal = BuiltInRoute.refusal(of: names) ?? JournalOptions.refusal(of: names) { return refusal }
      if !names.isDisjoint(with: ["--background", "--charging", "--walk"]),
        let name = ["--desired", "--distance-filter"].first(where: names.contains)
      {
        return "\(name) is not for a power policy, which decides by itself."
      }
      return nil
    }

    init(_ given: GivenOptions) throws {
      source = given.has("--gpsd") ? .gpsd(try GPSDOptions(given)) : .drive(try DriveOptions(given))
      desiredAccuracy = try given.metres("--desired", 100, isZeroAllowed: false)
      timeout = try given.duration("--timeout") ?? .seconds(30)
      guard timeout <= .seconds(86_400) else { throw Failure.usage("--timeout is at most a day.") }
      distanceFilter = try given.metres("--distance-filter", 0, isZeroAllowed: true)
      isJSON = given.has("--json")
      isWalking = given.has("--walk")
      let (isBackground, isCharging) = (given.has("--background"), given.has("--charging"))
      if isBackground || isCharging || isWalking {
        conditions = PowerController.Policy.Conditions(
          isInForeground: !isBackground, power: isCharging ? .external : .battery(level: nil))
      }
    }

    static let help = """
      Finds one location, tracks, or measures a trip.

      USAGE: LocoKitDemo get [options]       one location, as LocateMe did
             LocoKitDemo track [options]     every location, for as long as the route or --for lasts
             LocoKitDemo trip [options]      how far and how long, with the signal's strength

      OPTIONS:
        --desired METRES      get, track: how accurate a location is wanted (default: 100)
        --timeout DURATION    get: how long to wait (default: 30s)
        --distance-filter M   track: how far a location is from the last one, unless it is more accurate (default: 0)
        --background, --charging, --walk
                              track: as a power policy decides for an app that is not seen, on external power, on foot
        --json                print each result as a line of JSON
      \(JournalOptions.help)
        --gpx FILE, --route NAME, --seed N, --policy NAME, --trigger NAME, --realtime X, --answer NAME, --faults LEVEL
                              the simulated device: see LocoKitDemo drive --help
        --gpsd                a real receiver, with --host, --port, --control-socket and --for: see LocoKitDemo gpsd --help
        -h, --help            print this

      With --realtime and --gpsd, a signal, or a reader of the output that goes, ends it in order.

      EXIT CODES: 0 done, 64 wrong usage, 65 the file cannot be used, 66 there is no such file, 69 gpsd was never there,
                  73 the journal cannot be created for its owner alone, 74 the output cannot be written, 75 no location in time, 77 the permission was refused or never given,
                  129 hung up, 130 interrupted, 141 the output's reader has gone (nothing is said), 143 terminated

      """
  }

  extension GivenOptions {
    func metres(_ name: String, _ standard: Double, isZeroAllowed: Bool) throws -> Double {
      guard let text = text(name) else { return standard }
      guard let value = Double(text), value.isFinite, value > 0 || isZeroAllowed && value == 0, value <= 1e7 else {
        throw Failure.usage(
          "\(name) is a number of metres \(isZeroAllowed ? "from 0 on" : "above 0"), not '\(text)'.")
      }
      return value
    }
  }

  /// A provider, and the time in which it works.
  @MainActor
  protocol Receiver {
    var provider: any LocationProvider { get }
    /// Lets time pass, calling back at least once a second, until that says that it is over, the time is, a signal comes
    /// or nobody reads the output any more.
    func run(_ isOver: () async -> Bool) async -> ExitCode
  }

  /// A simulated device on its own time.
  struct SimulatedReceiver: Receiver {
    let device: SimulatedProvider
    let provider: any LocationProvider
    private let journal: Journal?
    private let speed: Double?

    init(_ options: DriveOptions) throws {
      let (route, notes) = try options.route()
      for note in notes { Output.error.write("note: \(note)\n") }
      device = SimulatedProvider(route: route, seed: options.seed, configuration: options.configuration)
      journal = try options.journal?.open()
      provider = journal.map { [device] in RecordingProvider(device, to: $0) } ?? device
      speed = options.speed
    }

    func run(_ isOver: () async -> Bool) async -> ExitCode {
      let pace = Pace(speed)
      defer {
        pace.end()
        journal?.catchUp()
      }
      for second in 0..<Int(device.route.duration.seconds.rounded(.up)) where Output.standard.isOpen {
        if let signal = await pace.wait(for: second + 1) { return signal }
        device.advance(by: .seconds(1))
        if second % 100 == 0 { journal?.catchUp() }
        // Tasks that await a location run now.
        await Task.yield()
        if await isOver() { break }
      }
      return .done
    }
  }

  /// A real receiver.
  @MainActor
  final class RealReceiver: Receiver {
    let gpsd: GPSDProvider
    let provider: any LocationProvider
    private let journal: Journal?
    /// Called with each state of the connection; prints what goes wrong, unless somebody else does.
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
      journal = try options.journal?.open()
      provider = journal.map { [gpsd] in RecordingProvider(gpsd, to: $0) } ?? gpsd
      gpsd.onConnectionChange = { [weak self] connection in
        if connection == .open { self?.wasThere = true }
        self?.onConnection(connection)
      }
    }

    func run(_ isOver: () async -> Bool) async -> ExitCode {
      let interruption = Interruption()
      defer { interruption.end() }
      let end = duration.map { ContinuousClock.now + $0 }
      let running = Task { try await gpsd.run() }
      while interruption.reason == nil, Output.standard.isOpen, end.map({ $0 > .now }) ?? true, !(await isOver()) {
        let tick = ContinuousClock.now + .milliseconds(100)
        await interruption.sleep(until: min(tick, end ?? tick))
      }
      // Closes the receiver too.
      running.cancel()
      _ = await running.result
      journal?.catchUp()
      return interruption.reason ?? (wasThere || !Output.standard.isOpen ? .done : .unavailable)
    }
  }
#endif
