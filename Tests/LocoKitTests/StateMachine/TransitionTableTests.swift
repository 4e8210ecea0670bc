import Testing

@testable import LocoKit

@Suite("The transition table")
struct TransitionTableTests {
  @Test("answers every pair as the function does")
  func agreesWithTheFunction() {
    func check<Machine: StateMachine>(_: Machine.Type) {
      let table = TransitionTable<Machine>()
      for state in Machine.State.allCases {
        for event in Machine.Event.allCases {
          let reaction = Machine.reaction(in: state, to: event)
          #expect(table[state: state, event: event] == reaction)
          let step = table.step(from: state, on: event)
          #expect(step.next == reaction.target ?? state)
          #expect(table.effects[step.effects].map { $0 } == reaction.effects)
          switch reaction {
          case .go: #expect(step.kind == .external)
          case .stay: #expect(step.kind == .internal)
          case .ignore: #expect(step.kind == .ignored)
          }
        }
      }
    }
    check(Turnstile.self)
    check(Order.self)
    check(Nasty.self)
    check(Lift.self)
    check(LocationMachine.self)
  }

  @Test("lists a row for every pair, in the order of declaration")
  func rows() {
    let rows = TransitionTable<Turnstile>().rows
    #expect(rows.map(\.state) == [.locked, .locked, .unlocked, .unlocked])
    #expect(rows.map(\.event) == [.coin, .push, .coin, .push])
    #expect(rows.map(\.target) == [.unlocked, nil, nil, .locked])
    #expect(rows.map(\.effects) == [[], [], [.refund], []])
    #expect(rows.map(\.reason) == [nil, "The arm is locked until a coin is paid.", nil, nil])
  }

  @Test("finds a case by its byte where that is its position, and by looking it up elsewhere")
  func positions() {
    #expect(CasePositions(LocationMachine.Event.allCases).byteIsPosition)
    #expect(CasePositions(Array(Turnstile.State.allCases)).byteIsPosition)
    #expect(!CasePositions(Lift.State.allCases).byteIsPosition)
    #expect(!CasePositions([UInt8(0), 2]).byteIsPosition)
    #expect(CasePositions([UInt8(0), 2])[2] == 1)
  }

  @Test("refuses a machine that lists a case twice, or not at all")
  func refusesWrongCases() async {
    await #expect(processExitsWith: .failure) { _ = CasePositions([1, 1]) }
    await #expect(processExitsWith: .failure) { _ = CasePositions([1, 2])[3] }
  }
}
