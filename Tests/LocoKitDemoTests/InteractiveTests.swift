#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import TestSupport
  @testable import LocoKitDemo

  /// A pseudoterminal for the demo: a pair of descriptors, the user's end and the program's end.
  final class PseudoTerminal {
    let reader: Reader
    private var person: Int32 { reader.descriptor }
    private let program: Int32
    var screen: String { reader.text }

    init(width: Int = 80, height: Int = 24) throws {
      var person: Int32 = -1
      var program: Int32 = -1
      let result = openpty(&person, &program, nil, nil, nil)
      try #require(result == 0)
      _ = fcntl(person, F_SETFD, FD_CLOEXEC)
      reader = Reader(person)
      self.program = program
      resize(width, height)
    }

    deinit {
      close(person)
      close(program)
    }

    func resize(_ width: Int, _ height: Int) {
      var size = winsize(ws_row: UInt16(height), ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
      _ = ioctl(person, UInt(TIOCSWINSZ), &size)
    }

    func start(
      _ arguments: [String], kind: String? = "xterm-256color", environment: [String: String] = [:]
    ) throws -> Program {
      let handle = FileHandle(fileDescriptor: program, closeOnDealloc: false)
      let kind = kind.map { ["TERM": $0] } ?? [:]
      return try Program(
        arguments, environment: kind.merging(environment) { $1 }, input: handle, output: handle, error: handle)
    }

    func press(_ key: String) {
      _ = key.withCString { write(person, $0, strlen($0)) }
    }

    func wait(for text: String) throws { try reader.wait(for: text) }

    func forget() { reader.forget() }

    /// The terminal's settings, as bytes to compare.
    var settings: [UInt8] {
      var settings = termios()
      tcgetattr(program, &settings)
      return withUnsafeBytes(of: settings) { Array($0) }
    }
  }

  /// A terminal's screen after some output. Interprets only the control sequences that the demo uses.
  struct Shown {
    private(set) var lines: [String]
    private let width: Int
    private var row = 0
    private var column = 0
    private var isWrapping = true

    init(_ text: String, width: Int, height: Int) {
      self.width = width
      lines = Array(repeating: "", count: height)
      var rest = text.unicodeScalars[...]
      while let scalar = rest.popFirst() {
        switch scalar {
        case "\u{1B}":
          let sequence = rest.dropFirst().prefix { !$0.properties.isAlphabetic }
          rest = rest[sequence.endIndex...]
          if let letter = rest.popFirst() { obey("\(String(String.UnicodeScalarView(sequence)))\(letter)") }
        case "\r": column = 0
        case "\n": newLine()
        default: put(Character(scalar))
        }
      }
    }

    private mutating func obey(_ sequence: String) {
      switch sequence {
      case "H": (row, column) = (0, 0)
      case "K": lines[row] = String(lines[row].prefix(column))
      case "J":
        lines[row] = String(lines[row].prefix(column))
        for below in lines.indices.dropFirst(row + 1) { lines[below] = "" }
      case "?1049h": lines = lines.map { _ in "" }
      case "?7l": isWrapping = false
      case "?7h": isWrapping = true
      default: break
      }
    }

    private mutating func newLine() {
      row += 1
      guard row == lines.count else { return }
      row -= 1
      lines = lines.dropFirst() + [""]
    }

    private mutating func put(_ character: Character) {
      if column == width {
        guard isWrapping else { return }
        column = 0
        newLine()
      }
      var line = Array(lines[row].padding(toLength: max(column, lines[row].count), withPad: " ", startingAt: 0))
      if column < line.count { line[column] = character } else { line.append(character) }
      lines[row] = String(line)
      column += 1
    }
  }

  @Suite("The interactive demo", .serialized)
  struct InteractiveTests {
    @Test("Keys send commands whose effects are shown, and quitting restores the terminal")
    func keys() throws {
      let terminal = try PseudoTerminal()
      let before = terminal.settings
      let program = try terminal.start(["--interactive", "--realtime", "10"])
      // Each text stays on the screen long enough: it is a state that lasts, or one of the newest calls.
      for (key, text) in [
        ("", "didGrantAccess"), ("p", "state          paused"), ("r", "didResume"), ("d", "state          denied"),
        ("T", "denied → prompted"), ("a", "denied → acquiring"), ("t", "state          waitingSignificantChange"),
        ("f", "didForceAcquire"),
      ] {
        terminal.forget()
        terminal.press(key)
        try terminal.wait(for: text)
      }
      try terminal.wait(for: "last location  34.")
      #expect(terminal.settings != before, "single keys are read, without an echo")
      terminal.forget()
      terminal.press("q")
      // The summary is printed after the screen is restored.
      try terminal.wait(for: "seed           1")
      #expect(try program.end() == 0)
      #expect(terminal.screen.contains("\u{1B}[?25h\u{1B}[?1049l"))
      #expect(terminal.settings == before)
    }

    @Test(
      "At every size, the screen shows the state, the keys and as many calls as fit",
      arguments: [(80, 24, 13), (60, 15, 4), (132, 50, 20), (40, 12, 1), (30, 7, 0)])
    func size(width: Int, height: Int, calls: Int) throws {
      let terminal = try PseudoTerminal(width: width, height: height)
      let program = try terminal.start(["--interactive"])
      try call(terminal)
      try check(terminal, width, height, calls)
      terminal.press("q")
      // The program exits only after its output is read.
      try terminal.wait(for: "seed           1")
      #expect(try program.end() == 0)
    }

    @Test("Resizing the terminal redraws the screen at the new size")
    func resized() throws {
      let terminal = try PseudoTerminal(width: 132, height: 50)
      let program = try terminal.start(["--interactive"])
      try call(terminal)
      try check(terminal, 132, 50, 20)
      for (width, height, calls) in [(60, 15, 4), (80, 24, 13)] {
        terminal.resize(width, height)
        program.signal(SIGWINCH)
        // Skip what was drawn before the program received the new size.
        terminal.forget()
        try terminal.wait(for: "\u{1B}[J")
        terminal.forget()
        try check(terminal, width, height, calls)
      }
      terminal.press("q")
      // The program exits only after its output is read.
      try terminal.wait(for: "seed           1")
      #expect(try program.end() == 0)
    }

    /// Pauses and resumes 15 times, which fills the list of calls. The drive takes half an hour, so it doesn't end before the test.
    private func call(_ terminal: PseudoTerminal) throws {
      try terminal.wait(for: "state          ")
      for _ in 0..<15 { terminal.press("pr") }
    }

    private func check(_ terminal: PseudoTerminal, _ width: Int, _ height: Int, _ calls: Int) throws {
      try terminal.reader.wait(for: "the state, the keys and \(calls) calls") { written in
        // Only the newest complete screens: interpreting all of them after each read would take minutes.
        let screens = written.components(separatedBy: "\u{1B}[H").dropLast().suffix(3)
        let lines = Shown("\u{1B}[?7l" + screens.joined(separator: "\u{1B}[H"), width: width, height: height).lines
        return lines.filter { $0.hasPrefix("0:") }.count >= calls && lines.contains { $0.hasPrefix("state") }
          && lines.contains { $0.hasPrefix("p pause") } && lines.contains { $0.hasSuffix("q quit") }
      }
    }

    @Test("At every size, no line is too long, the state is shown, and the keys are shown if they fit")
    func everySize() {
      let keys = ["p pause", "a allow (in the settings)", "T force prompt", "q quit"]
      let screen = Screen(
        title: "LocoKit", state: "waitingSignificantChange", values: [("last location", "none"), ("GPS on", "0 s")],
        calls: (0..<100).map { "\($0)  didUpdate: 34.15873, -118.63269 ±9.6 m" }, keys: keys)
      for width in 25...140 {
        for height in 1...60 {
          let lines = screen.lines(width: width, height: height)
          #expect(lines.count == height && lines.allSatisfy { $0.count <= width }, "\(width) × \(height)")
          #expect(lines.contains { $0.hasSuffix("waitingSignificantChange") }, "\(width) × \(height)")
          if height >= 5 {
            let bottom = lines.suffix(4).joined(separator: "\n")
            #expect(keys.allSatisfy { bottom.contains($0) }, "\(width) × \(height): \(bottom)")
          }
          if height >= 20 {
            #expect(lines.count { $0.contains("didUpdate: 34") } >= height - 11, "\(width) × \(height)")
            #expect(lines.contains { $0.hasPrefix("99  didUpdate") })
          }
        }
      }
    }

    @Test("A terminal without a screen is refused", arguments: ["dumb", "", nil])
    func kinds(kind: String?) throws {
      let terminal = try PseudoTerminal()
      let program = try terminal.start(["--interactive"], kind: kind)
      try terminal.wait(for: "Try 'LocoKitDemo --help'.")
      #expect(try program.end() == 64)
      let what = kind == "dumb" ? "'dumb'." : "not set."
      #expect(
        terminal.screen.hasPrefix("LocoKitDemo: --interactive needs a terminal with a screen, but TERM is \(what)"))
    }

    @Test("The demo stops exactly at the end of the route, even at a high speed", arguments: [nil, "0:00:12.5"])
    func end(duration: String?) throws {
      var arguments = ["--interactive", "--realtime", "100000"]
      if duration != nil {
        let points = [("10", "00.000"), ("10", "06.000"), ("10", "12.500")].map {
          "<trkpt lat=\"34\" lon=\"-118\"><time>2020-01-01T00:\($0.0):\($0.1)Z</time></trkpt>"
        }
        arguments += [
          "--gpx", try Demo.temporaryFile("a.gpx", "<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>"),
        ]
      }
      let terminal = try PseudoTerminal()
      let program = try terminal.start(arguments)
      try terminal.wait(for: "seed           1")
      #expect(try program.end() == 0)
      #expect(terminal.screen.contains("time           \(duration ?? "0:30:00.0")\r\n"))
    }

    @Test(
      "Ctrl-C and signals restore the terminal",
      arguments: [(nil, 130), (SIGINT, 130), (SIGQUIT, 131), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32?, Int32)])
    func interrupted(signal: Int32?, code: Int32) throws {
      let terminal = try PseudoTerminal()
      let before = terminal.settings
      let program = try terminal.start(["--interactive"])
      try terminal.wait(for: "state          prompted")
      if let signal { program.signal(signal) } else { terminal.press("\u{3}") }
      try terminal.wait(for: "\u{1B}[?1049l")
      try terminal.wait(for: "seed           1")
      #expect(try program.end() == code)
      #expect(terminal.settings == before)
    }

    @Test("Ctrl-Z restores the terminal and stops the demo, and SIGCONT resumes it", arguments: [nil, SIGTSTP])
    func stopped(signal: Int32?) throws {
      let terminal = try PseudoTerminal()
      let before = terminal.settings
      let program = try terminal.start(["--interactive"])
      try terminal.wait(for: "state          prompted")
      for _ in 1...2 {
        terminal.forget()
        if let signal { program.signal(signal) } else { terminal.press("\u{1A}") }
        try terminal.wait(for: "\u{1B}[?1049l")
        let deadline = Deadline()
        while try !program.isStopped() { try #require(!deadline.isOver, "\(deadline.limit) passed, and it still runs") }
        #expect(terminal.settings == before)
        terminal.forget()
        program.signal(SIGCONT)
        try terminal.wait(for: "\u{1B}[?1049h")
        try terminal.wait(for: "state          ")
        #expect(terminal.settings != before)
      }
      terminal.press("q")
      try terminal.wait(for: "seed           1")
      #expect(try program.end() == 0)
      #expect(terminal.settings == before)
    }

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
