/// Counts the time of motion and of stillness, in seconds.
struct MotionCounter: Equatable, Sendable {
  /// The last report of the motion sensor; `nil` before the first one, and after the planner has discarded it.
  var motion: LocationManager.Motion? {
    didSet {
      isStillnessDoubted = false
      if motion != oldValue { stood = 0 }
    }
  }
  /// Whether a fast fix contradicts the last report, which was stillness.
  private(set) var isStillnessDoubted = false
  /// The seconds of motion since the latest of these: a fix, the start of a rest, a failed look at rest. Stillness at rest reduces them.
  var moved = 0.0
  /// The seconds of stillness since the last motion.
  var still = 0.0
  /// The seconds since a vehicle was reported as stationary.
  var stood = 0.0
  /// The time of the last update.
  private(set) var time: Duration

  init(at uptime: Duration) { time = uptime }

  /// Discards a report of stillness.
  ///
  /// - Parameter mayReturn: Whether the report counts again after ``confirmStillness()``.
  mutating func doubtStillness(mayReturn: Bool) {
    motion = nil
    isStillnessDoubted = mayReturn
  }

  /// Counts a report of stillness again that was doubted.
  mutating func confirmStillness() { if isStillnessDoubted { motion = .still } }

  /// Counts the motion from a fix, which may be seconds old. Returns the decrease of ``moved``.
  @discardableResult
  mutating func restart(age: Double) -> Double {
    let before = moved
    moved = min(max(0, age), moved)
    return before - moved
  }

  /// Sets the time, and returns the seconds that have passed.
  mutating func advance(to uptime: Duration) -> Double {
    defer { time = uptime }
    return (uptime - time).inSeconds
  }
}
