import LocoMachine

/// An order in a shop, with two final states, an unreachable state, a transition with several effects, and parallel edges.
enum Order: StateMachine {
  enum State: String, CaseIterable { case cart, paid, shipped, cancelled, lost }
  enum Event: String, CaseIterable { case pay, ship, cancel, timeout }
  enum Effect: String { case charge, sendReceipt, refund }
  static let initialState = State.cart

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.cart, .pay): .go(.paid, [.charge, .sendReceipt])
    case (.cart, .cancel), (.cart, .timeout): .go(.cancelled, [])
    case (.cart, .ship): .ignore("Nothing has been paid yet.")
    case (.paid, .ship): .go(.shipped, [])
    case (.paid, .cancel): .go(.cancelled, [.refund])
    case (.paid, .pay), (.paid, .timeout): .ignore("The order is already paid.")
    case (.shipped, _): .ignore("The parcel is on its way.")
    case (.cancelled, _): .ignore("The order is cancelled.")
    case (.lost, .cancel): .go(.cancelled, [.refund])
    case (.lost, _): .ignore("The parcel is lost.")
    }
  }
}

/// A machine whose transitions a test sets in `targets[state][event]`. An event with the entry `nil` is ignored, or can't occur if
/// `excluded` contains `3 * state + event`. A state whose event `x` is a transition has a deadline of `seconds[state]` for it.
enum Chosen: StateMachine {
  enum State: String, CaseIterable { case a, b, c, d }
  enum Event: String, CaseIterable { case x, y, z }
  enum Effect: String { case none }
  static let initialState = State.a
  @TaskLocal static var targets: [[Int?]] = []
  @TaskLocal static var excluded: Set<Int> = []
  @TaskLocal static var seconds: [Int?] = [nil, nil, nil, nil]

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    let (row, column) = (State.allCases.firstIndex(of: state) ?? 0, Event.allCases.firstIndex(of: event) ?? 0)
    guard let target = targets[row][column] else {
      return excluded.contains(3 * row + column) ? .never("Excluded.") : .ignore("Not chosen.")
    }
    return .go(State.allCases[target], [])
  }

  static func deadline(in state: State) -> Deadline<Self>? {
    let row = State.allCases.firstIndex(of: state) ?? 0
    guard targets[row][0] != nil, let time = seconds[row] else { return nil }
    return .after(.seconds(time), .x)
  }
}

/// A machine whose states are larger than a byte, so a table looks up their numbers in a dictionary. `allCases` is in reverse order, so
/// that the order of the numbers isn't that of the floors.
enum Lift: StateMachine {
  struct State: RawRepresentable, CaseIterable, Hashable, Sendable {
    let floor: Int
    var rawValue: String { "floor \(floor)" }
    init(floor: Int) { self.floor = floor }
    init?(rawValue: String) {
      guard let state = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
      self = state
    }
    static let allCases = [2, 1, 0].map(State.init(floor:))
  }
  enum Event: String, CaseIterable { case up, down }
  enum Effect: String { case ring }
  static let initialState = State(floor: 0)

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    let floor = event == .up ? state.floor + 1 : state.floor - 1
    return (0...2).contains(floor) ? .go(State(floor: floor), [.ring]) : .ignore("The shaft ends here.")
  }

  /// An idle lift returns to the ground floor, one floor at a time.
  static func deadline(in state: State) -> Deadline<Self>? {
    switch state.floor {
    case 2: .after(.seconds(10), .down)
    case 1: .after(.seconds(15), .down)
    default: nil
    }
  }
}
