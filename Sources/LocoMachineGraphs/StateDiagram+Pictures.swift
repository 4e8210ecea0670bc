import LocoMachine

// All pictures draw the transitions from one state to another as one arrow, list activities and internal transitions inside their state,
// and omit ignored events and those that can't occur.

extension StateDiagram {
  /// The machine as a Mermaid `stateDiagram-v2`, which GitHub and GitLab render.
  ///
  /// Transitions with the same source and target share an arrow, activities and internal transitions are listed in their state, and ignored
  /// events are omitted. The states are called `s0`, `s1`… in the order of declaration and labelled with their names, because many words,
  /// such as `root` and `default`, can't be the name of a state in Mermaid.
  public var mermaid: String {
    var text = "stateDiagram-v2\n"
    for state in table.states {
      text += "  state \"\(state.rawValue.pictureName.mermaidLabel)\" as \(alias(state))\n"
      for label in labels(inside: state) { text += "  \(alias(state)) : \(label.mermaidLabel)\n" }
    }
    text += "  [*] --> \(alias(Machine.initialState))\n"
    for arrow in arrows {
      let labels = arrow.rows.map(\.label.mermaidLabel).joined(separator: "<br/>")
      text += "  \(alias(arrow.source)) --> \(alias(arrow.target)) : \(labels)\n"
    }
    return text
  }

  /// The machine as a graph for Graphviz, to render with `dot -Tsvg`.
  ///
  /// Transitions with the same source and target share an arrow, activities and internal transitions are listed in their state, and ignored
  /// events are omitted. Effects are on a line below their event, which keeps pictures narrow. The nodes are called `s0`, `s1`… in the
  /// order of declaration and labelled with the states' names.
  public var dot: String { dot(counts: nil) }

  /// Returns how often a row was taken.
  typealias RowCounts = (TransitionTable<Machine>.Row) -> Int

  /// Returns the graph; with counts, each transition has its count, and an arrow has a colour for how many of its transitions were taken.
  func dot(counts: RowCounts?) -> String {
    var text = Self.graphHeader(separation: (0.3, 0.5), fontSizes: (15, 12))
    for state in table.states {
      let activities = activityLabels(of: state).map { $0.dotRecordText + "\\l" }
      let inside = (activities + internalRows(of: state).map { lines($0, counts, \.dotRecordText) }).joined()
      let name = state.rawValue.pictureName.dotRecordText
      text += "  \(alias(state)) [label=\"\(inside.isEmpty ? name : "{\(name)|\(inside)}")\"]\n"
    }
    text += "  start -> \(alias(Machine.initialState))\n"
    for arrow in arrows {
      let label = arrow.rows.map { lines($0, counts, \.dotText) }.joined()
      text +=
        "  \(alias(arrow.source)) -> \(alias(arrow.target)) [label=\"\(label)\"\(counts.map { color(of: arrow.rows, $0) } ?? "")]\n"
    }
    return text + "}\n"
  }

  /// Returns the first lines of a graph, given the separations of nodes and of ranks in inches, and the font sizes of nodes and arrows in points.
  private static func graphHeader(separation: (Double, Double), fontSizes: (Int, Int)) -> String {
    """
    digraph machine {
      graph [rankdir=TB, nodesep=\(separation.0), ranksep=\(separation.1), bgcolor=transparent]
      node [shape=Mrecord, fontname="Helvetica,Arial,sans-serif", fontsize=\(fontSizes.0), margin="0.2,0.1"]
      edge [fontname="Helvetica,Arial,sans-serif", fontsize=\(fontSizes.1), arrowsize=0.8]
      start [shape=point, width=0.15, label=""]

    """
  }

  /// A graph for Graphviz with large names and few labels, for people who see the machine for the first time.
  ///
  /// It has the events without their effects, and no activities or internal transitions. An event that leads from three or more states to
  /// one state is a line inside that state, such as `← pause (3 states)`, instead of an arrow each.
  public var outline: String {
    var text = Self.graphHeader(separation: (0.4, 0.6), fontSizes: (20, 16))
    let external = table.rows.filter { $0.target != nil }
    func sources(_ row: TransitionTable<Machine>.Row) -> Int {
      external.count { $0.event == row.event && $0.target == row.target && $0.state != row.target }
    }
    func isShared(_ row: TransitionTable<Machine>.Row) -> Bool { row.state != row.target && sources(row) >= 3 }
    for state in table.states {
      let name = state.rawValue.pictureName.dotRecordText
      let shared = table.events.compactMap { event in
        external.first { $0.event == event && $0.target == state && isShared($0) }
      }
      let lines = shared.map { "← \($0.event.rawValue) (\(sources($0)) states)".dotRecordText + "\\l" }.joined()
      text += "  \(alias(state)) [label=\"\(lines.isEmpty ? name : "{\(name)|\(lines)}")\"]\n"
    }
    text += "  start -> \(alias(Machine.initialState))\n"
    for arrow in arrows {
      let label = arrow.rows.filter { !isShared($0) }.map { $0.event.rawValue.dotText + "\\l" }.joined()
      if !label.isEmpty { text += "  \(alias(arrow.source)) -> \(alias(arrow.target)) [label=\"\(label)\"]\n" }
    }
    return text + "}\n"
  }

