import CSystemd
import Foundation
import LocoKit
import LocoKitGPSD
import LocoKitJournal
import LocoKitTrips

/// The daemon: finds locations through gpsd, listens to a modem's cells, and sends the locations to a server.
@MainActor
final class Tracker: @MainActor LocationManagerListener {
  private let settings: Settings
  /// The lock of the folder with the queue, until the process ends.
  private let lock: Int32
  private let gpsd: GPSDProvider
  private let journal: Journal?
  private let manager: LocationManager
  private let store: LastLocationStore
  private let history: LocationHistory?
  private let upload: Upload?
  private let encoder = JSONEncoder()
  private var bus: SystemBus?
  private var modem: ModemCells?
  private var sleep: SleepWatch?
  private var battery: Battery?
  private var serving: Task<Void, any Error>?
  private var hasCells = false
  private var isAsleep = false
  private var lastFailure = ""
  private var lastLoss = ""

  /// The wait before the system bus is tried again.
  private static let busRetry = Duration.seconds(10)

  /// - Throws: A problem of a setting or of a file.
  init(_ settings: Settings) throws {
    self.settings = settings
    do {
      try FileManager.default.createDirectory(
        at: settings.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch { throw Problem("the folder \(settings.state.path): \(error.localizedDescription); set STATE_DIRECTORY") }
    lock = try StatusSocket.lock(settings.state.appending(path: "lock").path)
    let gpsd = settings.provider()
    self.gpsd = gpsd
    journal = settings.journal.map { Journal(folder: $0, report: { say($0) }) }
    store = LastLocationStore(file: settings.state.appending(path: "last-location.json"), report: { say($0) })
    manager = LocationManager(provider: journal.map { RecordingProvider(gpsd, to: $0) } ?? gpsd, store: store)
    if let server = settings.server {
      let queue = LocationHistory(
        file: settings.state.appending(path: "queue.jsonl"), capacity: Upload.mostQueued, report: { say($0) })
      (history, upload) = (queue, Upload(queue, to: server, log: { say($0) }))
    } else {
      (history, upload) = (nil, nil)
    }
    do { try settings.locations.map { try append(Data(), to: $0) } } catch { throw Problem("LOCATION_FILE: \(error)") }
    encoder.dateEncodingStrategy = .iso8601
    gpsd.log = { say($0) }
    manager.errorBound = settings.errorBound
    if let history { manager.listeners.add(history) }
    manager.listeners.add(self)
  }

  /// Runs until SIGTERM or SIGINT.
  func run() async throws {
    // This daemon never pauses, so a paused manager means that the store couldn't be read.
    manager.resume()
    manager.tryPromptAuthorization()
    let socket = try StatusSocket(path: settings.socket) { [weak self] answer in self?.status(answer) }
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let terminations = Termination { end.finish() }
    serve()
    let sending = Task { await upload?.run() }
    let watchdog = Task { await Self.notifyWatchdog() }
    if upload == nil { say("locations stay on this machine: SERVER_URL is not set") }
    sd_notify(0, "READY=1\nSTATUS=Running")
    // A system bus that doesn't answer must not delay the start.
    connectBus()
    for await _ in ends {}
    sd_notify(0, "STOPPING=1")
    sending.cancel()
    watchdog.cancel()
    serving?.cancel()
    // The bus is served while gpsd's connection ends.
    let restoring = Task { await modem?.end() }
    _ = await serving?.result
    if history?.synchronize(within: .milliseconds(300)) == false {
      say("locations that the disk doesn't take are lost")
    }
    store.synchronize(within: .milliseconds(200))
    journal?.synchronize(within: .milliseconds(200))
    await restoring.value
    bus?.close()
    socket.end()
    terminations.end()
  }

  private func serve() { serving = Task { try await gpsd.run() } }

  /// Tells systemd's watchdog twice in its time that the main actor runs.
  private static func notifyWatchdog() async {
    var limit: UInt64 = 0
    guard sd_watchdog_enabled(0, &limit) > 0 else { return }
    while !Task.isCancelled {
      sd_notify(0, "WATCHDOG=1")
      try? await Task.sleep(for: .microseconds(Int64(limit / 2)))
    }
  }

  // MARK: - The machine

  private func connectBus() {
    do {
      let bus = try SystemBus()
      bus.onLoss = { [weak self] error in self?.loseBus(error) }
      self.bus = bus
      modem = ModemCells(bus, file: settings.state.appending(path: "modems.json"), log: { say($0) }) {
        [weak self] cell in
        self?.hasCells = cell != nil
        self?.gpsd.reportCell(cell)
      }
      sleep = SleepWatch(bus, log: { say($0) }) { [weak self] sleeps, done in self?.sleep(sleeps, done) }
      battery = Battery(bus)
      try modem?.start()
      try sleep?.start()
      try battery?.start()
    } catch {
      loseBus(error)
    }
  }

  /// Logs a loss of the bus once while it lasts.
  private func sayOnce(_ words: String) {
    if words != lastLoss { say(words) }
    lastLoss = words
  }

  private func loseBus(_ error: any Error) {
    let lost = bus
    (bus, modem, sleep, battery, hasCells) = (nil, nil, nil, nil, false)
    lost?.close()
    if lost?.hasAnswered == true { lastLoss = "" }
    sayOnce("no cells: \(error); trying again every \(Self.busRetry.components.seconds) s")
    gpsd.reportCell(nil)
    // Without the bus, no signal ends the sleep.
    sleep(false) {}
    Task { [weak self] in
      try await Task.sleep(for: Self.busRetry)
      if self?.bus == nil { self?.connectBus() }
    }
  }

  /// Closes the receiver before the machine sleeps, and looks afterwards. A repeated signal does nothing.
  private func sleep(_ sleeps: Bool, _ done: @escaping @MainActor () -> Void) {
    guard sleeps != isAsleep else { return done() }
    isAsleep = sleeps
    let before = serving
    before?.cancel()
    serving = Task {
      _ = await before?.result
      done()
      if sleeps { return }
      // The first command may only end an acquisition whose time limit passed during the sleep.
      for _ in 0..<2 { manager.forceAcquireLocation() }
      try await gpsd.run()
    }
  }

  // MARK: - Locations

  func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    upload?.noteLocation()
    guard let path = settings.locations, let line = try? encoder.encode(location) else { return }
    var failure = ""
    do { try append(line + Data("\n".utf8), to: path) } catch { failure = "\(error)" }
    if !failure.isEmpty, failure != lastFailure { say("locations are lost: \(failure)") }
    lastFailure = failure
  }

  private func status(_ answer: @escaping @MainActor (Status) -> Void) {
    Task {
      let queued = try? await history?.batch(upTo: Upload.mostQueued).entries.count
      let location = manager.location
      answer(
        Status(
          state: manager.state.rawValue, lastTransition: manager.recentTransitions.last?.description,
          connection: gpsd.connection.description,
          lastFixSecondsAgo: location.map { max(0, gpsd.date.timeIntervalSince($0.timestamp)) },
          lastFixAccuracyMeters: location?.horizontalAccuracy,
          receiverOnSeconds: gpsd.receiverOnTime / .seconds(1), cell: hasCells,
          batteryPercent: battery?.percent, queued: queued,
          sent: upload?.sent, uploadProblem: upload?.problem))
    }
  }
}
