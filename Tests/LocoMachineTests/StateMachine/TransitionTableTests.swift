import Foundation
import Testing

@testable import LocoKit
@testable import LocoMachine
@testable import LocoMachineGraphs
@testable import TestSupport

@Suite("The transition table")
struct TransitionTableTests {
  @Test("A table has the same reaction to every pair as the function")
  func agreesWithTheFunction() {
    func check<Machine: StateMachine>(_: Machine.Type) {
      let table = TransitionTable<Machine>()
      for state in Machine.State.allCases {
        for event in Machine.Event.allCases {
          let reaction = Machine.reaction(in: state, to: event)
          #expect(table[state: state, event: event] == reaction)
          let step = table.step(from: state, on: event)
          #expect(step.next == reaction.target ?? state)
          if step.kind != .impossible {
            var advanced = state
            table.advance(&advanced, on: event)
            #expect(advanced == step.next)
          }
          #expect(table.effects[step.effects].map { $0 } == reaction.effects)
          switch reaction {
          case .go: #expect(step.kind == .external)
          case .stay: #expect(step.kind == .internal)
          case .ignore: #expect(step.kind == .ignored)
          case .never: #expect(step.kind == .impossible)
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

  @Test("A table lists every pair in the order of declaration")
  func rows() {
    let rows = TransitionTable<Turnstile>().rows
    #expect(rows.map(\.state) == [.locked, .locked, .unlocked, .unlocked])
    #expect(rows.map(\.event) == [.coin, .push, .coin, .push])
    #expect(rows.map(\.target) == [.unlocked, nil, nil, .locked])
    #expect(rows.map(\.effects) == [[], [], [.refund], []])
    #expect(rows.map(\.reason) == [nil, "The arm is locked until a coin is paid.", nil, nil])
  }

  @Test("Cases that take one byte are indexed by the byte, and other cases are looked up")
  func numbers() {
    #expect(CaseNumbers<LocationMachine.Event>.isByte)
    #expect(LocationMachine.Event.allCases.map { CaseNumbers(LocationMachine.Event.allCases)[$0] } == Array(0..<16))
    #expect(!CaseNumbers<Lift.State>.isByte)
    #expect(Lift.State.allCases.map { CaseNumbers(Lift.State.allCases)[$0] } == [0, 1, 2])
    #expect(CaseNumbers([UInt8(0), 2]).bound == 3)
    #expect(!CaseNumbers<Lonely.State>.isByte)
    #expect(CaseNumbers(Lonely.State.allCases)[.only] == 0)
  }

  @Test("A machine with one state and one event has a table, and so has a machine whose states' bytes have gaps")
  func smallAndGapped() {
    #expect(TransitionTable<Lonely>().step(from: .only, on: .happens).kind == .ignored)
    let table = TransitionTable<Gapped>()
    for state in Gapped.State.allCases {
      #expect(table.step(from: state, on: .next).next == Gapped.reaction(in: state, to: .next).target)
      #expect(table.deadline(in: state) == Gapped.deadline(in: state))
    }
  }

  #if os(Linux) || os(macOS)
    @Test("A case that is listed twice, or isn't listed, stops the program")
    func refusesWrongCases() async {
      await #expect(processExitsWith: .failure) { _ = CaseNumbers([1, 1]) }
      await #expect(processExitsWith: .failure) { _ = CaseNumbers([1, 2])[3] }
      await #expect(processExitsWith: .failure) { _ = TransitionTable<Forgetful<Twice>>() }
      await #expect(processExitsWith: .failure) { _ = TransitionTable<Forgetful<First>>().step(from: .b, on: .b) }
      await #expect(processExitsWith: .failure) { _ = TransitionTable<Forgetful<Outer>>().step(from: .b, on: .a) }
      await #expect(processExitsWith: .failure) { _ = TransitionTable<Forgetful<Outer>>().step(from: .a, on: .b) }
      await #expect(processExitsWith: .failure) { _ = TransitionTable<Forgetful<First>>().step(from: .a, on: .c) }
    }

    /// Machines with a mistake, each with a part of the message.
    static let mistakes: [(make: @Sendable () -> Void, sentence: String)] = [
      (
        { _ = StateDiagram<Forgetful<Later>>() },
        "Forgetful<Later>: State.allCases must list every case; the initial state is a, which is not among them"
      ),
      ({ _ = StateDiagram<Forgetful<Astray>>() }, "a in a goes to b, which is not among them"),
      ({ _ = StateGraph<Forgetful<Astray>>() }, "a in a goes to b, which is not among them"),
      ({ _ = TransitionTable<Forgetful<Overdue>>() }, "the deadline in a gives c, which is not among them"),
      (
        { _ = Deadline<TrafficLight>.after(.zero, .timeOver) },
        "A deadline of TrafficLight must be more than zero and at most a century, not 0.0 seconds."
      ),
      (
        { _ = Deadline<TrafficLight>.after(.seconds(4e9), .timeOver) }, "at most a century, not 4000000000.0 seconds."
      ),
    ]

    @Test(
      "An unlisted case, or a deadline that is out of range, stops the program with a message that names it",
      arguments: mistakes.indices)
    func names(index: Int) async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [index] in
        TransitionTableTests.mistakes[index].make()
      }
      let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(message.contains(Self.mistakes[index].sentence), "\(message.prefix(500))")
    }
  #endif
}

/// The effect of a machine without effects.
private enum NoEffect: Hashable, Sendable, CustomStringConvertible {
  var description: String {
    switch self {}
  }
}

/// A machine with one state and one event.
private enum Lonely: StateMachine {
  enum State: String, CaseIterable { case only }
  enum Event: String, CaseIterable { case happens }
  typealias Effect = NoEffect
  static let initialState = State.only
  static func reaction(in state: State, to event: Event) -> Reaction<State, NoEffect> {
    .ignore("Nothing ever happens.")
  }
}

/// A machine whose states have payloads and take one byte, with gaps between the values.
private enum Gapped: StateMachine {
  enum State: RawRepresentable, CaseIterable, Hashable, Sendable {
    case left(Bool)
    case right(Bool)

    static let allCases: [State] = [.left(false), .left(true), .right(false), .right(true)]
    var rawValue: String { "\(self)" }
    init?(rawValue: String) {
      guard let state = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
      self = state
    }
  }
  enum Event: String, CaseIterable { case next }
  typealias Effect = NoEffect
  static let initialState = State.left(false)
  static func deadline(in state: State) -> Deadline<Self>? {
    switch state {
    case .left: nil
    case .right(let isFar): .after(.seconds(isFar ? 2 : 1), .next)
    }
  }
  static func reaction(in state: State, to event: Event) -> Reaction<State, NoEffect> {
    switch state {
    case .left(false): .go(.left(true), [])
    case .left(true): .go(.right(false), [])
    case .right(false): .go(.right(true), [])
    case .right(true): .go(.left(false), [])
    }
  }
}

/// A machine whose list of cases, chosen by `Cases`, is incomplete or repeats a case.
private enum Forgetful<Cases: Listing & SendableMetatype>: StateMachine {
  enum State: String, CaseIterable {
    case a, b, c
    static var allCases: [State] { Cases.names.compactMap(State.init(rawValue:)) }
  }
  typealias Event = State
  typealias Effect = NoEffect
  static var initialState: State { .a }
  static func reaction(in state: State, to event: Event) -> Reaction<State, NoEffect> {
    .go(State(rawValue: Cases.target) ?? .a, [])
  }
  static func deadline(in state: State) -> Deadline<Self>? {
    Cases.deadline.flatMap(Event.init(rawValue:)).map { .after(.seconds(1), $0) }
  }
}

private protocol Listing {
  static var names: [String] { get }
  /// The state that every event goes to.
  static var target: String { get }
  /// The event of every state's deadline.
  static var deadline: String? { get }
}
extension Listing {
  static var target: String { "a" }
  static var deadline: String? { nil }
}
private enum First: Listing { static let names = ["a"] }
private enum Outer: Listing { static let names = ["a", "c"] }
private enum Twice: Listing { static let names = ["a", "b", "b"] }
private enum Later: Listing { static let names = ["b", "c"] }
private enum Astray: Listing {
  static let names = ["a", "c"]
  static let target = "b"
}
private enum Overdue: Listing {
  static let names = ["a", "b"]
  static let deadline: String? = "c"
}
