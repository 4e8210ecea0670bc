import Foundation

extension LocationCore {
  /// The time, on both clocks.
  struct Now: Hashable, Sendable {
    /// How long the system has been running: never goes back.
    var uptime: Duration
    /// The wall clock, which the user may set.
    var date: Date
  }

  /// An input of the manager.
  enum Input: Hashable, Sendable {
    /// A command of the app: one of the machine's events.
    case command(LocationMachine.Event)
    case report(ProviderReport)
    // What is large and rare is in a box: an input is then copied as fast as a report.
    /// The definition of a good fix, from the next acquisition on.
    indirect case policy(AcquisitionPolicy)
    /// The time limit of the next prompt.
    case promptTimeLimit(Duration)
    /// The largest error of the last location, in metres; `nil` is Loco's rule.
    case errorBound(Double?)
    /// The location whose error is bounded.
    case boundTarget(LocationManager.BoundTarget)
    /// A consumer wants something of the receiver, or something else than before.
    indirect case begin(Demand.ID, Demand.Want)
    /// A consumer is to be called back at an uptime; `nil` cancels that.
    case setAlarm(Demand.ID, at: Duration?)
    case end(Demand.ID)
    /// A consumer wants a fresh fix from a receiver that is on.
    case restartReceiver
    /// The manager's owner has released it, or another manager was made with its provider.
    case release
  }

  /// An action of the manager.
  ///
  /// No action holds a reference, so that a copy of one is a copy of its bytes: a turn copies each action several times.
  enum Action: Hashable, Sendable {
    // Commands to the provider.
    case setErrorBound(Double?)
    case setReceiver(ReceiverSettings)
    case setRegion(Location.Region?)
    case setKeptRunning(Bool)
    case setMode(ReceiverMode)
    case setTimer(Duration?)
    case restartReceiver
    case requestAuthorization

    // Notifications of the listeners.
    case transition(LocationManager.Transition)
    case deliver(Location)
    case notify(Notice)
    case significantChange(Location?)
    case look(LocationManager.LookCause)
    case acquisitionFailed(AcquisitionFailure)
    case promptShown
    case authorizationChanged(Authorization)
    case motionChanged(Motion)
    case batteryChanged(LocationManager.BatteryStatus)
    case ignored(LocationMachine.Event, Obstacle)
    /// A fix with its verdict. Listeners are notified of a rejected one that no consumer used.
    case judged(LocationManager.JudgedFix, isUsed: Bool)

    // Notifications of the owners of demands.
    case give(Location, to: Demand.ID)
    case giveFix(LocationManager.JudgedFix, to: Demand.ID)
    case finish(Demand.ID, AcquisitionFailure?)
    case callBack(Demand.ID)
    /// The failure is ``LocationCore/failure``.
    case providerFailed
    /// The GPS is turned off.
    case interrupted
    /// The device has left a region, the place of a visit, or a cell.
    case departed
    /// The motion is ``LocationCore/pastMotion``.
    case movedBefore

    // For the next launch.
    case savePause(Bool)
    case save(Location)
  }

  /// A notification without anything else in it.
  enum Notice: Hashable, Sendable {
    case accessGranted, accessDenied, promptExpired, forceAcquire, paused, resumed
  }

  /// Why a command has no effect.
  enum Obstacle: Hashable, Sendable {
    /// The machine ignores the event in this state.
    case state(LocationState)
    /// The manager has released its provider.
    case released

    /// The reason in words.
    func reason(for event: LocationMachine.Event) -> String {
      switch self {
      case .state(let state): LocationCore.table[state: state, event: event].reason ?? ""
      case .released: "Another manager has been given this one's provider."
      }
    }
  }
}

extension LocationCore.Input {
  /// Whether the app runs again after the end of its background time. Fixes and errors may still arrive before it is suspended.
  var showsThatTheAppRuns: Bool {
    switch self {
    case .command, .begin, .errorBound: true
    case .report(.significantChange), .report(.regionExited), .report(.arrival), .report(.departure), .report(.motion),
      .report(.pastMotion), .report(.cell), .report(.timer):
      true
    case .report(.wakeSources(let sources)): sources.contains(.timersWhileAsleep)
    case .report(.promptShown), .report(.authorization), .report(.fixes), .report(.failure), .report(.battery),
      .report(.replaced):
      false
    case .policy, .promptTimeLimit, .boundTarget, .setAlarm, .end, .restartReceiver, .release: false
    }
  }
}
