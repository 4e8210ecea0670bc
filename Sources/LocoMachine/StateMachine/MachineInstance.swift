/// An instance of a machine, as a value: the program passes inputs and the time, and performs the effects.
///
/// A type that makes decisions has an instance where an actor, a queue or a clock would be in the way: a parser, a protocol's connection, or
/// a planner whose copies are compared and explored. A ``MachineRunner`` adds these, and listeners and activities.
///
/// ```swift
/// var light = MachineInstance<TrafficLight>()
/// light.send(.turnOn, at: .seconds(100))
/// setTimer(light.deadline)                     // 130 s
/// while let step = light.expire(at: .seconds(180)) {
///   for effect in step.effects { perform(effect) }
/// }
/// show(light.snapshot)                         // .red, entered at 153.5 s
/// ```
///
/// Times are `Duration`s since a zero that the program chooses, such as the system's boot. The machine's activities don't run: derive the
/// work from the state.
///
/// Creating an instance computes the machine's table, and copies share it: a program with many instances copies one. Instances are equal if their ``snapshot``s are.
public struct MachineInstance<Machine: StateMachine>: Sendable {
  @usableFromInline package let table: TransitionTable<Machine>
  /// The state, the time when it was entered, and the settings.
  @inlinable public var snapshot: StateSnapshot<Machine> { contents }
  @usableFromInline var contents: StateSnapshot<Machine>

  /// Creates an instance in the initial state, or in the state of a snapshot.
  ///
  /// - Precondition: The snapshot's settings are settings of the machine, see ``StateSnapshot/settings``.
  /// - Complexity: That of ``TransitionTable/init()``.
  public init(restoring snapshot: StateSnapshot<Machine> = StateSnapshot(enteredAt: .zero)) {
    (table, contents) = (TransitionTable(), snapshot)
    check(snapshot.settings)
  }

  /// The current state.
  @inlinable public var state: Machine.State { contents.state }

  /// The time when the machine entered the state.
  @inlinable package var enteredAt: Duration { contents.enteredAt }

  /// The time of the state's deadline; `nil` if the state has none. When it has passed, call ``expire(at:)``.
  @inlinable
  public var deadline: Duration? {
    deadline(of: state, from: enteredAt)
  }

  /// Returns the time of the deadline of a state that is entered at a time; `nil` if the state has none.
  @inlinable
  func deadline(of state: Machine.State, from time: Duration) -> Duration? {
    guard table.hasDeadlines, let (limit, setting) = table.details.durations[table.stateNumbers[state]] else {
      return nil
    }
    guard !contents.settings.isEmpty, let setting else { return time + limit }
    return time + (contents.settings[setting] ?? limit)
  }

  var due: (input: Machine.Input, time: Duration)? {
    guard let time = deadline, let deadline = table.deadline(in: state) else { return nil }
    return (deadline.input, time)
  }

  /// The durations of deadlines with a setting, by the setting's name; see ``Deadline/after(_:_:setting:)``. A deadline without an entry
  /// has its default duration. New settings also apply to the current state.
  ///
  /// - Precondition: Each name is the name of a setting of the machine. Each duration is more than zero and at most a century.
  public var settings: [String: Duration] {
    get { contents.settings }
    set {
      check(newValue)
      contents.settings = newValue
    }
  }

  private func check(_ settings: [String: Duration]) {
    if settings.isEmpty { return }
    // `fatalError`, because a precondition prints no message in a release build.
    let names = Deadline<Machine>.settings
    for (name, value) in settings {
      guard names.contains(name) else {
        fatalError(
          "\(Machine.self) has no setting \"\(name)\". Its settings are: \(names.joined(separator: ", ")).")
      }
      if !Deadline<Machine>.isPermitted(value) {
        fatalError(Deadline<Machine>.problem(with: value, of: "The setting \"\(name)\""))
      }
    }
  }

  // MARK: - Events

  /// Returns the reason why an event does nothing, or can't occur, in the current state; `nil` if it causes a transition.
  public func reason(for event: Machine.Event) -> String? { table.reason(of: event, in: state) }

  /// Handles an input. An external transition enters its target at `time`.
  ///
  /// Call ``expire(at:)`` first, until it returns `nil`: an input doesn't handle the deadlines that precede it.
  ///
  /// - Returns: The result. The program performs the step's effects.
  @inlinable
  @discardableResult
  public mutating func send(_ input: Machine.Input, at time: Duration) -> Step {
    let (state, event) = (state, Machine.event(of: input))
    let entry = advance(on: event, at: time)
    let outcome: Outcome
    switch entry.kind {
    case .external: outcome = .transition(StateTransition(from: state, event: event, to: entry.next))
    case .internal: outcome = .stayed
    case .ignored, .impossible: outcome = .ignored(because: table.reason(of: event, in: state) ?? "")
    }
    return Step(input: input, outcome: outcome, effects: table.effects(of: entry))
  }

  /// Handles the state's deadline and returns the step, or returns `nil` if no deadline has passed at `now`.
  ///
  /// The next state is entered at the time of the deadline, however late the call is, so a cycle of states doesn't drift. After a long
  /// absence several deadlines may have passed: call this function until it returns `nil`. A cycle of states since a time long ago, such as
  /// in a saved snapshot, has any number of them: limit the calls, or restore the state with a later ``StateSnapshot/enteredAt``.
  @inlinable
  public mutating func expire(at now: Duration) -> Step? {
    guard let time = deadline, time <= now, let input = table.deadline(in: state)?.input else { return nil }
    return send(input, at: time)
  }

  /// Handles an event, and returns the table's entry.
  @_alwaysEmitIntoClient
  @inline(__always)
  package mutating func advance(on event: Machine.Event, at time: Duration) -> TransitionTable<Machine>.Step {
    let entry = table.step(from: state, on: event)
    #if DEBUG && !hasFeature(Embedded)
      TableObserver.observe(Machine.self, event, in: state)
    #endif
    if entry.kind == .external {
      (contents.state, contents.enteredAt) = (entry.next, time)
    } else if entry.kind == .impossible {
      table.reportImpossible(event, in: state)
    }
    return entry
  }

  /// The result of an input, with the effects to perform.
  public struct Step: Sendable {
    /// The input; of a deadline, the deadline's.
    public let input: Machine.Input
    /// Whether the input led to a state.
    public let outcome: Outcome
    /// The effects, in order. Empty if the input was ignored.
    public let effects: ArraySlice<Machine.Effect>

    @usableFromInline
    init(input: Machine.Input, outcome: Outcome, effects: ArraySlice<Machine.Effect>) {
      (self.input, self.outcome, self.effects) = (input, outcome, effects)
    }
  }

  /// The result of an event.
  public enum Outcome: Hashable, Sendable {
    /// The event led to a state, possibly the same one.
    case transition(StateTransition<Machine>)
    /// An internal transition: it may have effects, and the state remained.
    case stayed
    /// The event did nothing. The reason is the sentence in the table. In a release build, an event that can't occur is ignored too. So is
    /// one whose new state couldn't be saved; the reason then says so.
    case ignored(because: String)
  }
}

extension MachineInstance: Hashable {
  /// Whether the instances have the same ``snapshot``.
  public static func == (one: Self, other: Self) -> Bool { one.contents == other.contents }
  /// Hashes the ``snapshot``.
  public func hash(into hasher: inout Hasher) { hasher.combine(contents) }
}
