/// A machine's function, called once for every pair and kept as a flat array: what a program runs.
///
/// ```swift
/// let table = TransitionTable<Turnstile>()
/// table[state: .locked, event: .coin]          // .go(.unlocked, [])
/// var state = Turnstile.initialState
/// let step = table.advance(&state, on: .coin)
/// for effect in table.effects(of: step) { perform(effect) }
/// ```
///
/// Making one calls the function once a pair. ``advance(_:on:)`` and ``step(from:on:)`` then read one entry: they do not
/// branch on the pair, allocate nothing and count no references. Keep one table for all instances of a machine.
public struct TransitionTable<Machine: StateMachine>: Sendable {
  /// The machine's states, in the order of their declaration.
  @usableFromInline package let states: [Machine.State]
  /// The machine's events, in the order of their declaration.
  @usableFromInline package let events: [Machine.Event]
  /// The effects of all pairs, laid end to end; ``Step/effects`` are positions in it.
  @usableFromInline package let effects: [Machine.Effect]

  // One row a state and one column an event, found by their numbers; a row is a power of two long.
  @usableFromInline let steps: [Step]
  @usableFromInline let stateNumbers: CaseNumbers<Machine.State>
  @usableFromInline let eventNumbers: CaseNumbers<Machine.Event>
  @usableFromInline let columnBits: Int
  // By the number of a state; none at all where no state has one.
  @usableFromInline let deadlines: [Deadline<Machine.Event>?]
  private let reactions: [Reaction<Machine.State, Machine.Effect>?]

  /// Calls the machine's function once for every pair of a state and an event.
  ///
  /// - Complexity: O(states × events), in time and in memory.
  /// - Precondition: The states and the events list each of their cases once, and a deadline's event goes to a state. A machine
  ///   whose initial state, a state that it enters, or a deadline's event is not listed stops the program with a sentence that
  ///   names it, in a release build too.
  public init() {
    states = Array(Machine.State.allCases)
    events = Array(Machine.Event.allCases)
    stateNumbers = CaseNumbers(states)
    eventNumbers = CaseNumbers(events)
    var columnBits = 0
    while 1 << columnBits < eventNumbers.bound { columnBits += 1 }
    self.columnBits = columnBits
    let listed = Set(states)
    // `fatalError` here and below: a precondition prints no sentence in a release build.
    guard listed.contains(Machine.initialState) else {
      fatalError(
        "State.allCases must list every case; the initial state \(Machine.initialState.rawValue) is not among them.")
    }
    let entries = stateNumbers.bound << columnBits
    var steps = [Step](repeating: .missing(Machine.initialState), count: entries)
    var effects: [Machine.Effect] = []
    var reactions = [Reaction<Machine.State, Machine.Effect>?](repeating: nil, count: entries)
    for state in states {
      for event in events {
        let entry = stateNumbers[state] << columnBits | eventNumbers[event]
        precondition(reactions[entry] == nil, "allCases must list every case once, and lists one twice.")
        let reaction = Machine.reaction(in: state, to: event)
        reactions[entry] = reaction
        if let target = reaction.target, !listed.contains(target) {
          fatalError(
            "State.allCases must list every case; \(event.rawValue) in \(state.rawValue) goes to \(target.rawValue), "
              + "which is not among them.")
        }
        let kind: Step.Kind =
          switch reaction {
          case .go: .external
          case .stay: .internal
          case .ignore: .ignored
          }
        precondition(reaction.effects.count <= UInt16.max, "A pair has at most 65,535 effects.")
        steps[entry] = Step(
          next: reaction.target ?? state, kind: kind, effectCount: UInt16(reaction.effects.count),
          firstEffect: UInt32(effects.count))
        effects += reaction.effects
      }
    }
    self.steps = steps
    self.effects = effects
    self.reactions = reactions
    var deadlines = [Deadline<Machine.Event>?](repeating: nil, count: stateNumbers.bound)
    for state in states { deadlines[stateNumbers[state]] = Machine.deadline(in: state) }
    self.deadlines = deadlines.allSatisfy { $0 == nil } ? [] : deadlines
    for state in states {
      guard let event = deadline(in: state)?.event else { continue }
      guard events.contains(event) else {
        fatalError(
          "Event.allCases must list every case; the deadline in \(state.rawValue) gives \(event.rawValue), which is not "
            + "among them.")
      }
      let kind = step(from: state, on: event).kind
      precondition(kind == .external, "A deadline's event must go to a state, if only to the same one.")
    }
  }

  /// What the machine does with `event` in `state`, as its function said it.
  public subscript(state state: Machine.State, event event: Machine.Event) -> Reaction<Machine.State, Machine.Effect> {
    guard let reaction = reactions[entry(of: state, event)] else {
      preconditionFailure("allCases must list every case; the state or the event is not among them.")
    }
    return reaction
  }

