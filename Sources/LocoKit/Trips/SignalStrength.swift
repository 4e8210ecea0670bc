extension TripRecorder {
  /// How well the satellites are received, by the accuracy of the last fix.
  ///
  /// ```swift
  /// func tripRecorder(_ recorder: TripRecorder, didChangeSignal strength: TripRecorder.SignalStrength) {
  ///   switch strength {
  ///   case .invalid: bars = 0
  ///   case .weak: bars = 1
  ///   case .strong: bars = 3
  ///   }
  /// }
  /// ```
  public enum SignalStrength: String, CaseIterable, Codable, Hashable, Sendable {
    /// No fix yet, an invalid one, or one that is less accurate than 70 m.
    case invalid
    /// 70 m or better.
    case weak
    /// 20 m or better.
    case strong

    /// The strength that an accuracy in metres shows; a negative one is invalid.
    init(accuracy: Double) {
      switch accuracy {
      case 0...20: self = .strong
      case 0...70: self = .weak
      default: self = .invalid
      }
    }
  }
}
