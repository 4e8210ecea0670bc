/// The mode of the location hardware. A mode other than ``off`` is an activity of the ``LocationMachine``.
///
/// ```swift
/// var icon: String {
///   switch LocationMachine.activities(in: manager.state).first ?? .off {
///   case .off: "location.slash"
///   case .significantChanges: "location"
///   case .gps: "location.fill"
///   }
/// }
/// ```
public enum ReceiverMode: String, CaseIterable, Hashable, Sendable {
  /// All hardware is off.
  case off
  /// The system wakes the app when the device moves to another cell. The GPS is off.
  case significantChanges
  /// The GPS is on.
  case gps
}
