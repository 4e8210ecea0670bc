public import Foundation
@_spi(Benchmarks) public import LocoKit
@_spi(Benchmarks) import LocoMachine
import LocoMachineTesting

/// A simulated device with its own time: a day takes a fraction of a second, and the same seed gives the same day.
///
/// ```swift
/// let provider = SimulatedProvider(route: .losAngeles, seed: 1)
/// let manager = LocationManager(provider: provider)
/// manager.tryPromptAuthorization()
/// provider.advance(by: .seconds(1_800))
/// print(provider.energy.gpsOn)        // how long the GPS was on
/// ```
///
/// It models the route, cell towers and significant changes, the motion sensor, exits from regions, arrivals and departures, background
/// execution with coarse fixes, the receiver's time to first fix and accuracy, the user's answer to the prompt, and optional faults. Fixes
/// have errors of the place, but exact speeds and courses. The time to the first fix is drawn anew for each start of the receiver. A test
/// can also trigger events, for example with ``reportSignificantChange()``, ``deliver(_:)``, ``loseSky(for:)``, ``suspend()``, ``terminate()`` and
/// ``launch()``. Time passes only in ``advance(by:)``, ``advance(atMost:isolation:while:)``, and the `advance` methods of
/// ``clock``. Due events then occur in order, in the caller's isolation.
public final class SimulatedProvider: LocationProvider, SphericalProvider {
  /// The properties of a simulated device.
  public struct Configuration: Hashable, Sendable {
    /// The rule for significant changes.
    package var trigger = Trigger.apple
    /// The events that can wake the app, and the reports that it receives while the device sleeps.
    ///
    /// With ``backgroundUpdates`` other than `never`, timers and motion are added while the app is kept running.
    public var wakeSources: Set<WakeKind> = [.significantChange, .regionExit]
    /// When the app can be kept running while it waits for significant changes. Otherwise it is then suspended: a timer that is due fires
    /// when the app runs again, and cells aren't reported. With `never`, the app isn't suspended.
    public var backgroundUpdates = LocationManager.BackgroundUpdates.never
    /// Whether an app that is kept running receives coarse fixes only while `ReceiverPlan.coarseFixesFrom` has passed, as with
    /// `CoreLocationProvider.KeepsRunning.dutyCycled`.
    public var isDutyCycled = false
    /// The user's answer to the prompt.
    package var answer = Answer.allow
    /// The GPS receiver.
    public var receiver = ReceiverModel.phone
    /// The delay and the loss rate of exits from regions.
    package var region = RegionModel()
    /// The faults at the start of the simulation.
    package var faults = Faults.none
    /// The policy recommended to the manager.
    public var policy = AcquisitionPolicy.loco
    /// The power of the device.
    public var energyProfile = EnergyProfile.phone
    /// The authorization at the start of the simulation.
    package var authorization = Authorization.notDetermined

    /// Creates the configuration of a phone without faults, whose user allows locations when asked.
    public init() {}

    /// A phone with an app in the background: the manager decides when to keep it running, and regions, visits and significant changes
    /// wake it.
    public static let phoneInBackground: Configuration = {
      var configuration = Configuration()
      configuration.wakeSources = [.significantChange, .regionExit, .visit]
      configuration.backgroundUpdates = .whileMoving
      return configuration
    }()
  }

  /// The rule for significant changes, if ``Configuration/wakeSources`` contains them.
  package enum Trigger: String, CaseIterable, Hashable, Sendable {
    /// Apple's rule: at least 500 m and 5 minutes since the last significant change, checked when the cell changes.
    case apple
    /// Every change of the cell.
    case cell
  }

  /// The user's answer to the prompt, a few seconds after it appears.
  public enum Answer: String, CaseIterable, Hashable, Sendable {
    /// The user allows locations, always. For *While Using the App*, choose `ignore`, and set ``authorization`` to `whenInUse`.
    case allow
    /// The user refuses.
    case deny
    /// The user doesn't answer.
    case ignore
  }

  package let route: Route
  package let seed: UInt64
  var configuration: Configuration
  // The properties that most events use skip the run-time check for overlapping accesses. Accesses to the same
  // property don't overlap, because an event sends its reports only between accesses.

