#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// A device, its manager and its journal: a drive second by second.
  final class Trip {
    let provider: SimulatedProvider
    let journal: Journal
    private(set) var manager: LocationManager
    /// How far the last location was from the device, once a second.
    private(set) var errors: [Float] = []

    private let store = MemoryStore()
    private var log: LogFile?

    init(_ options: DriveOptions, route: Route) throws {
      provider = SimulatedProvider(route: route, seed: options.seed, configuration: options.configuration)
      journal = Journal(provider)
      manager = LocationManager(provider: provider, store: store)
      manager.listeners.add(journal)
      if let file = options.log {
        let log = try LogFile(file, isLive: options.speed != nil || options.isInteractive)
        self.log = log
        journal.onEntry = { log.write($0) }
      }
      provider.onRelaunch = { [weak self] in self?.relaunch() }
    }

    /// Lets time pass, a second unless it is the rest of the route, and measures.
    func advance(by step: Duration = .seconds(1)) {
      provider.advance(by: step)
      // Where the recording has a gap nobody knows where the device was.
      let time = provider.uptime.seconds
      guard let location = manager.location, provider.route.hasSky(at: time) else { return }
      let truth = provider.route.position(at: time)
      let here = Location(
        latitude: truth.latitude, longitude: truth.longitude, horizontalAccuracy: 0, timestamp: location.timestamp)
      errors.append(Float(location.distance(to: here)))
    }

    var summary: Summary {
      Summary(provider, journal, errors: errors)
    }

    /// Writes what is left of the log.
    func end() throws {
      try log?.close()
    }

    /// The system has launched the app again.
    private func relaunch() {
      // The old manager lets go of the hardware before the new one takes it.
      manager = LocationManager(provider: ParkedProvider())
      manager = LocationManager(provider: provider, store: store)
      manager.listeners.add(journal)
      journal.call(manager, "the app is launched again")
      manager.tryPromptAuthorization()
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
      let trip = try Trip(options, route: route)
      let printer = Printer(isQuiet: options.isJSON, isLive: options.speed != nil)
      trip.journal.onCall = { printer.line($0, $1, $2) }
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
      let percent = second * 100 / max(1, seconds)
      guard Output.error.isTerminal, isLive || percent != shown else { return }
      flush()
      shown = percent
      hasProgress = true
      Output.error.write("\r\u{1B}[K\(percent) %  \(Double(second).clock)  \(state.rawValue)\r")
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
