#if os(Linux)
  import Foundation
  import LocoKit
  import LocoKitGPSD
  @testable import TestSupport
  import Testing

  extension GPSDTests {
    /// The behaviors of `hostile.py`.
    enum Hostility: String, CaseIterable, Codable {
      case devices, junk, endless, closing, unread, slow, control, mute

      /// Whether the server sends as fast as it can. Reading such a flood may take a whole core.
      var isFlood: Bool { [.devices, .junk, .endless].contains(self) }
    }

    /// The measured duration of each test in seconds: `LOCOKIT_HOSTILE`, by default one.
    private nonisolated static let hostileSeconds =
      ProcessInfo.processInfo.environment["LOCOKIT_HOSTILE"].flatMap { Double($0) } ?? 1

    @Test(
      "a server that isn't gpsd costs little memory and log, and little CPU unless it floods; cancelled runs end soon",
      .long, .timeLimit(.minutes(5)), arguments: Hostility.allCases)
    func hostile(_ hostility: Hostility) async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { [hostility] in
        try await GPSDTests.withstand(hostility)
      }
      print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }

    private static func withstand(_ hostility: Hostility) async throws {
      let controlSocket = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString.prefix(8)).sock")
        .path
      let server = Process()
      let (input, output) = (Pipe(), Pipe())
      server.executableURL = Daemon.program(named: "python3")
      server.arguments = [
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "hostile.py").path, hostility.rawValue,
        controlSocket,
      ]
      server.standardInput = input
      server.standardOutput = output
      try server.run()
      defer {
        // The server exits at the end of its input. SIGKILL ends it in any case.
        try? input.fileHandleForWriting.close()
        Foundation.kill(server.processIdentifier, SIGKILL)
        server.waitUntilExit()
        unlink(controlSocket)
      }
      let line = try await awaited("port of the server") {
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")), case let data = output.fileHandleForReading.availableData,
          !data.isEmpty
        {
          line += data
        }
        return String(decoding: line, as: UTF8.self)
      }
      let port = try #require(Int(line.filter(\.isNumber)))
      let provider = GPSDProvider(host: "127.0.0.1", port: port, controlSocket: controlSocket)
      var logged: [String] = []
      var connections = 0
      provider.log = { logged.append($0) }
      provider.onConnectionChange = { connections += $0 == .connecting ? 1 : 0 }
      provider.setMode(.gps)
      let running = Task { try await provider.run() }
      // The first second isn't measured, because some resources are allocated once.
      try await Task.sleep(for: .seconds(1))
      let (memory, time) = (try Use.now().kilobytes, cpuSeconds())
      try await Task.sleep(for: .seconds(hostileSeconds))
      let growth = try Use.now().kilobytes - memory
      let share = (cpuSeconds() - time) / hostileSeconds
      let stopping = ContinuousClock.now
      running.cancel()
      _ = try await awaited("end of the run") { await running.result }
      let stop = stopping.duration(to: .now)
      let bytes = logged.reduce(0) { $0 + $1.utf8.count }
      print(
        "\(hostility): \(growth) KB more, \(Int(share * 100)) % of a core, stopped in \(stop),",
        "\(connections) connections, \(bytes) bytes of log")
      #expect(growth < 64 * 1_024)
      #expect(hostility.isFlood || share < 0.1)
      #expect(stop < .milliseconds(500))
      #expect(bytes < 16_384)
      #expect(Double(connections) < 8 + hostileSeconds / 5)
      #expect(!logged.joined().unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    private static func cpuSeconds() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
  }
#endif
