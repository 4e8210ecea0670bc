import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("The state diagram")
struct StateDiagramTests {
  @Test("A diagram writes every pair as comma-separated values")
  func csv() {
    #expect(
      StateDiagram<Turnstile>().csv == """
        state,event,target,effects,reason
        locked,coin,unlocked,,
        locked,push,,,The arm is locked until a coin is paid.
        unlocked,coin,,refund,
        unlocked,push,locked,,

        """)
    #expect(StateDiagram<Order>().csv.contains("cart,pay,paid,charge sendReceipt,\n"))
  }

  @Test("Special characters in comma-separated values are quoted")
  func quoting() {
    let csv = StateDiagram<Nasty>().csv
    #expect(csv.contains("\"a \"\"quoted\"\" state\",\"two\nlines\",\"semi;colon: and, comma\",,\n"))
    #expect(csv.contains("\"Says \"\"no\"\", and, well; that is \\ all.\"\n"))
    // Some readers end a line at a carriage return.
    #expect(StateDiagram<Unprintable>().csv.contains("nul,\"line\rfeed\",,,"))
  }

  @Test("A diagram writes two Markdown tables")
  func markdown() {
    #expect(
      StateDiagram<Turnstile>().markdown == """
        | state | event | next | effects |
        |---|---|---|---|
        | locked | coin | unlocked |  |
        | unlocked | coin | *stay* | refund |
        | unlocked | push | locked |  |

        | state | ignores | because |
        |---|---|---|
        | locked | push | The arm is locked until a coin is paid. |

        """)
    let nasty = StateDiagram<Nasty>().markdown
    #expect(nasty.contains("| Zürich\\|pipe |"))
    #expect(nasty.contains("&lt;b>&amp;\"x\""))
    #expect(nasty.split(separator: "\n").allSatisfy { $0.hasPrefix("|") && $0.hasSuffix("|") })
  }

  @Test("Mermaid shows the initial state, merged arrows, and internal transitions inside their state")
  func mermaid() {
    #expect(
      StateDiagram<Turnstile>().mermaid == """
        stateDiagram-v2
          state "unlocked" as unlocked
          unlocked : coin / refund
          [*] --> locked
          locked --> unlocked : coin
          unlocked --> locked : push

        """)
    let order = StateDiagram<Order>().mermaid
    #expect(order.contains("  cart --> paid : pay / charge, sendReceipt\n"))
    #expect(order.contains("  cart --> cancelled : cancel<br/>timeout\n"))
  }

  @Test("A format contains no character that it excludes, and names the replaced ones", arguments: Format.allCases)
  func unprintable(format: Format) {
    let text = format.text(Unprintable.self)
    // Data and Markdown hold the names as they are.
    guard ![.csv, .md].contains(format) else { return }
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 32 && ![0xFFFE, 0xFFFF].contains($0.value) })
    for code in ["0000", "0007", "001B", "FFFE", "FFFF"] {
      #expect(text.contains(format == .puml ? "U<U+002B>\(code)" : "U+\(code)"), "\(code)")
    }
  }

  @Test("SCXML can be parsed with any names, and different names stay different")
  func unprintableSCXML() {
    let reader = StateReader()
    let parser = XMLParser(data: Data(StateDiagram<Unprintable>().scxml.utf8))
    parser.delegate = reader
    #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
    #expect(reader.states == ["nul_x0000_", "nul_x005F_x0000_", "nul", "_xFFFF_", "_xFFFE_end"])
    // A transition for `effect` would also be taken for each `effect.…`.
    #expect(reader.events == ["_x0007_", "_x0065_ffect", "a_x002F__x002F_b", "_x001B__x005B_2J"])
  }

  @Test("PlantUML shows two slashes as they are, and not as the start of italics")
  func slashes() {
    let text = StateDiagram<Unprintable>().plantUML
    #expect(text.contains("s0 : a/<U+002F>b / ring"))
    #expect(!text.contains("//"))
  }

  private final class StateReader: NSObject, XMLParserDelegate {
    private(set) var states: [String] = []
    /// The events of the first state.
    private(set) var events: [String] = []

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String] = [:]
    ) {
      if name == "state" { states.append(attributes["id"] ?? "") }
      if name == "transition", states.count == 1 { events.append(attributes["event"] ?? "") }
    }
  }

  @Test("Mermaid's own words can be names")
  func nastyMermaid() {
    #expect(
      StateDiagram<Nasty>().mermaid == """
        stateDiagram-v2
          state "end" as s0_
          state "a #quot;quoted#quot; state" as s1_
          state "semi#59;colon#colon; and, comma" as s2_
          state "Zürich|pipe" as s3_
          s3_ : two lines / #35;hash, #123;brace#125;
          [*] --> s0_
          s0_ --> s1_ : state / #lt;b#gt;#amp;#quot;x#quot;<br/>a --#gt; b
          s1_ --> s2_ : two lines
          s2_ --> s2_ : state / again#59;
          s2_ --> s3_ : a --#gt; b
          lonely

        """)
  }
}

