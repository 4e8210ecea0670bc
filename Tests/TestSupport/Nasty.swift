#if canImport(LocoMachine)
  import LocoMachine
#endif

/// A machine whose names contain special characters of the diagrams' formats, with a state that has no transitions.
enum Nasty: StateMachine {
  enum State: String, CaseIterable {
    case end
    case quoted = "a \"quoted\" state"
    case punctuated = "semi;colon: and, comma"
    case umlaut = "Zürich|pipe"
    case lonely
  }
  enum Event: String, CaseIterable {
    case state
    case arrow = "a --> b"
    case line = "two\nlines"
  }
  enum Effect: Hashable, Sendable, CustomStringConvertible {
    case say(String)
    var description: String {
      switch self {
      case .say(let text): text
      }
    }
  }
  static let initialState = State.end

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.end, .state): .go(.quoted, [.say("<b>&\"x\"")])
    case (.end, .arrow): .go(.quoted, [])
    case (.quoted, .line): .go(.punctuated, [])
    case (.punctuated, .state): .go(.punctuated, [.say("again;")])
    case (.punctuated, .arrow): .go(.umlaut, [])
    case (.umlaut, .line): .stay([.say("#hash"), .say("{brace}")])
    case (.lonely, _): .never("No \"path\" leads <here>, -- or does it?")
    default: .ignore("Says \"no\", and, well; that is \\ all.")
    }
  }
}

/// A machine whose states have names that are words of JavaScript, Mermaid or Markdown, or no words. From each state, it goes to the next
/// one, and stops at the last.
enum Words: StateMachine {
  enum State: String, CaseIterable {
    case root
    case `default`
    case constructor, toString, valueOf, hasOwnProperty, isPrototypeOf, accTitle, statediagram
    case empty = ""
    case dunder = "__init__"
    case emphasis = "_a_"
    case star = "*x*"
    case formula = "$$x$$"
    case strike = "~~x~~"
    case link = "[x](https://example.org)"
    case fork = "a[[fork]]"
    case turned = "my Direction tb now"
    case sentence = "This state has a sentence: it waits, and then it goes on."
    case end
  }
  enum Event: String, CaseIterable {
    case next = "direction LR"
    case back = "__proto__"
  }
  static let initialState = State.root

  static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
    let states = State.allCases
    guard state != .end, let index = states.firstIndex(of: state) else { return .never("The machine has ended.") }
    return switch event {
    case .next: .go(states[index + 1], [])
    case .back: index == 0 ? .ignore("There is no state before it.") : .go(states[index - 1], [])
    }
  }
}

/// A machine in which nothing happens.
enum Still: StateMachine {
  enum State: String, CaseIterable { case still }
  enum Event: String, CaseIterable { case never }
  static let initialState = State.still

  static func reaction(in state: State, to event: Event) -> Reaction<State, Never> { .never("Nothing happens.") }
}

/// A machine whose names contain characters that XML or Graphviz can't represent, or that have a meaning in a format.
enum Unprintable: StateMachine {
  enum State: String, CaseIterable {
    case nul = "nul\u{0}"
    case escaped = "nul_x0000_"
    case plain = "nul"
    case last = "\u{FFFF}"
    case swapped = "\u{FFFE}end"
  }
  enum Event: String, CaseIterable {
    case bell = "\u{7}"
    case effect
    case error
    case done
    case feed = "line\rfeed"
    case path = "a//b"
    case escape = "\u{1B}[2J"
  }
  enum Effect: Hashable, Sendable, CustomStringConvertible {
    case ring
    var description: String { "ring\u{0}\u{FFFF}" }
  }
  static let initialState = State.nul

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.nul, .bell): .go(.last, [.ring])
    case (.nul, .escape), (.nul, .effect), (.nul, .error), (.nul, .done), (.nul, .path): .stay([.ring])
    case (.last, .escape): .go(.swapped, [])
    default: .ignore("Nothing\u{FFFE} --- at all-")
    }
  }
}

/// A machine with 40 states and 30 events, whose names are values of structures. Its pairs go, stay or ignore by a rule without a pattern
/// that a reader would see.
enum Large: StateMachine {
  struct State: RawRepresentable, CaseIterable, Hashable {
    let rawValue: String
    init?(rawValue: String) { if Self.names.contains(rawValue) { self.rawValue = rawValue } else { return nil } }
    private static let names = (0..<40).map { "state \($0)" }
    static let allCases = names.compactMap { State(rawValue: $0) }
  }
  struct Event: RawRepresentable, CaseIterable, Hashable {
    let rawValue: String
    init?(rawValue: String) { if Self.names.contains(rawValue) { self.rawValue = rawValue } else { return nil } }
    private static let names = (0..<30).map { "event \($0)" }
    static let allCases = names.compactMap { Event(rawValue: $0) }
  }
  static let initialState = State.allCases[0]

  static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
    guard let row = State.allCases.firstIndex(of: state), let column = Event.allCases.firstIndex(of: event) else {
      return .never("There is no such pair.")
    }
    return switch (row * 7 + column * 11) % 6 {
    case 0: .go(State.allCases[(row + column) % 40], [])
    case 1: .stay([])
    default: .ignore("The rule ignores event \(column) in state \(row).")
    }
  }
}
