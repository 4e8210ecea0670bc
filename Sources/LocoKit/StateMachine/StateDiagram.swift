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
    var labels: [String]
  }

  /// The arrows of a picture: external transitions, those between the same two states merged, in the order of the table.
  var arrows: [Arrow] {
    var arrows: [Arrow] = []
    for row in table.rows {
      guard let target = row.target else { continue }
      if let index = arrows.firstIndex(where: { $0.source == row.state && $0.target == target }) {
        arrows[index].labels.append(Self.label(row))
      } else {
        arrows.append(Arrow(source: row.state, target: target, labels: [Self.label(row)]))
      }
    }
    return arrows
  }

  /// The labels of the internal transitions of a state.
  func internalLabels(of state: Machine.State) -> [String] {
    table.events
      .filter { table.step(from: state, on: $0).kind == .internal }
      .map {
        Self.label(TransitionTable<Machine>.Row(state: state, event: $0, reaction: table[state: state, event: $0]))
      }
  }

  /// `event / effect, effect`, as UML writes it.
  private static func label(_ row: TransitionTable<Machine>.Row) -> String {
    let effects = row.effects.map(\.description)
    return effects.isEmpty ? row.event.rawValue : row.event.rawValue + " / " + effects.joined(separator: ", ")
  }
}
