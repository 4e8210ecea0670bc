package import LocoMachine

/// A session that ends if it is idle for ten minutes.
package enum Session: StateMachine {
  package enum State: String, CaseIterable { case idle, busy, ended }
  package enum Event: String, CaseIterable, Sendable { case request, response, touch, timeOver }
  package static let initialState = State.idle

  package static func reaction(in state: State, to event: Event) -> Reaction<State, Never> {
    switch (state, event) {
    case (.idle, .request): .go(.busy, [])
    case (.idle, .response): .ignore("No request is running.")
    case (.idle, .touch), (.busy, .touch): .stay([])
    case (.busy, .request): .ignore("A request is running.")
    case (.busy, .response): .go(.idle, [])
    case (.idle, .timeOver), (.busy, .timeOver): .go(.ended, [])
    case (.ended, .request), (.ended, .response), (.ended, .touch): .ignore("The session has ended.")
    case (.ended, .timeOver): .never("An ended session has no deadline.")
    }
  }

  package static func deadline(in state: State) -> Deadline<Self>? {
    switch state {
    case .idle: .after(.seconds(600), .timeOver)
    case .busy: .after(.seconds(60), .timeOver)
    case .ended: nil
    }
  }
}

/// A runner of the main actor, whose timer a task keeps.
@MainActor
package final class Sessions {
  private let runner = MachineRunner<Session> { _, _ in }

  package init() { runner.send(.touch) }

  /// Sends events that stay in the state.
  package func touch(_ times: Int) {
    for _ in 0..<times { runner.send(.touch) }
  }

  /// Sends two events for each request. Each event sets another deadline.
  package func request(_ times: Int) {
    for _ in 0..<times {
      runner.send(.request)
      runner.send(.response)
    }
  }

  package var isIdle: Bool { runner.state == .idle }
}
