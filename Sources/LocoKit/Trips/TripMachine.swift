/// The states of a trip recorder.
///
/// ```swift
/// var title: String {
///   switch trip.state {
///   case .idle, .stopped: "Start"
///   case .prepared, .recording: "Stop"
///   }
/// }
/// ```
public enum TripState: String, CaseIterable, Hashable, Sendable {
  /// Nothing is recorded, and nothing is on.
  case idle
  /// The receiver warms up; what is travelled does not count yet.
  case prepared
  /// What is travelled counts.
  case recording
  /// The distance stands, and the receiver is wanted no more.
  case stopped

  /// Whether the receiver is wanted.
  package var wantsReceiver: Bool {
    switch self {
    case .idle, .stopped: false
    case .prepared, .recording: true
    }
  }
}

/// What a trip recorder does when: warming up, recording and stopping, and what the signal does meanwhile.
///
/// The table is drawn in `StateDiagrams/`. The receiver is wanted in ``State/prepared`` and ``State/recording``.
package enum TripMachine: StateMachine {
  package typealias State = TripState

  /// What can happen to a trip recorder.
  package enum Event: String, CaseIterable, Hashable, Sendable {
    /// The app wants the receiver warm.
    case prepare
    /// The app wants what is travelled from now on to count.
    case start
    /// The app wants it to end.
    case stop
    /// The app wants the distance to be 0.
    case reset
    /// A fix came.
    case fix
    /// The signal became invalid, weak or strong.
    case signalChanged
    /// The signal was weak, and nothing else, for long.
    case weakForLong
    /// No fix came for long.
    case silence
  }

  /// What a transition does once.
  package enum Effect: String, Hashable, Sendable, CustomStringConvertible {
    /// The meter ends a segment: the way until the next fix doesn't count.
    case endSegment
    /// The fix is measured.
    case measure
    /// The distance and the time are 0.
    case clear
    /// Weaker fixes are used too, from now on.
    case allowWeakFixes
    /// The receiver is asked for a fresh fix, where that can be done.
    case restartReceiver
    /// The listeners are told how the signal is.
    case notifySignal
    /// The listeners are told that the signal is weak for long.
    case notifyWeak

    /// The effect's name in tables and diagrams.
    package var description: String { rawValue }
  }

  /// Where everything begins.
  package static let initialState = State.idle

  /// What `event` does in `state`.
  package static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch state {
    case .idle: idle(event)
    case .prepared: prepared(event)
    case .recording: recording(event)
    case .stopped: stopped(event)
    }
  }

  private static func idle(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .prepare: .go(.prepared, [])
    case .start: .go(.recording, [])
    case .stop: .ignore("Nothing is recorded, so there is nothing to stop.")
    case .reset: .stay([.clear])
    case .fix: .ignore("The fix was wanted by somebody else, and does not belong to the trip.")
    case .signalChanged: .ignore("The signal matters while the receiver is wanted.")
    case .weakForLong: .ignore("Nobody waits for a better signal.")
    case .silence: .ignore("No fix is expected, so none is missed.")
    }
  }

  private static func prepared(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .prepare: .ignore("The receiver is warming up already.")
    case .start: .go(.recording, [])
    case .stop: .go(.stopped, [])
    case .reset: .stay([.clear])
    case .fix: .ignore("What is travelled while the receiver warms up does not count.")
    case .signalChanged: .stay([.notifySignal])
    case .weakForLong: .stay([.allowWeakFixes, .notifyWeak])
    case .silence: .stay([.restartReceiver])
    }
  }

  private static func recording(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .prepare: .ignore("The receiver is warm, and what is travelled counts already.")
    case .start: .ignore("What is travelled counts already.")
    case .stop: .go(.stopped, [.endSegment])
    case .reset: .stay([.clear])
    case .fix: .stay([.measure])
    case .signalChanged: .stay([.notifySignal])
    case .weakForLong: .stay([.allowWeakFixes, .notifyWeak])
    case .silence: .stay([.restartReceiver])
    }
  }

  private static func stopped(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .prepare: .go(.prepared, [])
    case .start: .go(.recording, [])
    case .stop: .ignore("The trip is stopped already.")
    case .reset: .go(.idle, [.clear])
    case .fix: .ignore("What is travelled after the stop does not count.")
    case .signalChanged: .ignore("The signal matters while the receiver is wanted.")
    case .weakForLong: .ignore("Nobody waits for a better signal any more.")
    case .silence: .ignore("No fix is expected any more, so none is missed.")
    }
  }
}
