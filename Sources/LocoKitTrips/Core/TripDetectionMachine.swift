package import LocoMachine

/// Detects trips for an automatic recorder: the device rests, may be leaving, moves, and may have stopped.
///
/// The table is drawn in `StateDiagrams/`. ``TripDetector`` judges fixes, and ``AutomaticTrips`` raises the events.
package enum TripDetectionMachine: StateMachine {
  package enum State: String, CaseIterable, Hashable, Sendable {
    /// There is no trip. The device is at its place of rest, if that is known.
    case resting
    /// A fix was away from the place. Another such fix, at least 15 s later, begins the trip.
    case leaving
    /// The device is on a trip.
    case moving
    /// The device has stopped on a trip. If it stays, the trip ended when it stopped.
    case stopping
  }

  package enum Event: String, CaseIterable, Hashable, Sendable {
    /// A fix is away from the place of rest. On a trip: a fix doesn't show a stop.
    case away
    /// A fix is at the place of rest. On a trip: the fixes stay in one place.
    case here
    /// The motion sensor reports a vehicle, moving or standing.
    case vehicle
    /// No fix confirmed the departure within the deadline of ``State/leaving``.
    case unconfirmed
    /// The stop has lasted for the minimum stay.
    case stayed
    /// No fix that is accurate enough arrived within the deadline of ``State/moving``.
    case silent
    /// The app begins a trip.
    case start
    /// The app ends the trip, the manager is paused, or the permission is withdrawn.
    case stop
  }

  package enum Effect: String, Hashable, Sendable {
    /// Begins the trip: in hindsight if a fix was away from the place, otherwise now.
    case beginTrip
    /// Adds the fix to the trip.
    case measure
    /// Ends the trip: now after ``Event/stop``, otherwise at the time when the device stopped or was last found, or at the deadline if no
    /// fix arrived on the trip.
    case endTrip
  }

  package static let initialState = State.resting

  package static func deadline(in state: State) -> Deadline<Self>? {
    switch state {
    case .resting: nil
    case .leaving: .after(.seconds(600), .unconfirmed)
    case .moving: .after(.seconds(1_800), .silent)
    case .stopping: .after(.seconds(300), .stayed, setting: "minimumStay")
    }
  }

  package static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch state {
    case .resting, .leaving: beforeTrip(state, event)
    case .moving, .stopping: onTrip(state, event)
    }
  }

  private static func beforeTrip(_ state: State, _ event: Event) -> Reaction<State, Effect> {
    let isLeaving = state == .leaving
    return switch event {
    case .away: isLeaving ? .go(.moving, [.beginTrip]) : .go(.leaving, [])
    case .here: isLeaving ? .go(.resting, []) : .ignore("The device is still at its place.")
    case .vehicle: .ignore("A departure begins a trip, whatever the sensor reports.")
    case .unconfirmed: isLeaving ? .go(.resting, []) : .never("There is no departure to confirm.")
    case .stayed: .never("There is no trip to end.")
    case .silent: isLeaving ? .never("The departure has its own deadline.") : .never("Fixes are rare at rest.")
    case .start: .go(.moving, [.beginTrip])
    case .stop: isLeaving ? .go(.resting, []) : .ignore("There is no trip to end.")
    }
  }

  private static func onTrip(_ state: State, _ event: Event) -> Reaction<State, Effect> {
    let isStopping = state == .stopping
    return switch event {
    case .away: .go(.moving, [.measure])
    case .here: isStopping ? .stay([.measure]) : .go(.stopping, [.measure])
    case .vehicle: isStopping ? .go(.moving, []) : .ignore("The device is already moving.")
    case .unconfirmed: .never("The departure is confirmed.")
    case .stayed: isStopping ? .go(.resting, [.endTrip]) : .never("The device hasn't stopped.")
    case .silent: isStopping ? .never("A stop has its own deadline.") : .go(.resting, [.endTrip])
    case .start: .ignore("The trip has already begun.")
    case .stop: .go(.resting, [.endTrip])
    }
  }
}
