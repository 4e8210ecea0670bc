#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// What a stream gives, one after the other, to whoever asks next.
  final class Waiting<Element: Sendable> {
    private let stream: AsyncStream<Element>

    init(_ stream: AsyncStream<Element>) { self.stream = stream }

    /// - Throws: ``AwaitedInVain`` where nothing comes in time, or ever.
    func next(_ what: String, within limit: Duration = .seconds(20)) async throws -> Element {
      let next = try await awaited(what, within: limit) { [stream] in
        for await element in stream { return Element?.some(element) }
        return nil
      }
      guard let next else { throw AwaitedInVain(description: "\(what) never came") }
      return next
    }
  }

  /// A real gpsd, and a receiver for it that does as it is told, both on free ports of this machine alone.
  @MainActor
  final class Daemon {
    /// Why these tests cannot run on this machine; `nil` where they can.
    nonisolated static let isMissing = ["gpsd", "python3"].filter { program(named: $0) == nil }

    let folder: URL
    let port: Int
    var controlSocket: String { folder.appending(path: "control.sock").path }
    /// What the receiver says: `on`, `off`, `done …`.
    private let lines: Waiting<String>
    private(set) var receiverPort = 0
    /// The receiver, as gpsd names it.
    var device: String { isTerminal ? terminal : "tcp://127.0.0.1:\(receiverPort)" }
    private var terminal: String { folder.appending(path: "receiver").path }
    private let isTerminal: Bool

    private let receiver = Process()
    private let commands = Pipe()
    private var gpsd: Process?

    /// - Parameter isTerminal: Whether the receiver is a file, as one on USB; otherwise it is a port.
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

    /// Ends both.
    func end() {
      kill()
      // A child inherits the signals that the test's threads block, but this one cannot be blocked.
      Foundation.kill(receiver.processIdentifier, SIGKILL)
      receiver.waitUntilExit()
      try? FileManager.default.removeItem(at: folder)
    }

    /// Starts gpsd, on the same port as before.
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

    /// Tells the receiver, and waits until it has done so.
    func tell(_ command: String) async throws {
      commands.fileHandleForWriting.write(Data((command + "\n").utf8))
      _ = try await line("done")
    }

    /// The receiver's next line that begins with a word; others are passed over.
    @discardableResult
    func line(_ word: String) async throws -> String {
      for _ in 0..<1_000 {
        let line = try await lines.next("'\(word)' of the receiver")
        if line.hasPrefix(word) { return line }
      }
      throw AwaitedInVain(description: "the receiver said a thousand things, and not '\(word)'")
    }

    /// Has gpsd `add` or `remove` the receiver, as systemd does where one on USB is plugged in or unplugged.
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
