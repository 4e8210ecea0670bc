import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoKitGPSD
@_spi(Benchmarks) @testable import LocoKitTrips
@_spi(Benchmarks) @testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

/// Compares the generated files with the machines. `RECORD=1 swift test --filter Diagram` writes the files.
@Suite("The files in StateDiagrams")
struct StateDiagramFileTests {
  @Test(
    "Each machine's files in StateDiagrams, except the pictures, are what StateDiagram generates",
    arguments: DrawnMachine.all, DiagramFormat.allCases)
  func compare(machine: DrawnMachine, format: DiagramFormat) throws {
    let text = machine.text(format)
    let file = stateDiagrams.appending(path: "\(machine.name).\(format.fileExtension)")
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let isRecorded = (try? String(contentsOf: file, encoding: .utf8)) == text
    #expect(
      isRecorded,
      "\(file.lastPathComponent) differs from the machine; write it again with RECORD=1 swift test --filter Diagram")
  }

  @Test("The diagrams in the README of StateDiagrams are those of the machines")
  func readme() throws {
    let file = stateDiagrams.appending(path: "README.md")
    let recorded = try String(contentsOf: file, encoding: .utf8)
    var readme = recorded
    for machine in DrawnMachine.all {
      let start = try #require(readme.range(of: "<!-- \(machine.name).mmd -->\n```mermaid\n")).upperBound
      let end = try #require(readme[start...].range(of: "```")).lowerBound
      readme.replaceSubrange(start..<end, with: machine.text(.mermaid))
    }
    let start = try #require(readme.range(of: "| picture |")).lowerBound
    let end = try #require(readme[start...].range(of: "\n\n")).lowerBound
    readme.replaceSubrange(start..<end, with: Self.links)
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try readme.write(to: file, atomically: true, encoding: .utf8)
    } else {
      let isSame = recorded == readme
      #expect(isSame, "A diagram differs from its machine; run RECORD=1 swift test --filter Diagram")
    }
  }

  @Test("The drawing on the engine's page is the turnstile's")
  func engine() throws {
    let page = try Repository.text("Sources/LocoMachine/README.md")
    #expect(page.contains("<!-- turnstile.mmd -->\n```mermaid\n\(StateDiagram<Turnstile>().mermaid)```\n"))
  }

  @Test("A change of a machine is listed against its recorded table", arguments: DrawnMachine.all)
  func changes(machine: DrawnMachine) throws {
    let file = stateDiagrams.appending(path: "\(machine.name).csv")
    #expect(try machine.changes(String(contentsOf: file, encoding: .utf8)) == [])
  }

  @Test("Each state, event, effect and activity of the machines has a use", arguments: DrawnMachine.all)
  func warnings(machine: DrawnMachine) {
    // The activities of the location machine are modes of the receiver. A state without one has no activity, rather than `off`.
    #expect(machine.warnings == (machine.name == "location" ? ["no state has the activity off"] : []))
  }

  @Test(
    "Each machine's states can be reached and left, a tour takes each transition, and a reason is a sentence",
    arguments: DrawnMachine.all)
  func soundness(machine: DrawnMachine) {
    #expect(machine.faults == [])
  }

  @Test("The page of the machines is made of the machines and of their pictures")
  func page() throws {
    var page = MachinePage(title: "LocoKit’s state machines")
    for machine in DrawnMachine.all {
      let picture = stateDiagrams.appending(path: "\(machine.name).svg")
      machine.add(&page, try String(contentsOf: picture, encoding: .utf8))
    }
    let file = stateDiagrams.appending(path: "index.html")
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try page.html.write(to: file, atomically: true, encoding: .utf8)
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    #expect(
      recorded == page.html,
      "index.html differs; run StateDiagrams/render, and write it again with RECORD=1 swift test --filter Diagram")
  }

  @Test("The article lists every format")
  func article() throws {
    let file = Repository.root.appending(
      path: "Sources/LocoMachineGraphs/LocoMachineGraphs.docc/TestingAMachine.md")
    let recorded = try String(contentsOf: file, encoding: .utf8)
    let rows = DiagramFormat.allCases.map { "| ``StateDiagram/\($0)`` | \($0.purpose) |\n" }
    let table = "| format | what it is |\n|---|---|\n" + rows.joined()
    let start = try #require(recorded.range(of: "| format | what it is |")).lowerBound
    let end = recorded[start...].range(of: "\n\n").map { recorded.index(after: $0.lowerBound) } ?? recorded.endIndex
    var article = recorded
    article.replaceSubrange(start..<end, with: table)
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try article.write(to: file, atomically: true, encoding: .utf8)
    } else {
      let isSame = recorded == article
      #expect(isSame, "A format isn't in the article; run RECORD=1 swift test --filter Diagram")
    }
  }

  /// The README's links to each machine's files, one row for each format.
  private static var links: String {
    func row(_ name: String, _ ending: String) -> String {
      "| \(name) | " + DrawnMachine.all.map { "[\(ending)](\($0.name).\(ending))" }.joined(separator: " | ") + " |"
    }
    let rows = DiagramFormat.allCases.map { row("`\($0.rawValue)`: \($0.purpose)", $0.fileExtension) }
    return ([row("picture", "svg")] + rows).joined(separator: "\n")
  }

  /// Writes the files for `.ci/diagrams`, where other tools read the diagrams and replay the walks.
  @Test(
    "The diagrams and walks are written for other tools to check",
    .enabled(if: ProcessInfo.processInfo.environment["LOCOKIT_DIAGRAMS"] != nil, "only .ci/diagrams needs it"))
  func export() throws {
    let folder = URL(filePath: ProcessInfo.processInfo.environment["LOCOKIT_DIAGRAMS"] ?? "")
    func write<Machine: StateMachine>(_ name: String, _ machine: Machine.Type) throws {
      for format in DiagramFormat.allCases {
        try StateDiagram<Machine>().text(in: format).write(
          to: folder.appending(path: "\(name).\(format.fileExtension)"), atomically: true, encoding: .utf8)
      }
      try Walk<Machine>().text.write(to: folder.appending(path: "\(name).walk"), atomically: true, encoding: .utf8)
      var deadlines: [String: [String]] = [:]
      for state in Machine.State.allCases {
        guard let deadline = Machine.deadline(in: state) else { continue }
        deadlines[state.rawValue] = [
          Machine.event(of: deadline.input).rawValue, "\(deadline.duration.inMilliseconds)", deadline.setting ?? "",
        ]
      }
      try JSONEncoder().encode(deadlines).write(to: folder.appending(path: "\(name).deadlines"))
      let activities = Machine.State.allCases.map {
        ($0.rawValue, Machine.activities(in: $0).map(Machine.name(ofActivity:)))
      }
      try JSONEncoder().encode(Dictionary(uniqueKeysWithValues: activities))
        .write(to: folder.appending(path: "\(name).activities"))
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
    try write("words", Words.self)
    try write("still", Still.self)
    try write("large", Large.self)
    try StateDiagram<Large>().page.write(to: folder.appending(path: "large.html"), atomically: true, encoding: .utf8)
    // With a picture, and with a drawing that the page makes.
    var page = MachinePage(title: "</title> & <h1>")
    page.add(StateDiagram<Nasty>(), named: "nasty", drawing: try Self.graphviz(StateDiagram<Nasty>().dot))
    try page.html.write(to: folder.appending(path: "nasty.html"), atomically: true, encoding: .utf8)
    var drawn = MachinePage(title: "Drawn by the page")
    drawn.add(StateDiagram<Nasty>(), named: "nasty")
    drawn.add(StateDiagram<Words>(), named: "words")
    drawn.add(StateDiagram<Still>(), named: "still")
    drawn.add(StateDiagram<TrafficLight>(), named: "light")
    drawn.add(StateDiagram<LocationMachine>(), named: "location")
    try drawn.html.write(to: folder.appending(path: "drawn.html"), atomically: true, encoding: .utf8)
    try Promela.text.write(to: folder.appending(path: "location-app.pml"), atomically: true, encoding: .utf8)
  }
}