/// The generated files are compared with the machines. `RECORD=1 swift test --filter Diagram` writes them again.
@Suite("The files in StateDiagrams")
struct StateDiagramFileTests {
  @Test(
    "Each file in StateDiagrams is what its machine generates",
    arguments: ["location", "look", "trip", "trip-detection", "pace", "gpsd", "turnstile"], Format.allCases)
  func compare(machine: String, format: Format) throws {
    let text =
      switch machine {
      case "location": format.text(LocationMachine.self)
      case "look": format.text(LookMachine.self)
      case "trip": format.text(TripMachine.self)
      case "trip-detection": format.text(TripDetectionMachine.self)
      case "pace": format.text(PaceMachine.self)
      case "gpsd": format.text(GPSDMachine.self)
      default: format.text(Turnstile.self)
      }
    let file = stateDiagrams.appending(path: "\(machine).\(format.rawValue)")
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    #expect(
      recorded == text,
      "\(file.lastPathComponent) differs from the machine; write it again with RECORD=1 swift test --filter Diagram")
  }

  @Test("The README of StateDiagrams shows the files word for word")
  func readme() throws {
    let file = stateDiagrams.appending(path: "README.md")
    let recorded = try String(contentsOf: file, encoding: .utf8)
    var readme = recorded
    for (machine, text) in [
      ("location", StateDiagram<LocationMachine>().mermaid), ("look", StateDiagram<LookMachine>().mermaid),
      ("trip", StateDiagram<TripMachine>().mermaid),
      ("trip-detection", StateDiagram<TripDetectionMachine>().mermaid),
      ("pace", StateDiagram<PaceMachine>().mermaid), ("gpsd", StateDiagram<GPSDMachine>().mermaid),
      ("turnstile", StateDiagram<Turnstile>().mermaid),
    ] {
      let start = try #require(readme.range(of: "<!-- \(machine).mmd -->\n```mermaid\n")).upperBound
      let end = try #require(readme[start...].range(of: "```")).lowerBound
      readme.replaceSubrange(start..<end, with: text)
    }
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try readme.write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(recorded == readme, "A picture differs from its machine; run RECORD=1 swift test --filter Diagram")
    }
  }

  /// For `.ci/diagrams`, where other tools read the diagrams and take the walks.
  @Test(
    "The diagrams and walks are written for other tools to check",
    .enabled(if: ProcessInfo.processInfo.environment["LOCOKIT_DIAGRAMS"] != nil, "only .ci/diagrams needs it"))
  func export() throws {
    let folder = URL(filePath: ProcessInfo.processInfo.environment["LOCOKIT_DIAGRAMS"] ?? "")
    func write<Machine: StateMachine>(_ name: String, _ machine: Machine.Type) throws {
      for format in Format.allCases {
        try format.text(machine).write(
          to: folder.appending(path: "\(name).\(format.rawValue)"), atomically: true, encoding: .utf8)
      }
      try Walk<Machine>().text.write(to: folder.appending(path: "\(name).walk"), atomically: true, encoding: .utf8)
      var deadlines: [String: [String]] = [:]
      for state in Machine.State.allCases {
        guard let deadline = Machine.deadline(in: state) else { continue }
        deadlines[state.rawValue] = [
          deadline.event.rawValue, "\(deadline.duration.inMilliseconds)", deadline.setting ?? "",
        ]
      }
      try JSONEncoder().encode(deadlines).write(to: folder.appending(path: "\(name).deadlines"))
    }
    try write("location", LocationMachine.self)
    try write("look", LookMachine.self)
    try write("trip", TripMachine.self)
    try write("trip-detection", TripDetectionMachine.self)
    try write("pace", PaceMachine.self)
    try write("gpsd", GPSDMachine.self)
    try write("turnstile", Turnstile.self)
    try write("light", TrafficLight.self)
    try write("order", Order.self)
    try write("nasty", Nasty.self)
    try Promela.text.write(to: folder.appending(path: "location.pml"), atomically: true, encoding: .utf8)
  }
}