  /// Returns the event, and a line with its effects; `\l` ends a line and aligns it left.
  private func lines(
    _ row: TransitionTable<Machine>.Row, _ counts: RowCounts?, _ escaped: (String) -> String
  ) -> String {
    escaped(row.trigger) + (counts.map { " (\($0(row))×)" } ?? "") + "\\l"
      + (row.effects.isEmpty ? "" : escaped("/ " + row.effectList) + "\\l")
  }

  /// Returns the colour of an arrow by how many of its rows were taken, as attributes.
  private func color(of rows: [TransitionTable<Machine>.Row], _ counts: RowCounts) -> String {
    let taken = rows.count { counts($0) > 0 }
    let color = taken == rows.count ? "#12824c" : taken > 0 ? "#b35900" : "#c4183c"
    return ", color=\"\(color)\", fontcolor=\"\(color)\""
  }

  /// The machine as a PlantUML state diagram.
  ///
  /// Transitions with the same source and target share an arrow, activities and internal transitions are listed in their state, and ignored
  /// events are omitted. The states are called `s0`, `s1`… in the order of declaration and labelled with their names.
  public var plantUML: String {
    var text = "@startuml\nhide empty description\n"
    for state in table.states {
      text += "state \"\(state.rawValue.pictureName.plantUMLText)\" as \(alias(state))\n"
      for label in labels(inside: state) { text += "\(alias(state)) : \(label.plantUMLText)\n" }
    }
    text += "[*] --> \(alias(Machine.initialState))\n"
    for arrow in arrows {
      let label = arrow.rows.map(\.label.plantUMLText).joined(separator: "\\n")
      text += "\(alias(arrow.source)) --> \(alias(arrow.target)) : \(label)\n"
    }
    return text + "@enduml\n"
  }
}

extension String {
  /// A state's name in a picture. No format can draw an empty one.
  var pictureName: String { isEmpty ? "(no name)" : self }

  /// The text for a label. Mermaid interprets HTML, Markdown and formulas in labels, `[[fork]]` in names, and `direction LR` anywhere.
  var mermaidLabel: String {
    var word = ""
    return replacingScalars { scalar in
      word = scalar.properties.isAlphabetic ? word + scalar.properties.lowercaseMapping : ""
      if word.hasSuffix("direction") { return "#\(scalar.value);" }
      return mermaidText(of: scalar)
    }
  }

  private func mermaidText(of scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case ":": "#colon;"
    case "\"": "#quot;"
    case "&": "#amp;"
    case "<": "#lt;"
    case ">": "#gt;"
    case "#", ";", "\\", "`", "{", "}", "[", "%", "_", "*", "$", "~": "#\(scalar.value);"
    case "\n", "\r": " "
    default: scalar.nameIfUnprintable
    }
  }

  /// The text for a quoted label. Graphviz interprets entities and backslash sequences in labels.
  fileprivate var dotText: String {
    replacingScalars { scalar in
      switch scalar {
      case "\\", "\"": "\\" + String(scalar)
      case "&": "&amp;"
      case "\n", "\r": " "
      default: scalar.nameIfUnprintable
      }
    }
  }

  /// The text for the label of a record, which has more special characters.
  fileprivate var dotRecordText: String {
    dotText.replacingScalars { "{}|<> ".unicodeScalars.contains($0) ? "\\" + String($0) : nil }
  }

  /// The text for a label. PlantUML interprets Creole, HTML and escapes in labels, so a character that may be part of them is written as
  /// `<U+…>`.
  fileprivate var plantUMLText: String {
    var previous: Unicode.Scalar?
    return replacingScalars { scalar in
      defer { previous = scalar }
      switch scalar {
      case "\n", "\r": return " "
      case "a"..."z", "A"..."Z", "0"..."9", " ", ",", "(", ")": return nil
      case "/" where previous != "/": return nil
      default:
        if let name = scalar.nameIfUnprintable { return name.plantUMLText }
        return scalar.value < 128 ? "<U+\(scalar.value.hexadecimal)>" : nil
      }
    }
  }
}
