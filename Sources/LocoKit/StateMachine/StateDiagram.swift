/// A machine written out: as tables to read and test from, and as pictures to render.
///
/// Each member is made from the function that runs, so it cannot be wrong, and is the same text every time.
///
/// ```swift
/// let diagram = StateDiagram<Turnstile>()
/// print(diagram.mermaid)      // paste it into Markdown: GitHub renders it
/// print(diagram.csv)          // every pair, to test from
/// ```
public struct StateDiagram<Machine: StateMachine>: Sendable {
  let table: TransitionTable<Machine>

  /// Reads the machine's table.
  public init() {
    table = TransitionTable()
  }

  /// The transitions between two states, drawn as one arrow.
  struct Arrow {
    let source: Machine.State
    let target: Machine.State
    var rows: [TransitionTable<Machine>.Row]

    var labels: [String] { rows.map(\.label) }
  }

  /// The arrows of a picture: external transitions, those between the same two states merged, in the order of the table.
  var arrows: [Arrow] {
    var arrows: [Arrow] = []
    for row in table.rows {
      guard let target = row.target else { continue }
      if let index = arrows.firstIndex(where: { $0.source == row.state && $0.target == target }) {
        arrows[index].rows.append(row)
      } else {
        arrows.append(Arrow(source: row.state, target: target, rows: [row]))
      }
    }
    return arrows
  }

  /// The internal transitions of a state, which stand inside it.
  func internalRows(of state: Machine.State) -> [TransitionTable<Machine>.Row] {
    table.events
      .filter { table.step(from: state, on: $0).kind == .internal }
      .map { TransitionTable<Machine>.Row(state: state, event: $0, reaction: table[state: state, event: $0]) }
  }
}

extension TransitionTable.Row {
  /// `event / effect, effect`, as UML writes it.
  var label: String {
    let effects = effects.map(\.description)
    return effects.isEmpty ? trigger : trigger + " / " + effects.joined(separator: ", ")
  }

  /// The event, and the deadline that raises it: `timeOver after 20 s`, or `timeOver after settings.green, 20 s`.
  var trigger: String {
    guard let deadline = Machine.deadline(in: state), deadline.event == event else { return event.rawValue }
    let setting = deadline.setting.map { $0 + ", " } ?? ""
    return event.rawValue + " after " + setting + deadline.duration.inUnits(separatedBy: " ")
  }
}