  /// Every pair, state by state and event by event, in the order of their declaration.
  public var rows: [Row] {
    states.flatMap { state in events.map { row(state, $0) } }
  }

  func row(_ state: Machine.State, _ event: Machine.Event) -> Row {
    Row(state: state, event: event, reaction: self[state: state, event: event])
  }

  /// What the machine does with `event` in `state`, as a plain value that costs one read.
  @inlinable
  package func step(from state: Machine.State, on event: Machine.Event) -> Step {
    let step = steps[entry(of: state, event)]
    precondition(!step.isMissing, "allCases must list every case; the state or the event is not among them.")
    return step
  }

  /// Puts `state` into the state after `event`, and returns what else the machine does with it.
  ///
  /// The same as ``step(from:on:)`` and an assignment, but the variable is accessed once: in a loop over events, the
  /// compiler keeps even an object's property in a register.
  @inlinable
  @discardableResult
  public func advance(_ state: inout Machine.State, on event: Machine.Event) -> Step {
    let step = step(from: state, on: event)
    state = step.next
    return step
  }

  /// What a step does once, in order.
  @inlinable
  public func effects(of step: Step) -> ArraySlice<Machine.Effect> { effects[step.effects] }

  @inlinable
  func entry(of state: Machine.State, _ event: Machine.Event) -> Int {
    let column = eventNumbers[event]
    precondition(column &>> columnBits == 0, "allCases must list every case; the event is not among them.")
    return stateNumbers[state] &<< columnBits | column
  }
}

extension TransitionTable {
  /// One entry of the table.
  @frozen
  public struct Step: Sendable {
    /// How a pair is answered.
    @frozen
    public enum Kind: Sendable {
      /// An external transition: the state is left and ``Step/next`` is entered.
      case external
      /// An internal transition: effects only.
      case `internal`
      /// Nothing happens.
      case ignored
    }

    /// The state after the event: the same one where nothing is entered.
    public let next: Machine.State
    /// How the pair is answered.
    public let kind: Kind
    // Eight bytes an entry, for states of one byte: an index is then a shift.
    @usableFromInline let effectCount: UInt16
    @usableFromInline let firstEffect: UInt32

    init(next: Machine.State, kind: Kind, effectCount: UInt16, firstEffect: UInt32) {
      self.next = next
      self.kind = kind
      self.effectCount = effectCount
      self.firstEffect = firstEffect
    }

    /// What stands where there is no pair.
    static func missing(_ state: Machine.State) -> Self {
      Step(next: state, kind: .ignored, effectCount: 0, firstEffect: .max)
    }

    @inlinable
    var isMissing: Bool { firstEffect == .max }

    /// Where this pair's effects lie in ``TransitionTable/effects``.
    @inlinable
    package var effects: Range<Int> {
      Range(uncheckedBounds: (Int(firstEffect), Int(firstEffect) &+ Int(effectCount)))
    }
  }

  /// One row of the table: a state, an event, and the reaction to it.
  public struct Row: Hashable, Sendable {
    /// The state in which the event happens.
    public let state: Machine.State
    /// The event.
    public let event: Machine.Event
    /// What the machine does.
    package let reaction: Reaction<Machine.State, Machine.Effect>

    /// The state that is entered; `nil` where none is.
    public var target: Machine.State? { reaction.target }
    /// What happens once; empty where the event is ignored.
    public var effects: [Machine.Effect] { reaction.effects }
    /// Why the event is ignored; `nil` where it is not.
    public var reason: String? { reaction.reason }
  }
}

/// A number for each case, from 0 up.
///
/// An enumeration of up to 256 cases without payloads is one byte that tells its cases apart, so the byte is the number:
/// the compiler knows this, and a table indexed by it is read without a branch. The cases of any other type are looked up.
@frozen
@usableFromInline
struct CaseNumbers<Case: Hashable & Sendable>: Sendable {
  /// More than every number.
  @usableFromInline let bound: Int
  @usableFromInline let numbers: [Case: Int]

  @inlinable
  static var isByte: Bool { MemoryLayout<Case>.size == 1 }

  init(_ cases: [Case]) {
    if Self.isByte {
      bound = (cases.map(Self.byte).max() ?? -1) + 1
      numbers = [:]
    } else {
      bound = cases.count
      var numbers: [Case: Int] = [:]
      for (number, element) in cases.enumerated() where numbers.updateValue(number, forKey: element) != nil {
        preconditionFailure("allCases must list every case once, and lists one twice.")
      }
      self.numbers = numbers
    }
  }

  @inlinable
  subscript(element: Case) -> Int {
    if Self.isByte { return Self.byte(element) }
    guard let number = numbers[element] else {
      preconditionFailure("allCases must list every case; the state or the event is not among them.")
    }
    return number
  }

  @inlinable
  static func byte(_ element: Case) -> Int {
    withUnsafeBytes(of: element) { Int($0[0]) }
  }
}
