/// A state of the ``LookMachine`` with its data.
struct LookPhase: Hashable, Sendable {
  /// The movement that the last fixes, looks and reports of motion show.
  enum Movement: Hashable, Sendable {
    case moving
    case resting(Rest)
    case blind(Blindness)
  }

  private(set) var movement = Movement.moving
  /// Whether the app may be suspended.
  private(set) var isAsleep = false

  /// During movement, a new cell starts a look only after this many seconds of motion since the last fix or failed look.
  static let motionBeforeCell = 20.0

  var state: LookMachine.State {
    switch movement {
    case .moving: isAsleep ? .asleepMoving : .moving
    case .resting: isAsleep ? .asleep : .resting
    case .blind: isAsleep ? .asleepBlind : .blind
    }
  }

  /// The data of a device at rest; `nil` in the other states.
  var rest: Rest? {
    get { if case .resting(let rest) = movement { rest } else { nil } }
    set { if let newValue, rest != nil { movement = .resting(newValue) } }
  }

  /// The data after a failed look during movement; `nil` in the other states.
  var blindness: Blindness? {
    get { if case .blind(let blindness) = movement { blindness } else { nil } }
    set { if let newValue, blindness != nil { movement = .blind(newValue) } }
  }

  /// Enters a state. The data of rest and blindness is kept when the app may be suspended and when it wakes.
  mutating func enter(_ state: LookMachine.State) {
    switch state {
    case .moving, .asleepMoving: movement = .moving
    case .resting, .asleep: movement = .resting(rest ?? Rest())
    case .blind, .asleepBlind: movement = .blind(blindness ?? Blindness())
    }
    isAsleep = state == .asleep || state == .asleepMoving || state == .asleepBlind
  }

  /// The data of a device at rest.
  struct Rest: Hashable, Sendable {
    /// The seconds at rest until the next look, without a motion sensor. The range of ``intervals`` was chosen with recorded tracks: a first
    /// look after two minutes soon notices a departure. Later, four looks an hour use little energy, and correct a wrong place within 15
    /// minutes.
    private(set) var interval = intervals.lowerBound
    /// The expected seconds of straight movement between the last fix and the rest.
    private(set) var ahead = 0.0
    /// The increase of the estimate's error between the last fix and the rest, in metres.
    private(set) var growth = 0.0
    /// The possible distance from the last fix to the place of rest, in metres.
    private(set) var distance = 0.0

    /// The seconds of motion that start a look. Shorter motion at rest is mostly false.
    static let motionBeforeLook = 60.0
    /// The seconds of stillness that undo a second of motion: false motion arrives in bursts.
    static let leak = 4.0
    /// At rest with a motion sensor, a new cell starts a look only within this many seconds after motion, because a phone at rest changes
    /// cells too.
    static let stillBeforeCell = 120.0
    /// The desired accuracy of the fix at rest, in metres. This fix is kept for hours.
    static let accuracy = 30.0
    private static let intervals = 120.0...900.0

    mutating func begin(ahead: Double, growth: Double, distance: Double) {
      (self.ahead, self.growth, self.distance) = (ahead, growth, distance)
    }

    mutating func waitLonger() { interval = min(2 * interval, Self.intervals.upperBound) }
  }

  /// The data after failed looks during movement.
  struct Blindness: Hashable, Sendable {
    /// The motion counter's seconds at the last look.
    var triedAt = 0.0
    /// The motion counter's seconds when the next look is due.
    var retryAt = 0.0

    /// Counts both from a later fix.
    mutating func advance(by seconds: Double) {
      triedAt -= seconds
      retryAt -= seconds
    }
  }
}

/// The last suspension and wake-up of the app, and the last arrival.
struct LookSleep: Equatable, Sendable {
  /// The time of the last wake-up.
  private(set) var wokeAt = Duration.zero
  /// The time of the last suspension of a slow device, until the next fix shows whether it still is slow.
  private(set) var slowSince: Duration?
  /// Whether the look at rest was requested since the device came to rest or the app woke.
  var hasLookedAtRest = false
  /// The time when the system reported an arrival; `nil` after the device has left or the app was suspended.
  var arrivedAt: Duration?
  /// The number of exits from regions that have woken the app since the last fix that is accurate or elsewhere, at most ``mostExits``.
  private(set) var exits = 0

  /// The seconds between the report of an arrival and a suspension. The report is minutes late, so stillness needn't confirm it.
  static let stay = 15.0
  /// The pace of a trip, in metres per second, after which a short stop may be one at a traffic light.
  static let fastPace = 6.0
  /// The seconds after which the report of an arrival no longer counts, if the GPS or a pause prevented the suspension.
  static let longestStay = 60.0
  /// The highest speed of a device that has arrived, in metres per second.
  private static let walk = 2.5
  /// The least seconds between a wake-up and a suspension during movement.
  static let watch = 10.0
  /// The maximum age of the fix at a suspension during movement, in seconds.
  static let newestFix = 20.0
  /// The number of exits after which no region is set until a fix is accurate or elsewhere. The system reports the exit from a region that
  /// the device has already left. Without reception, as in a basement, four exits take about a quarter of an hour.
  private static let mostExits = 4

  /// Whether the exit from a region round the last fix may wake the app.
  var mayWatch: Bool { exits < Self.mostExits }

  mutating func countExit() { exits = min(exits + 1, Self.mostExits) }

  /// Resets ``exits`` if a fix shows where the device is, or that it has moved.
  mutating func compare(_ fix: Location, with last: Location?) {
    if fix.horizontalAccuracy <= WakeRegion.minimumRadius || last.map({ RestPlace.isOne($0, fix) }) != true {
      exits = 0
    }
  }

  mutating func begin(at uptime: Duration, isSlow: Bool) { (slowSince, arrivedAt) = (isSlow ? uptime : nil, nil) }

  mutating func end(at uptime: Duration) { (wokeAt, hasLookedAtRest, arrivedAt) = (uptime, false, nil) }

  mutating func endSlowness() { slowSince = nil }

  /// Discards an arrival if a fix is fast, or far from an earlier fix since the arrival.
  mutating func checkArrival(with fix: Location, last: Location?, seenAt: Duration) {
    guard let arrivedAt else { return }
    let isElsewhere = last.map { seenAt >= arrivedAt && fix.distance(to: $0) > WakeRegion.minimumRadius } ?? false
    if isElsewhere || Self.showsMotion(fix) { self.arrivedAt = nil }
  }

  /// Whether the speed of a fix shows that the device doesn't rest, whatever an earlier report says.
  static func showsMotion(_ fix: Location) -> Bool { fix.speed ?? 0 > walk }

  /// Returns whether the device has been slow since the suspension, and forgets the suspension.
  mutating func wasSlow(from last: FoundFix?, to fix: Location, at uptime: Duration, slowPace: Double) -> Bool {
    defer { slowSince = nil }
    guard let slowSince, let last, fix.horizontalAccuracy <= WakeRegion.minimumRadius else { return false }
    // A coarse fix may have followed the suspension.
    let seconds = max(1, (uptime - max(slowSince, last.time)).inSeconds)
    return max(last.fix.distance(to: fix) / seconds, fix.speed ?? 0) < slowPace
  }
}
