/// An event that can wake an app, or that changes what the app knows while the mode is ``ReceiverMode/significantChanges``.
///
/// ```swift
/// func ignitionChanged(to isOn: Bool) {
///   onReport?(.wake(.motion(isOn ? .vehicle : .still)))
/// }
/// ```
///
/// Report motion, cells and exits from the region when they occur, whether or not the manager uses them.
public enum WakeEvent: Hashable, Sendable {
  // Indirect, so that the other reports are small: a turn copies its report several times.
  /// The device has probably moved to another cell. The coarse location is `nil` if the platform has none.
  indirect case significantChange(Location?)
  /// The device is outside the region of the ``ReceiverPlan``. Sent once for each ``ReceiverPlan/regionNumber``.
  case regionExit
  /// The device arrived at a place or, if the visit has a departure, left it. Both are reported minutes later.
  indirect case visit(Visit)
  /// The name of the serving cell, which is unique to the cell.
  case cell(String)
  /// The current motion.
  case motion(Motion)
  /// The timer of the ``ReceiverPlan`` has fired.
  case timer

  /// The kind of the event.
  public var kind: WakeKind {
    switch self {
    case .significantChange: .significantChange
    case .regionExit: .regionExit
    case .visit: .visit
    case .cell: .cell
    case .motion: .motion
    case .timer: .timer
    }
  }

  /// Whether the event shows that the device moves, or has moved.
  package var showsMotion: Bool {
    switch self {
    case .significantChange, .regionExit: true
    case .motion(let motion): motion != .still
    case .visit, .cell, .timer: false
    }
  }
}
