#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import TestSupport
  @testable import LocoKitDemo

  /// A pseudoterminal for the demo: a pair of descriptors, the user's end and the program's end.
  final class PseudoTerminal {
    let reader: Reader
    private let program: Int32
    var screen: String { reader.text }

    init() throws {
      var person: Int32 = -1
      var program: Int32 = -1
      let result = openpty(&person, &program, nil, nil, nil)
      try #require(result == 0)
      _ = fcntl(person, F_SETFD, FD_CLOEXEC)
      reader = Reader(person)
      self.program = program
    }

    deinit {
      close(reader.descriptor)
      close(program)
    }

    func start(_ arguments: [String], environment: [String: String]) throws -> Program {
      let handle = FileHandle(fileDescriptor: program, closeOnDealloc: false)
      return try Program(
        arguments, environment: ["TERM": "xterm-256color"].merging(environment) { $1 }, input: handle, output: handle,
        error: handle)
    }

    func wait(for text: String) throws { try reader.wait(for: text) }
  }

  @Suite("The demo in a terminal", .serialized)
  struct TerminalTests {
    @Test(
      "A terminal gets progress and colours, but no colours if NO_COLOR isn't empty or TERM is dumb",
      arguments: [([:], true), (["NO_COLOR": "1"], false), (["NO_COLOR": ""], true), (["TERM": "dumb"], false)]
        as [([String: String], Bool)])
    func colours(environment: [String: String], coloured: Bool) throws {
      let terminal = try PseudoTerminal()
      let program = try terminal.start(["drive"], environment: environment)
      try terminal.wait(for: "seed           1")
      #expect(try program.end() == 0)
      #expect(terminal.screen.contains("\u{1B}[32macquiring") == coloured)
      #expect(terminal.screen.contains("acquiring"))
      #expect(terminal.screen.contains("100 %  0:30:00.0"))
    }
  }
#endif
