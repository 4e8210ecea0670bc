/// How an automatic trip recorder finds trips: the device rests, may be leaving, moves, and may have stopped.
///
/// The table is drawn in `StateDiagrams/`. Fixes are judged before it: `away` and `here` are facts about the place of rest, or of the
/// stop.
package enum TripDetectionMachine: StateMachine {
  /// The states of the detection.
  package enum State: String, CaseIterable, Hashable, Sendable {
    /// The device is at a place; there is no trip.
    case resting
    /// A fix was away from the place. A second one begins the trip.
    case leaving
    /// The device is on a trip.
    case moving
    /// The device is on a trip and stands. If it stays, the trip has ended when it stopped.
    case stopping
  }

  /// An event of the detection.
  package enum Event: String, CaseIterable, Hashable, Sendable {
    /// A fix is away from the place of rest, or from the stop.
    case away
    /// Fixes stay in one place.
    case here
    /// The motion sensor reports a vehicle.
    case vehicle
    /// No second fix was away for ``State/leaving``'s time limit.
    case unconfirmed
    /// The stop has lasted for the least time of a stay.
    case stayed
    /// No fix arrived for ``State/moving``'s time limit.
    case silent
    /// The app begins a trip.
    case start
    /// The app ends the trip, or the manager is paused.
    case stop
  }

  /// An effect of a transition.
  package enum Effect: String, Hashable, Sendable, CustomStringConvertible {
    /// The trip begins when the device left the place.
    case beginTrip
    /// The fix becomes a part of the trip.
    case measure
    /// The trip ends when the device stopped.
    case endTrip

    /// The effect's name in tables and diagrams.
    package var description: String { rawValue }
  }

  /// The device rests.
  package static let initialState = State.resting

  /// The time limits of a departure, of a silence and of a stop.
  package static func deadline(in state: State) -> Deadline<Event>? {
    switch state {
    case .resting: nil
    case .leaving: .after(.seconds(600), .unconfirmed)
    case .moving: .after(.seconds(1_800), .silent)
    case .stopping: .after(.seconds(300), .stayed, setting: "minimumStay")
    }
  }

  /// The reaction to `event` in `state`.
  package static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch state {
    case .resting: resting(event)
    case .leaving: leaving(event)
    case .moving: moving(event)
    case .stopping: stopping(event)
    }
  }

  private static func resting(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .away: .go(.leaving, [])
    case .here: .ignore("The device is still at its place.")
    case .vehicle: .ignore("A vehicle that isn't away from the place is no trip.")
    case .unconfirmed: .ignore("There is no departure to confirm.")
    case .stayed: .ignore("There is no trip to end.")
    case .silent: .ignore("Few fixes arrive while the device rests.")
    case .start: .go(.moving, [.beginTrip])
    case .stop: .ignore("There is no trip to end.")
    }
  }

  private static func leaving(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .away: .go(.moving, [.beginTrip])
    case .here: .go(.resting, [])
    case .vehicle: .ignore("A second fix tells whether the device has left.")
    case .unconfirmed: .go(.resting, [])
    case .stayed: .ignore("There is no trip to end.")
    case .silent: .ignore("The departure has a time limit of its own.")
    case .start: .go(.moving, [.beginTrip])
    case .stop: .go(.resting, [])
    }
  }

  private static func moving(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .away: .go(.moving, [.measure])
    case .here: .go(.stopping, [.measure])
    case .vehicle: .ignore("The trip goes on already.")
    case .unconfirmed: .ignore("The departure is confirmed.")
    case .stayed: .ignore("The device doesn't stand.")
    case .silent: .go(.resting, [.endTrip])
    case .start: .ignore("The trip has begun already.")
    case .stop: .go(.resting, [.endTrip])
    }
  }

  private static func stopping(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .away: .go(.moving, [.measure])
    case .here: .stay([.measure])
    case .vehicle: .go(.moving, [])
    case .unconfirmed: .ignore("The departure is confirmed.")
    case .stayed: .go(.resting, [.endTrip])
    case .silent: .ignore("A stop ends by its own time limit.")
    case .start: .ignore("The trip has begun already.")
    case .stop: .go(.resting, [.endTrip])
    }
  }
}
