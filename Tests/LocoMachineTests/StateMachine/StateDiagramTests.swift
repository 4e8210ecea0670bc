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

  @Test("A format names each character that it excludes instead of containing it", arguments: Format.allCases)
  func unprintable(format: Format) {
    let text = format.text(Unprintable.self)
    // CSV and Markdown contain the characters unchanged.
    guard ![.csv, .md].contains(format) else { return }
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 32 && ![0xFFFE, 0xFFFF].contains($0.value) })
    for code in ["0000", "0007", "001B", "FFFE", "FFFF"] {
      #expect(text.contains(format == .puml ? "U<U+002B>\(code)" : "U+\(code)"), "\(code)")
    }
  }

  @Test("SCXML with unprintable names can be parsed, and different names stay different")
  func unprintableSCXML() {
    let reader = StateReader()
    let parser = XMLParser(data: Data(StateDiagram<Unprintable>().scxml.utf8))
    parser.delegate = reader
    #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
    #expect(reader.states == ["nul_x0000_", "nul_x005F_x0000_", "nul", "_xFFFF_", "_xFFFE_end"])
    // SCXML would take a transition for `effect` at each event `effect.…` too, so the event `effect` has another name.
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
