/// The motion sensor's readings while it is on, and the motion that follows from them.
struct MotionWatch: Hashable, Sendable {
  /// How the device moves; `nil` before the first reading, such as while the user has not allowed the sensor.
  private(set) var last: Motion?
  /// The newest reading that isn't judged yet.
  private(set) var pending: Motion?
  /// When the readings are judged next.
  private(set) var nextCheck: Duration

  static let interval = Duration.seconds(10)
  /// Stillness isn't believed for this time after a fix of a vehicle's speed: Core Motion calls a smooth ride stationary.
  private static let vehicleMemory = Duration.seconds(180)

  init(at uptime: Duration) { nextCheck = uptime + Self.interval }

  mutating func receive(_ reading: Motion) { pending = reading }

  /// Judges the newest reading, and returns how the device moves if that has changed.
  mutating func judge(at uptime: Duration, lastFastFix: Duration?) -> Motion? {
    nextCheck = uptime + Self.interval
    guard let reading = pending else { return nil }
    if reading == .still, let lastFastFix, uptime - lastFastFix < Self.vehicleMemory { return nil }
    pending = nil
    guard reading != last else { return nil }
    last = reading
    return reading
  }
}
