import Foundation
import Testing

@testable import LocoKitDemo

/// The demo in a terminal of its own: a pair of descriptors, a person's end and a program's end.
final class PseudoTerminal {
  let person: Int32
  let program: Int32
  private(set) var screen = ""

  init() throws {
    var person: Int32 = -1
    var program: Int32 = -1
    let result = openpty(&person, &program, nil, nil, nil)
    try #require(result == 0)
    _ = fcntl(person, F_SETFD, FD_CLOEXEC)
    self.person = person
    self.program = program
  }

  deinit {
    close(person)
    close(program)
  }

  func start(_ arguments: [String], environment: [String: String] = [:]) throws -> Process {
    let process = Process()
    process.executableURL = Demo.program
    process.arguments = arguments
    process.environment = ["TERM": "xterm-256color"].merging(environment) { $1 }
    let handle = FileHandle(fileDescriptor: program, closeOnDealloc: false)
    process.standardInput = handle
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    return process
  }

  func press(_ key: String) {
    _ = key.withCString { write(person, $0, strlen($0)) }
  }

  /// Reads until the screen shows a text, or for half a minute.
  func wait(for text: String) -> Bool {
    let deadline = ContinuousClock.now + .seconds(30)
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !screen.contains(text), ContinuousClock.now < deadline {
      var wanted = pollfd(fd: person, events: Int16(POLLIN), revents: 0)
      guard poll(&wanted, 1, 1_000) > 0 else { continue }
      let count = read(person, &buffer, buffer.count)
      guard count > 0 else { break }
      screen += String(decoding: buffer[..<count], as: UTF8.self)
    }
    return screen.contains(text)
  }

  func forget() {
    screen = ""
  }

  /// How the terminal is set, as bytes to compare.
  var settings: [UInt8] {
    var settings = termios()
    tcgetattr(program, &settings)
    return withUnsafeBytes(of: settings) { Array($0) }
  }
}

@Suite("The interactive demo", .serialized)
struct InteractiveTests {
  @Test("takes keys, shows what they do, and leaves the terminal as it found it")
  func keys() throws {
    let terminal = try PseudoTerminal()
    let before = terminal.settings
    let process = try terminal.start(["--interactive", "--realtime", "60"])
    // Each text stays on the screen for long: a state that lasts, or a line among the newest calls.
    for (key, text) in [
      ("", "didGrantAccess"), ("p", "state          paused"), ("r", "didResume"), ("d", "state          denied"),
      ("T", "denied → prompted"), ("a", "denied → acquiring"), ("t", "state          waitingSignificantChange"),
      ("f", "didForceAcquire"),
    ] {
      terminal.forget()
      terminal.press(key)
      #expect(terminal.wait(for: text), "after '\(key)': \(text)")
    }
    #expect(terminal.wait(for: "last location  34."))
    #expect(terminal.settings != before, "single keys are read, without an echo")
    terminal.forget()
    terminal.press("q")
    #expect(terminal.wait(for: "seed           1"), "the summary is printed after the screen is given back")
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(terminal.screen.contains("\u{1B}[?25h\u{1B}[?1049l"))
    #expect(terminal.settings == before)
  }

  @Test("leaves the terminal as it found it on Ctrl-C, and on signals", arguments: ["key", "INT", "TERM", "HUP"])
  func interrupted(how: String) throws {
    let terminal = try PseudoTerminal()
    let before = terminal.settings
    let process = try terminal.start(["--interactive"])
    #expect(terminal.wait(for: "state          prompted"))
    switch how {
    case "key": terminal.press("\u{3}")
    case "INT": kill(process.processIdentifier, SIGINT)
    case "TERM": kill(process.processIdentifier, SIGTERM)
    default: kill(process.processIdentifier, SIGHUP)
    }
    #expect(terminal.wait(for: "\u{1B}[?1049l"))
    #expect(terminal.wait(for: "seed           1"))
    process.waitUntilExit()
    #expect(process.terminationStatus == (how == "key" || how == "INT" ? 130 : 143))
    #expect(terminal.settings == before)
  }

  @Test(
    "shows colours and progress in a terminal, and no colours where they are not wanted",
    arguments: [([:], true), (["NO_COLOR": "1"], false), (["NO_COLOR": ""], true), (["TERM": "dumb"], false)]
      as [([String: String], Bool)])
  func colours(environment: [String: String], coloured: Bool) throws {
    let terminal = try PseudoTerminal()
    let process = try terminal.start([], environment: environment)
    #expect(terminal.wait(for: "seed           1"))
    process.waitUntilExit()
    #expect(terminal.screen.contains("\u{1B}[32macquiring") == coloured)
    #expect(terminal.screen.contains("acquiring"))
    #expect(terminal.screen.contains("100 %  0:30:00.0"))
  }
}
