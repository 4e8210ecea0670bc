public import LocoMachine

/// A machine's tables, pictures and models, as text.
///
/// Each property derives its text from the machine's functions. The output is deterministic.
///
/// ```swift
/// let diagram = StateDiagram<Turnstile>()
/// print(diagram.mermaid)      // paste it into Markdown: GitHub renders it
/// print(diagram.csv)          // every pair, to test from
/// ```
public struct StateDiagram<Machine: StateMachine>: Sendable {
  let table = TransitionTable<Machine>()

  /// Reads the machine's table.
  public init() {}

  /// All pairs as comma-separated values, as in RFC 4180, but lines end with LF, not CRLF.
  ///
  /// The columns are `state,event,target,effects,reason,reaction`. A space separates effects. The target is empty unless the transition is
  /// external, and the reason is empty for a transition. The reaction is `go`, `stay`, `ignore` or `never`. Deadlines and activities aren't
  /// included: they belong to a state, not to a pair.
  public var csv: String {
    var text = "state,event,target,effects,reason,reaction\n"
    for row in table.rows {
      let fields = [
        row.state.rawValue, row.event.rawValue, row.target?.rawValue ?? "",
        row.effectNames.joined(separator: " "), row.reason ?? "", row.reactionName,
      ]
      text += fields.map(\.csvField).joined(separator: ",") + "\n"
    }
    return text
  }

  /// Markdown tables: the transitions, the activities, the ignored events with the reasons, and the events that can't occur.
  ///
  /// The tables of the activities and of the events that can't occur are omitted if they are empty. The first table shows the duration of
  /// a deadline after its event, as in `timeOver after 20 s`.
  public var markdown: String {
    var text = "| state | event | next | effects |\n|---|---|---|---|\n"
    for row in table.rows where row.reason == nil {
      let next = row.target.map { $0.rawValue.markdownCell } ?? "*stay*"
      let effects = row.effectNames.map(\.markdownCell).joined(separator: ", ")
      text += "| \(row.state.rawValue.markdownCell) | \(row.trigger.markdownCell) | \(next) | \(effects) |\n"
    }
    if !table.activities.isEmpty {
      text += "\n| state | while it lasts |\n|---|---|\n"
      for state in table.states {
        let labels = activityLabels(of: state).map(\.markdownCell)
        if !labels.isEmpty { text += "| \(state.rawValue.markdownCell) | \(labels.joined(separator: ", ")) |\n" }
      }
    }
    text += reasons("ignores") { !$0.isImpossible }
    if table.rows.contains(where: \.isImpossible) { text += reasons("never receives") { $0.isImpossible } }
    return text
  }

  private func reasons(_ title: String, where isListed: (TransitionTable<Machine>.Row) -> Bool) -> String {
    var text = "\n| state | \(title) | because |\n|---|---|---|\n"
    for row in table.rows where isListed(row) {
      guard let reason = row.reason else { continue }
      text += "| \(row.state.rawValue.markdownCell) | \(row.event.rawValue.markdownCell) | \(reason.markdownCell) |\n"
    }
    return text
  }

  // MARK: - For pictures

  /// An arrow of a picture: the external transitions from one state to another, or to itself.
  typealias Arrow = (source: Machine.State, target: Machine.State, rows: [TransitionTable<Machine>.Row])

  /// The arrows, in the order of the table.
  var arrows: [Arrow] {
    var arrows: [Arrow] = []
    for row in table.rows {
      guard let target = row.target else { continue }
      if let index = arrows.firstIndex(where: { $0.source == row.state && $0.target == target }) {
        arrows[index].rows.append(row)
      } else {
        arrows.append((row.state, target, [row]))
      }
    }
    return arrows
  }

  /// Returns the internal transitions of a state.
  func internalRows(of state: Machine.State) -> [TransitionTable<Machine>.Row] {
    table.events.filter { table.step(from: state, on: $0).kind == .internal }.map { table.row(state, $0) }
  }

