package import LocoFoundation

extension LocationCore {
  package struct Now: Equatable, Sendable {
    /// The provider's uptime: the time since a fixed moment. It never decreases.
    package var uptime: Duration
    /// The wall clock, which the user may set.
    package var date: Date

    package init(uptime: Duration, date: Date) { (self.uptime, self.date) = (uptime, date) }

    /// The age of a location, in seconds; negative for one from the future.
    func age(of location: Location) -> Double { date.timeIntervalSince(location.timestamp) }
  }

  /// The manager's settings.
  package struct Settings: Equatable, Sendable {
    /// The policy of the next acquisition.
    package var policy: AcquisitionPolicy
    var promptTimeLimit = LocationMachine.promptTimeLimit
    /// The app's error bound. A demand may have a smaller one.
    var errorBound: Double?
    var boundTarget = LocationManager.BoundTarget.standard

    /// Returns the planner's settings for the smallest error bound; `nil` without a bound.
    func look(for demands: Demands, on device: Device) -> LookSettings? {
      guard let bound = [errorBound, demands.errorBound].compactMap({ $0 }).min() else { return nil }
      var look = LookSettings(bound: bound, sources: device.wakeSources, backgroundUpdates: device.backgroundUpdates)
      (look.target, look.mustKeepRunning, look.isAssisted) = (
        boundTarget, demands.keepRunning, policy.lookLimits.isAssisted
      )
      return look
    }
  }

  /// The provider's last reports about the device and the app.
  package struct Device: Equatable, Sendable {
    package var authorization: Authorization
    package var wakeSources: Set<WakeKind> {
      didSet { watchesRegions = wakeSources.contains(.regionExit) }
    }
    package var backgroundUpdates: LocationManager.BackgroundUpdates
    /// Whether ``wakeSources`` has the exit from a region. Stored, because each step reads it.
    private(set) var watchesRegions: Bool
    var motion: LocationManager.Motion?
    var battery: LocationManager.BatteryStatus?
    var app: App?
    /// Whether the app's background time is over. Until an input shows that the app runs, no look begins or keeps the GPS on.
    var isOutOfTime = false

    init(authorization: Authorization, wakeSources: Set<WakeKind>, backgroundUpdates: LocationManager.BackgroundUpdates)
    {
      self.authorization = authorization
      self.wakeSources = wakeSources
      self.backgroundUpdates = backgroundUpdates
      watchesRegions = wakeSources.contains(.regionExit)
    }

    /// The state of the app.
    struct App: Hashable, Sendable {
      var isInForeground: Bool
      var isLowPowerMode: Bool
      /// Whether the system may launch the app in the background.
      var mayRefresh: Bool
    }
  }

  package enum Input: Equatable, Sendable {
    case command(LocationMachine.Event)
    case report(ProviderReport)
    // Large payloads of rare inputs are indirect, so that copying an input is as fast as copying a report.
    /// The policy from the next acquisition on.
    indirect case policy(AcquisitionPolicy)
    case promptTimeLimit(Duration)
    case errorBound(Double?)
    case boundTarget(LocationManager.BoundTarget)
    indirect case begin(Demand.ID, Demand.Kind)
    /// A consumer asks for a callback at an uptime; `nil` cancels it.
    case setAlarm(Demand.ID, at: Duration?)
    case end(Demand.ID)
    /// A consumer wants a fresh fix from a receiver that is on.
    case restartReceiver
    /// The manager is deinitialized, or another manager is created with its provider.
    case release

    /// Whether the input shows that the app runs again after its background time has expired. Fixes and errors don't show that: they may
    /// still arrive before the app is suspended.
    var showsThatTheAppRuns: Bool {
      switch self {
      case .command, .begin, .errorBound: true
      case .report(.wake), .report(.pastMotion): true
      case .report(.wakeSources(let sources, _)): sources.contains(.timer)
      case .report(.promptShown), .report(.authorization), .report(.fixes), .report(.failure), .report(.battery),
        .report(.app), .policy, .promptTimeLimit, .boundTarget, .setAlarm, .end, .restartReceiver,
        .release:
        false
      }
    }
  }

