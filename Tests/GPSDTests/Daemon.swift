#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// What a stream gives, one after the other, to whoever asks next.
  final class Waiting<Element: Sendable> {
    private let stream: AsyncStream<Element>

    init(_ stream: AsyncStream<Element>) { self.stream = stream }

    func next() async -> Element? {
      for await element in stream { return element }
      return nil
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

    private let receiver = Process()
    private let commands = Pipe()
    private var gpsd: Process?

    init(_ arguments: [String] = []) async throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "gpsd-\(UUID().uuidString.prefix(8))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      port = try Self.freePort()
      let output = Pipe()
      receiver.executableURL = Self.program(named: "python3")
      receiver.arguments =
        [URL(filePath: #filePath).deletingLastPathComponent().appending(path: "receiver.py").path]
        + arguments
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
      receiverPort = Int(await line("port").split(separator: " ").last ?? "") ?? 0
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
        + (withReceiver ? ["tcp://127.0.0.1:\(receiverPort)"] : [])
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
    func tell(_ command: String) async {
      commands.fileHandleForWriting.write(Data((command + "\n").utf8))
      _ = await line("done")
    }

    /// The receiver's next line that begins with a word; others are passed over.
    func line(_ word: String) async -> String {
      while let line = await lines.next() { if line.hasPrefix(word) { return line } }
      return ""
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
