#if !hasFeature(Embedded)
  import LocoMachine

  /// An HTML page that plays state machines: a reader sends events, lets time pass, and steps through recorded logs.
  ///
  /// ```swift
  /// var page = MachinePage(title: "The street")
  /// page.add(StateDiagram<Turnstile>(), named: "turnstile")
  /// page.add(StateDiagram<TrafficLight>(), named: "light", drawing: svg)  // what `dot -Tsvg` draws
  /// try page.html.write(to: file, atomically: true, encoding: .utf8)
  /// ```
  ///
  /// The page is one file that requests nothing. It shows the diagram with the current state, each event with what it does or the reason
  /// why it does nothing, the activities, a clock for the deadlines, and a log that can be copied as a test. A tour takes every
  /// transition. Settings of deadlines have their default values.
  ///
  /// The page steps through a log whose lines are transitions in JSON, such as `{"from":"locked","event":"coin","to":"unlocked"}`, as
  /// `JSONEncoder` writes a `StateTransition`, with the time in seconds as `t` if there is one, and lists what the machine would not do.
  public struct MachinePage: Sendable {
    private let title: String
    private var machines: [String] = []
    private var drawings = ""

    /// Creates a page without machines. The title is also the page's heading.
    public init(title: String) { self.title = title }

    /// Adds a machine.
    ///
    /// - Parameters:
    ///   - diagram: The diagram of the machine.
    ///   - name: The name in the page's menu and in links to the page.
    ///   - drawing: The picture that Graphviz makes of ``StateDiagram/dot`` with `dot -Tsvg`; `nil` for a drawing that the page makes. The
    ///     page marks the current state in either.
    /// - Complexity: That of ``StateGraph/tours()``.
    public mutating func add<Machine>(_ diagram: StateDiagram<Machine>, named name: String, drawing: String? = nil) {
      if let drawing, let start = drawing.firstRange(of: "<svg")?.lowerBound {
        // The page has the colours, and its policy allows no other style sheet.
        let parts = String(drawing[start...]).split(separator: "<style", omittingEmptySubsequences: false)
        let picture = parts.dropFirst().reduce(String(parts[0])) { text, part in
          text + (part.firstRange(of: "</style>").map { part[$0.upperBound...].drop(while: \.isNewline) } ?? "")
        }
        drawings += "<template data-machine=\"\(machines.count)\">\n\(picture)</template>\n"
      }
      machines.append(diagram.json(named: name))
    }

    /// The page. The same machines give the same text.
    public var html: String {
      let title = title.htmlText
      let data = "<script type=\"application/json\" id=\"data\">\(JSONText.list(machines))</script>\n"
      return Self.template[0] + title + Self.template[1] + title + Self.template[2] + drawings + data
        + Self.template[3] + "\n"
    }
  }

  extension StateDiagram {
    /// An HTML page that plays the machine, with a drawing that the page makes; see ``MachinePage``.
    public var page: String {
      var page = MachinePage(title: "\(Machine.self)")
      page.add(self, named: "\(Machine.self)")
      return page.html
    }

    /// Returns the machine for the page's script, where states and events are positions.
    fileprivate func json(named name: String) -> String {
      func position(_ state: Machine.State) -> Int { table.states.firstIndex(of: state) ?? 0 }
      func position(_ event: Machine.Event) -> Int { table.events.firstIndex(of: event) ?? 0 }
      func texts(_ texts: [String]) -> String { JSONText.list(texts.map(JSONText.quoted)) }
      let states = table.states.map { state in
        let deadline = table.deadline(in: state).map { deadline in
          let event = Machine.event(of: deadline.input)
          return JSONText.object([
            ("event", "\(position(event))"), ("seconds", "\(deadline.duration / .seconds(1))"),
            ("trigger", JSONText.quoted(table.row(state, event).trigger)),
          ])
        }
        return JSONText.object([
          ("name", JSONText.quoted(state.rawValue)), ("code", JSONText.quoted(code(state))),
          ("activities", texts(table.activityNames(in: state))), ("deadline", deadline ?? "null"),
        ])
      }
      let events = table.events.map { event in
        JSONText.object([("name", JSONText.quoted(event.rawValue)), ("code", JSONText.quoted(code(event)))])
      }
      let rows = table.states.map { state in
        JSONText.list(
          table.events.map { event in
            let row = table.row(state, event)
            let does = row.effects.isEmpty ? [] : [("does", texts(row.effectNames))]
            return switch row.reaction {
            case .go(let target, _): JSONText.object([("go", "\(position(target))")] + does)
            case .stay: JSONText.object([("stay", "1")] + does)
            case .ignore(let reason): JSONText.object([("ignore", JSONText.quoted(reason))])
            case .never(let reason): JSONText.object([("never", JSONText.quoted(reason))])
            }
          })
      }
      let tours = StateGraph<Machine>().tours().map { JSONText.list($0.map { "\(position($0))" }) }
      return JSONText.object([
        ("name", JSONText.quoted(name)), ("type", JSONText.quoted(typeName)),
        ("states", JSONText.list(states)), ("events", JSONText.list(events)),
        ("initial", "\(position(Machine.initialState))"), ("table", JSONText.list(rows)),
        ("tours", JSONText.list(tours)),
      ])
    }

    /// The machine's type with the types that enclose it, without the module.
    private var typeName: String {
      let name = String(reflecting: Machine.self)
      // A type in a function has no name outside the function.
      return name.contains("(") ? "\(Machine.self)" : name.split(separator: ".").dropFirst().joined(separator: ".")
    }

    /// Returns the expression of a case, such as `.coin`; for a type that isn't an enumeration, one with the raw value.
    private func code<Case: RawRepresentable>(_ element: Case) -> String where Case.RawValue == String {
      let name = "\(element)"
      // A description of the type's own need not be the name of the case.
      let isDescribed =
        element is any CustomStringConvertible || element is any CustomDebugStringConvertible
        || element is any TextOutputStreamable
      let isName =
        name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue }
        && Mirror(reflecting: element).displayStyle == .enum && !isDescribed
      guard isName, let first = name.unicodeScalars.first, first.properties.isXIDStart || first == "_" else {
        let type = Case.self == Machine.State.self ? "State" : "Event"
        return "\(typeName).\(type).allCases.first { $0.rawValue == \(element.rawValue.debugDescription) }!"
      }
      return ["init", "self", "Type", "Protocol"].contains(name) ? ".`\(name)`" : ".\(name)"
    }
  }

  extension String {
    fileprivate var htmlText: String {
      replacingScalars { scalar in
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        default: nil
        }
      }
    }
  }
#endif
