import LocoMachine

/// Pairs with a Bluetooth device: finds it, connects to it in up to three attempts, and verifies it.
enum Pairing: StateMachine {
  enum State: String, CaseIterable {
    case idle, scanning, connecting1, connecting2, connecting3, verifying, paired, failed
  }
  enum Event: String, CaseIterable { case pair, cancel, found, connected, verified, lost, timeOver }
  enum Input { case pair, cancel, found(device: String), connected, verified, lost, timeOver }
  enum Effect: String { case keepDevice }
  enum Activity: String {
    // Each attempt has its own activity. If two states shared an activity, it would continue from one state to the next.
    case scan, connect1, connect2, connect3, verify
  }
  static let initialState = State.idle

  static func event(of input: Input) -> Event {
    switch input {
    case .pair: .pair
    case .cancel: .cancel
    case .found: .found
    case .connected: .connected
    case .verified: .verified
    case .lost: .lost
    case .timeOver: .timeOver
    }
  }

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.idle, .pair), (.failed, .pair): .go(.scanning, [])
    case (.paired, .pair): .ignore("The device is paired.")
    case (_, .pair): .ignore("It is pairing already.")
    case (.idle, .cancel), (.failed, .cancel), (.paired, .cancel): .ignore("It isn't pairing.")
    case (_, .cancel): .go(.idle, [])
    case (.scanning, .found): .go(.connecting1, [.keepDevice])
    case (.connecting1, .connected), (.connecting2, .connected), (.connecting3, .connected): .go(.verifying, [])
    case (.connecting1, .lost), (.connecting1, .timeOver): .go(.connecting2, [])
    case (.connecting2, .lost), (.connecting2, .timeOver): .go(.connecting3, [])
    case (.verifying, .verified): .go(.paired, [])
    case (.idle, _), (.paired, _), (.failed, _): .never("No activity and no deadline sends it.")
    case (_, .lost), (_, .timeOver): .go(.failed, [])
    case (_, .found), (_, .connected), (_, .verified): .never("Another state's activity sends it.")
    }
  }

  static func activities(in state: State) -> [Activity] {
    switch state {
    case .scanning: [.scan]
    case .connecting1: [.connect1]
    case .connecting2: [.connect2]
    case .connecting3: [.connect3]
    case .verifying: [.verify]
    case .idle, .paired, .failed: []
    }
  }

  static func deadline(in state: State) -> Deadline<Self>? {
    activities(in: state).isEmpty ? nil : .after(.seconds(state == .scanning ? 30 : 10), .timeOver)
  }
}
