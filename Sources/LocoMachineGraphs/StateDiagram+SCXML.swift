import LocoMachine

extension StateDiagram {
  /// The machine as a state chart in the W3C's SCXML 1.0, which interpreters run.
  ///
  /// An effect is sent as the event `effect.NAME`, which an interpreter can report. Internal transitions have no target. Ignored events and
  /// those that can't occur are comments with the reason, because an interpreter drops events without a transition. A state with a deadline
  /// sends the deadline's event with a delay on entry, and cancels it on exit. A state invokes its activities, each as a state chart that
  /// lasts until it is cancelled. If two consecutive states have the same activity, an interpreter cancels it and invokes it again, whereas
  /// a `MachineRunner` continues it.
  ///
  /// Names consist of ASCII letters, digits and `_`. Any other character, a digit at the start, and an underscore before an `x` are written
  /// as their hexadecimal number `_xHHHH_`, as in `effect.notify_x0028_paused_x0029_`. So is the first letter of the events `effect`, `error`
  /// and `done`, because interpreters use these names. The original name of each is in a comment.
  public var scxml: String {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" \
      initial="\(Machine.initialState.rawValue.scxmlName)">

      """
    for state in table.states {
      text += "  <state id=\"\(state.rawValue.scxmlName)\">\(state.rawValue.scxmlOriginal)\n"
      if let deadline = table.deadline(in: state) {
        let event = Machine.event(of: deadline.input).rawValue.scxmlEvent
        let id = "deadline.\(state.rawValue.scxmlName)"
        let delay = deadline.duration.inUnits(separatedBy: "")
        let note = deadline.setting.map { " <!-- the default of \($0.scxmlComment) -->" } ?? ""
        text += "    <onentry>\n"
        text += "      <send event=\"\(event)\" id=\"\(id)\" delay=\"\(delay)\"/>\(note)\n"
        text += "    </onentry>\n    <onexit>\n      <cancel sendid=\"\(id)\"/>\n    </onexit>\n"
      }
      for activity in table.activityNames(in: state) {
        text += """
              <invoke type="scxml" id="activity.\(state.rawValue.scxmlName).\(activity.scxmlName)">\(activity.scxmlOriginal)
                <content><scxml version="1.0" xmlns="http://www.w3.org/2005/07/scxml"><state id="lasts"/></scxml></content>
              </invoke>

          """
      }
      for row in table.events.map({ table.row(state, $0) }) {
        let event = row.event.rawValue
        if let reason = row.reason {
          let never = row.isImpossible ? "never " : ""
          text += "    <!-- \((never + event + ": " + reason).scxmlComment) -->\n"
          continue
        }
        text += "    <transition event=\"\(event.scxmlEvent)\""
        if let target = row.target { text += " target=\"\(target.rawValue.scxmlName)\"" }
        if row.effects.isEmpty {
          text += "/>\(event.scxmlOriginal(of: event.scxmlEvent))\n"
          continue
        }
        text += ">\(event.scxmlOriginal(of: event.scxmlEvent))\n"
        for effect in row.effectNames {
          text += "      <send event=\"effect.\(effect.scxmlName)\"/>\(effect.scxmlOriginal)\n"
        }
        text += "    </transition>\n"
      }
      text += "  </state>\n"
    }
    return text + "</scxml>\n"
  }
}

extension String {
  /// The text as a valid identifier. Different texts have different identifiers.
  var scxmlName: String {
    if unicodeScalars.isEmpty { return "_x_" }
    var name = ""
    var rest = unicodeScalars[...]
    while let scalar = rest.popFirst() {
      let isPlain =
        switch scalar {
        case "a"..."z", "A"..."Z": true
        case "0"..."9": !name.unicodeScalars.isEmpty
        case "_": rest.first != "x"
        default: false
        }
      if isPlain { name.unicodeScalars.append(scalar) } else { name += "_x\(scalar.value.hexadecimal)_" }
    }
    return name
  }

  /// The text as an event's name. A transition for `effect`, `error` or `done` would also match the effects and the events of the
  /// interpreter, whose names begin with one of these and a dot. So these three names are changed.
  fileprivate var scxmlEvent: String {
    switch self {
    case "effect": "_x0065_ffect"
    case "error": "_x0065_rror"
    case "done": "_x0064_one"
    default: scxmlName
    }
  }

  fileprivate var scxmlOriginal: String { scxmlOriginal(of: scxmlName) }

  /// A comment with the original name, if the name in the file differs from it; otherwise an empty text.
  fileprivate func scxmlOriginal(of name: String) -> String { name == self ? "" : " <!-- \(scxmlComment) -->" }

  /// The text for a comment, which can't contain two hyphens in a row.
  fileprivate var scxmlComment: String {
    var previous: Unicode.Scalar?
    return replacingScalars { scalar in
      defer { previous = scalar }
      switch scalar {
      case "-" where previous == "-": return " -"
      case "\t", "\n", "\r": return " "
      default: return scalar.nameIfUnprintable
      }
    }
  }
}