/// A machine that StateDiagrams has the files of.
struct DrawnMachine: Sendable, CustomTestStringConvertible {
  let name: String
  let text: @Sendable (DiagramFormat) -> String
  let add: @Sendable (inout MachinePage, _ drawing: String) -> Void
  let changes: @Sendable (_ csv: String) throws -> [String]
  let warnings: [String]
  let faults: [String]

  var testDescription: String { name }

  static let all = [
    machine("location", LocationMachine.self), machine("look", LookMachine.self), machine("trip", TripMachine.self),
    machine("trip-detection", TripDetectionMachine.self), machine("pace", PaceMachine.self),
    machine("gpsd", GPSDMachine.self), machine("turnstile", Turnstile.self),
  ]

  private static func machine<Machine: StateMachine>(_ name: String, _: Machine.Type) -> Self {
    let diagram = StateDiagram<Machine>()
    return Self(
      name: name, text: { diagram.text(in: $0) }, add: { $0.add(diagram, named: name, drawing: $1) },
      changes: { try diagram.changes(from: $0) }, warnings: diagram.warnings(), faults: faults(of: Machine.self))
  }

  /// Returns the states that can't be left, the transitions that the tours don't take, and the reasons that are no sentences.
  private static func faults<Machine: StateMachine>(of _: Machine.Type) -> [String] {
    let (graph, rows) = (StateGraph<Machine>(), TransitionTable<Machine>().rows)
    func name(_ state: Machine.State, _ event: Machine.Event) -> String { "\(state.rawValue) \(event.rawValue)" }
    var missed = Set(rows.filter { $0.reason == nil }.map { name($0.state, $0.event) })
    for tour in graph.tours() {
      var state = Machine.initialState
      for event in tour {
        missed.remove(name(state, event))
        state = Machine.reaction(in: state, to: event).target ?? state
      }
    }
    let short = rows.compactMap(\.reason).filter { !$0.hasSuffix(".") || $0.count <= 20 }
    return graph.traps.map(\.rawValue) + missed.sorted() + short
  }
}

