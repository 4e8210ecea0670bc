#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitJournal
  import LocoKitSimulation
  import LocoKitTrips

  /// A simulated device and the settings of its app.
  struct Setup {
    var seed: UInt64 = 1
    var phone: Phone
    var configuration: SimulatedProvider.Configuration
    /// The manager's error bound, in metres.
    var bound: Double?
    /// The location whose error is bounded.
    var target = LocationManager.BoundTarget.lastLocation
    /// The interval between looks that the app forces.
    var period: Duration?
  }

  /// A drive of a simulated device with its manager, measured every second.
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
    /// The provider of the managers: the device, or a recording of it.
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

    /// Advances the device, usually by a second, and measures.
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

    var summary: Summary { Summary(self, along: truth.prefix(samples.count)) }

    /// The recording for a report, if there is one.
    var recording: Recording? {
      recorder?.recording(along: provider.route, truth: truth.prefix(samples.count))
    }

    /// Writes the rest of the log and the journal.
    func end() throws {
      journal?.catchUp()
      try log?.close()
    }

    /// Simulates another launch of the app.
    private func relaunch() {
      // The old manager releases the provider before the new one takes it.
      manager = LocationManager(provider: ParkedProvider())
      manager = LocationManager(provider: source, store: store)
      begin()
      events.call(manager, "the app is relaunched")
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
        wakes.tell(report, to: manager, at: provider.uptime, wakes: provider.energy.wakes, by: receive)
      }
    }
  }

  /// A provider without hardware, for the time between two launches.
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

  /// A store that outlives the launches of the simulated app.
  private final class MemoryStore: LocationStore {
    var location: Location?
    var isPaused = false
  }

  /// A text file that only its owner can read. It is buffered, unless it is live.
  final class LogFile {
    private let handle: FileHandle
    private let name: String
    private let isLive: Bool
    private var buffer: [UInt8] = []
    /// The number of the first error: nothing is written after it.
    private var error: Int32 = 0

    init(_ file: URL, isLive: Bool) throws {
      name = file.path
      self.isLive = isLive
      func failure(_ what: String) -> Failure {
        Failure(code: .cannotCreate, message: "\(file.path) cannot be \(what): \(errorText())")
      }
      let descriptor = open(file.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw failure("written") }
      handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw failure("examined") }
      // A pipe or a device has no content to protect, and a device belongs to the system.
      guard status.st_mode & S_IFMT == S_IFREG else { return }
      guard fchmod(descriptor, 0o600) == 0 else { throw failure("restricted to its owner") }
      guard ftruncate(descriptor, 0) == 0 else { throw failure("emptied") }
    }

    func write(_ line: String) {
      buffer += Array((line + "\n").utf8)
      if isLive || buffer.count > 1 << 16 { flush() }
    }

    func close() throws {
      flush()
      guard error == 0 else {
        throw Failure(code: .ioError, message: "\(name) cannot be written: \(errorText(error))")
      }
    }

    private func flush() {
      if error == 0 { error = writeAll(buffer, to: handle.fileDescriptor) }
      buffer = []
    }
  }

  extension DriveOptions {
    /// Drives, and prints the listener calls and a summary.
    @MainActor
    func drive() async throws -> ExitCode {
      let (route, notes) = try self.route()
      for note in notes { Output.error.write("note: \(note)\n") }
      let report = try report.map(ReportFile.init)
      let trip = try Trip(self, route: route)
      let printer = Printer(isQuiet: isJSON, isLive: speed != nil)
      trip.events.onCall = { printer.line($0, $1, $2) }
      let pace = Pace(speed)
      trip.manager.tryPromptAuthorization()
      let seconds = Int(route.duration.seconds.rounded(.up))
      var code = ExitCode.done
      var second = 0
      while second < seconds, code == .done, Output.standard.isOpen {
        second += 1
        if let signal = await pace.wait(for: second) {
          code = signal
        } else {
          trip.advance()
          printer.progress(second * 100 / seconds, Double(second), state: trip.manager.state)
        }
      }
      pace.end()
      printer.end()
      Output.standard.write(isJSON ? trip.summary.json : "\n" + trip.summary.text)
      try report?.write(self.report(on: trip))
      try trip.end()
      return code
    }
  }

  /// Prints listener calls; in a terminal, also the progress below them.
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

    func progress(_ percent: Int, _ time: TimeInterval, state: LocationState) {
      guard isLive || percent != shown else { return }
      shown = percent
      show("\(percent) %  \(time.clock)  \(state.rawValue)")
    }

    func status(_ time: TimeInterval, _ state: LocationState, _ text: String) {
      show("\(time.clock)  \(state.rawValue)  \(text)")
    }

    func search(tries: Int, inputs: Int) { show("try \(tries), \(inputs) inputs") }

    /// Shows a line that the next one replaces, in a terminal.
    private func show(_ text: String) {
      guard Output.error.isTerminal else { return }
      flush()
      hasProgress = true
      Output.error.write("\r\u{1B}[K\(text)\r")
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
