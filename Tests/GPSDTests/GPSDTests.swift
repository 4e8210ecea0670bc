#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitGPSD
  import LocoMachine
  @testable import TestSupport
  import Testing

  /// Each test runs in its own process, because other tests occupy this process's main actor and threads for a long time.
  @MainActor
  @Suite(
    "A real gpsd", .serialized,
    .enabled(if: Daemon.isMissing.isEmpty, "missing programs: \(Daemon.isMissing.joined(separator: ", "))"))
  struct GPSDTests {
    /// A manager and its running provider.
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
        _ = try await awaited("end of the run") { [running] in await running?.result }
      }

      func location() async throws -> Location { try await locations.next("location") }

      /// Waits for a transition to a state.
      func enter(_ state: LocationMachine.State) async throws {
        for _ in 0..<1_000 {
          let transition = try await transitions.next("transition to \(state)")
          if transition.to == state { return }
        }
        throw TimedOut(description: "no transition to \(state) among a thousand")
      }
    }

    @Test("delivers a location and turns the receiver off", .timeLimit(.minutes(15)))
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
      // On a busy machine, the fix may take any time.
      if isLong { #expect(on.duration(to: .now) < .seconds(2)) }
      #expect(abs(location.latitude - 34) < 0.000_1 && abs(location.longitude + 118) < 0.000_1)
      #expect(abs(location.horizontalAccuracy - 19 / 1.73) < 0.1)
      let ended = ContinuousClock.now
      try await daemon.line("off")
      if isLong { #expect(ended.duration(to: .now) < .seconds(1)) }
      #expect(owner.manager.recentTransitions.map(\.to) == [.prompted, .acquiring, .waitingSignificantChange])
      // The next acquisition may begin before gpsd has answered on the control socket.
      owner.manager.forceAcquireLocation()
      _ = try await owner.location()
      if isLong { #expect(owner.provider.receiverOnTime < .seconds(30)) }
      try await owner.end()
    }

    @Test("a fix has the receiver's own accuracy estimate if the receiver sends one", .timeLimit(.minutes(15)))
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

    @Test("ending the run during an acquisition turns the receiver off", .timeLimit(.minutes(15)))
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

    @Test("the first fix of a cold receiver is delivered", .long, .timeLimit(.minutes(5)))
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

    @Test("a move of 600 m is a significant change", .long, .timeLimit(.minutes(5)))
    func change() async {
      await #expect(processExitsWith: .success) { try await GPSDTests.moveFar() }
    }

    private static func moveFar() async throws {
      let daemon = try await Daemon(["--speed", "1"])
      defer { daemon.end() }
      let owner = Owner(daemon, controlSocket: true, checkInterval: .seconds(1))
      owner.manager.policy.cooldown = .zero
      let first = try await owner.location()
      try await daemon.notify("jump 600")
      let second = try await owner.location()
      #expect(owner.manager.recentTransitions.map(\.event).contains(.significantChange))
      #expect((500...700).contains(first.distance(to: second)))
      try await owner.end()
    }

    @Test(
      "the provider connects when gpsd starts late, and again after gpsd was killed", .long,
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

    /// A running provider in GPS mode.
    @MainActor
    private final class Watcher {
      let provider: GPSDProvider
      private let fixes: Waiting<Location>
      private let running: Task<Void, any Error>

      init(_ daemon: Daemon, controlSocket: Bool) {
        let provider = GPSDProvider(
          host: "127.0.0.1", port: daemon.port, controlSocket: controlSocket ? daemon.controlSocket : nil)
        let (stream, fix) = AsyncStream<Location>.makeStream()
        provider.onReport = ProviderReport.Handler {
          if case .fixes(let fixes) = $0 { for location in fixes { fix.yield(location) } }
        }
        provider.setMode(.gps)
        self.provider = provider
        fixes = Waiting(stream)
        running = Task { try await provider.run() }
      }

      /// Waits for a fix whose timestamp is after a date.
      func fix(after date: Date, within limit: Duration = .seconds(120)) async throws {
        let began = ContinuousClock.now
        repeat {
          let rest = limit - began.duration(to: .now)
          if try await fixes.next("fix after \(date)", within: rest).timestamp > date { return }
        } while true
      }

      func end() async throws {
        running.cancel()
        _ = try await awaited("end of the run") { [running] in await running.result }
      }
    }

    /// The number of times that a test unplugs the receiver, for up to a minute each, from `LOCOKIT_UNPLUGS`. By default, the test unplugs
    /// the receiver twice, for up to a second.
    nonisolated static let unplugs = ProcessInfo.processInfo.environment["LOCOKIT_UNPLUGS"].flatMap { Int($0) }
    private nonisolated static let unplugSeed = ProcessInfo.processInfo.environment["LOCOKIT_SEED"].flatMap {
      UInt64($0)
    }

    @Test(
      "a receiver that was unplugged is back within five seconds, with the control socket", .long,
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
        // The durations are distributed evenly on a logarithmic scale.
        let away = 0.1 * pow(unplugs == nil ? 10 : 600, Double.random(in: 0...1, using: &random))
        try await daemon.notify("unplug")
        try await Task.sleep(for: .seconds(away))
        let plugged = Date()
        try await daemon.notify("plug")
        try await watcher.fix(after: plugged)
        let wait = Date().timeIntervalSince(plugged)
        #expect(wait < 5, "unplugged for \(away) s, seed \(seed)")
        waits.append(wait)
      }
      waits.sort()
      func percent(_ share: Int) -> String { String(format: "%.1f", waits[(waits.count - 1) * share / 100]) }
      print(
        "\(isTerminal ? "terminal" : "port"), unplugged \(waits.count) times, back after: minimum \(percent(0)) s,",
        "median \(percent(50)) s, 95 % \(percent(95)) s, maximum \(percent(100)) s")
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
      "a receiver that was unplugged is back after gpsdctl adds it, without the control socket", .long,
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
      try await daemon.notify("unplug")
      try await daemon.hotplug("remove")
      try await Task.sleep(for: .seconds(1))
      let plugged = Date()
      try await daemon.notify("plug")
      try await daemon.hotplug("add")
      try await watcher.fix(after: plugged)
      try await watcher.end()
    }

    @Test("a gpsd without a receiver is reported as a connection state", .timeLimit(.minutes(15)))
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
      try await awaited("connection without a receiver") {
        for await connection in changes where connection == .withoutReceiver { break }
      }
      try await owner.end()
    }

    #if os(Linux)
      @Test("fifty restarts of gpsd leak no descriptor, thread or memory", .long, .timeLimit(.minutes(5)))
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
        // A leak in each restart would add forty. A run loop that Foundation starts late has three descriptors and a thread.
        #expect(after.descriptors.count < before.descriptors.count + 10, "\(before.descriptors) \(after.descriptors)")
        #expect(after.threads < before.threads + 10)
        #expect(after.kilobytes <= before.kilobytes + 4_096)
        try await owner.end()
      }

      /// The resources of this process.
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

    private nonisolated static let logs = Repository.shared.appending(path: "traces/nmea")

    @Test(
      "logs of real receivers are read without an error, including a cold boot and a log without a fix", .long,
      .timeLimit(.minutes(5)),
      .enabled(if: FileManager.default.fileExists(atPath: logs.path), "the logs aren't beside the repository"),
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

    @Test(
      "the demo finds a location and counts the GPS time", .long, .timeLimit(.minutes(5)), arguments: [true, false])
    func demo(_ hasControlSocket: Bool) async {
      await #expect(processExitsWith: .success) { [hasControlSocket] in try await GPSDTests.runDemo(hasControlSocket) }
    }

    private static func runDemo(_ hasControlSocket: Bool) async throws {
      let daemon = try await Daemon()
      defer { daemon.end() }
      let log = daemon.folder.appending(path: "log")
      let (program, output) = try demo(
        ["gpsd", "--host", "127.0.0.1", "--port", "\(daemon.port)", "--for", "6", "--json", "--log", log.path]
          + (hasControlSocket ? ["--control-socket", daemon.controlSocket] : []))
      try await awaited("end of the demo") { program.waitUntilExit() }
      #expect(program.terminationStatus == 0)
      let summary = try #require(
        try JSONSerialization.jsonObject(with: output.readDataToEndOfFile()) as? [String: Any])
      #expect(summary["locations"] as? Int == 1)
      let on = try #require(summary["gpsOnSeconds"] as? Double)
      #expect(hasControlSocket ? on < 2 : on > 2)
      let states = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").compactMap {
        $0.firstMatch(of: /"to":"(\w+)"/).map { String($0.1) }
      }
      #expect(states == ["prompted", "acquiring", "waitingSignificantChange"])
    }

    @Test(
      "replaying the journal of a run makes the same decisions", .timeLimit(.minutes(15)), arguments: [nil, "200"])
    func journal(bound: String?) async {
      await #expect(processExitsWith: .success) { [bound] in try await GPSDTests.recordAndReplay(bound) }
    }

    private static func recordAndReplay(_ bound: String?) async throws {
      let daemon = try await Daemon()
      defer { daemon.end() }
      let journal = daemon.folder.appending(path: "journal")
      let gpsd = try demo(
        ["gpsd", "--host", "127.0.0.1", "--port", "\(daemon.port)", "--journal", journal.path]
          + ["--control-socket", daemon.controlSocket] + (bound.map { ["--within", $0] } ?? []))
      // However long the first fix takes, the run ends after it.
      _ = try await awaited("location") {
        var output = ""
        while !output.contains("didUpdate"), case let data = gpsd.output.availableData, !data.isEmpty {
          output += String(decoding: data, as: UTF8.self)
        }
        return output
      }
      gpsd.program.interrupt()
      try await awaited("end of the demo") { gpsd.program.waitUntilExit() }
      #expect(gpsd.program.terminationStatus == 128 + SIGINT)
      let replay = try demo(["replay", "--check", journal.path])
      let output = try await awaited("end of the replay") {
        String(decoding: replay.output.readDataToEndOfFile(), as: UTF8.self)
      }
      replay.program.waitUntilExit()
      #expect(
        replay.program.terminationStatus == 0 && output.contains("all decisions are as recorded"), "\(output)")
      #expect(Int(output.prefix { $0.isNumber }) ?? 0 > 3)
    }

    /// Starts the demo.
    private static func demo(_ arguments: [String]) throws -> (program: Process, output: FileHandle) {
      let (demo, output) = (Process(), Pipe())
      demo.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "LocoKitDemo")
      demo.arguments = arguments
      demo.standardOutput = output
      try demo.run()
      return (demo, output.fileHandleForReading)
    }
  }
#endif
