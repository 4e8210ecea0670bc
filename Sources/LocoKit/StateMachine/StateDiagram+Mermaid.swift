extension StateDiagram {
  /// The machine as a Mermaid `stateDiagram-v2`, which GitHub, GitLab and DocC's neighbours render.
  ///
  /// Transitions between the same two states share an arrow, internal ones stand inside their state, ignored pairs are
  /// left out. Names that are no plain word are shown through an alias.
  public var mermaid: String {
    var text = "stateDiagram-v2\n"
    for (index, state) in table.states.enumerated() {
      let name = state.rawValue
      let inside = internalRows(of: state).map(\.label)
      if identifier(of: state) != name || !inside.isEmpty {
        text += "  state \"\(name.mermaidLabel)\" as \(identifier(of: state, index))\n"
      }
      for label in inside { text += "  \(identifier(of: state, index)) : \(label.mermaidLabel)\n" }
    }
    text += "  [*] --> \(identifier(of: Machine.initialState))\n"
    for arrow in arrows {
      let labels = arrow.labels.map(\.mermaidLabel).joined(separator: "<br/>")
      text += "  \(identifier(of: arrow.source)) --> \(identifier(of: arrow.target)) : \(labels)\n"
    }
    // A state that no arrow touches must still be seen.
    for state in table.states where !isDrawn(state) { text += "  \(identifier(of: state))\n" }
    return text
  }

  private func isDrawn(_ state: Machine.State) -> Bool {
    state == Machine.initialState || !internalRows(of: state).isEmpty || identifier(of: state) != state.rawValue
      || arrows.contains { $0.source == state || $0.target == state }
  }

  /// The state's own name where Mermaid takes it, else an alias from its number.
  private func identifier(of state: Machine.State, _ position: Int? = nil) -> String {
    state.rawValue.isMermaidWord ? state.rawValue : "s\(position ?? table.stateNumbers[state])_"
  }
}

extension String {
  /// Letters and digits, no word that means something to Mermaid, and none of our aliases.
  fileprivate var isMermaidWord: Bool {
    let scalars = unicodeScalars
    guard let first = scalars.first, first.isASCIILetter else { return false }
    let reserved = [
      "accdescr", "acctitle", "as", "class", "classdef", "click", "default", "direction", "end", "fork", "hide", "href",
      "join", "choice", "note", "scale", "state", "style", "left", "right", "statediagram", "title",
    ]
    return scalars.allSatisfy { $0.isASCIILetter || ("0"..."9").contains($0) } && !reserved.contains(lowercased())
  }

  fileprivate var mermaidLabel: String {
    replacingScalars { scalar in
      switch scalar {
      case "#": "#35;"
      case ";": "#59;"
      case ":": "#colon;"
      case "\"": "#quot;"
      case "&": "#amp;"
      case "<": "#lt;"
      case ">": "#gt;"
      case "\\": "#92;"
      case "`": "#96;"
      case "{": "#123;"
      case "}": "#125;"
      case "%": "#37;"
      case "\n", "\r": " "
      default: scalar.nameIfUnprintable
      }
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isASCIILetter: Bool {
    ("a"..."z").contains(self) || ("A"..."Z").contains(self)
  }
}
