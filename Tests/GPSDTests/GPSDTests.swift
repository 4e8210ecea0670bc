#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import Testing

  /// What takes a certain time runs in a process of its own: in this one, other tests may keep the main actor for longer.
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
      private let transitions: Waiting<Transition>
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

      func end() async {
        running?.cancel()
        _ = await running?.result
      }

      func transition() async -> Transition? { await transitions.next() }
      func location() async -> Location? { await locations.next() }

      /// Waits until the state has been entered.
      func enter(_ state: LocationState) async { while let next = await transition(), next.to != state {} }
    }

    @Test("gives a location within two seconds of a fix, and the receiver is off within one", .timeLimit(.minutes(5)))
    func location() async {
      await #expect(processExitsWith: .success) { try await GPSDTests.getLocation() }
    }

    private static func getLocation() async throws {
      let daemon = try await Daemon()
      defer { daemon.end() }
      let owner = Owner(daemon, controlSocket: true)
      #expect(await daemon.line("on") == "on")
      let on = ContinuousClock.now
      let location = try #require(await owner.location())
      #expect(on.duration(to: .now) < .seconds(2))
      #expect(abs(location.latitude - 34) < 0.000_1 && abs(location.longitude + 118) < 0.000_1)
      #expect(abs(location.horizontalAccuracy - 19 / 1.73) < 0.1)
      let ended = ContinuousClock.now
      #expect(await daemon.line("off") == "off")
      #expect(ended.duration(to: .now) < .seconds(1))
      #expect(owner.manager.recentTransitions.map(\.to) == [.prompted, .acquiring, .waitingSignificantChange])
      // The event that says so is on its way.
      owner.manager.forceAcquireLocation()
      _ = await owner.location()
      #expect(owner.provider.receiverOnTime < .seconds(30))
      await owner.end()
    }

    @Test("has the receiver's own estimate of its accuracy where there is one", .timeLimit(.minutes(5)))
    func noise() async throws {
      let daemon = try await Daemon(["--gst", "--hdop", "4"])
      defer { daemon.end() }
      let owner = Owner(daemon)
      let location = try #require(await owner.location())
      #expect(location.horizontalAccuracy == 5)
      await owner.end()
    }

    @Test("leaves the receiver off after the program has ended in the middle", .timeLimit(.minutes(5)))
    func ended() async throws {
      let daemon = try await Daemon(["--cold", "1000"])
      defer { daemon.end() }
      let owner = Owner(daemon, controlSocket: true)
      #expect(await daemon.line("on") == "on")
      await owner.end()
      #expect(await daemon.line("off") == "off")
      #expect(owner.provider.connection == .closed)
    }

    @Test("without a fix waits, and takes the first that comes", .timeLimit(.minutes(5)))
    func cold() async {
      await #expect(processExitsWith: .success) { try await GPSDTests.takeFirst() }
    }

    private static func takeFirst() async throws {
      let daemon = try await Daemon(["--cold", "3"])
      defer { daemon.end() }
      let owner = Owner(daemon)
      _ = await daemon.line("on")
      let on = ContinuousClock.now
      let location = try #require(await owner.location())
      #expect(on.duration(to: .now) >= .seconds(2.5))
      #expect(location.hasValidAccuracy)
      await owner.end()
    }

    @Test("that has moved 500 m is a significant change", .timeLimit(.minutes(5)))
    func change() async throws {
      let daemon = try await Daemon(["--speed", "1"])
      defer { daemon.end() }
      let owner = Owner(daemon, controlSocket: true, checkInterval: .seconds(1))
      owner.manager.policy.cooldown = .zero
      let first = try #require(await owner.location())
      await daemon.tell("jump 600")
      let second = try #require(await owner.location())
      #expect(owner.manager.recentTransitions.map(\.event).contains(.significantChange))
      #expect((500...700).contains(first.distance(to: second)))
      await owner.end()
    }

    @Test("is waited for where there is none yet, and after it was killed, in the middle too", .timeLimit(.minutes(5)))
    func killed() async {
      await #expect(processExitsWith: .success) { try await GPSDTests.killAndRestart() }
    }

    private static func killAndRestart() async throws {
      let daemon = try await Daemon(["--cold", "1"])
      defer { daemon.end() }
      daemon.kill()
      let owner = Owner(daemon)
      await owner.enter(.acquiring)
      try daemon.start()
      _ = try #require(await owner.location())
      owner.manager.forceAcquireLocation()
      await owner.enter(.acquiring)
      daemon.kill()
      try daemon.start()
      _ = try #require(await owner.location())
      #expect(
        owner.connections.contains {
          if case .failed = $0 { true } else { false }
        })
      await owner.end()
    }

    @Test("whose receiver is unplugged is asked again until it is plugged in", .timeLimit(.minutes(5)))
    func unplugged() async {
      await #expect(processExitsWith: .success) { try await GPSDTests.plugIn() }
    }

    private static func plugIn() async throws {
      let daemon = try await Daemon(["--cold", "2"])
      defer { daemon.end() }
      let owner = Owner(daemon)
      _ = await daemon.line("on")
      await daemon.tell("unplug")
      await daemon.tell("plug")
      #expect(await daemon.line("on") == "on")
      _ = try #require(await owner.location())
      await owner.end()
    }

    @Test("without a receiver is an error with advice", .timeLimit(.minutes(5)))
    func withoutReceiver() async throws {
      let daemon = try await Daemon()
      defer { daemon.end() }
      daemon.kill()
      try daemon.start(withReceiver: false)
      let owner = Owner(daemon)
      let (changes, change) = AsyncStream<GPSDProvider.Connection>.makeStream()
      owner.provider.onConnectionChange = { change.yield($0) }
      for await connection in changes where connection == .withoutReceiver { break }
      await owner.end()
    }

    #if os(Linux)
      /// In a process of its own: in this one, other tests open, run and hold things meanwhile.
      @Test("killed and restarted fifty times leaves nothing behind", .timeLimit(.minutes(5)))
      func fiftyTimes() async {
        await #expect(processExitsWith: .success) { try await GPSDTests.restartFiftyTimes() }
      }

      private static func restartFiftyTimes() async throws {
        let daemon = try await Daemon(["--interval", "0.1"])
        defer { daemon.end() }
        let owner = Owner(daemon)
        _ = try #require(await owner.location())
        var before = Use()
        for time in 1...50 {
          owner.manager.forceAcquireLocation()
          daemon.kill()
          try daemon.start()
          _ = try #require(await owner.location(), "restart \(time)")
          if time == 10 { before = try Use.now() }
        }
        let after = try Use.now()
        // What leaks comes to forty; a run loop of Foundation's, begun late, has three, and a thread.
        #expect(after.descriptors.count < before.descriptors.count + 10, "\(before.descriptors) \(after.descriptors)")
        #expect(after.threads < before.threads + 10)
        #expect(after.kilobytes <= before.kilobytes + 4_096)
        await owner.end()
      }

      /// What this process has open, runs and holds.
      private struct Use {
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
      "replays logs of real receivers, from a cold boot and without a fix, without a word of complaint",
      .timeLimit(.minutes(5)),
      .enabled(if: FileManager.default.fileExists(atPath: logs.path), "there are no logs beside the repository"),
      arguments: [
        ("ublox-8.log", true), ("gp-320fw-2019-04-07-coldboot.log", true), ("neo-m8n.log", true),
        ("bu303-nofix.log", false),
      ])
    func logs(_ log: String, _ hasFix: Bool) async throws {
      let daemon = try await Daemon(["--log", Self.logs.appending(path: log).path, "--interval", "0.05"])
      defer { daemon.end() }
      var policy = AcquisitionPolicy.standaloneReceiver
      policy.timeLimit = .seconds(hasFix ? 60 : 4)
      let owner = Owner(daemon, controlSocket: true, policy: policy)
      var said: [String] = []
      owner.provider.log = { said.append($0) }
      await owner.enter(.waitingSignificantChange)
      #expect(said.allSatisfy { !$0.contains("dropped") && !$0.contains("understand") }, "\(said)")
      #expect((owner.manager.location != nil) == hasFix)
      await owner.end()
    }

    @Test("is what the demo prints a location from", .timeLimit(.minutes(5)), arguments: [true, false])
    func demo(_ hasControlSocket: Bool) async throws {
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
      let ended = Task.detached { demo.waitUntilExit() }
      await ended.value
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
  }
#endif
