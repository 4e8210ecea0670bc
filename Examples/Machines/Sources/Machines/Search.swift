import LocoMachine

/// A search that begins when the user has stopped typing for 300 ms.
enum SearchMachine: StateMachine {
  enum State: String, CaseIterable { case empty, typing, searching, showing, failed }
  enum Event: String, CaseIterable { case type, clear, timeOver, found, broke }
  enum Input { case type(String), clear, timeOver, found([String]), broke }
  enum Effect: String { case note, show, forget, wipe }
  enum Activity: String { case query }
  static let initialState = State.empty

  static func event(of input: Input) -> Event {
    switch input {
    case .type: .type
    case .clear: .clear
    case .timeOver: .timeOver
    case .found: .found
    case .broke: .broke
    }
  }

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (_, .type): .go(.typing, [.note])
    case (.empty, .clear): .ignore("The field is empty.")
    case (_, .clear): .go(.empty, [.wipe])
    case (.typing, .timeOver): .go(.searching, [])
    case (.searching, .found): .go(.showing, [.show])
    case (.searching, .broke): .go(.failed, [.forget])
    case (_, .timeOver): .never("Only typing counts the time.")
    case (_, .found), (_, .broke): .never("Only a query is answered.")
    }
  }

  static func deadline(in state: State) -> Deadline<Self>? {
    state == .typing ? .after(.milliseconds(300), .timeOver) : nil
  }

  static func activities(in state: State) -> [Activity] { state == .searching ? [.query] : [] }
}

/// A search field. A key during a query cancels the query, so a late answer to an old text is never shown.
@MainActor
final class SearchField {
  private(set) var text = ""
  private(set) var results: [String] = []
  private let clock: any Clock<Duration>
  private let index: @Sendable (String) async throws -> [String]

  private lazy var runner = MachineRunner<SearchMachine>(owner: self, clock: clock) { me, effect, input in
    switch (effect, input) {
    case (.note, .type(let text)): me.text = text
    case (.show, .found(let results)): me.results = results
    case (.forget, _): me.results = []
    case (.wipe, _): (me.text, me.results) = ("", [])
    case (.note, _), (.show, _): break
    }
  } activities: { me, _ in
    .task { [text = me.text, index = me.index] _ in
      guard let results = try? await index(text) else { return .broke }
      return .found(results)
    }
  }

  init(clock: any Clock<Duration> = ContinuousClock(), index: @escaping @Sendable (String) async throws -> [String]) {
    (self.clock, self.index) = (clock, index)
  }

  var state: SearchMachine.State { runner.state }
  func type(_ text: String) { runner.send(text.isEmpty ? .clear : .type(text)) }
  func answered() async throws { try await runner.state { $0 != .typing && $0 != .searching } }
}
