import Foundation
import LocoMachine
import LocoMachineGraphs
import Testing

extension Trait where Self == Covers {
  /// Measures which rows of a machine the tests of a suite take, in the tasks of the tests, and prints the shares when the process ends.
  ///
  /// `.ci/test` fails if a transition isn't taken.
  static func covers<Machine: StateMachine>(_ machine: Machine.Type) -> Covers {
    #if DEBUG
      Covers(Coverages.coverage(of: machine))
    #else
      Covers { _, _, _ in }
    #endif
  }
}

/// The trait of a suite whose tests are to take each transition of a machine.
struct Covers: SuiteTrait, TestTrait, TestScoping {
  typealias Receiver = @Sendable (_ machine: any StateMachine.Type, _ state: String, _ event: String) -> Void

  var isRecursive: Bool { true }
  private let receiver: Receiver

  fileprivate init(_ receiver: @escaping Receiver) { self.receiver = receiver }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    #if DEBUG
      let outer = TableObserver.receiver
      let both: Receiver = { machine, state, event in
        outer?(machine, state, event)
        receiver(machine, state, event)
      }
      try await TableObserver.$receiver.withValue(both) { try await function() }
    #else
      try await function()
    #endif
  }
}

/// The coverages of the process, by machine.
private enum Coverages {
  private static let all = Locked<[String: any Coverage]>([:])
  private static let printing: Void = {
    atexit {
      for (machine, coverage) in Coverages.all.change({ $0 }).sorted(by: { $0.key < $1.key }) {
        if let shares = coverage.shares { print("coverage of \(machine): \(shares)") }
      }
    }
  }()

  static func coverage<Machine: StateMachine>(of machine: Machine.Type) -> Covers.Receiver {
    _ = printing
    let coverage = all.change { all in
      let name = "\(machine)"
      let coverage = all[name] as? TableCoverage<Machine> ?? TableCoverage()
      all[name] = coverage
      return coverage
    }
    return { machine, state, event in
      guard machine == Machine.self else { return }
      if let state = Machine.State(rawValue: state), let event = Machine.Event(rawValue: event) {
        coverage.record(event, in: state)
      }
    }
  }
}

/// A coverage of any machine.
private protocol Coverage: Sendable {
  var shares: String? { get }
}

extension TableCoverage: Coverage {
  /// The shares of the transitions and of the ignored events, and the transitions that weren't taken; `nil` if no row was.
  fileprivate var shares: String? {
    let rows = TransitionTable<Machine>().rows.filter { !$0.isImpossible }
    let (missing, ignored) = (missing(.transitions), rows.count { $0.reason != nil })
    let transitions = rows.count - ignored
    if missing.count == transitions { return nil }
    return "\(transitions - missing.count) of \(transitions) transitions, "
      + "\(ignored - self.missing(.ignored).count) of \(ignored) ignored events"
      + missing.map { "\nnot taken: \($0)" }.joined()
  }
}
