import Foundation
import LocoMachine
import LocoMachineGraphs
import LocoMachineTesting
import Testing

@testable import Machines

/// A bank whose answers a test controls.
@MainActor final class TestBank: Bank {
  /// The amounts of the requests without an answer, in cents.
  private(set) var requests: [Int] = []
  private(set) var heldCents = 0
  private(set) var transferredCents = 0
  private(set) var repetitions = 0

  func ask(cents: Int) { requests.append(cents) }
  func askAgain() { repetitions += 1 }
  func release(cents: Int) { heldCents -= cents }
  func transfer(cents: Int) {
    heldCents -= cents
    transferredCents += cents
  }

  /// Answers the oldest request. Returns its amount, or `nil` if there is no request.
  func answer(_ isApproved: Bool) -> Int? {
    guard !requests.isEmpty else { return nil }
    let cents = requests.removeFirst()
    if isApproved { heldCents += cents }
    return cents
  }
}

@Suite("A checkout")
@MainActor struct CheckoutTests {
  let clock = ManualClock()
  let bank = TestBank()

  @Test("A partial approval charges only the approved amount")
  func part() throws {
    let checkout = Checkout(bank: bank, clock: clock)
    checkout.charge(cents: 500)
    #expect(checkout.text == "Please wait" && bank.requests == [500])
    _ = bank.answer(true)
    checkout.receive(true, cents: 300)
    #expect(checkout.text == "Approved: 300 cents")
    checkout.charge(cents: 1)
    #expect(checkout.text == "An amount is held already.")
    checkout.deliver()
    #expect(checkout.text == "Paid" && bank.transferredCents == 300)
  }

  @Test("A request times out after 30 s and is repeated every minute, and a late approval is released")
  func late() {
    let checkout = Checkout(bank: bank, clock: clock)
    checkout.charge(cents: 500)
    clock.advance(by: .seconds(30))
    #expect(checkout.state == .abandoned && checkout.text == "Cancelled")
    clock.advance(by: .seconds(150))
    #expect(bank.repetitions == 2 && checkout.timeUntilDeadline == .seconds(30))
    checkout.receive(true, cents: bank.answer(true) ?? 0)
    #expect(checkout.state == .open && bank.heldCents == 0 && checkout.timeUntilDeadline == nil)
  }

  /// A restart after some time, with the expected state, deadline and held amount.
  struct Restart {
    let away: Duration
    var clockSetBy = Duration.zero
    let state: Payment.State
    let timeUntilDeadline: Duration?
    let heldCents: Int
  }

  @Test(
    "A checkout restored from JSON continues, even after a change of the wall clock",
    arguments: [
      Restart(away: .seconds(3_600), state: .held, timeUntilDeadline: .seconds(604_800 - 7_200), heldCents: 500),
      Restart(away: .seconds(604_800), state: .open, timeUntilDeadline: nil, heldCents: 0),
      // The elapsed time is unknown, so the deadline starts at the restart.
      Restart(
        away: .seconds(3_600), clockSetBy: .seconds(-86_400), state: .held, timeUntilDeadline: .seconds(604_800),
        heldCents: 500),
      Restart(away: .seconds(3_600), clockSetBy: .seconds(604_800), state: .open, timeUntilDeadline: nil, heldCents: 0),
    ])
  func restart(_ restart: Restart) throws {
    let data = try {
      let checkout = Checkout(bank: bank, clock: clock)
      checkout.charge(cents: 500)
      checkout.receive(true, cents: bank.answer(true) ?? 0)
      clock.advance(by: .seconds(3_600))
      return try JSONEncoder().encode(checkout.saved)
    }()
    clock.advance(by: restart.away)
    clock.adjustDate(by: restart.clockSetBy)
    let saved = try JSONDecoder().decode(Checkout.Saved.self, from: data)
    let checkout = Checkout(bank: bank, restoring: saved, clock: clock)
    clock.advance(by: .zero)
    #expect(checkout.state == restart.state && bank.heldCents == restart.heldCents)
    // JSON may round the time of the snapshot.
    let difference = checkout.timeUntilDeadline.map { $0 - (restart.timeUntilDeadline ?? .zero) }
    #expect(
      difference.map { (.microseconds(-1) ... .microseconds(1)).contains($0) } ?? (restart.timeUntilDeadline == nil))
    #expect(checkout.heldCents == restart.heldCents)
  }
}

@Suite("The payment's graph")
@MainActor struct PaymentGraphTests {
  typealias Walk = [Payment.Event]
  let graph = StateGraph<Payment>()