private let stateDiagrams = URL(filePath: #filePath).deletingLastPathComponent()
  .appending(path: "../../../StateDiagrams").standardized

/// The formats by file name extension.
enum Format: String, CaseIterable, CustomTestStringConvertible {
  case csv, md, mmd, dot, puml, scxml

  func text<Machine: StateMachine>(_: Machine.Type) -> String {
    let diagram = StateDiagram<Machine>()
    return
      switch self
    {
    case .csv: diagram.csv
    case .md: diagram.markdown
    case .mmd: diagram.mermaid
    case .dot: diagram.dot
    case .puml: diagram.plantUML
    case .scxml: diagram.scxml
    }
  }

  var testDescription: String { rawValue }
}

extension Duration {
  fileprivate var inMilliseconds: Int64 { inNanoseconds / 1_000_000 }
}

/// The tours and 10,000 random events with the machine's steps, as lines of JSON; `null` is a new start. For a machine with
/// deadlines, half of the random events wait: for less than the state's deadline, exactly until it, or for longer.
private struct Walk<Machine: StateMachine> {
  struct Line: Encodable {
    var event: String?
    var wait: Int64?
    var state = ""
    var effects: [String] = []
  }

  private let table = TransitionTable<Machine>()
  private var now = Duration.zero
  private var machine = StateSnapshot<Machine>(enteredAt: .zero)
  private var lines: [String] = []

  var text: String {
    get throws {
      var walk = self
      for tour in StateGraph<Machine>().tours() {
        walk.start()
        for event in tour { try walk.take(event) }
      }
      walk.start()
      var random = SeededGenerator(seed: 1)
      let hasDeadlines = table.states.contains { table.deadline(in: $0) != nil }
      for _ in 0..<10_000 {
        if hasDeadlines, Bool.random(using: &random) {
          try walk.wait(using: &random)
        } else {
          try walk.take(table.events[Int.random(in: 0..<table.events.count, using: &random)])
        }
      }
      return walk.lines.joined(separator: "\n") + "\n"
    }
  }

  private mutating func start() {
    machine = StateSnapshot(enteredAt: now)
    lines.append("null")
  }

  private mutating func take(_ event: Machine.Event) throws {
    let step = table.advance(&machine, on: event, at: now)
    try write(Line(event: event.rawValue), [step])
  }

  private mutating func wait(using random: inout SeededGenerator) throws {
    let left = table.due(in: machine).map { ($0.time - now).inMilliseconds } ?? 10_000
    let wait: Int64 =
      switch Int.random(in: 0..<3, using: &random) {
      case 0: .random(in: 0..<left, using: &random)
      case 1: left
      default: .random(in: left...(4 * left + 60_000), using: &random)
      }
    now += .milliseconds(wait)
    var steps: [TransitionTable<Machine>.Step] = []
    while let step = table.expire(&machine, at: now) { steps.append(step) }
    try write(Line(wait: wait), steps)
  }

  private mutating func write(_ line: Line, _ steps: [TransitionTable<Machine>.Step]) throws {
    var line = line
    line.state = machine.state.rawValue
    line.effects = steps.flatMap { table.effects(of: $0).map(\.description) }
    lines.append(String(decoding: try JSONEncoder().encode(line), as: UTF8.self))
  }
}
