public import Foundation

/// A simulated device on its own time: a day passes in milliseconds, the same way for the same seed.
///
/// ```swift
/// let provider = SimulatedProvider(route: .losAngeles, seed: 1)
/// let manager = LocationManager(provider: provider)
/// manager.tryPromptAuthorization()
/// provider.advance(by: .seconds(1_800))
/// print(provider.energy.gpsOn)        // how long the GPS was on
/// ```
///
/// It models the route, cell towers and significant changes, the motion sensor, the exit from a region, the departure from a place, the
/// running of the app in the background and its coarse fixes, the receiver's time to first fix and accuracy, the user's answer to
/// the prompt, and, if asked to, faults. A test can also trigger events:
/// ``changeCell()``, ``deliver(_:)``, ``loseSky(for:)``, ``suspend(for:)``, ``terminate()`` and ``launch()``. Nothing happens unless
/// ``advance(by:)`` or ``run(until:)`` is called; then all that is due happens, in order, in the caller's isolation.
public final class SimulatedProvider: LocationProvider {
  /// What the device is like.
  public struct Configuration: Hashable, Sendable {
    /// What makes a significant change.
    public var trigger = Trigger.apple
    /// What can wake the app, and what it hears of while the device sleeps.
    ///
    /// With ``WakeSources/keeper``, the app is suspended while the GPS and the keeper are off. A timer that is due then fires when the
    /// app runs again; the provider doesn't report motion and cells.
    public var wakeSources: WakeSources = [.significantChanges, .regionExit]
    /// Whether the phone has a data connection. Without one, coarse fixes come from cells and claim 2–14 km, and an app that is
    /// kept running takes ``SimulatedProvider/EnergyProfile/keptRunningOffline``.
    public var hasDataConnection = true
    /// How the user answers the prompt.
    public var answer = Answer.allow
    /// The GPS receiver.
    @Shared public var receiver = SimulatedProvider.ReceiverModel.phone
    /// How the exit from a region is found.
    @Shared package var region = SimulatedProvider.RegionModel.phone
    /// What goes wrong.
    @Shared public var faults = SimulatedProvider.Faults.none
    /// The policy recommended to the manager.
    @Shared public var policy = AcquisitionPolicy.loco
    /// What the device's battery pays.
    @Shared public var energyProfile = SimulatedProvider.EnergyProfile.phone
    /// Whether locations may be used when the simulation begins.
    public var authorization = Authorization.notDetermined

    /// A phone that is allowed to use locations as soon as it asks, without faults.
    public init() {}

    /// A phone that is allowed to use locations as soon as it asks, without faults.
    public static let phone = Configuration()

    /// A phone with an app in the background: the manager decides when to keep it running, and regions, visits and significant changes
    /// wake it.
    public static let phoneInBackground: Configuration = {
      var configuration = Configuration()
      configuration.wakeSources = [.significantChanges, .regionExit, .visits, .keeper]
      return configuration
    }()
  }

  /// What makes a significant change, where ``Configuration/wakeSources`` has them.
  public enum Trigger: String, CaseIterable, Hashable, Sendable {
    /// Apple's rule: 500 m and 5 minutes since the last one, judged when the cell changes.
    case apple
    /// Any change of the cell.
    case cell
  }

  /// How the user answers the prompt, some seconds after it is shown.
  public enum Answer: String, CaseIterable, Hashable, Sendable {
    /// Locations may be used.
    case allow
    /// They may not.
    case deny
    /// No answer at all.
    case ignore
  }

  /// Where the device goes.
  package let route: SimulatedProvider.Route
  /// What decides all chance.
  package let seed: UInt64
  /// What the device has spent so far.
  public var energy: SimulatedProvider.EnergyUse {
    meter.count(to: now, on: route)
    return meter.use
  }
  /// What goes wrong from now on.
  public var faults: SimulatedProvider.Faults {
    get { configuration.faults }
    set {
      configuration.faults = newValue
      if newValue == .none { calm() } else { beginFaults() }
    }
  }
  /// What the hardware does now, as the manager commanded it. While the app is terminated the GPS is off all the same.
  public internal(set) var mode = ReceiverMode.off
  /// Called when the app, having been terminated, is launched again: release the old manager, then make a new one.
  ///
  /// A significant change or the exit from a region launches the app where the authorization is `always`, and ``launch()`` does
  /// in any case. If this is not set, faults do not terminate the app, and one that a test terminates stays so until
  /// ``launch()``.
  public var onRelaunch: (() -> Void)?

