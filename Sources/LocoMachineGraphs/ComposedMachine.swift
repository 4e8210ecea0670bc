#if !hasFeature(Embedded)
  public import LocoMachine

  /// Two machines that send each other events, combined into one machine to explore and to draw; see ``MachineExchange``.
  ///
  /// A state contains a state of each machine, and an event is an event of one machine. When an effect sends an event, the other machine
  /// handles it. The machines behave as two `MachineRunner`s whose effects call `send`: the receiver handles the event immediately, or
  /// after its current event. An exchange leads to ``State/mistake`` if one machine sends the other an event that the other's table
  /// excludes, or if the machines answer each other without end.
  ///
  /// Deadlines aren't combined: the event of a deadline may occur at any time. The table has a row for each event in each combination of
  /// states, and in ``State/mistake``. Computing a row takes an exchange, and for ``MachineExchange/isExternal(_:)`` up to one reaction for each
  /// state and event of the other machine.
  public enum ComposedMachine<Exchange: MachineExchange>: StateMachine {
    /// A state of each machine.
    public enum State: Hashable, Sendable {
      /// The states of both machines.
      case both(Exchange.First.State, Exchange.Second.State)
      /// One machine sent the other an event that the other's table excludes, or the exchange was endless.
      case mistake

      /// The initial states of both machines.
      static var initial: State { .both(Exchange.First.initialState, Exchange.Second.initialState) }
    }

    /// An event of one machine.
    public enum Event: Hashable, Sendable {
      /// An event of the first machine.
      case first(Exchange.First.Event)
      /// An event of the second machine.
      case second(Exchange.Second.Event)
    }

    /// The initial states of both machines.
    public static var initialState: State { .initial }

    /// Returns the result of the exchange that an event causes. An effect has the number of its machine, such as `1.refund`.
    public static func reaction(in state: State, to event: Event) -> Reaction<State, String> {
      guard case .both(let first, let second) = state else { return .never("The machines have stopped at a mistake.") }
      guard Exchange.isExternal(event) else { return .never("Only the other machine sends it.") }
      let reason: Reaction<State, String>? =
        switch event {
        case .first(let event): unhandled(Exchange.First.reaction(in: first, to: event))
        case .second(let event): unhandled(Exchange.Second.reaction(in: second, to: event))
        }
      if let reason { return reason }
      var turn = Turn<Exchange>(first: first, second: second)
      switch event {
      case .first(let event): turn.sendToFirst(event)
      case .second(let event): turn.sendToSecond(event)
      }
      if turn.isMistaken { return .go(.mistake, Array(turn.effects.prefix(Turn<Exchange>.maximumEffects))) }
      return turn.isExternal ? .go(.both(turn.first, turn.second), turn.effects) : .stay(turn.effects)
    }

    /// Returns the reaction to an event that one machine ignores, or that can't occur in its state; `nil` for other events.
    private static func unhandled<OneState, OneEffect>(
      _ reaction: Reaction<OneState, OneEffect>
    ) -> Reaction<State, String>? {
      switch reaction {
      case .ignore(let reason): .ignore(reason)
      case .never(let reason): .never(reason)
      case .go, .stay: nil
      }
    }
  }

  extension ComposedMachine.State: RawRepresentable, CaseIterable {
    /// All combinations of states, and the mistake.
    public static var allCases: [Self] {
      Exchange.First.State.allCases.flatMap { first in Exchange.Second.State.allCases.map { .both(first, $0) } }
        + [.mistake]
    }

    /// The names of both states, such as `locked + dark`, or `mistake`. A name that contains a plus sign or a quotation mark is quoted.
    public var rawValue: String {
      switch self {
      case .both(let first, let second): first.rawValue.quotedForSum + " + " + second.rawValue.quotedForSum
      case .mistake: "mistake"
      }
    }

    // Without these functions, states would be compared by their texts, as other raw values are.

    /// Returns whether both machines are in the same states.
    public static func == (first: Self, second: Self) -> Bool {
      switch (first, second) {
      case (.both(let one, let two), .both(let three, let four)): one == three && two == four
      case (.mistake, .mistake): true
      case (.both, .mistake), (.mistake, .both): false
      }
    }

    /// Hashes the states.
    public func hash(into hasher: inout Hasher) {
      if case .both(let first, let second) = self {
        hasher.combine(first)
        hasher.combine(second)
      }
    }

    /// Creates a state from its ``rawValue``; `nil` for another text.
    public init?(rawValue: String) {
      guard let state = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
      self = state
    }
  }

  extension ComposedMachine.Event: RawRepresentable, CaseIterable {
    /// The first machine's events, and then the second one's.
    public static var allCases: [Self] {
      Exchange.First.Event.allCases.map(Self.first) + Exchange.Second.Event.allCases.map(Self.second)
    }

    /// The number of the machine and the name of the event, such as `1.coin`.
    public var rawValue: String {
      switch self {
      case .first(let event): "1." + event.rawValue
      case .second(let event): "2." + event.rawValue
      }
    }

    /// Creates an event from its ``rawValue``; `nil` for another text.
    public init?(rawValue: String) {
      guard let event = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
      self = event
    }
  }

  extension String {
    fileprivate var quotedForSum: String {
      guard contains("+") || contains("\"") else { return self }
      return "\"" + replacingScalars { $0 == "\"" ? "\"\"" : nil } + "\""
    }
  }

  /// An exchange of events between two machines, until no event waits.
  private struct Turn<Exchange: MachineExchange> {
    var first: Exchange.First.State
    var second: Exchange.Second.State
    private(set) var effects: [String] = []
    /// Whether a machine has made an external transition.
    private(set) var isExternal = false
    private(set) var isMistaken = false
    private var waitingForFirst: [Exchange.First.Event] = []
    private var waitingForSecond: [Exchange.Second.Event] = []
    private var isFirstBusy = false
    private var isSecondBusy = false
    private var count = 0

    /// The maximum number of events in an exchange: a thousand more than there are combinations of states and events. An exchange with more
    /// counts as endless.
    private let most: Int
    /// The maximum number of effects in a row of a table. An exchange with more counts as endless.
    static var maximumEffects: Int { Int(UInt16.max) }

    init(first: Exchange.First.State, second: Exchange.Second.State) {
      (self.first, self.second) = (first, second)
      let states = Exchange.First.State.allCases.count * Exchange.Second.State.allCases.count
      most = 1_000 + states * (Exchange.First.Event.allCases.count + Exchange.Second.Event.allCases.count)
    }

    mutating func sendToFirst(_ event: Exchange.First.Event) {
      waitingForFirst.append(event)
      guard !isFirstBusy else { return }
      isFirstBusy = true
      while !waitingForFirst.isEmpty, !isMistaken {
        let reaction = Exchange.First.reaction(in: first, to: waitingForFirst.removeFirst())
        note(reaction.target, isExcluded: reaction.isExcluded)
        if let target = reaction.target { first = target }
        for effect in reaction.effects where !isMistaken {
          note("1." + Exchange.First.name(ofEffect: effect))
          if !isMistaken, let event = Exchange.eventForSecond(from: effect) { sendToSecond(event) }
        }
      }
      isFirstBusy = false
    }

    mutating func sendToSecond(_ event: Exchange.Second.Event) {
      waitingForSecond.append(event)
      guard !isSecondBusy else { return }
      isSecondBusy = true
      while !waitingForSecond.isEmpty, !isMistaken {
        let reaction = Exchange.Second.reaction(in: second, to: waitingForSecond.removeFirst())
        note(reaction.target, isExcluded: reaction.isExcluded)
        if let target = reaction.target { second = target }
        for effect in reaction.effects where !isMistaken {
          note("2." + Exchange.Second.name(ofEffect: effect))
          if !isMistaken, let event = Exchange.eventForFirst(from: effect) { sendToFirst(event) }
        }
      }
      isSecondBusy = false
    }

    private mutating func note(_ effect: String) {
      effects.append(effect)
      if effects.count > Self.maximumEffects { isMistaken = true }
    }

    private mutating func note<State>(_ target: State?, isExcluded: Bool) {
      count += 1
      if isExcluded || count > most { isMistaken = true }
      if target != nil { isExternal = true }
    }
  }

  extension Reaction {
    fileprivate var isExcluded: Bool { if case .never = self { true } else { false } }
  }
#endif
