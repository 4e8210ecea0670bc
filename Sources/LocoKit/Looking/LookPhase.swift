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
