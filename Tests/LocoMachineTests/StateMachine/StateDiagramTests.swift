import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("The state diagram")
struct StateDiagramTests {
  @Test("A diagram writes every pair as comma-separated values")
  func csv() {
    #expect(
      StateDiagram<Turnstile>().csv == """
        state,event,target,effects,reason,reaction
        locked,coin,unlocked,,,go
        locked,push,,,The arm is locked until a coin is paid.,ignore
        unlocked,coin,,refund,,stay
        unlocked,push,locked,,,go

        """)
    #expect(StateDiagram<Order>().csv.contains("cart,pay,paid,charge sendReceipt,,go\n"))
  }

  @Test("Special characters in comma-separated values are quoted")
  func quoting() {
    let csv = StateDiagram<Nasty>().csv
    #expect(csv.contains("\"a \"\"quoted\"\" state\",\"two\nlines\",\"semi;colon: and, comma\",,,go\n"))
    #expect(csv.contains("\"Says \"\"no\"\", and, well; that is \\ all.\",ignore\n"))
    #expect(csv.contains("lonely,state,,,\"No \"\"path\"\" leads <here>, -- or does it?\",never\n"))
    // A carriage return is quoted too, because some readers end a line there.
    #expect(StateDiagram<Unprintable>().csv.contains("nul,\"line\rfeed\",,,"))
  }

  @Test("The Markdown tables list the transitions, the ignored events, and the events that can't occur")
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
    // Events that can't occur are in a separate table.
    let tables = nasty.split(separator: "\n\n")
    #expect(tables.count == 3 && tables[2].hasPrefix("| state | never receives | because |\n"))
    #expect(tables[2].contains("| lonely | state | No \"path\" leads &lt;here>, -- or does it? |"))
    #expect(!tables[1].contains("lonely"))
  }

  @Test("Mermaid shows the initial state, merged arrows, and internal transitions inside their state")
  func mermaid() {
    #expect(
      StateDiagram<Turnstile>().mermaid == """
        stateDiagram-v2
          state "locked" as s0
          state "unlocked" as s1
          s1 : coin / refund
          [*] --> s0
          s0 --> s1 : coin
          s1 --> s0 : push

        """)
    let order = StateDiagram<Order>().mermaid
    #expect(order.contains("  s0 --> s1 : pay / charge, sendReceipt\n"))
    #expect(order.contains("  s0 --> s3 : cancel<br/>timeout\n"))
  }

  @Test("A format names each character that it excludes instead of containing it", arguments: DiagramFormat.allCases)
  func unprintable(format: DiagramFormat) {
    let text = StateDiagram<Unprintable>().text(in: format)
    // CSV and Markdown contain the characters unchanged.
    guard ![.csv, .markdown].contains(format) else { return }
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 32 && ![0xFFFE, 0xFFFF].contains($0.value) })
    for code in ["0000", "0007", "001B", "FFFE", "FFFF"] {
      #expect(text.contains(format == .plantUML ? "U<U+002B>\(code)" : "U+\(code)"), "\(code)")
    }
  }

  @Test("SCXML with unprintable names can be parsed, and different names stay different")
  func unprintableSCXML() {
    let reader = StateReader()
    let parser = XMLParser(data: Data(StateDiagram<Unprintable>().scxml.utf8))
    parser.delegate = reader
    #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
    #expect(reader.states == ["nul_x0000_", "nul_x005F_x0000_", "nul", "_xFFFF_", "_xFFFE_end"])
    // SCXML would take a transition for `effect` at each event `effect.…` too, so the events `effect`, `error` and `done` have other names.
    #expect(
      reader.events == [
        "_x0007_", "_x0065_ffect", "_x0065_rror", "_x0064_one", "a_x002F__x002F_b", "_x001B__x005B_2J",
      ])
    for name in ["effect", "error", "done"] {
      #expect(StateDiagram<Unprintable>().scxml.contains("<!-- \(name) -->"))
    }
  }

  private enum Player: StateMachine {
    enum State: String, CaseIterable { case sound, fading, deadline }
    enum Event: String, CaseIterable { case next }
    enum Activity: String { case sound, fading }
    static let initialState = State.deadline
    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
      switch state {
      case .deadline: .go(.sound, [])
      case .sound: .go(.fading, [])
      case .fading: .go(.deadline, [])
      }
    }
    static func activities(in state: State) -> [Activity] { state == .deadline ? [.fading] : [.sound, .fading] }
    static func deadline(in state: State) -> Deadline<Self>? { .after(.seconds(9), .next) }
  }

  @Test("The identifiers of an SCXML document are unique")
  func identifiers() {
    let text = StateDiagram<Player>().scxml
    let names = text.matches(of: /<(?:state|invoke|send)[^>]* id="([^"]*)"/).map { String($0.1) }
      .filter { $0 != "lasts" }
    #expect(names.count == 11 && Set(names).count == names.count, "\(names)")
  }

  @Test("PlantUML shows two slashes as they are, and not as the start of italics")
  func slashes() {
    let text = StateDiagram<Unprintable>().plantUML
    #expect(text.contains("s0 : a/<U+002F>b / ring"))
    #expect(!text.contains("//"))
  }

  private final class StateReader: NSObject, XMLParserDelegate {
    private(set) var states: [String] = []
    /// The events of the first state's transitions.
    private(set) var events: [String] = []

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String] = [:]
    ) {
      if name == "state" { states.append(attributes["id"] ?? "") }
      if name == "transition", states.count == 1 { events.append(attributes["event"] ?? "") }
    }
  }

  @Test("Mermaid's keywords and special characters can occur in names")
  func nastyMermaid() {
    #expect(
      StateDiagram<Nasty>().mermaid == """
        stateDiagram-v2
          state "end" as s0
          state "a #quot;quoted#quot; state" as s1
          state "semi#59;colon#colon; and, comma" as s2
          state "Zürich|pipe" as s3
          s3 : two lines / #35;hash, #123;brace#125;
          state "lonely" as s4
          [*] --> s0
          s0 --> s1 : state / #lt;b#gt;#amp;#quot;x#quot;<br/>a --#gt; b
          s1 --> s2 : two lines
          s2 --> s2 : state / again#59;
          s2 --> s3 : a --#gt; b

        """)
  }

  @Test("No word of a name is a word of Mermaid's text, and characters of Markdown are escaped")
  func words() {
    let text = StateDiagram<Words>().mermaid
    for (number, state) in Words.State.allCases.enumerated() {
      let name = state.rawValue.isEmpty ? "(no name)" : state.rawValue
      let label = name.unicodeScalars.map { scalar in
        scalar == ":" ? "#colon;" : "_*$~[".unicodeScalars.contains(scalar) ? "#\(scalar.value);" : String(scalar)
      }.joined().replacing("Direction", with: "Directio#110;")
      #expect(text.contains("  state \"\(label)\" as s\(number)\n"))
    }
    // Besides the labels, only the names of states occur.
    let arrows = text.split(separator: "\n").drop { !$0.contains("[*]") }
    #expect(
      arrows.dropFirst().allSatisfy {
        $0.wholeMatch(of: #/\ \ s\d+ --> s\d+ : (directio#110; LR|#95;#95;proto#95;#95;)/#) != nil
      },
      "\(text)")
    let cells = StateDiagram<Words>().markdown
    for name in [#"\[x\](https://example.org)"#, #"\~\~x\~\~"#, "&#36;&#36;x&#36;&#36;", #"\_a\_"#] {
      #expect(cells.contains(name), "\(cells)")
    }
    #expect(StateDiagram<Words>().plantUML.contains("state \"(no name)\" as s9\n"))
    #expect(StateDiagram<Words>().dot.contains("s9 [label=\"(no\\ name)\"]"))
  }

  /// A machine with a text of a test as a reason, an effect and a name.
  private enum Told: StateMachine {
    struct State: RawRepresentable, Hashable, CaseIterable {
      var rawValue: String
      static var allCases: [Self] { [Self(rawValue: "a"), Self(rawValue: "b" + text)] }
    }
    enum Event: String, CaseIterable { case go, stay }
    struct Effect: Hashable, CustomStringConvertible { var description: String { text } }
    @TaskLocal static var text = ""
    static var initialState: State { State(rawValue: "a") }

    static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
      event == .go ? .go(State.allCases[1], [Effect()]) : .ignore(text)
    }
  }

  @Test("No text ends a comment of Promela or SCXML, or makes XML invalid")
  func comments() {
    var texts = ["*/", "/*", "**//", "*//*/", "-->", "--", "---", "-", "\\", "\\*/", "]]>", "&", "<"]
    texts +=
      (0...0x20).map { "x\(Unicode.Scalar($0).map(String.init) ?? "")y" } + [
        "\u{FFFE}", "\u{FFFF}", "\u{7F}", "\u{1F}",
      ]
    for text in texts {
      Told.$text.withValue(text) {
        let diagram = StateDiagram<Told>()
        let promela = diagram.promela
        // Without its comments, the model has no star and no slash.
        let code = promela.replacing(/\/\*.*?\*\//, with: "")
        #expect(!code.contains("*") && !code.contains("/"), "\(text.debugDescription): \(promela)")
        let parser = XMLParser(data: Data(diagram.scxml.utf8))
        #expect(parser.parse(), "\(text.debugDescription): \(diagram.scxml)")
        for picture in [diagram.mermaid, diagram.dot, diagram.plantUML, diagram.scxml, promela] {
          #expect(
            picture.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || $0.value >= 32 && $0.value < 0xFFFE },
            "\(text.debugDescription)")
        }
      }
    }
  }

  @Test(
    "An outline has each external transition once: at its arrow, or in its target if three or more other states lead there",
    arguments: 0...60 as ClosedRange<UInt64>)
  func outline(seed: UInt64) {
    // Number 0 isn't a seed: all states lead to the first one, itself too.
    let targets = seed == 0 ? [[Int?]](repeating: [0, 0, 0], count: 4) : StateGraphTests.randomTargets(seed: seed)
    Chosen.$targets.withValue(targets) {
      let lines = StateDiagram<Chosen>().outline.split(separator: "\n")
      let rows = TransitionTable<Chosen>().rows.filter { $0.target != nil }
      func name(_ state: Chosen.State?) -> String { "s\(Chosen.State.allCases.firstIndex { $0 == state } ?? -1)" }
      for row in rows {
        let others = rows.count { $0.event == row.event && $0.target == row.target && $0.state != row.target }
        let isShared = row.state != row.target && others >= 3
        let arrow = lines.first { $0.hasPrefix("  \(name(row.state)) -> \(name(row.target)) ") } ?? ""
        let node = lines.first { $0.hasPrefix("  \(name(row.target)) [") } ?? ""
        #expect(arrow.contains("\(row.event.rawValue)\\l") == !isShared, "seed \(seed): \(row)")
        let line = "\(row.event.rawValue)\\ (\(others)\\ states)\\l"
        #expect(node.contains(line) == (others >= 3), "seed \(seed): \(row)")
      }
    }
  }

  @Test("In Promela, an environment without an event that can occur has a valid end")
  func stillPromela() {
    let still = StateDiagram<Still>().promela
    #expect(still.contains("end:\n  do\n  :: false\n  od\n"), "\(still)")
    #expect(StateDiagram<Turnstile>().promela.contains("end:\n  do\n  :: atomic { take(E_coin) }\n"))
  }
}
