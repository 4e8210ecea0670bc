package import LocoFoundation

/// The readings of a motion sensor, which arrive on another thread.
package protocol MotionReadings: AnyObject {
  func start()
  func stop()
  /// Queries the readings that the system stored, and calls `pass` with them on another thread. Without the permission, the array is empty.
  func query(from start: Date, to end: Date, _ pass: @escaping @Sendable ([LocationManager.Motion.Change]) -> Void)
  /// Returns the newest reading since the last call; `nil` if there is none.
  func next() -> LocationManager.Motion?
  /// Whether the sensor's last activity was unknown or had no flag, not counting known activities of low confidence.
  var isSilent: Bool { get }
}
