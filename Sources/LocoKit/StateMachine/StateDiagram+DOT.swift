extension StateDiagram {
  /// The machine as a graph for Graphviz: `dot -Tsvg`.
  ///
  /// Transitions between the same two states share an arrow, internal ones stand inside their state, ignored pairs are left
  /// out. What a transition does stands in a line below its event, which keeps pictures narrow. The nodes are called `s0`,
  /// `s1`… in the order of declaration; their labels are the names.
  public var dot: String {
    var text = """
      digraph machine {
        graph [rankdir=TB, nodesep=0.3, ranksep=0.5, bgcolor=transparent]
        node [shape=Mrecord, fontname="Helvetica,Arial,sans-serif", fontsize=15, margin="0.2,0.1"]
        edge [fontname="Helvetica,Arial,sans-serif", fontsize=12, arrowsize=0.8]
        start [shape=point, width=0.15, label=""]

      """
    for (index, state) in table.states.enumerated() {
      let inside = internalRows(of: state).map { lines($0, \.dotRecordText) }.joined()
      let name = state.rawValue.dotRecordText
      text += "  s\(index) [label=\"\(inside.isEmpty ? name : "{\(name)|\(inside)}")\"]\n"
    }
    text += "  start -> \(node(Machine.initialState))\n"
    for arrow in arrows {
      let label = arrow.rows.map { lines($0, \.dotText) }.joined()
      text += "  \(node(arrow.source)) -> \(node(arrow.target)) [label=\"\(label)\"]\n"
    }
    return text + "}\n"
  }

  /// The event, and what it does in a line of its own; `\l` ends a line and puts it to the left.
  private func lines(_ row: TransitionTable<Machine>.Row, _ escaped: (String) -> String) -> String {
    let effects = row.effects.map(\.description).joined(separator: ", ")
    return escaped(row.trigger) + "\\l" + (effects.isEmpty ? "" : escaped("/ " + effects) + "\\l")
  }

  private func node(_ state: Machine.State) -> String {
    "s\(table.states.firstIndex(of: state) ?? 0)"
  }
}

extension String {
  /// For a label in quotes, in which Graphviz reads escapes that begin with a backslash, and entities.
  fileprivate var dotText: String {
    replacingScalars { scalar in
      switch scalar {
      case "\\": "\\\\"
      case "\"": "\\\""
      case "&": "&amp;"
      case "\n", "\r": " "
      default: scalar.nameIfUnprintable
      }
    }
  }

  /// For the label of a record, in which more stands for something else.
  fileprivate var dotRecordText: String {
    dotText.replacingScalars { scalar in
      switch scalar {
      case "{", "}", "|", "<", ">", " ": "\\" + String(scalar)
      default: nil
      }
    }
  }
}
