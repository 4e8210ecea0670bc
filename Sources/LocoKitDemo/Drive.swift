#if os(Linux) || os(macOS)
  import Foundation
  @_spi(Benchmarks) import LocoKit

  /// What a device is like that is driven, and what its app asks for.
  struct Setup {
    var seed: UInt64 = 1
    var configuration = SimulatedProvider.Configuration()
    /// The manager's error bound, metres.
    var bound: Double?
    /// The location whose error is bounded.
    var target = LocationManager.BoundTarget.lastLocation
    /// How often the app forces a look.
    var period: Duration?
  }

  /// A device, its manager and what they did: a drive second by second.
  final class Trip {
    let provider: SimulatedProvider
    let events: EventLog
    private(set) var manager: LocationManager
    private(set) var samples = Samples()
    let wakes = WakeMonitor()

    let setup: Setup
    private let truth: GroundTruth
    private let store = MemoryStore()
    private var log: LogFile?
    private let recorder: ReportRecorder?
    private let journal: Journal?
    /// What the managers have: the device, or what records it.
    private let source: any LocationProvider

    init(
      _ setup: Setup, route: SimulatedProvider.Route, truth: GroundTruth, log: LogFile? = nil, isRecorded: Bool = false,
      recordingTo journal: Journal? = nil
    ) {
      self.setup = setup
      self.truth = truth
      self.log = log
      provider = SimulatedProvider(route: route, seed: setup.seed, configuration: setup.configuration)
      self.journal = journal
      source = journal.map { [provider] in RecordingProvider(provider, to: $0) } ?? provider
      events = EventLog(provider, bound: setup.bound)
      manager = LocationManager(provider: source, store: store)
      recorder =
        isRecorded
        ? ReportRecorder(startedAt: provider.date, boundMeters: setup.bound) { [provider] in provider.uptime.seconds }
        : nil
      wakes.onWake = recorder?.wake
      begin()
      if let log { events.onEntry = { log.write($0) } }
      provider.onRelaunch = { [weak self] in self?.relaunch() }
    }

    convenience init(_ options: DriveOptions, route: SimulatedProvider.Route) throws {
      let log = try options.log.map { try LogFile($0, isLive: options.speed != nil || options.isInteractive) }
      self.init(
        options.setup, route: route, truth: GroundTruth(route), log: log, isRecorded: options.report != nil,
        recordingTo: try options.journal?.open())
    }

    /// Lets time pass, a second unless it is the rest of the route, and measures.
    func advance(by step: Duration = .seconds(1)) {
      let on = provider.energy.gpsOn
      provider.advance(by: step)
      if let period = setup.period, provider.uptime.components.seconds % period.components.seconds == 0 {
        wakes.appWoke()
        manager.forceAcquireLocation()
      }
      let here = truth.places[samples.count]
      func distance(_ latitude: Double, _ longitude: Double) -> Float {
        Float(GroundTruth.distance(GroundTruth.place(latitude: latitude, longitude: longitude), here))
      }
      recorder?.sample(manager)
      if samples.count % 100 == 0 { journal?.catchUp() }
      samples.gpsOn.append(Float((provider.energy.gpsOn - on).seconds))
      samples.errors.append(manager.location.map { distance($0.latitude, $0.longitude) } ?? .nan)
      samples.estimateErrors.append(manager.estimate.map { distance($0.latitude, $0.longitude) } ?? .nan)
    }

    var summary: Summary {
      Summary(self, along: truth.prefix(samples.count))
    }

    /// What happened, where it was recorded.
    var recording: Recording? {
      recorder?.recording(along: provider.route, truth: truth.prefix(samples.count))
    }

    /// Writes what is left of the log and the journal.
    func end() throws {
      journal?.catchUp()
      try log?.close()
    }

    /// The system has launched the app again.
    private func relaunch() {
      // The old manager lets go of the hardware before the new one takes it.
      manager = LocationManager(provider: ParkedProvider())
      manager = LocationManager(provider: source, store: store)
      begin()
      events.call(manager, "the app is launched again")
      manager.tryPromptAuthorization()
    }

    private func begin() {
      manager.listeners.add(events)
      manager.boundTarget = setup.target
      manager.errorBound = setup.bound
      recorder?.begin(manager)
      guard let receive = provider.onReport else { return }
      provider.onReport = { [weak self] report in
        guard let self else { return }
        wakes.tell(report, to: manager, at: provider.uptime, by: receive)
      }
    }
  }

  /// What a manager has between two launches: nothing.
  private final class ParkedProvider: LocationProvider {
    let uptime = Duration.zero
    let date = Date.distantPast
    let authorization = Authorization.notDetermined
    let recommendedPolicy = AcquisitionPolicy.loco
    var onReport: ((ProviderReport) -> Void)?
    func requestAuthorization() {}
    func setMode(_ mode: ReceiverMode) {}
    func setTimer(_ deadline: Duration?) {}
  }

  /// The last location and a pause, for the next launch of the simulated app.
  private final class MemoryStore: LocationStore {
    var location: Location?
    var isPaused = false
  }

  /// A file of lines, readable by its owner alone: written in pieces, or each at once where somebody may watch.
  final class LogFile {
    private let handle: FileHandle
    private let name: String
    private let isLive: Bool
    private var buffer: [UInt8] = []
    /// The number of the first error; nothing is written after it.
    private var error: Int32 = 0

    init(_ file: URL, isLive: Bool) throws {
      name = file.path
      self.isLive = isLive
      func failure(_ what: String) -> Failure {
        Failure(code: .cannotCreate, message: "\(file.path) cannot be \(what): \(String(cString: strerror(errno)))")
      }
      let descriptor = open(file.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw failure("written") }
      handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw failure("examined") }
      // A pipe or a device has no contents to protect, and a device belongs to the system.
      guard status.st_mode & S_IFMT == S_IFREG else { return }
      guard fchmod(descriptor, 0o600) == 0 else { throw failure("made readable by its owner alone") }
      guard ftruncate(descriptor, 0) == 0 else { throw failure("emptied") }
    }

    func write(_ line: String) {
      buffer += Array((line + "\n").utf8)
      if isLive || buffer.count > 1 << 16 { flush() }
    }

    func close() throws {
      flush()
      guard error == 0 else {
        throw Failure(code: .ioError, message: "\(name) cannot be written: \(String(cString: strerror(error)))")
      }
    }

    private func flush() {
      if error == 0 { error = writeAll(buffer, to: handle.fileDescriptor) }
      buffer = []
    }
  }

  /// A drive as fast as it goes, or so many times as fast as real time, printed line by line.
  @MainActor
  struct Drive {
    private let options: DriveOptions

    init(_ options: DriveOptions) {
      self.options = options
    }

    func run() async throws -> ExitCode {
      let (route, notes) = try options.route()
      for note in notes { Output.error.write("note: \(note)\n") }
      let report = try options.report.map(ReportFile.init)
      let trip = try Trip(options, route: route)
      let printer = Printer(isQuiet: options.isJSON, isLive: options.speed != nil)
      trip.events.onCall = { printer.line($0, $1, $2) }
      let pace = Pace(options.speed)
      trip.manager.tryPromptAuthorization()
      let seconds = Int(route.duration.seconds.rounded(.up))
      var code = ExitCode.done
      for second in 0..<seconds where code == .done && Output.standard.isOpen {
        if let signal = await pace.wait(for: second + 1) {
          code = signal
        } else {
          trip.advance()
          printer.progress(second + 1, of: seconds, state: trip.manager.state)
        }
      }
      pace.end()
      printer.end()
      Output.standard.write(options.isJSON ? trip.summary.json : "\n" + trip.summary.text)
      try report?.write(options.report(on: trip))
      try trip.end()
      return code
    }
  }

  /// Prints listener calls, and under them, in a terminal, how far the drive is.
  @MainActor
  final class Printer {
    private let isQuiet: Bool
    private let isLive: Bool
    private var buffer = ""
    private var shown = -1
    private var hasProgress = false

    init(isQuiet: Bool, isLive: Bool) {
      self.isQuiet = isQuiet
      self.isLive = isLive
    }

    func line(_ time: TimeInterval, _ state: LocationState, _ call: String) {
      guard !isQuiet else { return }
      let name = state.rawValue.padding(toLength: 24, withPad: " ", startingAt: 0)
      let colour: Output.Colour =
        switch state {
        case .acquiring: .green
        case .waitingSignificantChange: .cyan
        case .denied, .paused: .red
        case .initial, .prompted: .yellow
        }
      let stamp = Output.standard.coloured(time.clock, .dim)
      buffer += "\(stamp)  \(Output.standard.coloured(name, colour)) \(call)\n"
      if isLive || buffer.utf8.count > 1 << 14 { flush() }
    }

    func progress(_ second: Int, of seconds: Int, state: LocationState) {
      progress(second * 100 / max(1, seconds), Double(second), state: state)
    }

    func progress(_ percent: Int, _ time: TimeInterval, state: LocationState) {
      guard Output.error.isTerminal, isLive || percent != shown else { return }
      flush()
      shown = percent
      hasProgress = true
      Output.error.write("\r\u{1B}[K\(percent) %  \(time.clock)  \(state.rawValue)\r")
    }

    /// Shows what goes on, to a person.
    func status(_ time: TimeInterval, _ state: LocationState, _ text: String) {
      guard Output.error.isTerminal else { return }
      flush()
      hasProgress = true
      Output.error.write("\r\u{1B}[K\(time.clock)  \(state.rawValue)  \(text)\r")
    }

    func end() {
      flush()
      if hasProgress { Output.error.write("\r\u{1B}[K") }
    }

    private func flush() {
      if hasProgress, !buffer.isEmpty { Output.error.write("\r\u{1B}[K") }
      hasProgress = false
      if !buffer.isEmpty { Output.standard.write(buffer) }
      buffer = ""
    }
  }
#endif
