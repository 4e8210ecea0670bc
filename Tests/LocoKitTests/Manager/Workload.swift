import LocoMachineGraphs

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

/// The commands of an app in a seeded run. They are drawn before the run, so that shrinking can remove steps.
///
/// Each weight is multiplied by a random factor, often 0, so that some runs repeat a few commands and others mix many.
struct Workload {
  /// A command with its default weight.
  enum Command: String, CaseIterable {
    case pause, resume, forceAcquire, tryPrompt, forcePrompt, acquire, cancel, changeCell, track, endTracking
    case prepareTrip, startTrip, resetTrip, stopTrip, nothing

    var weight: Double {
      switch self {
      case .resume, .forceAcquire, .acquire, .track: 2
      case .endTracking: 3
      case .nothing: 5
      default: 1
      }
    }
  }

  /// A command with its own random choices, and the seconds until the next one.
  struct Step: CustomStringConvertible {
    let command: Command
    let choices: UInt64
    let wait: Double

    var description: String { "\(command.rawValue), \((wait * 10).rounded() / 10) s" }
  }

  private(set) var steps: [Step] = []

  init(_ random: inout SeededGenerator, count: Int = 30) {
    let weights = Command.allCases.map { $0.weight * [0, 0, 1, 1, 1, 2, 4][Int.random(in: 0..<7, using: &random)] }
    let all = weights.reduce(0, +)
    for _ in 0..<count {
      var left = Double.random(in: 0..<max(all, 1), using: &random)
      let chosen = zip(Command.allCases, weights).first { _, weight in
        left -= weight
        return left < 0
      }
      steps.append(
        Step(
          command: chosen?.0 ?? .nothing, choices: random.next(), wait: Double.random(in: 0...40, using: &random)))
    }
  }

  init(_ steps: [Step]) { self.steps = steps }

  /// Removes steps while the workload still breaks a rule, and returns the shortest workload that was found.
  func shrunk(tries: Int = 300, _ isBroken: (Workload) async -> Bool) async -> Workload {
    var search = Shrinking(steps, maximumTries: tries)
    while let candidate = search.candidate { search.conclude(fails: await isBroken(Workload(candidate))) }
    return Workload(search.shortest)
  }
}