private let stateDiagrams = URL(filePath: #filePath).deletingLastPathComponent()
  .appending(path: "../../StateDiagrams").standardized

extension StateDiagramFileTests {
  /// Returns what `dot -Tsvg` makes of a graph.
  private static func graphviz(_ graph: String) throws -> String {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["dot", "-Tsvg"]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    // A graph of a few kilobytes fits into the pipe.
    try input.fileHandleForWriting.write(contentsOf: Data(graph.utf8))
    try input.fileHandleForWriting.close()
    return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }
}

extension Duration {
  fileprivate var inMilliseconds: Int64 { inNanoseconds / 1_000_000 }
}

/// The tours and 10,000 random steps, with each step's effects and the state after it, as lines of JSON. The line `null` is a new start.
/// For a machine with deadlines, about half of the random steps are waits: until before the state's deadline, exactly until it, or longer.
/// In a state without a deadline, 10 s take the place of the time until the deadline.
private struct Walk<Machine: StateMachine> {
  struct Line: Encodable {
    var event: String?
    var wait: Int64?
    var state = ""
    var effects: [String] = []
  }

  private let table = TransitionTable<Machine>()
  private var now = Duration.zero
  private var machine = MachineInstance<Machine>()
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
          let possible = table.events.filter { table.step(from: walk.machine.state, on: $0).kind != .impossible }
          // From a state in which no event can occur, the walk starts again.
          guard !possible.isEmpty else {
            walk.start()
            continue
          }
          try walk.take(possible[Int.random(in: 0..<possible.count, using: &random)])
        }
      }
      return walk.lines.joined(separator: "\n") + "\n"
    }
  }

  private mutating func start() {
    machine = MachineInstance(restoring: StateSnapshot(enteredAt: now))
    lines.append("null")
  }

  private mutating func take(_ event: Machine.Event) throws {
    let first = table.effects(of: machine.advance(on: event, at: now))
    try write(Line(event: event.rawValue), first.map(Machine.name(ofEffect:)))
  }

  private mutating func wait(using random: inout SeededGenerator) throws {
    let left = machine.deadline.map { ($0 - now).inMilliseconds } ?? 10_000
    let wait: Int64 =
      switch Int.random(in: 0..<3, using: &random) {
      case 0: .random(in: 0..<left, using: &random)
      case 1: left
      default: .random(in: left...(4 * left + 60_000), using: &random)
      }
    now += .milliseconds(wait)
    var effects: [String] = []
    while let step = machine.expire(at: now) { effects += step.effects.map(Machine.name(ofEffect:)) }
    try write(Line(wait: wait), effects)
  }

  private mutating func write(_ line: Line, _ effects: [String]) throws {
    var line = line
    line.state = machine.state.rawValue
    line.effects = effects
    lines.append(String(decoding: try JSONEncoder().encode(line), as: UTF8.self))
  }
}
