import LocoMachine

/// A payment by card: the bank holds an amount and transfers it when the goods are delivered.
///
/// The amounts are in the inputs, not in the table. A request and its repetition carry the same number, so the bank holds the amount once,
/// however often it answers.
enum Payment: StateMachine {
  enum State: String, CaseIterable {
    case open
    /// The bank was asked to hold the amount.
    case asking
    /// The customer or the checkout gave up before the bank's answer. The answer may still arrive.
    case abandoned
    /// The bank holds the amount.
    case held
    case paid
  }

  enum Event: String, CaseIterable { case charge, approved, refused, cancel, deliver, timeOver }

  enum Effect: String { case ask, askAgain, noteHold, release, transfer }

  enum Input: Hashable {
    case charge(cents: Int), approved(cents: Int)
    case refused, cancel, deliver, timeOver
  }

  static let initialState = State.open

  static func event(of input: Input) -> Event {
    switch input {
    case .charge: .charge
    case .approved: .approved
    case .refused: .refused
    case .cancel: .cancel
    case .deliver: .deliver
    case .timeOver: .timeOver
    }
  }

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.open, .charge), (.paid, .charge): .go(.asking, [.ask])
    case (.asking, .charge), (.abandoned, .charge): .ignore("The bank hasn't answered yet.")
    case (.held, .charge): .ignore("An amount is held already.")

    case (.asking, .approved): .go(.held, [.noteHold])
    // A late approval holds money that is no longer needed.
    case (.abandoned, .approved): .go(.open, [.noteHold, .release])
    case (.asking, .refused), (.abandoned, .refused): .go(.open, [])
    case (.open, .approved), (.held, .approved), (.paid, .approved): .ignore("No answer of the bank is awaited.")
    case (.open, .refused), (.held, .refused), (.paid, .refused): .ignore("No answer of the bank is awaited.")

    case (.asking, .cancel): .go(.abandoned, [])
    case (.held, .cancel): .go(.open, [.release])
    case (.open, .cancel), (.abandoned, .cancel): .ignore("Nothing is being paid.")
    case (.paid, .cancel): .ignore("The goods were delivered.")

    case (.held, .deliver): .go(.paid, [.transfer])
    case (.open, .deliver), (.asking, .deliver), (.abandoned, .deliver): .ignore("No amount is held.")
    case (.paid, .deliver): .ignore("The goods were delivered already.")

    case (.asking, .timeOver): .go(.abandoned, [])
    case (.abandoned, .timeOver): .go(.abandoned, [.askAgain])
    case (.held, .timeOver): .go(.open, [.release])
    case (.open, .timeOver), (.paid, .timeOver): .ignore("The state has no deadline.")
    }
  }

  static func deadline(in state: State) -> Deadline<Self>? {
    switch state {
    case .asking: .after(.seconds(30), .timeOver, setting: "patience")
    case .abandoned: .after(.seconds(60), .timeOver)
    case .held: .after(.seconds(7 * 86_400), .timeOver)
    case .open, .paid: nil
    }
  }
}
