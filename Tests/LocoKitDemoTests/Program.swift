#if os(Linux) || os(macOS)
  import Dispatch
  import Foundation

  @testable import LocoKitDemo

  /// The error of a wait that timed out, or during which the output ended.
  struct Hung: Error, CustomStringConvertible {
    let description: String
  }

  /// The deadline of a test that waits for a program.
  struct Deadline {
    let limit: Duration
    private let end: ContinuousClock.Instant

    /// Creates a deadline. The default is many times what a program takes on a busy machine.
    init(_ limit: Duration = .seconds(300)) {
      self.limit = limit
      end = .now + limit
    }

    var isOver: Bool { left == 0 }
    /// The time left, in seconds.
    var left: Double { max(0, ContinuousClock.now.duration(to: end).seconds) }
  }

  /// The output of a program that has been read so far.
  final class Reader {
    private(set) var bytes: [UInt8] = []
    var text: String { String(decoding: bytes, as: UTF8.self) }
    let descriptor: Int32
    private(set) var isAtEnd = false

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    func forget() { bytes = [] }

    /// Reads the available bytes, waiting up to a second for the first.
    private static func read(_ readers: [Reader]) {
      var wanted = readers.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      guard poll(&wanted, nfds_t(wanted.count), 1_000) > 0 else { return }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      for (reader, ready) in zip(readers, wanted) where ready.revents != 0 {
        let count = systemRead(reader.descriptor, &buffer)
        reader.bytes += buffer[..<max(0, count)]
        // On Linux, reading at the end of a terminal is an error.
        reader.isAtEnd = count <= 0
      }
    }

    /// Reads until a condition holds. Throws ``Hung`` at the deadline or at the end of the output.
    func wait(for what: String, _ deadline: Deadline = Deadline(), until isMet: (String) -> Bool) throws {
      while !isMet(text) {
        guard !isAtEnd, !deadline.isOver else {
          throw Hung(
            description:
              "\(isAtEnd ? "the output ended" : "\(deadline.limit) passed") without \(what); the output was: \(text)")
        }
        Self.read([self])
      }
    }

    func wait(for expected: String) throws {
      try wait(for: "'\(expected)'") { $0.contains(expected) }
    }

    /// Reads all outputs to their ends in parallel, since a program blocks while one of its pipes is full.
    static func readToEnd(_ readers: [Reader], _ deadline: Deadline) throws {
      while case let open = readers.filter({ !$0.isAtEnd }), !open.isEmpty {
        guard !deadline.isOver else {
          throw Hung(
            description: "\(deadline.limit) passed without the end of the output: \(open.map(\.text.debugDescription))"
          )
        }
        read(open)
      }
    }
  }

  private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
    read(descriptor, &buffer, buffer.count)
  }

  /// A program started by a test. It's killed when the value is released.
  final class Program {
    private let process = Process()
    private let ended = DispatchSemaphore(value: 0)
    private let name: String
    private static let starting = NSLock()

    init(
      _ arguments: [String], of executable: URL = Demo.program, environment: [String: String]? = nil,
      input: Any = FileHandle.nullDevice, output: Any, error: Any
    ) throws {
      name = ([executable.lastPathComponent] + arguments).joined(separator: " ")
      process.executableURL = executable
      process.arguments = arguments
      if let environment { process.environment = environment }
      process.standardInput = input
      process.standardOutput = output
      process.standardError = error
      process.terminationHandler = { [ended] _ in ended.signal() }
      // Under nohup, a child process would inherit an ignored SIGHUP.
      Self.starting.lock()
      let hangUp = Foundation.signal(SIGHUP, SIG_DFL)
      defer {
        Foundation.signal(SIGHUP, hangUp)
        Self.starting.unlock()
      }
      try process.run()
    }

    deinit {
      if process.isRunning { signal(SIGKILL) }
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the program's end. Returns its exit code, or the negative number of the signal that killed it.
    func end(_ deadline: Deadline = Deadline()) throws -> Int32 {
      guard ended.wait(timeout: .now() + deadline.left) == .success else {
        signal(SIGKILL)
        throw Hung(description: "\(name): it did not end within \(deadline.limit), and was killed")
      }
      ended.signal()
      return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
  }

  /// A run of the built demo: its output, its errors and its exit code.
  struct Demo {
    var output = ""
    var error = ""
    var code: Int32 = 0

    static var program: URL {
      let tests = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
      return tests.deletingLastPathComponent().appending(path: "LocoKitDemo")
    }

    init(_ arguments: String...) throws {
      try self.init(list: arguments)
    }

    init(list arguments: [String]) throws {
      try self.init(Self.program, arguments)
    }

    /// Runs the demo with shell redirections, such as `>&-`.
    init(redirected redirections: String, _ arguments: [String]) throws {
      try self.init(
        URL(filePath: "/bin/sh"), ["-c", "exec \"$0\" \"$@\" \(redirections)", Self.program.path] + arguments)
    }

    private init(_ executable: URL, _ arguments: [String]) throws {
      let (output, error) = (Pipe(), Pipe())
      let deadline = Deadline()
      let program = try Program(arguments, of: executable, output: output, error: error)
      let readers = [output, error].map { Reader($0.fileHandleForReading.fileDescriptor) }
      try Reader.readToEnd(readers, deadline)
      code = try program.end(deadline)
      self.output = readers[0].text
      self.error = readers[1].text
    }

    static func temporaryFile(_ name: String, _ text: String? = nil) throws -> String {
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appending(path: name)
      if let text { try text.write(to: file, atomically: true, encoding: .utf8) }
      return file.path
    }
  }
#endif
