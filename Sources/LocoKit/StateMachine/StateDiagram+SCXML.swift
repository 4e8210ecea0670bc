extension StateDiagram {
  /// The machine as a state chart in W3C's SCXML 1.0, which interpreters run.
  ///
  /// An effect is sent as the event `effect.NAME`, which an interpreter lets one observe. Internal transitions have no
  /// target. Ignored pairs are comments that say why: an interpreter drops events for which there is no transition. A
  /// deadline's event is sent with a delay when its state is entered, and cancelled when it is left.
  ///
  /// Names that are no plain word, of ASCII letters, digits and `_`, are written as one: any other character, and an
  /// underscore before an `x`, is `_xHHHH_`, its number in hexadecimal, as in
  /// `effect.notify_x0028_paused_x0029_`; what it stands for is beside it in a comment.
  public var scxml: String {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" \
      initial="\(Machine.initialState.rawValue.scxmlName)">

      """
    for state in table.states {
      text += "  <state id=\"\(state.rawValue.scxmlName)\">\(state.rawValue.scxmlOriginal)\n"
      if let deadline = table.deadline(in: state) {
        let id = "deadline.\(state.rawValue.scxmlName)"
        let delay = deadline.duration.inUnits(separatedBy: "")
        text += "    <onentry>\n"
        text += "      <send event=\"\(deadline.event.rawValue.scxmlEvent)\" id=\"\(id)\" delay=\"\(delay)\"/>"
        if let setting = deadline.setting { text += " <!-- the default of \(setting.scxmlComment) -->" }
        text += "\n"
        text += "    </onentry>\n    <onexit>\n      <cancel sendid=\"\(id)\"/>\n    </onexit>\n"
      }
      for row in table.rows where row.state == state {
        let event = row.event.rawValue
        if let reason = row.reason {
          text += "    <!-- \((event + ": " + reason).scxmlComment) -->\n"
          continue
        }
        text += "    <transition event=\"\(event.scxmlEvent)\""
        if let target = row.target { text += " target=\"\(target.rawValue.scxmlName)\"" }
        if row.effects.isEmpty {
          text += "/>\(event.scxmlOriginal)\n"
          continue
        }
        text += ">\(event.scxmlOriginal)\n"
        for effect in row.effects.map(\.description) {
          text += "      <send event=\"effect.\(effect.scxmlName)\"/>"
          text += effect.scxmlOriginal + "\n"
        }
        text += "    </transition>\n"
      }
      text += "  </state>\n"
    }
    return text + "</scxml>\n"
  }
}

extension String {
  /// A word that is an identifier everywhere, and tells apart what was different.
  fileprivate var scxmlName: String {
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

  /// A transition for `effect` would take all of `effect.…` too.
  fileprivate var scxmlEvent: String {
    self == "effect" ? "_x0065_ffect" : scxmlName
  }

  /// The name as it was, where it had to be changed.
  fileprivate var scxmlOriginal: String {
    scxmlName == self ? "" : " <!-- \(scxmlComment) -->"
  }

  /// Two hyphens, and one at the end, are not allowed in a comment.
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
