extension StateDiagram {
  /// Every pair as comma-separated values (RFC 4180, lines ending with a line feed).
  ///
  /// The columns are `state,event,target,effects,reason`: effects are separated by a space, the target is empty where no
  /// state is entered, and the reason is empty where the event is not ignored. Deadlines are not in it: they belong to a state,
  /// and no pair.
  public var csv: String {
    var text = "state,event,target,effects,reason\n"
    for row in table.rows {
      let fields = [
        row.state.rawValue, row.event.rawValue, row.target?.rawValue ?? "",
        row.effects.map(\.description).joined(separator: " "), row.reason ?? "",
      ]
      text += fields.map(\.csvField).joined(separator: ",") + "\n"
    }
    return text
  }

  /// Two Markdown tables: what happens, and what is ignored and why. An event that a deadline gives has its time beside it.
  public var markdown: String {
    var text = "| state | event | next | effects |\n|---|---|---|---|\n"
    for row in table.rows where row.reason == nil {
      let next = row.target.map { $0.rawValue.markdownCell } ?? "*stay*"
      let effects = row.effects.map { $0.description.markdownCell }.joined(separator: ", ")
      text += "| \(row.state.rawValue.markdownCell) | \(row.trigger.markdownCell) | \(next) | \(effects) |\n"
    }
    text += "\n| state | ignores | because |\n|---|---|---|\n"
    for row in table.rows {
      guard let reason = row.reason else { continue }
      text += "| \(row.state.rawValue.markdownCell) | \(row.event.rawValue.markdownCell) | \(reason.markdownCell) |\n"
    }
    return text
  }
}

extension String {
  fileprivate var csvField: String {
    let mustQuote = unicodeScalars.contains { $0 == "," || $0 == "\"" || $0 == "\n" || $0 == "\r" }
    return mustQuote ? "\"" + replacingScalars { $0 == "\"" ? "\"\"" : nil } + "\"" : self
  }

  fileprivate var markdownCell: String {
    replacingScalars { scalar in
      switch scalar {
      case "|": "\\|"
      case "\\": "\\\\"
      case "*": "\\*"
      case "_": "\\_"
      case "`": "\\`"
      case "<": "&lt;"
      case "&": "&amp;"
      case "\n", "\r": " "
      default: nil
      }
    }
  }

  /// The text with some of its scalars written another way; `nil` leaves one as it is.
  func replacingScalars(_ replacement: (Unicode.Scalar) -> String?) -> String {
    var text = ""
    for scalar in unicodeScalars {
      if let replacement = replacement(scalar) {
        text += replacement
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
