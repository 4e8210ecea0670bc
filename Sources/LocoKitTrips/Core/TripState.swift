/// The state of a trip recorder.
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
  /// Nothing is recorded. A recorder that the app starts doesn't use the GPS.
  case idle
  /// The GPS warms up, or an automatic recorder waits for a fix that confirms a departure. The distance doesn't count yet.
  case prepared
  /// The distance counts.
  case recording
  /// The app has stopped the recorder, which doesn't use the GPS. ``TripRecorder/start()`` continues the trip, if there is one.
  case stopped

  /// Whether a recorder that the app starts uses the GPS in this state.
  package var wantsReceiver: Bool { self == .prepared || self == .recording }
}
