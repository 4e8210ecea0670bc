/// The settings of a ``LookPlanner``: what the app wants, and what wakes it. Distances are in metres.
///
/// Constants without a stated origin were chosen with recorded tracks; see *Bounds in figures* in the documentation.
package struct LookSettings: Hashable, Sendable {
  /// The greatest error that the app accepts.
  var bound: Double
  var target = LocationManager.BoundTarget.lastLocation
  /// Whether a consumer requires that the app isn't suspended, even at rest.
  var mustKeepRunning = false
  /// Whether the receiver has assistance data, as a phone's has.
  var isAssisted = false
  private(set) var backgroundUpdates = LocationManager.BackgroundUpdates.never
  private(set) var runsTimers = false
  /// Whether motion is reported, and timers run, while the GPS is off. Otherwise the reports of motion aren't used.
  private(set) var hearsMotion = false
  /// Whether the system reports the exit from a region.
  private(set) var watchesRegions = false
  /// Whether a modem reports its cell.
  private(set) var hearsCells = false

  init(bound: Double, sources: Set<WakeKind>, backgroundUpdates: LocationManager.BackgroundUpdates = .never) {
    self.bound = bound
    use(sources, backgroundUpdates)
  }

  mutating func use(_ sources: Set<WakeKind>, _ backgroundUpdates: LocationManager.BackgroundUpdates) {
    self.backgroundUpdates = backgroundUpdates
    (runsTimers, hearsMotion, watchesRegions, hearsCells) = (false, false, false, false)
    // The compiler asks for a new kind.
    for kind in WakeKind.allCases where sources.contains(kind) {
      switch kind {
      case .timer: runsTimers = true
      case .motion: hearsMotion = true
      case .regionExit: watchesRegions = true
      case .cell: hearsCells = true
      case .significantChange, .visit: break
      }
    }
    // Only timers count stillness.
    hearsMotion = hearsMotion && runsTimers
  }

  /// The smallest bound: fixes are tens of metres off, and take seconds to find.
  static let minimumBound = 100.0
  /// Returns the desired accuracy of a look: a third of the bound, but no better than receivers usually are.
  package static func desiredAccuracy(within bound: Double) -> Double { max(10, bound / 3) }
  /// The share of the bound that makes a look due: a look takes time, and a pace is uncertain.
  static let share = 0.85
  /// The shortest time with the GPS off, in seconds. Another start costs as much energy as the GPS in about four seconds, and takes seconds in
  /// which the device moves on. With 6 s instead of 2, the errors on recorded outings are smaller, and the cost changes by 1 % at most.
  static let shortestPause = 6.0
  /// If the last location may be a coarse fix, the limit is lower by this distance, or by a third of the bound if that is less.
  private static let coarseMargin = 100.0
  /// The least bound, in metres, with which a fix from Wi-Fi can end every look except one at rest.
  private static let minimumBoundForWiFi = 250.0
  /// If the bound applies to the estimate, a look is due when the error is this multiple of the difference between the bound and
  /// ``estimateMargin``.
  private static let estimateShare = 1.1
  /// The margin for errors of the course, in metres.
  private static let estimateMargin = 75.0
  /// The least bound that can apply to the estimate. A smaller one applies to the last location.
  private static let minimumBoundOfEstimate = 300.0

  /// How a vehicle is assumed to move.
  struct Vehicle: Equatable, Sendable {
    /// The least pace, in metres per second.
    let pace: Double
    /// The time constant of a slower vehicle's acceleration to its pace, in seconds.
    let acceleration: Double

    fileprivate static let alone = Vehicle(pace: 8, acceleration: TripPace.reversion)
    /// Coarse fixes make looks rare: a town's speed limit.
    fileprivate static let followed = Vehicle(pace: 14, acceleration: TripPace.reversion)
    /// A few seconds after a traffic light, a vehicle is beyond a narrow bound. Chosen with recordings and simulated drives.
    fileprivate static let narrow = Vehicle(pace: 6, acceleration: 10)
  }

  /// The assumed delay of region exits, in seconds. Of the exits that phones report, nine in ten are reported within 205 s; see *Choosing a
  /// bound*.
  private static let longestLateness = 200.0
  /// The least bound, in metres, with which the app may be suspended in a vehicle. From this bound on, ``latenessInVehicles`` decides whether
  /// the device is slow.
  private static let minimumBoundForSleepInVehicles = 1_500.0
  /// The assumed delay of region exits in vehicles, in seconds: longer than the median (``WakeRegion/lateness``). Some exits are later, but
  /// few vehicles keep their speed and course for minutes. With 110 s, drives in cities are more often farther than the bound.
  private static let latenessInVehicles = 135.0
  /// A vehicle's app that woke during movement may be suspended again up to this share of ``slowPace``.
  private static let slowShareInVehicles = 0.7
  /// The least bound with which the app is suspended soon by default (see ``sleepsSoon``): with a narrower bound, the error after a
  /// departure exceeds the bound for minutes.
  private static let minimumBoundForSoonSleep = 200.0
  /// The first retry of a failed look is due when the device may have moved this share of the bound, within the limits of
  /// ``Retries/first``.
  static let retryShare = 0.25

  /// Whether the app can be kept running, so that it receives coarse fixes.
  var usesCoarseFixes: Bool { backgroundUpdates != .never }
  var keepsRunningAtRest: Bool { backgroundUpdates == .always }

  /// Whether an app that can be kept running may be suspended: a region must be able to detect movement, and nothing may require that the
  /// app runs at rest.
  var maySleep: Bool {
    usesCoarseFixes && watchesRegions && !keepsRunningAtRest && !mustKeepRunning
  }

  /// Whether the app may be suspended 15 s after an arrival, and after one minute without motion instead of two.
  var sleepsSoon: Bool { maySleep && (bound >= Self.minimumBoundForSoonSleep || backgroundUpdates == .briefly) }

  /// The seconds without motion after which the device is at rest (`rest`) and the app may be suspended (`sleep`). With a
  /// motion sensor, the device also counts as at rest once `sleep` has passed and the app may be suspended. A rest is longer than a stop at
  /// a traffic light. Except after an arrival, at least `sleep` seconds also pass between a wake-up and a suspension at rest.
  var quiet: (rest: Double, sleep: Double) { sleepsSoon ? (90, 60) : (180, Self.longQuiet) }
  /// The seconds without motion before a suspension after a failed look or a fast trip: twice the motion that starts a look at rest.
  static let longQuiet = 120.0

  /// The waits between a failed look and the next one. Times are in seconds.
  struct Retries: Equatable, Sendable {
    /// The range of the motion before the first retry.
    let first: ClosedRange<Double>
    /// The ratio of two successive waits.
    let growth: Double
    /// The least time with the GPS off after a first failure, as a multiple of the look's duration.
    let rest: Double

    /// The longest wait.
    let longest: Double

    /// The multiple that applies instead of ``rest`` after further failures and before the first fix: the receiver is on for at most a
    /// quarter of the time.
    static let longRest = 3.0
    /// A device usually leaves a tunnel or a building within minutes.
    fileprivate static let standalone = Retries(first: 60...60, growth: 2, rest: longRest, longest: 240)
    /// A device that leaves a building usually enters a new cell, which starts a look.
    fileprivate static let withCells = Retries(first: 60...60, growth: 2, rest: longRest, longest: 3_600)
    /// A phone that found no fix usually needs more time with the GPS on, not a later look. So the first retry comes soon, and the waits then
    /// grow quickly. With a growth of 3, recorded outings use more energy, and the errors are no smaller.
    fileprivate static let phone = Retries(first: 6...18, growth: 5, rest: 0.9, longest: 240)
  }

  var retries: Retries { usesCoarseFixes ? .phone : hearsCells ? .withCells : isAssisted ? .phone : .standalone }

  var isForEstimate: Bool { target == .estimate && bound >= Self.minimumBoundOfEstimate }
  var isNarrow: Bool { bound < Self.minimumBoundForWiFi }

  /// A look is due when the error reaches this limit.
  var limit: Double {
    let bound = min(bound, Location.farthest)
    let limit = isForEstimate ? Self.estimateShare * (bound - Self.estimateMargin) : Self.share * bound
    return limit - (usesCoarseFixes ? min(Self.coarseMargin, bound / 3) : 0)
  }

  var vehicle: Vehicle { !usesCoarseFixes ? .alone : isNarrow ? .narrow : .followed }

  /// The highest pace that allows the system to report a region's exit before the error reaches the bound.
  var slowPace: Double {
    (Self.share * bound - WakeRegion.minimumRadius)
      / (vehiclesMaySleep ? Self.latenessInVehicles : Self.longestLateness)
  }

  /// The highest pace that allows another suspension after a wake-up during movement. A vehicle's is lower, because its speed soon changes.
  var slowPaceOnceWoken: Double { vehiclesMaySleep ? Self.slowShareInVehicles * slowPace : slowPace }

  /// Whether the app may be suspended in a vehicle.
  var vehiclesMaySleep: Bool { bound >= Self.minimumBoundForSleepInVehicles }
}
