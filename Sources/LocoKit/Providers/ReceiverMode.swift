/// What the location hardware does.
///
/// ```swift
/// var icon: String {
///   switch manager.state.mode {
///   case .off: "location.slash"
///   case .significantChanges: "location"
///   case .gps: "location.fill"
///   }
/// }
/// ```
public enum ReceiverMode: String, CaseIterable, Hashable, Sendable {
  /// Nothing is on.
  case off
  /// The system wakes the app when the device has moved to another cell; the GPS is off.
  case significantChanges
  /// The GPS is on.
  case gps
}
