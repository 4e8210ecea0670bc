#if !hasFeature(Embedded)
  public import LocoMachine

  /// Counts how often runners have taken each row of a machine's table, and names the rows that no test has taken.
  ///
  /// ```swift
  /// let coverage = TableCoverage<Turnstile>()
  /// gate.listeners.add(coverage)  // the registry holds it weakly
  /// gate.send(.coin)
  /// gate.send(.push)
  /// #expect(coverage.missing(.transitions) == ["unlocked: coin"])
  /// ```
  ///
  /// Several runners can share one coverage, also in tests that run in parallel, such as one in a static property of a suite. A coverage
  /// of a runner costs a lock for each event.
  public final class TableCoverage<Machine: StateMachine>: StateMachineListener, CustomStringConvertible, Sendable {
    /// The rows that a test should take.
    public enum Rows: String, CaseIterable, Sendable {
      /// The pairs of a state and an event that cause a transition, external or internal.
      case transitions
      /// The pairs whose event is ignored.
      case ignored
      /// Two transitions, one after the other; ignored events in between don't count. Testers call this 1-switch coverage.
      case successions
    }

    private struct Counts: Sendable {
      var rows: [Int]
      /// The successions, by the positions of the two rows.
      var successions: [[Int]: Int] = [:]
      /// The last transition of each runner.
      var last: [ObjectIdentifier: Last] = [:]
    }

    private struct Last: Sendable {
      let runner: WeakReference
      let row: Int
    }

    /// Shows whether the runner with an identifier is still the same one, because a new object can have the address of an old one.
    /// `@unchecked`, because nothing is read through the reference.
    private final class WeakReference: @unchecked Sendable {
      weak var runner: AnyObject?
      init(_ runner: AnyObject) { self.runner = runner }
    }

    private let table = TransitionTable<Machine>()
    private let rows: [TransitionTable<Machine>.Row]
    private let counts: Locked<Counts>

    /// Creates a coverage with no rows taken.
    public init() {
      rows = table.rows
      counts = Locked(Counts(rows: [Int](repeating: 0, count: rows.count)))
    }

    /// Counts the row of an event that a runner has handled.
    ///
    /// A transition that didn't happen, because the runner's state couldn't be saved, isn't counted.
    public func machine(
      _ runner: MachineRunner<Machine>, didHandle event: Machine.Event, outcome: MachineInstance<Machine>.Outcome
    ) {
      switch outcome {
      case .transition(let transition): count(event, in: transition.from, of: runner)
      case .stayed: count(event, in: runner.state, of: runner)
      case .ignored: if table[state: runner.state, event: event].reason != nil { record(event, in: runner.state) }
      }
    }

    /// Counts a row that something else than a runner has taken, such as a `MachineInstance`. It is part of no succession.
    public func record(_ event: Machine.Event, in state: Machine.State) {
      let row = position(state, event)
      counts.change { $0.rows[row] += 1 }
    }

    private func count(_ event: Machine.Event, in state: Machine.State, of runner: MachineRunner<Machine>) {
      let (row, identifier) = (position(state, event), ObjectIdentifier(runner))
      let last = Last(runner: WeakReference(runner), row: row)
      counts.change { counts in
        counts.rows[row] += 1
        if let previous = counts.last[identifier], previous.runner.runner != nil {
          counts.successions[[previous.row, row], default: 0] += 1
        }
        counts.last[identifier] = last
      }
    }

    /// Returns how often a row was taken.
    package func count(of event: Machine.Event, in state: Machine.State) -> Int {
      let row = position(state, event)
      return counts.change { $0.rows[row] }
    }

    /// Returns the rows that weren't taken, in the order of the table, such as `unlocked: coin`, or `locked: coin, then unlocked: push`.
    ///
    /// Rows whose event can't occur aren't listed. Rows of a state that no path reaches are.
    public func missing(_ rows: Rows) -> [String] { all(rows).filter { $0.count == 0 }.map(\.name) }

    /// The shares of the rows that were taken, and the transitions that weren't, a line each.
    public var description: String {
      let shares = Rows.allCases.map { rows in
        let all = all(rows)
        return "\(all.count { $0.count > 0 }) of \(all.count) \(rows.rawValue)"
      }
      return ([shares.joined(separator: ", ")] + missing(.transitions).map { "not taken: " + $0 }).joined(
        separator: "\n")
    }

    /// The diagram for Graphviz with a count behind each transition. An arrow is green if all of its transitions were taken, orange if some
    /// were, and red if none was.
    public var dot: String { StateDiagram<Machine>().dot(counts: { self.count(of: $0.event, in: $0.state) }) }

    private func all(_ rows: Rows) -> [(name: String, count: Int)] {
      let counts = counts.change { $0 }
      let transitions = self.rows.indices.filter { self.rows[$0].reason == nil }
      switch rows {
      case .transitions: return transitions.map { (name($0), counts.rows[$0]) }
      case .ignored:
        return self.rows.indices.filter { self.rows[$0].reason != nil && !self.rows[$0].isImpossible }
          .map { (name($0), counts.rows[$0]) }
      case .successions:
        return transitions.flatMap { first in
          let state = self.rows[first].target ?? self.rows[first].state
          return transitions.filter { self.rows[$0].state == state }.map { second in
            ("\(name(first)), then \(name(second))", counts.successions[[first, second]] ?? 0)
          }
        }
      }
    }

    private func name(_ row: Int) -> String { "\(rows[row].state.rawValue): \(rows[row].event.rawValue)" }

    private func position(_ state: Machine.State, _ event: Machine.Event) -> Int {
      guard let row = table.states.firstIndex(of: state), let column = table.events.firstIndex(of: event) else {
        preconditionFailure("allCases must list every case; \(state.rawValue) or \(event.rawValue) is not among them.")
      }
      return row * table.events.count + column
    }
  }
#endif