  /// Whether locations may be used.
  public internal(set) var authorization: Authorization
  /// Set by the manager.
  public var onReport: ((ProviderReport) -> Void)?

  var configuration: Configuration
  /// Nanoseconds since the beginning.
  var now: Int64 = 0
  var clockOffset: TimeInterval = 0
  var agenda = Agenda<ScheduledEvent>()
  var random: SeededGenerator
  var isAdvancing = false
  /// The clock that shares the device's time; `nil` before ``clock`` was read.
  var sharedClock: ManualClock?

  /// Counts every change of the mode: what was scheduled before it is of no use.
  var generation = 0
  var meter: EnergyMeter
  var receiver: SimulatedReceiver

  /// Counts how often cells and motion were turned on or off.
  var senses = 0
  var walker: RouteWalker
  var cells: CellNetwork
  var lastChange: (location: Location, at: Int64)?
  var motionSensor: MotionSensor?
  /// What was reported last, since the sensor was turned on.
  var reportedMotion: Motion?
  /// What the sensor stored while the app was suspended.
  var storedMotion: [Motion.Change] = []
  /// Counts the regions.
  var regions = 0
  var regionMonitor: RegionMonitor?
  var regionRandom: SeededGenerator

  /// The last command of the manager.
  var isKeptRunning = false
  /// Whether the provider reports coarse fixes, and the number of changes of this.
  var hasCoarseFixes = false
  var coarseChanges = 0
  var coarseLocator: CoarseLocator

  var timers = 0
  var timerIsSet = false
  /// Whether the timer has come due while the app was suspended.
  var timerIsOverdue = false
  var prompts = 0
  var isPrompting = false
  var faultState: FaultState?

  /// A device at the start of a route.
  public init(route: SimulatedProvider.Route, seed: UInt64, configuration: Configuration = .phone) {
    self.route = route
    self.seed = seed
    self.configuration = configuration
    authorization = configuration.authorization
    random = SeededGenerator(seed: SeededGenerator.mix(seed))
    regionRandom = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0x4E610))
    receiver = SimulatedReceiver(configuration.receiver, &random)
    meter = EnergyMeter(origin: route.points[0], hasData: configuration.hasDataConnection)
    coarseLocator = CoarseLocator(seed: seed)
    walker = RouteWalker(origin: route.points[0])
    cells = CellNetwork(seed: seed)
    if !configuration.wakeSources.isDisjoint(with: [.motion, .keeper]) { motionSensor = MotionSensor(seed: seed) }
    if configuration.wakeSources.contains(.visits) {
      for time in Departures(seed: seed, on: route).times { schedule(.departure, after: time) }
    }
    if faults != .none { beginFaults() }
  }

  /// How long the simulation has been running.
  public var uptime: Duration { .nanoseconds(now) }
  /// What the clock on the wall says: the route's start and what has passed since, and what somebody set it by.
  public var date: Date { route.start.addingTimeInterval(seconds + clockOffset) }
  /// The configuration's policy.
  public var recommendedPolicy: AcquisitionPolicy { configuration.policy }
  /// The sources of the configuration. With a keeper, they contain timers and motion while the app is kept running.
  public var wakeSources: WakeSources {
    let running: WakeSources = [.timersWhileAsleep, .motion]
    guard hasKeeper else { return configuration.wakeSources }
    return isKeptRunning ? configuration.wakeSources.union(running) : configuration.wakeSources.subtracting(running)
  }
  /// Whether the app runs. While ``suspend()`` or a fault suspends it, or it is terminated, it cannot give commands, and reports wait.
  /// An app that isn't kept running accepts commands.
  public var appIsRunning: Bool { !isSuspended && !isTerminated }
  /// Where the device really is.
  public var position: Location {
    let point = point
    return Location(
      latitude: point.latitude, longitude: point.longitude, horizontalAccuracy: 0, altitude: point.altitude,
      timestamp: date)
  }
  var point: Route.Point { route.position(at: seconds) }
  /// Whether a receiver sees the sky now.
  package var hasSky: Bool { now >= faultState?.skyLostUntil ?? 0 && route.hasSky(at: seconds) }

  var isSuspended: Bool { faultState?.isSuspended ?? false }
  var isTerminated: Bool { faultState?.isTerminated ?? false }

  var seconds: TimeInterval { Double(now) * 1e-9 }
}

@available(*, unavailable)
extension SimulatedProvider: Sendable {}
