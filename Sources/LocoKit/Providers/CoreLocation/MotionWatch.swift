/// The motion sensor's readings while it is on, and what is believed of them.
struct MotionWatch: Hashable, Sendable {
  /// A reading of medium or high confidence.
  enum Reading: Hashable, Sendable {
    case motion(Motion)
    case undetermined
  }

  /// How the device moves; `nil` where that isn't known, such as before the user has allowed the sensor.
  private(set) var last: Motion?
  /// The newest reading that isn't judged yet.
  private(set) var pending: Reading?
  /// When the readings are judged next.
  private(set) var nextCheck: Duration

  static let interval = Duration.seconds(10)
  /// For how long after a fix of a vehicle's speed stillness isn't believed: Core Motion calls a smooth ride stationary.
  private static let vehicleMemory = Duration.seconds(180)

  init(at uptime: Duration) { nextCheck = uptime + Self.interval }

  mutating func receive(_ reading: Reading) { pending = reading }

  /// Judges the newest reading, and returns how the device moves if that has changed.
  mutating func judge(at uptime: Duration, lastFastFix: Duration?) -> Motion?? {
    nextCheck = uptime + Self.interval
    let before = last
    switch pending {
    case nil: return nil
    case .motion(.still)? where lastFastFix.map { uptime - $0 < Self.vehicleMemory } ?? false: return nil
    case .motion(let motion)?: last = motion
    // A pedestrian may have boarded a train. At rest an unknown activity is frequent, and means nothing.
    case .undetermined?: if last == .walking { last = nil }
    }
    pending = nil
    return last == before ? nil : .some(last)
  }
}
