#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import Testing

  /// Each runs in a process of its own: in this one, other tests may keep the main actor, and all threads, for longer.
  @MainActor
  @Suite(
    "A real gpsd", .serialized,
    .enabled(if: Daemon.isMissing.isEmpty, "not on this machine: \(Daemon.isMissing.joined(separator: ", "))"))
  struct GPSDTests {
    /// A manager over a provider that runs.
    @MainActor
    final class Owner {
      let provider: GPSDProvider
      let manager: LocationManager
      private(set) var connections: [GPSDProvider.Connection] = []
      private let transitions: Waiting<LocationManager.Transition>
      private let locations: Waiting<Location>
      private var running: Task<Void, any Error>?

      init(
        _ daemon: Daemon, controlSocket: Bool = false, checkInterval: Duration = .seconds(300),
        policy: AcquisitionPolicy? = nil
      ) {
        provider = GPSDProvider(
          host: "127.0.0.1", port: daemon.port, controlSocket: controlSocket ? daemon.controlSocket : nil,
          checkInterval: checkInterval)
        manager = LocationManager(provider: provider, policy: policy)
        transitions = Waiting(manager.transitions)
        locations = Waiting(manager.updates)
        provider.onConnectionChange = { [weak self] in self?.connections.append($0) }
        manager.tryPromptAuthorization()
        running = Task { try await provider.run() }
      }

      func end() async throws {
        running?.cancel()
        _ = try await awaited("the end of the run") { [running] in await running?.result }
      }

      func location() async throws -> Location { try await locations.next("a location", within: .seconds(60)) }

      /// Waits until the state has been entered.
      func enter(_ state: LocationState) async throws {
        for _ in 0..<1_000 {
          let transition = try await transitions.next("a transition to \(state)", within: .seconds(70))
          if transition.to == state { return }
        }
        throw AwaitedInVain(description: "there were a thousand transitions, and none to \(state)")
      }
    }

    @Test("gives a location within two seconds of a fix, and the receiver is off within one", .timeLimit(.minutes(5)))
    func location() async {
      await #expect(processExitsWith: .success) { try await GPSDTests.getLocation() }
    }

    private static func getLocation() async throws {
      let daemon = try await Daemon()
      defer { daemon.end() }
      let owner = Owner(daemon, controlSocket: true)
      try await daemon.line("on")
      let on = ContinuousClock.now
      let location = try await owner.location()
      #expect(on.duration(to: .now) < .seconds(2))
      #expect(abs(location.latitude - 34) < 0.000_1 && abs(location.longitude + 118) < 0.000_1)
      #expect(abs(location.horizontalAccuracy - 19 / 1.73) < 0.1)
      let ended = ContinuousClock.now
      try await daemon.line("off")
      #expect(ended.duration(to: .now) < .seconds(1))
      #expect(owner.manager.recentTransitions.map(\.to) == [.prompted, .acquiring, .waitingSignificantChange])
      // The event that says so is on its way.
      owner.manager.forceAcquireLocation()
      _ = try await owner.location()
      #expect(owner.provider.receiverOnTime < .seconds(30))
      try await owner.end()
    }

    @Test("has the receiver's own estimate of its accuracy where there is one", .timeLimit(.minutes(5)))
    func noise() async {
      await #expect(processExitsWith: .success) { try await GPSDTests.estimateNoise() }
    }

    private static func estimateNoise() async throws {
      let daemon = try await Daemon(["--gst", "--hdop", "4"])
      defer { daemon.end() }
      let owner = Owner(daemon)
      let location = try await owner.location()
      #expect(location.horizontalAccuracy == 5)
      try await owner.end()
    }

    @Test("leaves the receiver off after the program has ended in the middle", .timeLimit(.minutes(5)))
    func ended() async {
      await #expect(processExitsWith: .success) { try await GPSDTests.endInTheMiddle() }
    }

    private static func endInTheMiddle() async throws {
      let daemon = try await Daemon(["--cold", "1000"])
      defer { daemon.end() }
      let owner = Owner(daemon, controlSocket: true)
      try await daemon.line("on")
      try await owner.end()
      try await daemon.line("off")
      #expect(owner.provider.connection == .closed)
    }

    @Test("without a fix waits, and takes the first that comes", .long, .timeLimit(.minutes(5)))
    func cold() async {
      await #expect(processExitsWith: .success) { try await GPSDTests.takeFirst() }
    }

    private static func takeFirst() async throws {
      let daemon = try await Daemon(["--cold", "3"])
      defer { daemon.end() }
      let owner = Owner(daemon)
      try await daemon.line("on")
      let on = ContinuousClock.now
      let location = try await owner.location()
      #expect(on.duration(to: .now) >= .seconds(2.5))
      #expect(location.hasValidAccuracy)
      try await owner.end()
    }

    @Test("that has moved 500 m is a significant change", .long, .timeLimit(.minutes(5)))
    func change() async {
      await #expect(processExitsWith: .success) { try await GPSDTests.moveFar() }
    }

    private static func moveFar() async throws {
      let daemon = try await Daemon(["--speed", "1"])
      defer { daemon.end() }
      let owner = Owner(daemon, controlSocket: true, checkInterval: .seconds(1))
      owner.manager.policy.cooldown = .zero
      let first = try await owner.location()
      try await daemon.tell("jump 600")
      let second = try await owner.location()
      #expect(owner.manager.recentTransitions.map(\.event).contains(.significantChange))
      #expect((500...700).contains(first.distance(to: second)))
      try await owner.end()
    }

    @Test(
      "is waited for where there is none yet, and after it was killed, in the middle too", .long,
      .timeLimit(.minutes(5)))
    func killed() async {
      await #expect(processExitsWith: .success) { try await GPSDTests.killAndRestart() }
    }

    private static func killAndRestart() async throws {
      let daemon = try await Daemon(["--cold", "1"])
      defer { daemon.end() }
      daemon.kill()
      let owner = Owner(daemon)
      try await owner.enter(.acquiring)
      try daemon.start()
      _ = try await owner.location()
      owner.manager.forceAcquireLocation()
      try await owner.enter(.acquiring)
      daemon.kill()
      try daemon.start()
      _ = try await owner.location()
      #expect(
        owner.connections.contains {
          if case .failed = $0 { true } else { false }
        })
      try await owner.end()
    }

    /// A provider that always wants the receiver, and runs.
    @MainActor
    private final class Watcher {
      let provider: GPSDProvider
      private let fixes: Waiting<Location>
      private let running: Task<Void, any Error>

      init(_ daemon: Daemon, controlSocket: Bool) {
        let provider = GPSDProvider(
          host: "127.0.0.1", port: daemon.port, controlSocket: controlSocket ? daemon.controlSocket : nil)
        let (stream, fix) = AsyncStream<Location>.makeStream()
        provider.onReport = { if case .fixes(let fixes) = $0 { for location in fixes { fix.yield(location) } } }
        provider.setMode(.gps)
        self.provider = provider
        fixes = Waiting(stream)
        running = Task { try await provider.run() }
      }

      /// Waits for a fix that the receiver made after a date.
      func fix(after date: Date, within limit: Duration = .seconds(20)) async throws {
        let began = ContinuousClock.now
        repeat {
          let rest = limit - began.duration(to: .now)
          if try await fixes.next("a fix made after \(date)", within: rest).timestamp > date { return }
        } while true
      }

      func end() async throws {
        running.cancel()
        _ = try await awaited("the end of the run") { [running] in await running.result }
      }
    }

    /// How often a receiver is unplugged: `LOCOKIT_UNPLUGS=100` away for up to a minute, and otherwise twice for a second.
    nonisolated static let unplugs = ProcessInfo.processInfo.environment["LOCOKIT_UNPLUGS"].flatMap { Int($0) }
    private nonisolated static let unplugSeed = ProcessInfo.processInfo.environment["LOCOKIT_SEED"].flatMap {
      UInt64($0)
    }

    @Test(
      "whose receiver is unplugged and plugged in has it back within five seconds, given its control socket", .long,
      .timeLimit(.minutes(60)), arguments: [false, true])
    func unplugged(_ isTerminal: Bool) async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { [isTerminal] in
        try await GPSDTests.unplugAndPlug(isTerminal)
      }
      print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }

    private static func unplugAndPlug(_ isTerminal: Bool) async throws {
      let seed = unplugSeed ?? UInt64.random(in: 0...UInt64.max)
      print("LOCOKIT_SEED=\(seed)")
      var random = SplitMix(state: seed)
      let daemon = try await Daemon(isTerminal: isTerminal)
      defer { daemon.end() }
      let watcher = Watcher(daemon, controlSocket: true)
      try await watcher.fix(after: .distantPast)
      var waits: [Double] = []
      for _ in 0..<(unplugs ?? 2) {
        try await Task.sleep(for: .seconds(Double.random(in: 1...4, using: &random)))
        // As many short breaks as long ones.
        let away = 0.1 * pow(unplugs == nil ? 10 : 600, Double.random(in: 0...1, using: &random))
        try await daemon.tell("unplug")
        try await Task.sleep(for: .seconds(away))
        let plugged = Date()
        try await daemon.tell("plug")
        try await watcher.fix(after: plugged)
        let wait = Date().timeIntervalSince(plugged)
        #expect(wait < 5, "after \(away) s away, seed \(seed)")
        waits.append(wait)
      }
      waits.sort()
      func percent(_ share: Int) -> String { String(format: "%.1f", waits[(waits.count - 1) * share / 100]) }
      print(
        "\(isTerminal ? "a terminal" : "a port"), unplugged \(waits.count) times, was back after \(percent(0)) s at least,",
        "\(percent(50)) s in the middle, \(percent(95)) s in 95 %, \(percent(100)) s at most")
      try await watcher.end()
    }

    private struct SplitMix: RandomNumberGenerator {
      var state: UInt64

      mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
      }
    }

    @Test(
      "whose receiver is unplugged has it back when systemd says so to gpsd, without a control socket too", .long,
      .timeLimit(.minutes(5))
    )
    func added() async {
      await #expect(processExitsWith: .success) { try await GPSDTests.plugInByHand() }
    }

    private static func plugInByHand() async throws {
      let daemon = try await Daemon()
      defer { daemon.end() }
      let watcher = Watcher(daemon, controlSocket: false)
      try await watcher.fix(after: .distantPast)
      try await daemon.tell("unplug")
      try await daemon.hotplug("remove")
      try await Task.sleep(for: .seconds(1))
      let plugged = Date()
      try await daemon.tell("plug")
      try await daemon.hotplug("add")
      try await watcher.fix(after: plugged)
      try await watcher.end()
    }

    @Test("without a receiver is an error with advice", .timeLimit(.minutes(5)))
    func withoutReceiver() async {
      await #expect(processExitsWith: .success) { try await GPSDTests.runWithoutReceiver() }
    }

    private static func runWithoutReceiver() async throws {
      let daemon = try await Daemon()
      defer { daemon.end() }
      daemon.kill()
      try daemon.start(withReceiver: false)
      let owner = Owner(daemon)
      let (changes, change) = AsyncStream<GPSDProvider.Connection>.makeStream()
      owner.provider.onConnectionChange = { change.yield($0) }
      try await awaited("a connection without a receiver") {
        for await connection in changes where connection == .withoutReceiver { break }
      }
      try await owner.end()
    }

    #if os(Linux)
      /// In a process of its own: in this one, other tests open, run and hold things meanwhile.
      @Test("killed and restarted fifty times leaves nothing behind", .long, .timeLimit(.minutes(5)))
      func fiftyTimes() async {
        await #expect(processExitsWith: .success) { try await GPSDTests.restartFiftyTimes() }
      }

      private static func restartFiftyTimes() async throws {
        let daemon = try await Daemon(["--interval", "0.1"])
        defer { daemon.end() }
        let owner = Owner(daemon)
        _ = try await owner.location()
        var before = Use()
        for time in 1...50 {
          owner.manager.forceAcquireLocation()
          daemon.kill()
          try daemon.start()
          _ = try await owner.location()
          if time == 10 { before = try Use.now() }
        }
        let after = try Use.now()
        // What leaks comes to forty; a run loop of Foundation's, begun late, has three, and a thread.
        #expect(after.descriptors.count < before.descriptors.count + 10, "\(before.descriptors) \(after.descriptors)")
        #expect(after.threads < before.threads + 10)
        #expect(after.kilobytes <= before.kilobytes + 4_096)
        try await owner.end()
      }

      /// What this process has open, runs and holds.
      struct Use {
        var descriptors: [String] = []
        var threads = 0
        var kilobytes = 0

        static func now() throws -> Use {
          let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
          func number(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
            return Int(line.filter(\.isNumber)) ?? 0
          }
          let files = FileManager.default
          let descriptors = try files.contentsOfDirectory(atPath: "/proc/self/fd").map {
            "\($0) \((try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) ?? "gone")"
          }
          return Use(descriptors: descriptors, threads: number("Threads:"), kilobytes: number("VmRSS:"))
        }
      }
    #endif

    private nonisolated static let logs = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../shared/traces/nmea").standardized

    @Test(
      "replays logs of real receivers, from a cold boot and without a fix, without a word of complaint", .long,
      .timeLimit(.minutes(5)),
      .enabled(if: FileManager.default.fileExists(atPath: logs.path), "there are no logs beside the repository"),
      arguments: [
        ("ublox-8.log", true), ("gp-320fw-2019-04-07-coldboot.log", true), ("neo-m8n.log", true),
        ("bu303-nofix.log", false),
      ])
    func logs(_ log: String, _ hasFix: Bool) async {
      await #expect(processExitsWith: .success) { [log, hasFix] in try await GPSDTests.replay(log, hasFix) }
    }

    private static func replay(_ log: String, _ hasFix: Bool) async throws {
      let daemon = try await Daemon(["--log", Self.logs.appending(path: log).path, "--interval", "0.05"])
      defer { daemon.end() }
      var policy = AcquisitionPolicy.standaloneReceiver
      policy.timeLimit = .seconds(hasFix ? 60 : 4)
      let owner = Owner(daemon, controlSocket: true, policy: policy)
      var said: [String] = []
      owner.provider.log = { said.append($0) }
      try await owner.enter(.waitingSignificantChange)
      #expect(said.allSatisfy { !$0.contains("dropped") && !$0.contains("understand") }, "\(said)")
      #expect((owner.manager.location != nil) == hasFix)
      try await owner.end()
    }

    @Test("is what the demo prints a location from", .long, .timeLimit(.minutes(5)), arguments: [true, false])
    func demo(_ hasControlSocket: Bool) async {
      await #expect(processExitsWith: .success) { [hasControlSocket] in try await GPSDTests.runDemo(hasControlSocket) }
    }

    private static func runDemo(_ hasControlSocket: Bool) async throws {
      let daemon = try await Daemon()
      defer { daemon.end() }
      let log = daemon.folder.appending(path: "log")
      let demo = Process()
      demo.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "LocoKitDemo")
      demo.arguments =
        ["gpsd", "--host", "127.0.0.1", "--port", "\(daemon.port)", "--for", "6", "--json", "--log", log.path]
        + (hasControlSocket ? ["--control-socket", daemon.controlSocket] : [])
      let output = Pipe()
      demo.standardOutput = output
      try demo.run()
      defer { if demo.isRunning { demo.terminate() } }
      try await awaited("the end of the demo") { demo.waitUntilExit() }
      #expect(demo.terminationStatus == 0)
      let summary = try #require(
        try JSONSerialization.jsonObject(with: output.fileHandleForReading.readDataToEndOfFile()) as? [String: Any])
      #expect(summary["locations"] as? Int == 1)
      let on = try #require(summary["gpsOnSeconds"] as? Double)
      #expect(hasControlSocket ? on < 2 : on > 2)
      let states = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").compactMap {
        $0.firstMatch(of: /"to":"(\w+)"/).map { String($0.1) }
      }
      #expect(states == ["prompted", "acquiring", "waitingSignificantChange"])
    }

    @Test("is played again from its journal with the same decisions", .timeLimit(.minutes(5)), arguments: [nil, "200"])
    func journal(bound: String?) async throws {
      let daemon = try await Daemon()
      defer { daemon.end() }
      let journal = daemon.folder.appending(path: "journal")
      let gpsd = try await Self.demo(
        ["gpsd", "--host", "127.0.0.1", "--port", "\(daemon.port)", "--for", "6", "--journal", journal.path]
          + ["--control-socket", daemon.controlSocket] + (bound.map { ["--within", $0] } ?? []))
      #expect(gpsd.code == 0 && gpsd.output.contains("didUpdate"))
      let replay = try await Self.demo(["replay", "--check", journal.path])
      #expect(replay.code == 0 && replay.output.contains("all was decided as it was recorded"), "\(replay.output)")
      #expect(Int(replay.output.prefix { $0.isNumber }) ?? 0 > 3)
    }

    private static func demo(_ arguments: [String]) async throws -> (code: Int32, output: String) {
      let demo = Process()
      demo.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "LocoKitDemo")
      demo.arguments = arguments
      let output = Pipe()
      demo.standardOutput = output
      try demo.run()
      defer { if demo.isRunning { demo.terminate() } }
      try await awaited("the end of the demo") { demo.waitUntilExit() }
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      return (demo.terminationStatus, text)
    }
  }
#endif
