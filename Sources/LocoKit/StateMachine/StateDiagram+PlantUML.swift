extension StateDiagram {
  /// The machine as a PlantUML state diagram.
  ///
  /// Transitions between the same two states share an arrow, internal ones stand inside their state, ignored pairs are
  /// left out. The states are called `s0`, `s1`… in the order of declaration and shown by their names.
  public var plantUML: String {
    var text = "@startuml\nhide empty description\n"
    for (index, state) in table.states.enumerated() {
      text += "state \"\(state.rawValue.plantUMLText)\" as s\(index)\n"
      for row in internalRows(of: state) { text += "s\(index) : \(row.label.plantUMLText)\n" }
    }
    text += "[*] --> \(alias(Machine.initialState))\n"
    for arrow in arrows {
      let label = arrow.labels.map(\.plantUMLText).joined(separator: "\\n")
      text += "\(alias(arrow.source)) --> \(alias(arrow.target)) : \(label)\n"
    }
    return text + "@enduml\n"
  }

  private func alias(_ state: Machine.State) -> String {
    "s\(table.states.firstIndex(of: state) ?? 0)"
  }
}

extension String {
  /// PlantUML reads Creole, HTML and escapes in its labels; what could be one of them is written as `<U+…>`.
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

extension Unicode.Scalar {
  /// `U+0007` for a scalar that no picture can hold, else `nil`.
  ///
  /// XML, and so SVG and SCXML, excludes U+FFFE, U+FFFF and the control characters other than tab and line ends. Graphviz ends
  /// its input at U+0000.
  var nameIfUnprintable: String? {
    switch value {
    case 0x09, 0x0A, 0x0D: nil
    case 0..<0x20, 0xFFFE, 0xFFFF: "U+\(value.hexadecimal)"
    default: nil
    }
  }
}

extension UInt32 {
  /// Four digits or more.
  var hexadecimal: String {
    var digits = String(self, radix: 16, uppercase: true)
    while digits.unicodeScalars.count < 4 { digits = "0" + digits }
    return digits
  }
}
