package import LocoMachine

/// Prepares, starts and stops a trip recorder, and reacts to its signal.
///
/// The table is drawn in `StateDiagrams/`.
package enum TripMachine: StateMachine {
  package typealias State = TripState

  package enum Event: String, CaseIterable, Hashable, Sendable {
    /// The app prepares the recorder.
    case prepare
    /// The app starts the recorder.
    case start
    /// The app stops the recorder.
    case stop
    /// The app sets the distance to 0.
    case reset
    /// A fix arrived.
    case fix
    /// The signal became invalid, weak or strong.
    case signalChanged
    /// The fixes were too inaccurate for 15 s, but have the weaker accuracy.
    case weakForLong
    /// No fix arrived for 10 s after the last one.
    case silence
  }

  package enum Effect: String, Hashable, Sendable {
    /// Ends a segment. The distance to the next fix doesn't count.
    case endSegment
    /// Measures the fix.
    case measure
    /// Sets the distance and the duration to 0.
    case clear
    /// Accepts weaker fixes until one has the required accuracy.
    case allowWeakFixes
    /// Restarts the receiver, if the provider supports that.
    case restartReceiver
    /// Notifies the listeners of the signal.
    case notifySignal
    /// Notifies the listeners that the signal stays weak.
    case notifyWeak
  }

  package static let initialState = State.idle

  package static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch state {
    case .idle, .stopped: whileOff(state, event)
    case .prepared, .recording: whileOn(state, event)
    }
  }

  private static func whileOff(_ state: State, _ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .prepare: .go(.prepared, [])
    case .start: .go(.recording, [])
    case .stop: .ignore("There is no trip to stop.")
    case .reset: state == .idle ? .stay([.clear]) : .go(.idle, [.clear])
    case .fix: .ignore("The fix belongs to another consumer.")
    case .signalChanged: .never("The recorder doesn't use the GPS.")
    case .weakForLong: .never("The recorder doesn't wait for a better signal.")
    case .silence: .never("The recorder expects no fix.")
    }
  }

  private static func whileOn(_ state: State, _ event: Event) -> Reaction<State, Effect> {
    let isRecording = state == .recording
    return switch event {
    case .prepare: .ignore("The GPS is already on.")
    case .start: isRecording ? .ignore("The trip is already recorded.") : .go(.recording, [])
    case .stop: .go(.stopped, isRecording ? [.endSegment] : [])
    case .reset: .stay([.clear])
    case .fix: isRecording ? .stay([.measure]) : .ignore("The distance doesn't count while the GPS warms up.")
    case .signalChanged: .stay([.notifySignal])
    case .weakForLong: .stay([.allowWeakFixes, .notifyWeak])
    case .silence: .stay([.restartReceiver])
    }
  }
}