  /// Nanoseconds since the start.
  @exclusivity(unchecked) var now: Int64 = 0
  /// The sum of all changes of the wall clock, in seconds.
  var clockOffset: TimeInterval = 0
  /// The scheduled events, the latest first. Events with the same time occur in the order of scheduling.
  @exclusivity(unchecked) var agenda: [(time: Int64, event: Event, count: Int)] = []
  @exclusivity(unchecked) var random: SeededGenerator
  var isAdvancing = false
  /// The clock that shares the device's time; `nil` until ``clock`` is read.
  var sharedClock: ManualClock?

  /// The manager's plan, without a timer that has fired.
  package internal(set) var plan = ReceiverPlan()
  /// The hardware's mode, as the manager set it; a launch sets it to `off`. While the app is terminated, the GPS is off in every mode.
  public var mode: ReceiverMode { plan.mode }
  /// The current authorization. Assign it to change it, as the user does in the settings.
  public var authorization: Authorization {
    get { currentAuthorization }
    set { change(to: newValue) }
  }
  var currentAuthorization: Authorization
  /// The user's answer to later prompts, and to one that is requested and isn't answered yet; by default, the user allows locations. A prompt
  /// that was requested while the answer was ``Answer/ignore`` stays unanswered.
  public var answer: Answer {
    get { configuration.answer }
    set { configuration.answer = newValue }
  }
  /// The manager's handler for reports. The manager sets it.
  public var onReport: ProviderReport.Handler?
  /// The battery; `nil`, the default, if the device reports no battery. Assign a status to plug the device in, or to change the level.
  ///
  /// An unplugged battery drains at the power of the device and the app, by the configuration's profile, if that has a capacity. The device
  /// reports each change of the level by a percent, unless the mode is `off`. With background updates, an app in the background
  /// that isn't kept running learns of a change when something else wakes it.
  public var battery: LocationManager.BatteryStatus? {
    get { charge.map { LocationManager.BatteryStatus(level: level(of: $0), state: $0.state) } }
    set { setBattery(newValue) }
  }
  /// The handler for the launch of a terminated app: release the old manager, then create a new one.
  ///
  /// A significant change, the exit from a region, or the arrival or departure of a visit launches the app if the authorization is
  /// `always` and *Background App Refresh* is allowed. ``launch()`` launches it in any case. Without a handler, faults don't terminate the
  /// app, and only ``launch()`` starts an app that a test has terminated.
  public var onRelaunch: (() -> Void)?

  // When a counter changes, the scheduled events of its kinds no longer occur.
  /// The number of changes of the mode, and of starts and stops of its hardware.
  var generation = 0
  /// The number of starts and stops of cells and motion.
  @exclusivity(unchecked) var sensorGeneration = 0
  var (regions, coarseChanges, timers, prompts, suspensions, faultRounds) = (0, 0, 0, 0, 0, 0)

  @exclusivity(unchecked) var meter: EnergyMeter
  @exclusivity(unchecked) var receiver: Receiver
  @exclusivity(unchecked) var walker: RouteWalker
  @exclusivity(unchecked) var cells: CellNetwork
  var lastChange: (location: Location, at: Int64)?
  @exclusivity(unchecked) var motionSensor: MotionSensor?
  /// The last reported motion since the sensor was turned on.
  var reportedMotion: LocationManager.Motion?
  /// Since when the sensor has reported nothing after stillness; infinite if it hasn't been silent. Whether the motion is withdrawn for that.
  var (silentSince, isMotionDoubted) = (Double.infinity, false)
  /// The changes of the sensor's motion while the app wasn't kept running.
  var storedMotion: [LocationManager.Motion.Change] = []
  var regionMonitor: RegionMonitor?
  var regionRandom: SeededGenerator
  var coarseLocator: CoarseLocator
  var hasCoarseFixes = false
  /// Whether the keeper runs, as it does during a look.
  var isKeeperOn = false
  /// Whether coarse fixes are delivered to an app that is kept running.
  var wantsCoarseFixes: Bool {
    !configuration.isDutyCycled || plan.coarseFixesFrom.map { $0.inNanoseconds <= now } ?? false
  }
  /// Whether the app is kept running with coarse fixes. A manager that needs this although the device can't do it has no effect.
  var isKeptRunning: Bool { hasKeeper && plan.keepsAppRunning }
  /// Whether the app runs between fixes: it's kept running, or its timers run as in the foreground.
  var isAwake: Bool { hasKeeper ? isKeptRunning : configuration.wakeSources.contains(.timer) }
  /// Whether a timer became due while the app was suspended without its keeper.
  var timerIsOverdue = false

