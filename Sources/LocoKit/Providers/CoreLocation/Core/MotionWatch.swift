/// Derives the motion from the sensor's readings while the sensor is on.
struct MotionWatch: Equatable, Sendable {
  /// The current motion; `nil` until a reading has been accepted, such as before the user has allowed the sensor.
  private(set) var last: LocationManager.Motion?
  /// The newest reading, until it is judged; stillness that is ignored remains, and is judged again.
  private(set) var pending: LocationManager.Motion?
  /// Whether a report of stillness was withdrawn, and no reading has followed.
  private(set) var isWithdrawn = false
  /// The time since when the sensor hasn't known the motion; `nil` if it knows it.
  private(set) var unknownSince: Duration?
  private(set) var nextCheck: Duration

  static let interval = Duration.seconds(10)
  /// Stillness is ignored for this time after a fix with the speed of a vehicle, because Core Motion reports a smooth ride as stationary.
  private static let vehicleMemory = Duration.seconds(180)

  init(at uptime: Duration) { nextCheck = uptime + Self.interval }

  mutating func receive(_ reading: LocationManager.Motion) {
    (pending, isWithdrawn, unknownSince) = (reading, false, nil)
  }

  mutating func receiveUnknown(at uptime: Duration) { unknownSince = unknownSince ?? uptime }

  /// Withdraws a report of stillness, because a fix with the speed of a vehicle contradicts it.
  mutating func withdrawStillness() {
    guard last == .still else { return }
    (last, isWithdrawn) = (nil, true)
  }

  /// Restores a withdrawn report after a fix that is slower than a vehicle. The stillness is judged like a new reading.
  mutating func restoreStillness() {
    if isWithdrawn { (pending, isWithdrawn) = (.still, false) }
  }

  /// Judges the newest reading, and returns the motion if it has changed.
  ///
  /// - Parameter doubtsStillness: Whether stillness ends when the motion is unknown for longer than at rest.
  mutating func judge(
    at uptime: Duration, lastFastFix: Duration?, doubtsStillness: Bool
  ) -> LocationManager.Motion? {
    nextCheck = uptime + Self.interval
    if doubtsStillness, let unknownSince, uptime - unknownSince >= LocationManager.Motion.longestSilence {
      if pending == .still { pending = nil }
      if last == .still { last = nil }
    }
    guard let reading = pending else { return nil }
    if reading == .still, let lastFastFix, uptime - lastFastFix < Self.vehicleMemory { return nil }
    pending = nil
    guard reading != last else { return nil }
    last = reading
    return reading
  }
}