  /// Each action has the values that it is about, so the manager carries it out without reading the core. Large payloads of rare actions are
  /// indirect, because a turn copies each action several times.
  package enum Action: Equatable, Sendable {
    // Commands to the provider.
    indirect case apply(ReceiverPlan)
    case perform(ReceiverRequest)

    // Notifications to the listeners.
    case transition(LocationManager.Transition)
    case deliver(Location)
    case notify(LocationMachine.Notice)
    case significantChange(Location?)
    case look(LocationManager.Cause)
    case acquisitionFailed(AcquisitionFailure)
    case promptShown
    case authorizationChanged(Authorization)
    case motionChanged(LocationManager.Motion)
    case batteryChanged(LocationManager.BatteryStatus)
    case appChanged
    indirect case presenceChanged(LocationManager.Presence?)
    indirect case healthChanged(LocationManager.Health)
    indirect case visited(Location.Visit)
    /// Whether the receiver finds usable fixes for a consumer that tracks.
    case signalChanged(Bool)
    /// A failure of the provider, the first one of its kind since the last usable fix.
    indirect case failureBegan(ProviderReport.Failure)
    /// A command without effect in the state; the state is `nil` if the manager has released its provider.
    case ignored(LocationMachine.Event, in: LocationMachine.State?)
    /// A fix with its verdict. Listeners receive a rejected fix only if no consumer used it.
    case judged(LocationManager.JudgedFix, isUsed: Bool)

    // Notifications to the consumers.
    case give(Location, to: Demand.ID)
    case giveFix(LocationManager.JudgedFix, to: Demand.ID)
    case finish(Demand.ID, AcquisitionFailure?)
    case callBack(Demand.ID)
    indirect case providerFailed(ProviderReport.Failure)
    /// The GPS is turned off.
    case interrupted
    /// The device has left a region, the place of a visit, or a cell.
    case departed
    /// The sensor has recorded motion while the app was suspended.
    indirect case movedBefore([LocationManager.Motion.Change])

    // Writes to the store, for the next launch.
    case savePause(Bool)
    case save(Location)
    indirect case savePresence(LocationManager.Presence?)
  }

  /// An event of the machine, with its payload.
  enum Fact {
    case event(LocationMachine.Event)
    /// An event that a demand causes.
    case demanded(LocationMachine.Event)
    case changed(Location?)
    case lookDue(LocationManager.Cause)
    case accepted(Location)
    case coarse(Location)
    case acquired(Location)
    case failed(AcquisitionFailure)

    var isDemanded: Bool { if case .demanded = self { true } else { false } }
    var event: LocationMachine.Event {
      switch self {
      case .event(let event), .demanded(let event): event
      case .changed: .significantChange
      case .lookDue: .lookDue
      case .accepted: .fixAccepted
      case .coarse: .coarseFixAccepted
      case .acquired: .acquired
      case .failed: .acquisitionFailed
      }
    }

    /// The reason for an acquisition that the fact begins.
    var cause: LocationManager.Cause {
      switch self {
      case .changed: .wake(.significantChange)
      case .lookDue(let cause): cause
      case .demanded(.trackingRequested): .tracking
      case .event, .demanded, .accepted, .coarse, .acquired, .failed: .command
      }
    }

    /// Returns the effect's notification to the listeners; `nil` if it has none.
    func notification(of effect: LocationMachine.Effect) -> Action? {
      switch (effect, self) {
      case (.deliverLocation, .accepted(let location)), (.deliverLocation, .coarse(let location)),
        (.deliverLocation, .acquired(let location)):
        .deliver(location)
      case (.notify(.significantChange), .changed(let change)): .significantChange(change)
      case (.notify(.lookDue), .lookDue(let cause)): .look(cause)
      case (.notify(.acquisitionFailed), .failed(let failure)): .acquisitionFailed(failure)
      case (.notify(let notice), _): .notify(notice)
      case (.requestAuthorization, _), (.deliverLocation, _): nil
      }
    }
  }
}

extension Authorization {
  /// The event that the authorization raises.
  var event: LocationMachine.Event {
    switch self {
    case .notDetermined: .authorizationReset
    case .restricted, .denied: .refused
    case .whenInUse, .always: .authorized
    }
  }
}
