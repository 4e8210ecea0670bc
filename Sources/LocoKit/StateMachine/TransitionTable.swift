/// A machine's function, called once for every pair and kept as a flat array: what a program runs.
///
/// ```swift
/// let table = TransitionTable<Turnstile>()
/// table[state: .locked, event: .coin]          // .go(.unlocked, [])
/// var state = Turnstile.initialState
/// let step = table.step(from: state, on: .coin)
/// state = step.next
/// for index in step.effects { perform(table.effects[index]) }
/// ```
///
/// Making one calls the function once a pair. A ``step(from:on:)`` then reads one entry: it does not branch on the
/// pair, allocates nothing and counts no references. Keep one table for all instances of a machine.
public struct TransitionTable<Machine: StateMachine>: Sendable {
  /// The machine's states, in the order of their declaration.
  public let states: [Machine.State]
  /// The machine's events, in the order of their declaration.
  public let events: [Machine.Event]
  /// The effects of all pairs, laid end to end; ``Step/effects`` are positions in it.
  public let effects: [Machine.Effect]

  @usableFromInline let steps: [Step]
  @usableFromInline let statePositions: CasePositions<Machine.State>
  @usableFromInline let eventPositions: CasePositions<Machine.Event>
  @usableFromInline let eventCount: Int
  private let reactions: [Reaction<Machine.State, Machine.Effect>]

  /// Calls the machine's function once for every pair of a state and an event.
  ///
  /// - Complexity: O(states × events), in time and in memory.
  public init() {
    states = Array(Machine.State.allCases)
    events = Array(Machine.Event.allCases)
    statePositions = CasePositions(states)
    eventPositions = CasePositions(events)
    eventCount = events.count
    var steps: [Step] = []
    var effects: [Machine.Effect] = []
    var reactions: [Reaction<Machine.State, Machine.Effect>] = []
    for state in states {
      for event in events {
        let reaction = Machine.reaction(in: state, to: event)
        let first = UInt32(effects.count)
        effects += reaction.effects
        let end = UInt32(effects.count)
        switch reaction {
        case .go(let target, _):
          steps.append(Step(kind: .external, next: target, firstEffect: first, endOfEffects: end))
        case .stay: steps.append(Step(kind: .internal, next: state, firstEffect: first, endOfEffects: end))
        case .ignore: steps.append(Step(kind: .ignored, next: state, firstEffect: first, endOfEffects: end))
        }
        reactions.append(reaction)
      }
    }
    self.steps = steps
    self.effects = effects
    self.reactions = reactions
  }

  /// What the machine does with `event` in `state`, as its function said it.
  public subscript(state state: Machine.State, event event: Machine.Event) -> Reaction<Machine.State, Machine.Effect> {
    reactions[position(of: state, event)]
  }

  /// Every pair, state by state and event by event, in the order of their declaration.
  public var rows: [Row] {
    states.flatMap { state in
      events.map { event in Row(state: state, event: event, reaction: self[state: state, event: event]) }
    }
  }

  /// What the machine does with `event` in `state`, as a plain value that costs one read.
  @inlinable
  public func step(from state: Machine.State, on event: Machine.Event) -> Step {
    steps[position(of: state, event)]
  }

  @inlinable
  func position(of state: Machine.State, _ event: Machine.Event) -> Int {
    statePositions[state] &* eventCount &+ eventPositions[event]
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

    /// How the pair is answered.
    public let kind: Kind
    /// The state after the event: the same one where nothing is entered.
    public let next: Machine.State
    @usableFromInline let firstEffect: UInt32
    @usableFromInline let endOfEffects: UInt32

    /// Where this pair's effects lie in ``TransitionTable/effects``.
    @inlinable
    public var effects: Range<Int> {
      Range(uncheckedBounds: (Int(firstEffect), Int(endOfEffects)))
    }
  }

  /// One pair of the table, for those who read it: a state, an event, and what comes of them.
  public struct Row: Hashable, Sendable {
    /// The state in which the event happens.
    public let state: Machine.State
    /// The event.
    public let event: Machine.Event
    /// What the machine does.
    public let reaction: Reaction<Machine.State, Machine.Effect>

    /// The state that is entered; `nil` where none is.
    public var target: Machine.State? { reaction.target }
    /// What happens once; empty where the event is ignored.
    public var effects: [Machine.Effect] { reaction.effects }
    /// Why the event is ignored; `nil` where it is not.
    public var reason: String? { reaction.reason }
  }
}

/// Where each case stands among all cases.
///
/// An enumeration of up to 256 cases without payloads is one byte that counts its cases, so the byte is the position.
/// That is checked over all cases here; any other type is looked up.
@frozen
@usableFromInline
struct CasePositions<Case: Hashable & Sendable>: Sendable {
  @usableFromInline let byteIsPosition: Bool
  @usableFromInline let positions: [Case: Int]

  init(_ cases: [Case]) {
    byteIsPosition =
      MemoryLayout<Case>.size == 1
      && cases.indices.allSatisfy { index in withUnsafeBytes(of: cases[index]) { Int($0[0]) == index } }
    var positions: [Case: Int] = [:]
    if !byteIsPosition {
      for (index, element) in cases.enumerated() where positions.updateValue(index, forKey: element) != nil {
        preconditionFailure("allCases must list every case once; the case at position \(index) stands there before.")
      }
    }
    self.positions = positions
  }

  @inlinable
  subscript(element: Case) -> Int {
    if byteIsPosition {
      return withUnsafeBytes(of: element) { Int($0[0]) }
    }
    guard let position = positions[element] else {
      preconditionFailure("allCases must list every case; the state or event given is not among them.")
    }
    return position
  }
}