  /// The level and state of the battery when it was set, and the energy used before.
  var charge: (level: Double?, state: LocationManager.BatteryStatus.State?, joules: Double)?
  var reportedBattery: LocationManager.BatteryStatus?
  /// The state of the app; `nil` if it isn't reported.
  var app: (isInForeground: Bool, isLowPowerMode: Bool, mayRefresh: Bool)?

  var faultRandom: SeededGenerator
  var (isSuspended, isTerminated) = (false, false)
  var queued: [ProviderReport] = []
  var skyLostUntil: Int64 = 0
  var unknownLeft = 0
  var (lastFix, heldBack): (Location?, Location?)

  /// Creates a device at the start of a route.
  public init(route: Route, seed: UInt64, configuration: Configuration = Configuration()) {
    func generator(_ salt: UInt64) -> SeededGenerator { SeededGenerator(seed: SeededGenerator.mix(seed ^ salt)) }
    self.route = route
    self.seed = seed
    self.configuration = configuration
    currentAuthorization = configuration.authorization
    (random, regionRandom, faultRandom) = (generator(0), generator(0x4E610), generator(0x7B0B1E))
    receiver = Receiver(configuration.receiver, &random)
    meter = EnergyMeter(origin: route.points[0])
    coarseLocator = CoarseLocator(seed: seed)
    walker = RouteWalker(origin: route.points[0])
    cells = CellNetwork(seed: seed)
    if hasKeeper || configuration.wakeSources.contains(.motion) { motionSensor = MotionSensor(seed: seed) }
    if configuration.wakeSources.contains(.visit) {
      let stays = Visits.stays(on: route)
      for report in Visits.arrivals(seed: seed, at: stays) { schedule(.arrival(at: report.stay), after: report.time) }
      for report in Visits.departures(seed: seed, from: stays) {
        schedule(.departure(from: report.stay), after: report.time)
      }
    }
    if faults != .none { beginFaults() }
  }

  /// The simulated time since the device was created.
  public var uptime: Duration { .nanoseconds(now) }
  /// The wall-clock time: the route's start, plus the time since then and all changes of the clock.
  public var date: Date { route.start.addingTimeInterval(seconds + clockOffset) }
  /// The configuration's policy.
  public var recommendedPolicy: AcquisitionPolicy { configuration.policy }
  /// The configuration's sources. With background updates, they contain timers and motion only while the app is kept running. Without, motion
  /// is missing while the sensor is silent for more than 30 s after it has reported stillness, as on a phone.
  public var wakeSources: Set<WakeKind> {
    var kinds = configuration.wakeSources
    guard hasKeeper else {
      if isMotionDoubted { kinds.remove(.motion) }
      return kinds
    }
    for kind in [.timer, .motion] as [WakeKind] {
      if isKeptRunning { kinds.insert(kind) } else { kinds.remove(kind) }
    }
    return kinds
  }
  /// The configuration's background updates.
  public var backgroundUpdates: LocationManager.BackgroundUpdates { configuration.backgroundUpdates }
  /// The faults. Assign ``Faults/none`` to end them: this resumes the app, or relaunches it if ``onRelaunch`` is set, and ends a loss of
  /// the sky.
  public var faults: Faults {
    get { configuration.faults }
    set {
      configuration.faults = newValue
      if newValue == .none { endFaults() } else { beginFaults() }
    }
  }
  /// The energy use so far.
  public var energy: EnergyUse {
    meter.count(to: now, on: route)
    return meter.use
  }
  /// Whether the app is running: not suspended by ``suspend()`` or a fault, and not terminated. An app whose keeper is off counts as
  /// running, because it accepts commands.
  package var appIsRunning: Bool { !isSuspended && !isTerminated }
  /// The true location of the device.
  public var position: Location {
    let point = point
    return Location(
      latitude: point.latitude, longitude: point.longitude, horizontalAccuracy: 0, altitude: point.altitude,
      timestamp: date)
  }
  /// Whether the receiver sees the sky.
  package var hasSky: Bool { now >= skyLostUntil && route.hasSky(at: seconds) }

  var point: Route.Point { route.position(at: seconds) }
  var seconds: TimeInterval { Double(now) * 1e-9 }
  var hasKeeper: Bool { configuration.backgroundUpdates != .never }
  /// Whether the app is suspended because the keeper is off.
  var isKeeperOff: Bool { hasKeeper && !isKeptRunning && mode == .significantChanges }
}

@available(*, unavailable)
extension SimulatedProvider: Sendable {}
