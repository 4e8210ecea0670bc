package import LocoKit

extension LocationMachine.Effect {
  /// The effect's number in C++: its byte plus one. Machines that perform the same effects have equal sums.
  var number: UInt64 { UInt64(unsafeBitCast(self, to: UInt8.self)) + 1 }
}

/// The location machine as a class with the state and a transition table.
package final class TableMachine {
  private let table = TransitionTable<LocationMachine>()
  private var state = LocationMachine.initialState
  private var sum: UInt64 = 0

  package init() {}

  package func handle(_ event: LocationMachine.Event) {
    let step = table.advance(&state, on: event)
    for effect in table.effects(of: step) { sum &+= effect.number }
  }

  package func run(_ events: [LocationMachine.Event]) -> UInt64 {
    for event in events { handle(event) }
    return sum
  }
}

/// The location machine as a hand-written switch.
package final class SwitchMachine {
  private var state = LocationMachine.State.initial
  private var sum: UInt64 = 0

  package init() {}

  package func run(_ events: [LocationMachine.Event]) -> UInt64 {
    for event in events { handle(event) }
    return sum
  }

  package func handle(_ event: LocationMachine.Event) {
    switch state {
    case .initial:
      switch event {
      case .tryPrompt, .forcePrompt: go(.prompted, .requestAuthorization)
      default: break
      }
    case .prompted:
      switch event {
      case .promptExpired: go(.initial, .notify(.promptExpired))
      case .authorized: go(.acquiring, .notify(.accessGranted))
      case .refused: go(.denied, .notify(.accessDenied))
      default: break
      }
    case .denied:
      switch event {
      case .forcePrompt: go(.prompted, .requestAuthorization)
      case .authorized: go(.acquiring, .notify(.accessGranted))
      case .authorizationReset: state = .initial
      default: break
      }
    case .waitingSignificantChange:
      switch event {
      case .refused: go(.denied, .notify(.accessDenied))
      case .authorizationReset: state = .initial
      case .significantChange: go(.acquiring, .notify(.significantChange))
      case .lookDue: go(.acquiring, .notify(.lookDue))
      case .trackingRequested: state = .acquiring
      case .coarseFixAccepted: perform(.deliverLocation)
      case .pause: go(.paused, .notify(.paused))
      case .forceAcquire: go(.acquiring, .notify(.forceAcquire))
      default: break
      }
    case .acquiring:
      switch event {
      case .refused: go(.denied, .notify(.accessDenied))
      case .authorizationReset: state = .initial
      case .fixAccepted: perform(.deliverLocation)
      case .acquired: go(.waitingSignificantChange, .deliverLocation)
      case .acquisitionFailed: go(.waitingSignificantChange, .notify(.acquisitionFailed))
      case .pause: go(.paused, .notify(.paused))
      default: break
      }
    case .paused:
      switch event {
      case .resume: go(.acquiring, .notify(.resumed))
      default: break
      }
    }
  }

  private func go(_ next: LocationMachine.State, _ effect: LocationMachine.Effect) {
    state = next
    perform(effect)
  }

  private func perform(_ effect: LocationMachine.Effect) {
    sum &+= effect.number
  }
}