  @Test("Conditions on all paths hold, or have the expected counterexample")
  func questions() {
    // Always: the machine reaches only these states.
    #expect(graph.counterexample(toAlways: { [.open, .asking, .abandoned, .held, .paid].contains($0) }) == nil)
    #expect(graph.counterexample(toAlways: { $0 != .abandoned }) == [.charge, .cancel])
    // Eventually: a held amount may be released instead of paid. A bank that never answers keeps a payment abandoned.
    #expect(graph.counterexample(toEventually: .paid, from: .held) == [.charge, .approved, .cancel])
    #expect(graph.counterexample(toEventually: .open, from: .abandoned) == [.charge, .cancel, .timeOver])
    // Never: an approval is ignored between a request and its answer.
    let ignoredApproval = graph.counterexample(
      toNever: { $0.effects.contains(.ask) }, then: { $0.event == .approved && $0.reason != nil },
      without: { [.approved, .refused].contains($0.event) })
    #expect(ignoredApproval == nil)
    // Never: after a release, an amount is transferred without a new hold.
    let freeGoods = graph.counterexample(
      toNever: { $0.effects.contains(.release) }, then: { $0.effects.contains(.transfer) },
      without: { $0.effects.contains(.noteHold) && !$0.effects.contains(.release) })
    #expect(freeGoods == nil)
    // Without the exception for holds, the counterexample is the next payment.
    let next = graph.counterexample(
      toNever: { $0.effects.contains(.release) }, then: { $0.effects.contains(.transfer) }, without: { _ in false })
    #expect(next == [.charge, .approved, .cancel, .charge, .approved, .deliver])
  }

  // MARK: - Mistakes in the program

  /// A mistake in the program around the machine. The table is correct.
  enum Mistake {
    /// The program drops an answer of the bank if the checkout no longer waits for it.
    case dropsLateAnswers
    /// The program sends its own request when the customer presses the button, before the machine decides.
    case asksBeforeTheMachine
  }

  /// Returns whether the bank and the checkout disagree on the held amount or the open requests at any point of a walk.
  func losesMoney(_ walk: Walk, _ mistake: Mistake?) -> Bool {
    let (bank, clock) = (TestBank(), ManualClock())
    let asked = mistake == .asksBeforeTheMachine ? MutedBank(bank) : bank as any Bank
    let checkout = Checkout(bank: asked, clock: clock)
    func answer(_ isApproved: Bool) {
      guard let cents = bank.answer(isApproved) else { return }
      if mistake == .dropsLateAnswers, checkout.state != .asking { return }
      checkout.receive(isApproved, cents: cents)
    }
    return walk.contains { event in
      switch event {
      case .charge:
        if mistake == .asksBeforeTheMachine { bank.ask(cents: 500) }
        checkout.charge(cents: 500)
      case .approved: answer(true)
      case .refused: answer(false)
      case .cancel: checkout.cancel()
      case .deliver: checkout.deliver()
      case .timeOver: if let time = checkout.timeUntilDeadline { clock.advance(by: time) }
      }
      let expectsAnswer = [.asking, .abandoned].contains(checkout.state)
      return bank.heldCents != checkout.heldCents || bank.requests.count != (expectsAnswer ? 1 : 0)
    }
  }

  /// A bank that doesn't receive the checkout's requests for a hold.
  final class MutedBank: Bank {
    private let bank: TestBank
    init(_ bank: TestBank) { self.bank = bank }
    func ask(cents: Int) {}
    func askAgain() { bank.askAgain() }
    func release(cents: Int) { bank.release(cents: cents) }
    func transfer(cents: Int) { bank.transfer(cents: cents) }
  }

  @Test("The correct program loses no money on random walks and tours of pairs")
  func right() {
    let walks = graph.walks(length: 2_000, ignoredShare: 0.3, seed: 1) + graph.pairTours(includesIgnored: true)
    #expect(!walks.contains { losesMoney($0, nil) })
  }

  @Test("A walk finds the amount that stays held after a late approval, and shrinks from 200 events to three")
  func lateAnswers() throws {
    let walk = try #require(
      graph.walks(length: 200, ignoredShare: 0.3, seed: 2).first { losesMoney($0, .dropsLateAnswers) })
    let shortest = graph.shrunk(walk) { losesMoney($0, .dropsLateAnswers) }
    #expect(walk.count == 200)
    #expect(shortest == [.charge, .timeOver, .approved])
    #expect(graph.tours().contains { losesMoney($0, .dropsLateAnswers) })
  }

  @Test("A tour with ignored events finds the second request that follows a second press of the button")
  func ignored() throws {
    #expect(!graph.pairTours().contains { losesMoney($0, .asksBeforeTheMachine) })
    let walk = try #require(
      graph.pairTours(includesIgnored: true).first { losesMoney($0, .asksBeforeTheMachine) })
    #expect(graph.shrunk(walk) { losesMoney($0, .asksBeforeTheMachine) } == [.charge, .charge])
  }
}
