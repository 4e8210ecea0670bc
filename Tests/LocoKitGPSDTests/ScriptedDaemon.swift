#if os(Linux) || os(macOS)
  import Foundation

  @_spi(Benchmarks) @testable import LocoKit
  @_spi(Benchmarks) @testable import LocoKitGPSD
  @_spi(Benchmarks) @testable import LocoMachine
  @testable import TestSupport

  /// A simulated gpsd, its receiver and the system's sockets, in virtual time.
  final class ScriptedDaemon: GPSDSystem {
    /// The daemon's behavior towards its client.
    enum Manner: CaseIterable {
      case well, refusing, silent, dribbling, flooding, garbage, wrongProtocol, closing
    }

    /// gpsd's reaction to an unplugged receiver.
    enum Loss: CaseIterable {
      /// gpsd reports that it closed the receiver, and reopens the receiver on request.
      case kept
      /// gpsd reports that it closed the receiver, and drops the receiver on a request during the absence.
      case droppedWhenAsked
      /// gpsd reports that it closed the receiver, and drops the receiver immediately.
      case dropped
      /// gpsd doesn't notice the loss. Only closing and reopening the receiver helps.
      case unnoticed
    }

    weak var provider: GPSDProvider?
    var manner = Manner.well
    var receivers = ["/dev/ttyUSB0"]
    var isPlugged = true
    var loss = Loss.kept
    /// The machine's device files.
    var files: Set<String> = []
    /// The machine's other files.
    var otherFiles: Set<String> = []
    var controlFails = false
    /// The receiver's origin, in degrees.
    var origin = (latitude: 34.0, longitude: -118.0)
    /// Metres north of the origin.
    var north = 0.0
    /// The fixes' horizontal error; `nil` for no fix.
    var error: Double? = 17.3
    /// The time between two fixes.
    var period = Duration.seconds(1)
    /// The fixes' age.
    var age: TimeInterval = 0
    var clockOffset: TimeInterval = 0
    /// Members of the fixes that the receiver omits.
    var omitted: Set<String> = []
    /// gpsd's status of the fixes.
    var status: Int?
    /// Receivers that report in the same seconds, half a second later, with their places north of the start and their errors.
    var others: [(path: String, north: Double, error: Double?)] = []

    private(set) var connects: [Duration] = []
    private(set) var sent: [String] = []
    private(set) var controlled: [String] = []
    /// The provider's requests to reopen a receiver through the control socket.
    private(set) var reopened: [(time: Duration, path: String, closing: Bool)] = []
    private(set) var dropped: Set<String> = []
    private var hasNotNoticed = false
    private var isClosed = false
    private(set) var isWatched = false
    /// The duration of a connection attempt, including the name lookup.
    var connecting = Duration.milliseconds(2)
    private(set) var isConnected = false
    private(set) var uptime = Duration.zero
    /// The total time that the receiver was watched.
    private(set) var watchedFor = Duration.zero
    var random = SeededGenerator(seed: 1)

    /// Whether the program runs the provider.
    private(set) var isRunning = false
    private(set) var timer: Duration?
    private var standstill = 0
    private var connection = 0
    private var agenda: [(time: Duration, number: Int, action: () -> Void)] = []
    private var scheduled = 0

    var date: Date { Date(timeIntervalSince1970: 1_795_244_400 + uptime.inSeconds + clockOffset) }
    func chance() -> Double { Double.random(in: 0..<1, using: &random) }
    func run(handle: (GPSDCore.Input) -> Void, read: ([UInt8]) -> Void) async {}

    /// Runs the provider.
    func begin() {
      isRunning = true
      provider?.handle(.began)
    }

    /// Cancels the provider's run. Its timer and the answers that it waits for are lost.
    func stop() {
      provider?.stop()
      (isRunning, timer) = (false, nil)
    }

    // MARK: - Time

    func advance(by duration: Duration) {
      let end = uptime + duration
      while true {
        let next = agenda.indices.min { (agenda[$0].time, agenda[$0].number) < (agenda[$1].time, agenda[$1].number) }
        let at = next.map { agenda[$0].time } ?? .seconds(Int64.max)
        if let timer, timer <= at, timer <= end {
          standstill = timer > uptime ? 0 : standstill + 1
          precondition(standstill < 1_000, "The provider keeps setting a timer in the past.")
          pass(to: timer)
          self.timer = nil
          provider?.handle(.timer)
        } else if let next, at <= end {
          pass(to: at)
          agenda.remove(at: next).action()
        } else {
          return pass(to: end)
        }
      }
    }

    private func pass(to time: Duration) {
      guard time > uptime else { return }
      if isWatched { watchedFor += time - uptime }
      uptime = time
    }

    private func schedule(after delay: Duration, _ action: @escaping () -> Void) {
      scheduled += 1
      agenda.append((uptime + delay, scheduled, action))
    }

    func setTimer(_ deadline: Duration?) {
      if isRunning { timer = deadline.map { max($0, uptime) } }
    }

    // MARK: - Sockets

    func connect() {
      connects.append(uptime)
      connection += 1
      let number = connection
      schedule(after: connecting) { [weak self] in
        guard let self, connection == number else { return }
        guard manner != .refusing else { return notify(.lost(reason: "there is no gpsd")) }
        isConnected = true
        notify(.connected)
        switch manner {
        case .silent: break
        case .dribbling: dribble(number)
        case .garbage: garbage(number)
        case .closing:
          say(#"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"#)
          close()
          notify(.lost(reason: "gpsd has closed the connection"))
        case .wrongProtocol: say(#"{"class":"VERSION","release":"4","proto_major":4,"proto_minor":0}"#)
        default: say(#"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"#)
        }
      }
    }

    func close() {
      connection += 1
      isConnected = false
      isWatched = false
    }

    /// Kills gpsd.
    func kill() {
      manner = .refusing
      dropped = []
      (hasNotNoticed, isClosed) = (false, false)
      guard isConnected else { return }
      close()
      notify(.lost(reason: "gpsd has closed the connection"))
    }

    func send(_ bytes: [UInt8]) {
      guard isConnected else { return }
      let line = String(decoding: bytes, as: UTF8.self)
      sent.append(line)
      guard manner == .well || manner == .flooding else { return }
      if line == "?DEVICES;\n" {
        let number = connection
        return schedule(after: .zero) { [weak self] in
          guard let self, connection == number else { return }
          say(devices)
        }
      }
      let wasWatched = isWatched
      isWatched = line.contains("true")
      guard isWatched else { return }
      let number = connection
      schedule(after: .milliseconds(1)) { [weak self] in
        guard let self, connection == number else { return }
        if isPlugged { isClosed = false }
        if loss == .droppedWhenAsked, !isPlugged { dropped.formUnion(receivers) }
        say(devices)
        say(#"{"class":"WATCH","enable":true}"#)
        if !wasWatched { second(number) }
      }
    }

    private var devices: String {
      let devices = receivers.filter { !dropped.contains($0) }.map { #"{"class":"DEVICE","path":"\#($0)"}"# }
      return #"{"class":"DEVICES","devices":[\#(devices.joined(separator: ","))]}"#
    }

    func closeReceivers(_ paths: [String]) {
      schedule(after: .milliseconds(20)) { [weak self] in
        guard let self else { return }
        notify(.receiversClosed(error: closeReceiversNow(paths)))
      }
    }

    func closeReceiversNow(_ paths: [String]) -> String? {
      if !controlFails { controlled += paths }
      return controlFails ? "permission denied" : nil
    }

    func reopenReceivers(_ paths: [String], closing: Bool) {
      reopened += paths.map { (uptime, $0, closing) }
      schedule(after: .milliseconds(20)) { [weak self] in self?.notify(.receiversReopened) }
      guard !controlFails else { return }
      if closing { hasNotNoticed = false }
      isClosed = !isPlugged
      if isPlugged { dropped.subtract(paths) } else { dropped.formUnion(paths) }
    }

    func file(at path: String) -> GPSDFile? {
      files.contains(path) ? .device : otherFiles.contains(path) ? .other : nil
    }

    private func notify(_ input: GPSDCore.Input) {
      if isRunning { provider?.handle(input) }
    }

    func say(_ line: String) {
      guard isConnected else { return }
      provider?.read(Array((line + "\r\n").utf8))
    }

    // MARK: - The receiver

    func unplug() {
      isPlugged = false
      hasNotNoticed = loss == .unnoticed
      isClosed = !hasNotNoticed
      if loss == .dropped { dropped.formUnion(receivers) }
      if isWatched, loss != .unnoticed { say(#"{"class":"DEVICE","path":"\#(receivers.first ?? "")","activated":0}"#) }
    }

    private func second(_ number: Int) {
      guard connection == number, isWatched else { return }
      if isPlugged, !isClosed, !hasNotNoticed, receivers.contains(where: { !dropped.contains($0) }) {
        if manner == .flooding { for _ in 0..<200 { say(#"{"class":"ATT","heading":1}"#) } }
        fix()
      }
      schedule(after: period) { [weak self] in self?.second(number) }
    }

    func fix() {
      fix(of: receivers.first ?? "", north, error)
      guard !others.isEmpty else { return }
      schedule(after: .milliseconds(500)) { [weak self] in
        guard let self else { return }
        for other in others { fix(of: other.path, other.north, other.error) }
      }
    }

    private func fix(of receiver: String, _ north: Double, _ error: Double?) {
      guard let error else { return say(#"{"class":"TPV","device":"\#(receiver)","mode":1}"#) }
      let time = (date - age).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
      let members = [
        ("time", #""\#(time)""#), ("eph", "\(error)"), ("status", status.map { "\($0)" } ?? ""),
      ].filter { !omitted.contains($0.0) && !$0.1.isEmpty }.map { #","\#($0.0)":\#($0.1)"# }.joined()
      let (latitude, longitude) = (origin.latitude + north / 111_195, origin.longitude)
      say(
        #"{"class":"TPV","device":"\#(receiver)","mode":3,"lat":\#(latitude),"lon":\#(longitude)\#(members)}"#)
    }

    private func dribble(_ number: Int) {
      guard connection == number else { return }
      provider?.read([UInt8(ascii: "{")])
      schedule(after: .seconds(1)) { [weak self] in self?.dribble(number) }
    }

    private func garbage(_ number: Int) {
      guard connection == number else { return }
      provider?.read((0..<50).map { _ in UInt8.random(in: 0...255, using: &random) })
      schedule(after: .milliseconds(300)) { [weak self] in self?.garbage(number) }
    }
  }

  /// A provider that watches from the start, with its fixes and its log.
  final class Watcher {
    let daemon = ScriptedDaemon()
    let provider: GPSDProvider
    private(set) var fixes: [Location] = []
    private(set) var log: [String] = []
    /// The time now, as a receiver writes it.
    var time: String { daemon.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }

    init(host: String = "localhost", controlSocket: String? = nil, usesReceiverTime: Bool = false) {
      provider = GPSDProvider(
        host: host, controlSocket: controlSocket, usesReceiverTime: usesReceiverTime, system: daemon)
      daemon.provider = provider
      provider.onReport = ProviderReport.Handler { [weak self] in
        if case .fixes(let fixes) = $0 { self?.fixes += fixes }
      }
      provider.log = { [weak self] in self?.log.append($0) }
      daemon.begin()
      provider.setMode(.gps)
    }
  }

  extension GPSDProvider {
    /// Calls a closure with the reason of each failure, before the manager receives it.
    func onFailure(_ handle: @escaping (String) -> Void) {
      let next = onReport
      onReport = ProviderReport.Handler {
        if case .failure(.other(let reason)) = $0 { handle(reason) }
        next?($0)
      }
    }

    /// A provider of a scripted daemon.
    convenience init(
      host: String = "localhost", controlSocket: String? = nil, checkInterval: Duration = .seconds(300),
      usesReceiverTime: Bool = false, system: any GPSDSystem
    ) {
      self.init(
        GPSDCore.Configuration(
          host: host, port: 2947, controlSocket: controlSocket, checkInterval: checkInterval,
          policy: .standaloneReceiver,
          usesReceiverTime: usesReceiverTime), system)
    }
  }

  /// A manager with a provider, a daemon and a listener.
  struct Tracker {
    let daemon = ScriptedDaemon()
    let provider: GPSDProvider
    let manager: LocationManager
    let recorder = Recorder()

    init(controlSocket: String? = nil, checkInterval: Duration = .seconds(300), usesReceiverTime: Bool = false) {
      provider = GPSDProvider(
        controlSocket: controlSocket, checkInterval: checkInterval, usesReceiverTime: usesReceiverTime, system: daemon)
      daemon.provider = provider
      manager = LocationManager(provider: provider)
      manager.listeners.add(recorder)
    }

    func start() {
      manager.tryPromptAuthorization()
      daemon.begin()
    }

    /// Returns a tracker that waits for a significant change after its first location.
    static func asleep(controlSocket: String? = nil) -> Tracker {
      let tracker = Tracker(controlSocket: controlSocket)
      tracker.start()
      tracker.daemon.advance(by: .seconds(3))
      precondition(tracker.manager.state == .waitingSignificantChange)
      _ = tracker.recorder.take()
      return tracker
    }
  }
#endif
