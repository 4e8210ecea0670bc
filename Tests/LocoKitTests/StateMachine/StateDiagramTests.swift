import Foundation
import Testing

@testable import LocoKit

@Suite("The state diagram")
struct StateDiagramTests {
  @Test("writes every pair as comma-separated values")
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

  @Test("quotes what comma-separated values must quote")
  func quoting() {
    let csv = StateDiagram<Nasty>().csv
    #expect(csv.contains("\"a \"\"quoted\"\" state\",\"two\nlines\",\"semi;colon: and, comma\",,\n"))
    #expect(csv.contains("\"Says \"\"no\"\", and, well; that is \\ all.\"\n"))
  }

  @Test("writes two Markdown tables")
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

  @Test("draws Mermaid: the initial state, merged arrows, internal transitions inside their state")
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

  @Test("draws Mermaid of names that Mermaid uses for itself")
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
          s0_ --> s1_ : state / #lt;b#gt;&#quot;x#quot;<br/>a --#gt; b
          s1_ --> s2_ : two lines
          s2_ --> s2_ : state / again#59;
          s2_ --> s3_ : a --#gt; b
          lonely

        """)
  }
}

/// What is generated is tested: `RECORD=1 swift test --filter Diagram` writes the files anew.
@Suite("The files in StateDiagrams")
struct StateDiagramFileTests {
  @Test("are what the machines give", arguments: ["location.csv", "location.md", "location.mmd"])
  func compare(name: String) throws {
    let diagram = StateDiagram<LocationMachine>()
    let text =
      switch name {
      case "location.csv": diagram.csv
      case "location.md": diagram.markdown
      default: diagram.mermaid
      }
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../StateDiagrams/\(name)").standardized
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    #expect(
      recorded == text, "\(name) differs from the machine; write it anew with RECORD=1 swift test --filter Diagram")
  }
}
