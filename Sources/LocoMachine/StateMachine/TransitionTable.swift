/// A machine's reactions as a flat array.
///
/// ```swift
/// let table = TransitionTable<Turnstile>()
/// table[state: .locked, event: .coin]          // .go(.unlocked, [])
/// var state = Turnstile.initialState
/// let step = table.advance(&state, on: .coin)
/// for effect in table.effects(of: step) { perform(effect) }
/// ```
///
/// The initializer calls the machine's function once for each pair. ``advance(_:on:)`` then reads one entry of the array. If the states and
/// the events are enumerations with 2 to 256 cases, it needs no branch on the pair, no allocation and no reference counting. Keep one table
/// for all uses of a machine.
public struct TransitionTable<Machine: StateMachine>: Sendable {
  /// The effects of all pairs; ``Step/effects`` is a range of this array.
  @usableFromInline package let effects: [Machine.Effect]

  // One row per state and one column per event, by their numbers. The length of a row is a power of two.
  @usableFromInline let steps: [Step]
  @usableFromInline package let stateNumbers: CaseNumbers<Machine.State>
  @usableFromInline let eventNumbers: CaseNumbers<Machine.Event>
  @usableFromInline let columnBits: UInt32
  @usableFromInline let hasDeadlines: Bool
  @usableFromInline let hasActivities: Bool
  @usableFromInline let details: Details

  /// The parts that most events don't need. They are in an object, so that a copy of the table retains few references.
  @usableFromInline
  final class Details: Sendable {
    @usableFromInline let states: [Machine.State]
    @usableFromInline let events: [Machine.Event]
    // Indexed as the steps.
    @usableFromInline let reactions: [Reaction<Machine.State, Machine.Effect>?]
    // Indexed by the state's number.
    @usableFromInline let deadlines: [Deadline<Machine>?]
    // The deadlines' durations and settings, without the inputs: these need no generic code, so each event can read them.
    @usableFromInline let durations: [(duration: Duration, setting: String?)?]
    @usableFromInline let activities: [Machine.Activity]
    // Indexed by the state's number: the state's activities as bits at their positions in `activities`.
    @usableFromInline let activityBits: [UInt64]

    init(
      _ states: [Machine.State], _ events: [Machine.Event], _ reactions: [Reaction<Machine.State, Machine.Effect>?],
      _ deadlines: [Deadline<Machine>?], _ activities: [Machine.Activity], _ activityBits: [UInt64]
    ) {
      (self.states, self.events, self.reactions) = (states, events, reactions)
      (self.deadlines, self.activities, self.activityBits) = (deadlines, activities, activityBits)
      durations = deadlines.map { deadline in deadline.map { ($0.duration, $0.setting) } }
    }
  }

  /// The machine's states, in the order of `allCases`.
  package var states: [Machine.State] { details.states }
  /// The machine's events, in the order of `allCases`.
  package var events: [Machine.Event] { details.events }
  /// The machine's activities, in the order in which its states first list them.
  @inlinable
  package var activities: [Machine.Activity] { details.activities }