  /// Returns the lines inside a state: its activities, and its internal transitions.
  func labels(inside state: Machine.State) -> [String] {
    activityLabels(of: state) + internalRows(of: state).map(\.label)
  }

  /// Returns the activities of a state as UML labels, such as `do / gps`.
  func activityLabels(of state: Machine.State) -> [String] { table.activityNames(in: state).map { "do / " + $0 } }

  /// Returns a state's alias: `s0`, `s1`… in the order of declaration.
  func alias(_ state: Machine.State) -> String { "s\(table.states.firstIndex(of: state) ?? 0)" }
}

extension TransitionTable {
  /// Returns the names of a state's activities, in the order of their start.
  func activityNames(in state: Machine.State) -> [String] {
    let bits = activityBits(in: state)
    return activities.indices.filter { bits >> $0 & 1 == 1 }.map { Machine.name(ofActivity: activities[$0]) }
  }
}

extension TransitionTable.Row {
  /// The reaction's name: `go`, `stay`, `ignore` or `never`.
  var reactionName: String {
    switch reaction {
    case .go: "go"
    case .stay: "stay"
    case .ignore: "ignore"
    case .never: "never"
    }
  }

  /// The transition's label, as in UML: `event / effect, effect`.
  var label: String { effects.isEmpty ? trigger : trigger + " / " + effectList }

  var effectNames: [String] { effects.map(Machine.name(ofEffect:)) }

  var effectList: String { effectNames.joined(separator: ", ") }

  /// The event, followed by its deadline if it has one: `timeOver after 20 s`, or, with the setting `green`, `timeOver after green, 20 s`.
  var trigger: String {
    guard let deadline = Machine.deadline(in: state), Machine.event(of: deadline.input) == event else {
      return event.rawValue
    }
    let setting = deadline.setting.map { $0 + ", " } ?? ""
    return event.rawValue + " after " + setting + deadline.duration.inUnits(separatedBy: " ")
  }
}

extension String {
  var csvField: String {
    let mustQuote = unicodeScalars.contains { $0 == "," || $0 == "\"" || $0 == "\n" || $0 == "\r" }
    return mustQuote ? "\"" + replacingScalars { $0 == "\"" ? "\"\"" : nil } + "\"" : self
  }

  fileprivate var markdownCell: String {
    replacingScalars { scalar in
      switch scalar {
      case "|", "\\", "*", "_", "`", "[", "]", "~": "\\" + String(scalar)
      case "$": "&#36;"
      case "<": "&lt;"
      case "&": "&amp;"
      case "\n", "\r": " "
      default: nil
      }
    }
  }

  /// Returns the text with its scalars replaced; `nil` keeps a scalar.
  func replacingScalars(_ replacement: (Unicode.Scalar) -> String?) -> String {
    var text = ""
    for scalar in unicodeScalars { text += replacement(scalar) ?? String(scalar) }
    return text
  }
}

extension Unicode.Scalar {
  /// The name, such as `U+0007`, of a scalar that pictures can't contain; `nil` for any other scalar.
  ///
  /// XML, and so SVG and SCXML, excludes U+FFFE, U+FFFF and the control characters below U+0020, except tabs and line ends. Graphviz stops
  /// reading at U+0000.
  var nameIfUnprintable: String? {
    switch value {
    case 0x09, 0x0A, 0x0D: nil
    case 0..<0x20, 0xFFFE, 0xFFFF: "U+\(value.hexadecimal)"
    default: nil
    }
  }
}

extension UInt32 {
  /// The hexadecimal number, with at least four digits.
  var hexadecimal: String {
    let digits = String(self, radix: 16, uppercase: true)
    return String(repeating: "0", count: Swift.max(0, 4 - digits.utf8.count)) + digits
  }
}

extension Duration {
  /// Returns a text such as `15 s`; for a duration with a fraction of a second, milliseconds rounded up, such as `1500 ms`.
  func inUnits(separatedBy space: String) -> String {
    let (seconds, attoseconds) = components
    if attoseconds == 0 { return "\(seconds)\(space)s" }
    return "\(seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)\(space)ms"
  }
}
