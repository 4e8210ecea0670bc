/// The services of Core Location that run.
struct Services: Hashable, Sendable {
  /// Services start in the order of the cases, and stop in the reverse order.
  enum Service: CaseIterable, Hashable, Sendable {
    /// Keeps an app in use in the background.
    case activitySession
    /// Delays the suspension of an app that was woken.
    case backgroundTime
    /// The GPS.
    case updates
    /// The GPS where fixes are requested one at a time. Stopping it withdraws the last request.
    case requests
    case significantChanges
    case visits
    /// Coarse updates that keep the app running.
    case keeper
    /// The motion sensor.
    case motion
  }

  struct Session: Hashable, Sendable {
    let number: Int
    let requiresAlways: Bool
  }

  var session: Session?
  var running: Set<Service> = []
  var receiver: ReceiverSettings?
  var region = RegionWatch.Armed.earlier
  /// Whether the monitor is open. It stays open.
  var hasOpenConditions = false
  var timer: Duration?

  /// What is commanded again, though it was commanded before: the system may have stopped it without saying so.
  struct Renewal: Hashable, Sendable {
    var services: Set<Service> = []
    var region = false
  }

  /// Returns the commands that lead from `old` to this value, and those of a renewal. Starts precede stops, so that the app is kept running
  /// throughout. What keeps it running, such as a session, begins before the other services, and ends after them.
  func commands(from old: Services, renewing renewal: Renewal) -> [CoreLocationCore.Action] {
    var commands: [CoreLocationCore.Action] = []
    if let session, session != old.session { commands.append(.beginServiceSession(session)) }
    if let receiver, receiver != old.receiver { commands.append(.setReceiver(receiver)) }
    for service in Service.allCases where running.contains(service) {
      if !old.running.contains(service) || renewal.services.contains(service) { commands.append(.start(service)) }
    }
    if hasOpenConditions, !old.hasOpenConditions { commands.append(.openConditions) }
    if region != old.region || renewal.region {
      switch region {
      case .earlier: break
      case .none: commands.append(.removeRegion)
      case .circle(let region): commands.append(.armCircle(region))
      case .condition(let region): commands.append(.armCondition(region))
      }
    }
    for service in Service.allCases.reversed() where !running.contains(service) && old.mayRun(service) {
      commands.append(.stop(service))
    }
    if session == nil, old.session != nil { commands.append(.endServiceSession) }
    if timer != old.timer { commands.append(.setTimer(timer)) }
    return commands
  }

  /// Before the first commands, significant changes and visits may run from an earlier launch, and would keep launching the app.
  private func mayRun(_ service: Service) -> Bool {
    running.contains(service) || (service == .significantChanges || service == .visits) && receiver == nil
  }
}
