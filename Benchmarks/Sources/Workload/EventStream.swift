@_spi(Benchmarks) package import LocoKit
@_spi(Benchmarks) package import LocoMachine

/// A stream of prepared events for a state machine.
package enum EventStream: String, CaseIterable, Sendable {
  /// All events with the same probability in every state. One in five has an effect.
  case uniform
  /// Events chosen by the machine's state, so that five of six have an effect. They can't be predicted.
  case walk
  /// The events of an app's life in a cycle, which a branch predictor learns.
  case cycle

  /// Returns events made from a seed.
  package func events(_ count: Int, seed: UInt64 = 1) -> [LocationMachine.Event] {
    var random = SeededGenerator(seed: seed)
    let all = LocationMachine.Event.allCases
    switch self {
    case .uniform:
      return (0..<count).map { _ in all[Int.random(in: 0..<all.count, using: &random)] }
    case .walk:
      let table = TransitionTable<LocationMachine>()
      let choices = Dictionary(
        uniqueKeysWithValues: LocationState.allCases.map { state in
          (state, Dictionary(grouping: all) { table[state: state, event: $0].reason != nil })
        })
      var state = LocationMachine.initialState
      return (0..<count).map { _ in
        let isIgnored = Int.random(in: 0..<6, using: &random) == 0
        let choice = choices[state]?[isIgnored] ?? all
        let event = choice[Int.random(in: 0..<choice.count, using: &random)]
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
