#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  @testable import TestSupport

  /// A stream's elements, read one at a time.
  final class Waiting<Element: Sendable> {
    private let stream: AsyncStream<Element>

    init(_ stream: AsyncStream<Element>) { self.stream = stream }

    /// Returns the next element.
    ///
    /// - Throws: ``TimedOut`` after the limit, or if the stream ends.
    func next(_ what: String, within limit: Duration = .seconds(120)) async throws -> Element {
      let next = try await awaited(what, within: limit) { [stream] in
        for await element in stream { return Element?.some(element) }
        return nil
      }
      guard let next else { throw TimedOut(description: "the stream ended without \(what)") }
      return next
    }
  }

  /// A real gpsd on a free port of the loopback interface, with a simulated receiver on another port or a terminal.
  @MainActor
  final class Daemon {
    /// The missing programs; empty if the tests can run.
    nonisolated static let isMissing = ["gpsd", "python3"].filter { program(named: $0) == nil }

    let folder: URL
    let port: Int
    var controlSocket: String { folder.appending(path: "control.sock").path }
    /// The lines that the receiver prints, such as `on` and `off`.
    private let lines: Waiting<String>
    private(set) var receiverPort = 0
    /// The receiver's name in gpsd.
    var device: String { isTerminal ? terminal : "tcp://127.0.0.1:\(receiverPort)" }
    private var terminal: String { folder.appending(path: "receiver").path }
    private let isTerminal: Bool

    private let receiver = Process()
    private let commands = Pipe()
    private var gpsd: Process?

    /// - Parameter isTerminal: Whether the receiver is a terminal, like a USB receiver. Otherwise it is a TCP port.
    init(_ arguments: [String] = [], isTerminal: Bool = false) async throws {
      self.isTerminal = isTerminal
      folder = FileManager.default.temporaryDirectory.appending(path: "gpsd-\(UUID().uuidString.prefix(8))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      port = try Self.freePort()
      let output = Pipe()
      receiver.executableURL = Self.program(named: "python3")
      receiver.arguments =
        [URL(filePath: #filePath).deletingLastPathComponent().appending(path: "receiver.py").path]
        + arguments + (isTerminal ? ["--pty", folder.appending(path: "receiver").path] : [])
      receiver.standardInput = commands
      receiver.standardOutput = output
      let (stream, continuation) = AsyncStream<String>.makeStream()
      Thread.detachNewThread {
        var rest = ""
        while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
          rest += String(decoding: data, as: UTF8.self)
          var parts = rest.components(separatedBy: "\n")
          rest = parts.removeLast()
          for line in parts { continuation.yield(line) }
        }
        continuation.finish()
      }
      lines = Waiting(stream)
      try receiver.run()
      receiverPort = Int(try await line("port").split(separator: " ").last ?? "") ?? 0
      try start()
    }

    /// Ends gpsd and the receiver.
    func end() {
      kill()
      // The child inherits the blocked signals of the test's threads. SIGKILL cannot be blocked.
      Foundation.kill(receiver.processIdentifier, SIGKILL)
      receiver.waitUntilExit()
      try? FileManager.default.removeItem(at: folder)
    }

    /// Starts gpsd on the same port as before.
    func start(withReceiver: Bool = true) throws {
      let gpsd = Process()
      gpsd.executableURL = Self.program(named: "gpsd")
      gpsd.arguments =
        ["-N", "-F", controlSocket, "-S", "\(port)"]
        + (withReceiver ? [device] : [])
      gpsd.standardError = FileHandle.nullDevice
      gpsd.standardOutput = FileHandle.nullDevice
      try gpsd.run()
      self.gpsd = gpsd
    }

    /// Kills gpsd.
    func kill() {
      guard let gpsd else { return }
      Foundation.kill(gpsd.processIdentifier, SIGKILL)
      gpsd.waitUntilExit()
      self.gpsd = nil
    }

    /// Sends a command to the receiver and waits until it is done.
    func notify(_ command: String) async throws {
      commands.fileHandleForWriting.write(Data((command + "\n").utf8))
      _ = try await line("done")
    }

    /// Returns the receiver's next line that begins with a word. Other lines are skipped.
    @discardableResult
    func line(_ word: String) async throws -> String {
      for _ in 0..<1_000 {
        let line = try await lines.next("line '\(word)' of the receiver")
        if line.hasPrefix(word) { return line }
      }
      throw TimedOut(description: "no line '\(word)' among a thousand lines of the receiver")
    }

    /// Makes gpsd `add` or `remove` the receiver, as systemd does when a USB receiver is plugged in or unplugged.
    func hotplug(_ action: String) async throws {
      let gpsdctl = Process()
      gpsdctl.executableURL = Self.program(named: "gpsdctl")
      gpsdctl.arguments = [action, device]
      gpsdctl.environment = ProcessInfo.processInfo.environment.merging(["GPSD_SOCKET": controlSocket]) { $1 }
      try gpsdctl.run()
      try await awaited("the end of gpsdctl") { gpsdctl.waitUntilExit() }
    }

    private static func freePort() throws -> Int {
      let socket = Process()
      let output = Pipe()
      socket.executableURL = program(named: "python3")
      socket.arguments = [
        "-c", "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])",
      ]
      socket.standardOutput = output
      try socket.run()
      socket.waitUntilExit()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    nonisolated static func program(named name: String) -> URL? {
      let folders =
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        + ["/usr/sbin", "/usr/local/sbin"].map { $0[...] }
      return folders.map { URL(filePath: String($0)).appending(path: name) }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
  }
#endif
