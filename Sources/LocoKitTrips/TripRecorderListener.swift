public import LocoKit

/// Receives a trip recorder's events. Every method has a default that does nothing.
///
/// ```swift
/// func tripRecorder(_ recorder: TripRecorder, didChangeDistance distance: Double) {
///   text = "\(Int(distance)) m"
/// }
///
/// func tripRecorderDidFindSignalConsistentlyWeak(_ recorder: TripRecorder) {
///   hint = "The signal is weak: put the phone where it sees the sky."
/// }
/// ```
public protocol TripRecorderListener: AnyObject {
  /// The distance, in metres, has changed: it has grown, was set to 0, is that of a trip that begins, or has shrunk at the end of a trip,
  /// whose way to the stay doesn't count.
  func tripRecorder(_ recorder: TripRecorder, didChangeDistance distance: Double)
  /// The signal has become invalid, weak or strong.
  func tripRecorder(_ recorder: TripRecorder, didChangeSignal strength: TripRecorder.SignalStrength)
  /// For 15 s, the fixes had the weaker accuracy of the recorder, but not the required one: by default, the signal was weak. The recorder
  /// uses such fixes until one has the required accuracy.
  func tripRecorderDidFindSignalConsistentlyWeak(_ recorder: TripRecorder)
  /// The provider reports a failure. The trip continues.
  func tripRecorder(_ recorder: TripRecorder, didFail failure: ProviderReport.Failure)
  /// A trip has begun. An automatic recorder usually reports it minutes later, when it has confirmed the departure and is certain that
  /// the trip is recorded.
  func tripRecorder(_ recorder: TripRecorder, didBegin trip: Trip)
  /// A trip has ended. An automatic recorder reports it at the end of the minimum stay or up to ten minutes later, or
  /// half an hour after the last fix if none arrives.
  func tripRecorder(_ recorder: TripRecorder, didEnd trip: Trip)
  /// After a relaunch, the first fix that is accurate enough ends a gap in the trip.
  func tripRecorder(_ recorder: TripRecorder, didMiss gap: Trip.Gap)
}

extension TripRecorderListener {
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didChangeDistance distance: Double) {}
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didChangeSignal strength: TripRecorder.SignalStrength) {}
  /// Does nothing.
  public func tripRecorderDidFindSignalConsistentlyWeak(_ recorder: TripRecorder) {}
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didFail failure: ProviderReport.Failure) {}
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didBegin trip: Trip) {}
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didEnd trip: Trip) {}
  /// Does nothing.
  public func tripRecorder(_ recorder: TripRecorder, didMiss gap: Trip.Gap) {}
}