  /// Creates a table, and calls the machine's function once for each pair of a state and an event.
  ///
  /// - Complexity: O(states × events), in time and in memory.
  /// - Precondition: `allCases` of the states and the events list each case once, and a deadline's event goes to a state. If the initial
  ///   state, the target of a transition, or a deadline's event isn't listed, the program stops with a message that names it, in a release
  ///   build too.
  public init() {
    let (states, events) = (Array(Machine.State.allCases), Array(Machine.Event.allCases))
    (stateNumbers, eventNumbers) = (CaseNumbers(states), CaseNumbers(events))
    var columnBits: UInt32 = 0
    while 1 << columnBits < eventNumbers.bound { columnBits += 1 }
    self.columnBits = columnBits
    let listed = Set(states)
    Self.check(
      listed.contains(Machine.initialState), "State", "the initial state is \(Machine.initialState.rawValue)"
    )
    let entries = stateNumbers.bound << columnBits
    precondition(UInt64(entries) <= UInt32.max, "A machine has fewer than four billion pairs.")
    var steps = [Step](repeating: .missing(Machine.initialState), count: entries)
    var effects: [Machine.Effect] = []
    var reactions = [Reaction<Machine.State, Machine.Effect>?](repeating: nil, count: entries)
    for state in states {
      for event in events {
        let entry = stateNumbers[state] << columnBits | eventNumbers[event]
        if reactions[entry] != nil { fatalError("\(Machine.self): allCases must list every case once.") }
        let reaction = Machine.reaction(in: state, to: event)
        reactions[entry] = reaction
        let (kind, target, performed): (Step.Kind, Machine.State, [Machine.Effect]) =
          switch reaction {
          case .go(let target, let effects): (.external, target, effects)
          case .stay(let effects): (.internal, state, effects)
          case .ignore: (.ignored, state, [])
          case .never: (.impossible, state, [])
          }
        Self.check(
          kind != .external || listed.contains(target), "State",
          "\(event.rawValue) in \(state.rawValue) goes to \(target.rawValue)")
        precondition(performed.count <= UInt16.max, "A pair has at most 65,535 effects.")
        steps[entry] = Step(
          next: target, kind: kind, effectCount: UInt16(performed.count), firstEffect: UInt32(effects.count))
        effects += performed
      }
    }
    (self.steps, self.effects) = (steps, effects)
    var deadlines = [Deadline<Machine>?](repeating: nil, count: stateNumbers.bound)
    var hasDeadlines = false
    for state in states {
      guard let deadline = Machine.deadline(in: state) else { continue }
      (deadlines[stateNumbers[state]], hasDeadlines) = (deadline, true)
    }
    self.hasDeadlines = hasDeadlines
    var activities: [Machine.Activity] = []
    var activityBits = [UInt64](repeating: 0, count: stateNumbers.bound)
    for state in states {
      for activity in Machine.activities(in: state) {
        let position = activities.firstIndex(of: activity) ?? activities.count
        if position == activities.count { activities.append(activity) }
        guard position < UInt64.bitWidth else { fatalError("\(Machine.self) has more than 64 activities.") }
        let bit = UInt64(1) << position
        guard activityBits[stateNumbers[state]] & bit == 0 else {
          fatalError(
            "\(Machine.self): the state \(state.rawValue) lists the activity \(Machine.name(ofActivity: activity)) twice."
          )
        }
        activityBits[stateNumbers[state]] |= bit
      }
    }
    hasActivities = !activities.isEmpty
    details = Details(states, events, reactions, deadlines, activities, activityBits)
    for state in states {
      guard let deadline = deadline(in: state) else { continue }
      let event = Machine.event(of: deadline.input)
      var fact: String { "the deadline in \(state.rawValue) gives \(event.rawValue)" }
      Self.check(events.contains(event), "Event", fact)
      if step(from: state, on: event).kind != .external {
        fatalError(
          "A deadline's event must go to a state, possibly the same one; in \(Machine.self), \(fact), which doesn't."
        )
      }
    }
  }

  /// Stops the program if a case isn't listed. A precondition prints no message in a release build.
  private static func check(_ isListed: Bool, _ type: String, _ fact: @autoclosure () -> String) {
    if !isListed {
      fatalError("\(Machine.self): \(type).allCases must list every case; \(fact()), which is not among them.")
    }
  }

  /// The reaction that the machine's function returned for a pair.
  @inlinable
  public subscript(state state: Machine.State, event event: Machine.Event) -> Reaction<Machine.State, Machine.Effect> {
    guard let reaction = details.reactions[entry(of: state, event)] else {
      preconditionFailure("allCases must list every case; the state or the event is not among them.")
    }
    return reaction
  }

  /// All pairs, by state and then by event, in the order of `allCases`.
  public var rows: [Row] {
    states.flatMap { state in events.map { row(state, $0) } }
  }

  package func row(_ state: Machine.State, _ event: Machine.Event) -> Row {
    Row(state: state, event: event, reaction: self[state: state, event: event])
  }

  /// Returns the events that cause a transition in a state, in the order of `allCases`.
  func available(in state: Machine.State) -> [Machine.Event] {
    events.filter { !step(from: state, on: $0).isIgnored }
  }

  @inlinable
  package func step(from state: Machine.State, on event: Machine.Event) -> Step {
    let step = steps[entry(of: state, event)]
    // This check implies the bounds check in `effects(of:)`, which the compiler therefore omits.
    precondition(
      step.effects.upperBound <= effects.count,
      "allCases must list every case; the state or the event is not among them.")
    return step
  }

  /// Handles an event: sets `state` to the next state, and returns the step, for ``effects(of:)``.
  ///
  /// An event that can't occur in the state stops a debug build; in a release build it changes nothing.
  @inlinable
  @discardableResult
  public func advance(_ state: inout Machine.State, on event: Machine.Event) -> Step {
    let step = step(from: state, on: event)
    assert(step.kind != .impossible, impossible(event, in: state))
    state = step.next
    return step
  }

