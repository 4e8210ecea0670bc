import Foundation
import LocoMachine

/// The requests that a checkout sends to a bank.
@MainActor protocol Bank: AnyObject {
  /// Asks the bank to hold an amount. The answer arrives later, in ``Checkout/receive(_:cents:)``.
  func ask(cents: Int)
  /// Repeats a request that has no answer yet.
  func askAgain()
  func release(cents: Int)
  func transfer(cents: Int)
}

/// Runs a ``Payment`` on the main actor and provides a text for a view.
@MainActor final class Checkout {
  /// The state of a checkout, to save and restore.
  struct Saved: Codable {
    let payment: StateSnapshot<Payment>
    let heldCents: Int
  }

  private(set) var text = "Ready"
  private let register: Register
  private let payment: MachineRunner<Payment>

  init(bank: any Bank, restoring saved: Saved? = nil, clock: some Clock<Duration> = ContinuousClock()) {
    let register = Register(bank: bank, heldCents: saved?.heldCents ?? 0)
    self.register = register
    payment = MachineRunner(restoring: saved?.payment, clock: clock) { effect, input in
      register.perform(effect, of: input)
    }
    payment.listeners.add(self)
  }

  var state: Payment.State { payment.state }
  var heldCents: Int { register.heldCents }
  var timeUntilDeadline: Duration? { payment.timeUntilDeadline }
  var saved: Saved { Saved(payment: payment.snapshot, heldCents: heldCents) }

  func charge(cents: Int) { payment.send(.charge(cents: cents)) }
  func cancel() { payment.send(.cancel) }
  func deliver() { payment.send(.deliver) }

  /// Handles the bank's answer, in time or late.
  func receive(_ answer: Bool, cents: Int) { payment.send(answer ? .approved(cents: cents) : .refused) }
}

extension Checkout: @MainActor StateMachineListener {
  func machine(_ runner: MachineRunner<Payment>, didTransition transition: StateTransition<Payment>) {
    text =
      switch transition.to {
      case .open: transition.event == .refused ? "Refused" : "Ready"
      case .asking: "Please wait"
      case .abandoned: "Cancelled"
      case .held: "Approved: \(heldCents) cents"
      case .paid: "Paid"
      }
  }

  func machine(_ runner: MachineRunner<Payment>, didIgnore event: Payment.Event, because reason: String) {
    text = reason
  }
}

/// Performs the effects of a payment. Stores the amount that the bank holds, because later inputs don't contain it.
@MainActor private final class Register {
  private(set) var heldCents: Int
  private let bank: any Bank

  init(bank: any Bank, heldCents: Int) {
    self.bank = bank
    self.heldCents = heldCents
  }

  func perform(_ effect: Payment.Effect, of input: Payment.Input) {
    switch (effect, input) {
    case (.ask, .charge(let cents)): bank.ask(cents: cents)
    case (.noteHold, .approved(let cents)): heldCents = cents
    case (.askAgain, _): bank.askAgain()
    case (.release, _):
      bank.release(cents: heldCents)
      heldCents = 0
    case (.transfer, _):
      bank.transfer(cents: heldCents)
      heldCents = 0
    case (.ask, _), (.noteHold, _): break  // In the table, only the two inputs above have these effects.
    }
  }
}
