#if !hasFeature(Embedded)
  import LocoMachine

  extension StateDiagram {
    /// The machine as a model in Promela, the language of the model checker SPIN.
    ///
    /// A state is the constant `S_NAME`, and an event the constant `E_NAME`. The variable `state` is the state of the machine, and `A_NAME`
    /// is true while an activity runs. `take(E_NAME)` handles an event; an event that can't occur violates an assertion. Effects are
    /// written as comments, because properties refer to states and activities.
    ///
    /// The process `environment` sends any event at any time, except those that can't occur. To replace it with other processes, define
    /// `NO_ENVIRONMENT` and include this model:
    ///
    /// ```promela
    /// #define NO_ENVIRONMENT
    /// #include "gate.pml"
    /// active proctype visitor() {
    ///   do
    ///   :: atomic { take(E_coin) }
    ///   :: atomic { state == S_unlocked -> take(E_push) }
    ///   od
    /// }
    /// ltl locksAgain { [] (state == S_unlocked -> <> (state == S_locked)) }
    /// ```
    ///
    /// ASCII letters in names are unchanged, and so are digits and `_`, except a digit at the start and an underscore before an `x`. These
    /// and all other characters are written as their hexadecimal number `_xHHHH_`.
    public var promela: String {
      var text = "/* Generated from \(Machine.self). */\n"
      text += constants("S", table.states.map(\.rawValue))
      text += constants("E", table.events.map(\.rawValue))
      text += "\n\(table.states.count > 256 ? "int" : "byte") state = S_\(Machine.initialState.rawValue.scxmlName);\n"
      let initial = table.activityNames(in: Machine.initialState)
      for name in table.activities.map(Machine.name(ofActivity:)) {
        text += "bool A_\(name.scxmlName) = \(initial.contains(name));\(comment(onName: name))\n"
      }
      text += "\ninline take(event) {\n  if\n"
      for row in table.rows {
        text += "  :: state == S_\(row.state.rawValue.scxmlName) && event == E_\(row.event.rawValue.scxmlName) -> "
        text += promelaStep(row) + "\n"
      }
      text += "  fi\n}\n\n#ifndef NO_ENVIRONMENT\nactive proctype environment() {\n"
      var options = ""
      for event in table.events {
        let excluded = table.states.filter { table.row($0, event).isImpossible }
        if excluded.count == table.states.count { continue }
        let guards = excluded.map { "state != S_\($0.rawValue.scxmlName)" }.joined(separator: " && ")
        options += "  :: atomic { \(guards.isEmpty ? "" : guards + " -> ")take(E_\(event.rawValue.scxmlName)) }\n"
      }
      // Without an event that can occur, the environment waits for ever. A label with the prefix `end` is a valid end of the process.
      return text + "end:\n  do\n" + (options.isEmpty ? "  :: false\n" : options) + "  od\n}\n#endif\n"
    }

    private func constants(_ prefix: String, _ names: [String]) -> String {
      names.enumerated().map { number, name in
        "#define \(prefix)_\(name.scxmlName) \(number)\(comment(onName: name))\n"
      }.joined()
    }

    /// Returns a comment with the original name, if ``scxmlName`` differs from it; otherwise an empty text.
    private func comment(onName name: String) -> String {
      name.scxmlName == name ? "" : " /* \(name.promelaComment) */"
    }

    /// Returns the statements for a pair of a state and an event.
    private func promelaStep(_ row: TransitionTable<Machine>.Row) -> String {
      let comment = (row.reason ?? row.effectList).promelaComment
      let note = comment.isEmpty ? "" : " /* \(comment) */"
      if row.isImpossible { return "assert(false)" + note }
      guard let target = row.target else { return "skip" + note }
      let (before, after) = (table.activityNames(in: row.state), table.activityNames(in: target))
      let statements =
        ["state = S_\(target.rawValue.scxmlName)"] + promelaChanges(before.filter { !after.contains($0) }, "false")
        + promelaChanges(after.filter { !before.contains($0) }, "true")
      return statements.joined(separator: "; ") + note
    }

    private func promelaChanges(_ activities: [String], _ value: String) -> [String] {
      activities.map { "A_\($0.scxmlName) = \(value)" }
    }
  }

  extension String {
    /// The text for a comment: on one line, without `/*`, `*/` and backslashes.
    fileprivate var promelaComment: String {
      var previous: Unicode.Scalar?
      return replacingScalars { scalar in
        defer { previous = scalar }
        switch scalar {
        case "/" where previous == "*": return " /"
        case "*" where previous == "/": return " *"
        case "\t", "\n", "\r", "\\": return " "
        default: return scalar.nameIfUnprintable
        }
      }
    }
  }
#endif
