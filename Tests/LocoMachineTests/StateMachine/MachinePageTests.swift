import Foundation
import LocoMachine
import Testing

@testable import LocoMachineGraphs
@testable import TestSupport

/// The page's script runs in `.ci/diagrams`, in a browser.
@Suite("The page of a machine")
struct MachinePageTests {
  /// What the page's script reads.
  struct Contents: Decodable {
    struct State: Decodable {
      struct Deadline: Decodable { let event: Int, seconds: Double, trigger: String }
      let name: String, code: String, activities: [String], deadline: Deadline?
    }
    struct Event: Decodable { let name: String, code: String }
    struct Cell: Decodable {
      // swift-format-ignore: UseLetInEveryBoundCaseVariable
      let go: Int?, stay: Int?, does: [String]?, ignore: String?, never: String?
    }
    let name: String, type: String, states: [State], events: [Event], initial: Int, table: [[Cell]], tours: [[Int]]
  }

  private func contents(of page: String) throws -> [Contents] {
    let element = #/<script type="application/json" id="data">(.+?)</script>/#.dotMatchesNewlines()
    return try JSONDecoder().decode([Contents].self, from: Data(#require(page.firstMatch(of: element)).1.utf8))
  }

  private func check<Machine: StateMachine>(_ machine: Machine.Type) throws {
    let contents = try #require(contents(of: StateDiagram<Machine>().page).first)
    let (states, events) = (Array(Machine.State.allCases), Array(Machine.Event.allCases))
    #expect(contents.name == "\(machine)" && contents.type.hasSuffix("\(machine)"))
    #expect(contents.states.map(\.name) == states.map(\.rawValue))
    #expect(contents.events.map(\.name) == events.map(\.rawValue))
    #expect(states[contents.initial] == Machine.initialState)
    for (state, shown) in zip(states, contents.states) {
      #expect(shown.activities == Machine.activities(in: state).map(Machine.name(ofActivity:)))
      let deadline = Machine.deadline(in: state)
      #expect(shown.deadline?.seconds == deadline.map { $0.duration / .seconds(1) })
      #expect(shown.deadline.map { events[$0.event] } == deadline.map { Machine.event(of: $0.input) })
    }
    for (state, row) in zip(states, contents.table) {
      for (event, cell) in zip(events, row) {
        let reaction: Reaction<Machine.State, String> =
          if let go = cell.go { .go(states[go], cell.does ?? []) } else if cell.stay != nil {
            .stay(cell.does ?? [])
          } else if let reason = cell.ignore { .ignore(reason) } else { .never(cell.never ?? "?") }
        let wanted: Reaction<Machine.State, String> =
          switch Machine.reaction(in: state, to: event) {
          case .go(let target, let effects): .go(target, effects.map(Machine.name(ofEffect:)))
          case .stay(let effects): .stay(effects.map(Machine.name(ofEffect:)))
          case .ignore(let reason): .ignore(reason)
          case .never(let reason): .never(reason)
          }
        #expect(reaction == wanted, "\(machine), \(state.rawValue): \(event.rawValue)")
      }
      #expect(row.count == events.count)
    }
    #expect(contents.tours.map { $0.map { events[$0] } } == StateGraph<Machine>().tours())
  }

  @Test("The data of a page are the machine's table, deadlines, activities and tours")
  func data() throws {
    try check(Turnstile.self)
    try check(TrafficLight.self)
    try check(Order.self)
    try check(Nasty.self)
    try check(Words.self)
    try check(Still.self)
    try check(Unprintable.self)
    try check(Large.self)
  }

  @Test("A deadline's label has the name of its setting")
  func setting() throws {
    let contents = try #require(contents(of: StateDiagram<TrafficLight>().page).first)
    let labels = contents.states.map { $0.deadline?.trigger }
    #expect(labels == TrafficLight.State.allCases.map { TransitionTable<TrafficLight>().row($0, .timeOver).trigger })
  }

  enum Coded: StateMachine {
    enum State: String, CaseIterable {
      case `init`, `default`
      case número = "n 1"
    }
    struct Event: RawRepresentable, CaseIterable, Hashable {
      let rawValue: String
      static let allCases = [Event(rawValue: "a\"b"), Event(rawValue: "1 < 2\n\u{1B}")]
    }
    static let initialState = State.`init`
    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> { .ignore("Nothing happens.") }
  }

  @Test("A copied test has the names of cases, and raw values for what has no cases")
  func codes() throws {
    let contents = try #require(contents(of: StateDiagram<Coded>().page).first)
    #expect(contents.states.map(\.code) == [".`init`", ".default", ".número"])
    let events = "MachinePageTests.Coded.Event.allCases"
    #expect(
      contents.events.map(\.code) == [
        events + #".first { $0.rawValue == "a\"b" }!"#, events + #".first { $0.rawValue == "1 < 2\n\u{1B}" }!"#,
      ])
    // As the page says.
    #expect(MachinePageTests.Coded.Event.allCases.first { $0.rawValue == "a\"b" }! == Coded.Event.allCases[0])
  }

  enum Described: StateMachine {
    enum State: String, CaseIterable, CustomStringConvertible {
      case up
      var description: String { "Above" }
    }
    enum Event: String, CaseIterable, CustomDebugStringConvertible {
      case stay
      var debugDescription: String { "Stay" }
    }
    static let initialState = State.up
    static func reaction(in state: State, to event: Event) -> Reaction<State, Never> { .ignore("It is up.") }
  }

  @Test("A copied test doesn't use a case's own description as its name")
  func described() throws {
    let contents = try #require(contents(of: StateDiagram<Described>().page).first)
    #expect(
      contents.states.map(\.code) == [#"MachinePageTests.Described.State.allCases.first { $0.rawValue == "up" }!"#])
    #expect(
      contents.events.map(\.code) == [#"MachinePageTests.Described.Event.allCases.first { $0.rawValue == "stay" }!"#])
  }

  @Test("A picture keeps everything but its styles, whatever ends their lines", arguments: ["", "\n", "\r\n", "\n\n"])
  func styles(_ end: String) {
    var page = MachinePage(title: "t")
    page.add(
      StateDiagram<Turnstile>(), named: "t",
      drawing: "<svg><style>a{}</style>\(end)<g id=\"1\"/><style>b{}</style>\(end)<g id=\"2\"/></svg>")
    #expect(page.html.contains("<svg><g id=\"1\"/><g id=\"2\"/></svg>"))
  }

  @Test("A page has each machine's picture, without the lines before it, and a title whose characters are no HTML")
  func pictures() throws {
    var page = MachinePage(title: "a < b & c</title><script>")
    page.add(StateDiagram<Turnstile>(), named: "</script>")
    page.add(
      StateDiagram<TrafficLight>(), named: "light",
      drawing: "<?xml?>\n<!-- x --><svg id=\"light\"><style>a</style>\n</svg>\n")
    page.add(StateDiagram<Still>(), named: "still", drawing: "no picture")
    let html = page.html
    #expect(html.contains("<template data-machine=\"1\">\n<svg id=\"light\"></svg>\n</template>"))
    #expect(html.ranges(of: "<template").count == 1 && !html.contains("<?xml") && !html.contains("no picture"))
    #expect(html.ranges(of: "a &lt; b &amp; c&lt;/title>&lt;script>").count == 2)
    #expect(html.ranges(of: "</script>").count == 2)
    #expect(try contents(of: html).map(\.name) == ["</script>", "light", "still"])
  }

  @Test("The embedded page is its source file, and allows only its own script and style")
  func template() throws {
    let source = Repository.root.appending(path: "Sources/LocoMachineGraphs/Page/page.html")
    guard FileManager.default.fileExists(atPath: source.path) else { return }
    var html = String(try String(contentsOf: source, encoding: .utf8).dropLast())
    for (element, name) in [
      (#/<style>(.+?)</style>/#.dotMatchesNewlines(), "STYLE-HASH"),
      (#/<script>(.+?)</script>/#.dotMatchesNewlines(), "SCRIPT-HASH"),
    ] {
      let text = try #require(html.firstMatch(of: element)).1
      html = html.replacing(name, with: "sha256-" + Data(SHA256.hash(Array(text.utf8))).base64EncodedString())
    }
    let parts = html.split(separator: #/TITLE|MACHINES/#, omittingEmptySubsequences: false).map(String.init)
    #expect(MachinePage.template == parts, "run Sources/LocoMachineGraphs/Page/generate")
    #expect(html.contains("content=\"default-src 'none'; style-src 'sha256-"))
  }
}
