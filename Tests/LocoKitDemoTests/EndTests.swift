#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import TestSupport
  @testable import LocoKitDemo

  /// Tests that the demo exits as documented on signals, closed streams and full devices.
  @Suite("The demo's end")
  struct EndTests {
    private static let commands =
      [[], ["--json"], ["--help"], ["track"], ["trip", "--json"]]
      + (isLong ? [["--version"], ["diagram"], ["get"], ["track", "--desired", "20"], ["trip"]] : [])

    #if os(Linux)
      @Test("Output to a full device is an error", arguments: commands)
      func fullDevice(arguments: [String]) throws {
        let demo = try Demo(redirected: "> /dev/full", arguments)
        #expect(demo.code == 74)
        #expect(demo.error == "LocoKitDemo: standard output cannot be written: No space left on device\n")
      }
    #endif

    @Test("Output to a closed stream is an error", arguments: commands)
    func closed(arguments: [String]) throws {
      let demo = try Demo(redirected: ">&-", arguments)
      #expect(demo.code == 74)
      #expect(demo.error == "LocoKitDemo: standard output is closed.\n")
      #expect(try Demo(redirected: ">&- 2>&- <&-", arguments).code == 74)
    }

    @Test("Output for a closed stream isn't written to another file")
    func closedWithLog() throws {
      let file = try Demo.temporaryFile("log.jsonl")
      #expect(try Demo(redirected: ">&- 2>&- <&-", ["--log", file]).code == 74)
      for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") {
        #expect(line.hasPrefix("{"))
      }
    }

    @Test("The demo ends silently if the reader of its output is closed", arguments: commands)
    func readerGone(arguments: [String]) throws {
      let (output, error) = (Pipe(), Pipe())
      try output.fileHandleForReading.close()
      let program = try Program(arguments, output: output, error: error)
      #expect(try program.end() == 141)
      let said = Reader(error.fileHandleForReading.fileDescriptor)
      try Reader.readToEnd([said], Deadline())
      #expect(said.text == "")
    }

    @Test(
      "On a signal, a run with --realtime prints its summary, if any, and exits with 128 plus the signal's number",
      arguments: [SIGHUP, SIGINT, SIGTERM],
      [
        (["--realtime", "1"], "prompted", "time           0:00:"),
        (["--realtime", "1", "--json"], nil, "\"durationSeconds\":"),
        (["trip", "--realtime", "10"], "the signal is strong", "distance       "),
        (["track", "--realtime", "10"], "km/h", nil),
        (["get", "--realtime", "10", "--desired", "1", "--timeout", "1h"], "the best so far", nil),
      ] as [([String], String?, String?)])
    func realtime(number: Int32, run: (arguments: [String], begun: String?, end: String?)) throws {
      let log = try Demo.temporaryFile("log.jsonl")
      let page = log + ".html"
      let isDrive = run.arguments[0].hasPrefix("-")
      let output = Pipe()
      let program = try Program(
        run.arguments + (isDrive ? ["--log", log, "--report", page] : []), output: output, error: FileHandle.nullDevice)
      let written = Reader(output.fileHandleForReading.fileDescriptor)
      let deadline = Deadline()
      if let begun = run.begun { try written.wait(for: begun) }
      // The demo installs its signal handlers before it writes to its log.
      while isDrive, try !logs(log) {
        try #require(!deadline.isOver, "\(deadline.limit) passed without an entry in the log")
      }
      program.signal(number)
      try Reader.readToEnd([written], deadline)
      #expect(try program.end(deadline) == 128 + number)
      if let end = run.end { #expect(written.text.contains(end)) }
      if isDrive { #expect(try String(contentsOfFile: page, encoding: .utf8).contains("ended early, after 0:00:")) }
    }

    private func logs(_ file: String) throws -> Bool {
      try FileManager.default.fileExists(atPath: file)
        && !String(contentsOfFile: file, encoding: .utf8).isEmpty
    }

    @Test(
      "A signal ends a command that waits for gpsd, and the exit code is 128 plus the signal's number",
      arguments: [SIGHUP, SIGINT, SIGTERM],
      [["gpsd", "--json"], ["get"], ["track"], ["trip"]])
    func signals(_ number: Int32, _ command: [String]) throws {
      let program = try WithoutGPSD(command)
      program.demo.signal(number)
      #expect(try program.demo.end() == 128 + number)
    }

    @Test("A signal ends the demo even if its output isn't read")
    func stuckReader() throws {
      let output = Pipe()
      let entrance = fcntl(output.fileHandleForWriting.fileDescriptor, F_DUPFD_CLOEXEC, 0)
      defer { close(entrance) }
      let program = try Program(
        ["track", "--json", "--realtime", "100000"], output: output, error: FileHandle.nullDevice)
      let deadline = Deadline()
      var full = pollfd(fd: entrance, events: Int16(POLLOUT), revents: 0)
      // If the pipe stays full for a second, the demo is blocked in a write.
      while poll(&full, 1, 1_000) != 0 {
        try #require(!deadline.isOver, "\(deadline.limit) passed, and the pipe is not full")
      }
      program.signal(SIGTERM)
      #expect(try program.end() == 143)
    }

    @Test("SIGHUP doesn't end the demo under nohup")
    func nohup() throws {
      let output = Pipe()
      let program = try Program(
        ["-c", "trap '' HUP; exec \"$0\" track --realtime 30", Demo.program.path], of: URL(filePath: "/bin/sh"),
        output: output, error: FileHandle.nullDevice)
      let written = Reader(output.fileHandleForReading.fileDescriptor)
      try written.wait(for: "34.")
      program.signal(SIGHUP)
      written.forget()
      try written.wait(for: "10 more locations") { $0.count { $0 == "\n" } > 10 }
      program.signal(SIGTERM)
      #expect(try program.end() == 143)
    }

    @Test(
      "A command that waits for gpsd ends silently when the reader of its output is closed",
      arguments: ["gpsd", "get", "track", "trip"])
    func readerLeaves(command: String) throws {
      let program = try WithoutGPSD([command])
      try program.output.fileHandleForReading.close()
      #expect(try program.demo.end() == 141)
      try Reader.readToEnd([program.said], Deadline())
      #expect(program.said.text.split(separator: "\n").allSatisfy { $0.contains("there is no gpsd") })
    }

    /// The demo after a failed attempt to connect to gpsd.
    private struct WithoutGPSD {
      let demo: Program
      let output = Pipe()
      let said: Reader
      private let error = Pipe()

      init(_ arguments: [String]) throws {
        demo = try Program(
          arguments + (arguments[0] == "gpsd" ? [] : ["--gpsd"]) + ["--port", "1", "--host", "127.0.0.1"],
          output: output, error: error)
        said = Reader(error.fileHandleForReading.fileDescriptor)
        // The demo installs its signal handlers before it connects to gpsd.
        try said.wait(for: "there is no gpsd")
      }
    }

    @Test(
      "The receiver is turned off on SIGHUP, and when the reader of the output is closed", .serialized, .long,
      .enabled(
        if: ReceiverBehindGPSD.missing.isEmpty,
        "not on this machine: \(ReceiverBehindGPSD.missing.joined(separator: ", "))"),
      arguments: [
        (["get", "--desired", "1", "--timeout", "1h"], "the best so far"), (["track"], "34.0"),
        (["trip"], "the signal is"),
      ], [true, false])
    func receiver(run: (arguments: [String], begun: String), isHungUp: Bool) throws {
      let gpsd = try ReceiverBehindGPSD()
      let output = Pipe()
      let demo = try Program(
        run.arguments + [
          "--gpsd", "--host", "127.0.0.1", "--port", "\(gpsd.port)", "--control-socket", gpsd.controlSocket,
        ],
        output: output, error: FileHandle.nullDevice)
      try Reader(output.fileHandleForReading.fileDescriptor).wait(for: run.begun)
      if isHungUp { demo.signal(SIGHUP) } else { try output.fileHandleForReading.close() }
      try gpsd.receiver.wait(for: "off\n")
      #expect(try demo.end() == (isHungUp ? 129 : 141))
    }

    @Test("The error about a program that hangs names the expected text or the program")
    func harness() throws {
      let output = Pipe()
      let program = try Program(
        ["1000"], of: URL(filePath: "/bin/sleep"), output: output, error: FileHandle.nullDevice)
      #expect {
        try Reader(output.fileHandleForReading.fileDescriptor).wait(for: "a word", Deadline(.zero)) { !$0.isEmpty }
      } throws: {
        "\($0)" == "0.0 seconds passed without a word; the output was: "
      }
      #expect {
        try program.end(Deadline(.zero))
      } throws: {
        "\($0)" == "sleep 1000: it did not end within 0.0 seconds, and was killed"
      }
      #expect(try program.end() == -SIGKILL)
    }
  }

  /// A real gpsd with a control socket, and a simulated receiver for it, both on local ports.
  struct ReceiverBehindGPSD {
    /// The required programs that this machine lacks.
    static let missing = ["gpsd", "python3"].filter { program(named: $0) == nil }

    let port: Int
    let controlSocket: String
    /// The receiver's output: its port, then `on` and `off`.
    let receiver: Reader
    private let programs: [Program]
    private let pipes: [Pipe]

    init() throws {
      let python = try #require(Self.program(named: "python3"))
      let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../GPSDTests/receiver.py")
      let (input, output, free) = (Pipe(), Pipe(), Pipe())
      let device = try Program(
        [script.standardized.path], of: python, input: input, output: output, error: FileHandle.nullDevice)
      receiver = Reader(output.fileHandleForReading.fileDescriptor)
      try receiver.wait(for: "its port") { $0.hasPrefix("port ") && $0.hasSuffix("\n") }
      let line = try #require(receiver.text.split(separator: "\n").first)

      let finder = try Program(
        ["-c", "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"],
        of: python, output: free, error: FileHandle.nullDevice)
      let found = Reader(free.fileHandleForReading.fileDescriptor)
      try Reader.readToEnd([found], Deadline())
      _ = try finder.end()
      port = try #require(Int(found.text.trimmingCharacters(in: .whitespacesAndNewlines)))

      controlSocket = try Demo.temporaryFile("control")
      let gpsd = try Program(
        ["-N", "-F", controlSocket, "-S", "\(port)", "tcp://127.0.0.1:\(line.dropFirst(5))"],
        of: try #require(Self.program(named: "gpsd")), output: FileHandle.nullDevice, error: FileHandle.nullDevice)
      programs = [device, gpsd]
      pipes = [input, output]
    }

    private static func program(named name: String) -> URL? {
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      return (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"])
        .map { URL(filePath: $0).appending(path: name) }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
  }
#endif
