#if !hasFeature(Embedded)
  import LocoMachine

  extension StateDiagram {
    /// Returns what has changed since an earlier table, a line each, for the reviewer of a change; empty if nothing has.
    ///
    /// ```swift
    /// let recorded = try String(contentsOf: file, encoding: .utf8)
    /// #expect(try StateDiagram<Turnstile>().changes(from: recorded) == [])
    /// ```
    ///
    /// The lines name added and removed states and events, each pair of a state and an event that reacts differently, with what it was, and
    /// then the traps and the unreachable states that weren't there before. Pairs of a state or an event that was added or removed are listed
    /// if they cause a transition. The initial state, deadlines and activities aren't compared, because the table doesn't contain them: an
    /// unreachable state is one that the present initial state doesn't reach.
    ///
    /// - Parameter csv: The earlier ``csv``, of at most 64 MB. Line ends may be CRLF.
    /// - Throws: An error whose description names the line and the problem, if the text isn't such a table.
    public func changes(from csv: String) throws -> [String] {
      let (old, new) = (try RecordedTable(csv), RecordedTable(self))
      let initial = Machine.initialState.rawValue
      // From a state that is new, the old table reaches nothing.
      let unreachable = old.states.contains(initial) ? old.unreachable(from: initial) : []
      return new.names("state", \.states, since: old) + new.names("event", \.events, since: old)
        + new.reactions(since: old)
        + new.traps.filter { !old.traps.contains($0) }.map { "new trap: \($0)" }
        + new.unreachable(from: initial).filter { !unreachable.contains($0) }.map { "no longer reachable: \($0)" }
    }
  }

  /// A table as names: a recorded one, or that of a machine.
  private struct RecordedTable {
    struct Pair: Hashable {
      let state: String
      let event: String
    }

    struct Row: Equatable {
      var target = ""
      var effects = ""
      var reason = ""
      var reaction = ""

      var isTransition: Bool { reaction == "go" || reaction == "stay" }

      var description: String {
        switch reaction {
        case "go": "→ \(target)" + (effects.isEmpty ? "" : " / \(effects)")
        case "stay": "stays" + (effects.isEmpty ? "" : " / \(effects)")
        case "never": "can't occur: \(reason)"
        default: "ignored: \(reason)"
        }
      }
    }

    private(set) var states: [String] = []
    private(set) var events: [String] = []
    private var rows: [Pair: Row] = [:]

    init<Machine>(_ diagram: StateDiagram<Machine>) {
      states = diagram.table.states.map(\.rawValue)
      events = diagram.table.events.map(\.rawValue)
      for row in diagram.table.rows {
        rows[Pair(state: row.state.rawValue, event: row.event.rawValue)] = Row(
          target: row.target?.rawValue ?? "", effects: row.effectNames.joined(separator: " "), reason: row.reason ?? "",
          reaction: row.reactionName)
      }
      normalizeLineEnds()
    }

    /// Replaces CRLF in names and reasons, because a checkout may have changed the line ends of a file.
    private mutating func normalizeLineEnds() {
      func normalized(_ text: String) -> String { text.replacing("\r\n", with: "\n") }
      let names = (states: states.map(normalized), events: events.map(normalized))
      // Names that differ only in their line ends stay apart.
      guard Set(names.states).count == states.count, Set(names.events).count == events.count else { return }
      (states, events) = names
      var normal: [Pair: Row] = [:]
      for (pair, row) in rows {
        normal[Pair(state: normalized(pair.state), event: normalized(pair.event))] = Row(
          target: normalized(row.target), effects: normalized(row.effects), reason: normalized(row.reason),
          reaction: row.reaction)
      }
      rows = normal
    }

    init(_ csv: String) throws(TableFailure) {
      guard csv.utf8.count <= 64_000_000 else { throw TableFailure(line: 1, "belongs to a file of more than 64 MB") }
      let header = ["state", "event", "target", "effects", "reason", "reaction"]
      var (isHeader, last) = (true, 1)
      for (line, fields) in try Self.lines(of: csv) {
        last = line
        if isHeader {
          guard fields == header else {
            throw TableFailure(line: line, "must be \(header.joined(separator: ",")), as StateDiagram.csv writes it")
          }
          isHeader = false
          continue
        }
        guard fields.count == header.count else {
          throw TableFailure(line: line, "has \(fields.count) fields instead of \(header.count)")
        }
        guard ["go", "stay", "ignore", "never"].contains(fields[5]) else {
          throw TableFailure(line: line, "has the reaction \"\(fields[5])\", which must be go, stay, ignore or never")
        }
        let pair = Pair(state: fields[0], event: fields[1])
        guard rows[pair] == nil else { throw TableFailure(line: line, "repeats \(fields[0]): \(fields[1])") }
        rows[pair] = Row(target: fields[2], effects: fields[3], reason: fields[4], reaction: fields[5])
        if states.last != pair.state, !states.contains(pair.state) { states.append(pair.state) }
        if !events.contains(pair.event) { events.append(pair.event) }
      }
      if isHeader { throw TableFailure(line: 1, "is missing: the table is empty") }
      let entered = pairs.compactMap { rows[$0] }.filter { $0.reaction == "go" }.map(\.target)
      let pairs = pairs + entered.map { Pair(state: $0, event: events[0]) }
      if let missing = pairs.first(where: { rows[$0] == nil }) {
        throw TableFailure(line: last, "is the last one, and there is none for \(missing.state): \(missing.event)")
      }
      normalizeLineEnds()
    }

    /// Splits comma-separated values, as RFC 4180 defines them. Each line has the number of its first line of text.
    private static func lines(of csv: String) throws(TableFailure) -> [(line: Int, fields: [String])] {
      var lines: [(line: Int, fields: [String])] = []
      var (fields, field): ([String], String.UnicodeScalarView) = ([], .init())
      var (line, first) = (1, 1)
      // Within quotes, and directly after the quote that ends them.
      var (isQuoted, isEnded) = (false, false)
      func end() {
        fields.append(String(field))
        (field, isEnded) = (.init(), false)
      }
      for scalar in csv.unicodeScalars {
        switch scalar {
        case "\"" where isQuoted: (isQuoted, isEnded) = (false, true)
        case "\"" where isEnded:
          field.append(scalar)
          (isQuoted, isEnded) = (true, false)
        case "\"" where field.isEmpty: isQuoted = true
        case "," where !isQuoted: end()
        case "\n" where !isQuoted:
          end()
          if fields != [""] { lines.append((first, fields)) }
          (fields, line) = ([], line + 1)
          first = line
        case "\r" where !isQuoted: break
        case _ where isEnded: throw TableFailure(line: line, "has a character behind the quote that ends a field")
        default:
          field.append(scalar)
          if scalar == "\n" { line += 1 }
        }
      }
      guard !isQuoted else { throw TableFailure(line: first, "has a quote that doesn't end") }
      end()
      if fields != [""] { lines.append((first, fields)) }
      return lines
    }

    /// Returns the lines about names that were added or removed.
    func names(_ kind: String, _ names: (Self) -> [String], since old: Self) -> [String] {
      names(self).filter { !names(old).contains($0) }.map { "\(kind) added: \($0)" }
        + names(old).filter { !names(self).contains($0) }.map { "\(kind) removed: \($0)" }
    }

    /// Returns the lines about pairs that react differently.
    func reactions(since old: Self) -> [String] {
      let removed = old.pairs.filter { rows[$0] == nil && old.rows[$0]?.isTransition == true }
      return pairs.compactMap { pair in
        guard let row = rows[pair], row != old.rows[pair] else { return nil }
        guard let before = old.rows[pair] else {
          return row.isTransition ? "added: \(pair.state): \(pair.event) \(row.description)" : nil
        }
        return "changed: \(pair.state): \(pair.event) \(row.description) (was \(before.description))"
      } + removed.map { "removed: \($0.state): \($0.event) \(old.rows[$0]?.description ?? "")" }
    }

    private var pairs: [Pair] { states.flatMap { state in events.map { Pair(state: state, event: $0) } } }

    private func targets(of state: String) -> [String] {
      events.compactMap { rows[Pair(state: state, event: $0)] }.filter { $0.reaction == "go" }.map(\.target)
    }

    /// The states without a transition to another state.
    var traps: [String] { states.filter { state in targets(of: state).allSatisfy { $0 == state } } }

    /// Returns the states that no path from a state leads to. A table doesn't name the initial state.
    func unreachable(from initial: String) -> [String] {
      var reached: Set = [initial]
      var found = [initial]
      while let state = found.popLast() {
        for target in targets(of: state) where reached.insert(target).inserted { found.append(target) }
      }
      return states.filter { !reached.contains($0) }
    }
  }
#endif
