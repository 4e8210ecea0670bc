@_spi(Benchmarks) package import LocoKit
@_spi(Benchmarks) package import LocoMachine

/// A stream of prepared events for a state machine.
package enum EventStream: String, CaseIterable, Sendable {
  /// All events that can occur in a state, with the same probability. More than one in four aren't ignored.
  case uniform
  /// Events chosen for the machine's state, so that five of six aren't ignored. A branch predictor can't predict them.
  case walk
  /// A repeated sequence of the events in an app's life, which a branch predictor learns.
  case cycle

  /// Returns events made from a seed.
  package func events(_ count: Int, seed: UInt64 = 1) -> [LocationMachine.Event] {
    var random = SeededGenerator(seed: seed)
    switch self {
    case .uniform, .walk:
      let table = TransitionTable<LocationMachine>()
      let rows = Dictionary(grouping: table.rows.filter { !$0.isImpossible }, by: \.state)
      let choices = rows.mapValues { Dictionary(grouping: $0) { $0.reason != nil } }
      var state = LocationMachine.initialState
      return (0..<count).map { _ in
        let isIgnored = Int.random(in: 0..<6, using: &random) == 0
        let choice = (self == .walk ? choices[state]?[isIgnored] : nil) ?? rows[state] ?? []
        let event = choice[Int.random(in: 0..<choice.count, using: &random)].event
        table.advance(&state, on: event)
        return event
      }
    case .cycle:
      let life: [LocationMachine.Event] = [
        .tryPrompt, .authorized, .acquired, .significantChange, .fixAccepted, .acquired, .significantChange,
        .acquisitionFailed, .pause, .significantChange, .resume, .acquired, .forceAcquire, .acquired, .refused,
        .forcePrompt, .authorized, .authorizationReset,
      ]
      return (0..<count).map { life[$0 % life.count] }
    }
  }
}