  /// Returns the effects of a step, in order.
  @inlinable
  public func effects(of step: Step) -> ArraySlice<Machine.Effect> { effects[step.effects] }

  /// Returns the reason why an event does nothing, or can't occur, in a state; `nil` for a transition.
  @inlinable
  func reason(of event: Machine.Event, in state: Machine.State) -> String? {
    self[state: state, event: event].reason
  }

  /// Returns the message about an event that occurred in a state where it can't occur.
  @usableFromInline
  package func impossible(_ event: Machine.Event, in state: Machine.State) -> String {
    "\(Machine.self) was sent \(event.rawValue) in \(state.rawValue), which its table excludes: "
      + (reason(of: event, in: state) ?? "") + " Correct the code that sends the event, or the table."
  }

  /// Reports an event that can't occur in the state: stops a debug build, and logs a message in a release build.
  @usableFromInline
  package func reportImpossible(_ event: Machine.Event, in state: Machine.State) {
    #if hasFeature(Embedded)
      assertionFailure(impossible(event, in: state))
    #else
      Mistake.report(impossible(event, in: state))
    #endif
  }

  @inlinable
  func entry(of state: Machine.State, _ event: Machine.Event) -> Int {
    let column = eventNumbers[event]
    precondition(column < eventNumbers.bound, "allCases must list every case; the event is not among them.")
    // With the row in 32 bits, the compiler knows that the index isn't negative.
    return Int(UInt32(truncatingIfNeeded: stateNumbers[state]) &<< columnBits) | column
  }

  /// Whether a runner needs an actor: for the timer of a deadline, or for activities.
  @inlinable
  var needsActor: Bool { hasDeadlines || hasActivities }

  /// Returns the activities of a state as bits at their positions in `activities`.
  @inlinable
  package func activityBits(in state: Machine.State) -> UInt64 {
    hasActivities ? details.activityBits[stateNumbers[state]] : 0
  }

  /// Returns the activities that an external transition stops and those that it starts, as bits.
  @inlinable
  package func activityChanges(from source: Machine.State, to target: Machine.State) -> (stops: UInt64, starts: UInt64)
  {
    let (before, after) = (activityBits(in: source), activityBits(in: target))
    return source == target ? (before, after) : (before & ~after, after & ~before)
  }

  /// An entry of the table, for ``effects(of:)``.
  @frozen
  public struct Step: Sendable {
    @usableFromInline
    package enum Kind: Sendable { case external, `internal`, ignored, impossible }

    /// The state after the event.
    @usableFromInline package let next: Machine.State
    @usableFromInline package let kind: Kind
    // An entry has eight bytes if a state is one byte, so that a shift converts an index to an offset.
    @usableFromInline let effectCount: UInt16
    @usableFromInline let firstEffect: UInt32

    init(next: Machine.State, kind: Kind, effectCount: UInt16, firstEffect: UInt32) {
      (self.next, self.kind, self.effectCount, self.firstEffect) = (next, kind, effectCount, firstEffect)
    }

    /// Returns the entry of a pair that doesn't exist. Its range of effects is out of bounds, so `step(from:on:)` traps.
    static func missing(_ state: Machine.State) -> Self {
      Step(next: state, kind: .ignored, effectCount: 0, firstEffect: .max)
    }

    /// Whether the event does nothing.
    @inlinable
    package var isIgnored: Bool { kind == .ignored || kind == .impossible }

    @inlinable
    package var effects: Range<Int> {
      Range(uncheckedBounds: (Int(firstEffect), Int(firstEffect) &+ Int(effectCount)))
    }
  }

  /// A pair of a state and an event, with the reaction.
  public struct Row: Hashable, Sendable {
    /// The state before the event.
    public let state: Machine.State
    /// The event.
    public let event: Machine.Event
    package let reaction: Reaction<Machine.State, Machine.Effect>

    /// The state that is entered; `nil` unless the transition is external.
    public var target: Machine.State? { reaction.target }
    /// The effects; empty if the event is ignored or can't occur.
    public var effects: [Machine.Effect] { reaction.effects }
    /// The reason why the event does nothing, or can't occur; `nil` for a transition.
    public var reason: String? { reaction.reason }
    /// Whether the event can't occur in the state.
    public var isImpossible: Bool {
      if case .never = reaction { true } else { false }
    }
  }
}
