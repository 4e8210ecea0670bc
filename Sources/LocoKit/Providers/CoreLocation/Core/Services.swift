/// The state of the services that the provider uses.
struct Services: Equatable, Sendable {
  /// Services start in the order of the cases, and stop in the reverse order.
  enum Service: CaseIterable, Hashable, Sendable {
    /// A session that makes an app in the background still count as in use.
    case activitySession
    /// Delays the suspension of an app in the background.
    case backgroundTime
    /// The GPS.
    case updates
    /// The GPS on a platform where fixes are requested one at a time. Stopping the service withdraws the last request.
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
  var receiverAccuracy: Double?
  /// The desired accuracy of the keeper's updates, in metres.
  var keeperAccuracy: Double?
  var region = RegionWatch.Armed.earlier
  /// Whether the `CLMonitor` is open. It is never closed.
  var hasOpenConditions = false
  var timer: Duration?
  /// Whether significant changes and visits may still be on from an earlier launch. They would keep launching the app.
  var mayRunEarlier = true

  /// The services and the region to start again, because the system may have stopped them without a report.
  struct Renewal: Equatable, Sendable {
    var services: Set<Service> = []
    var region = false
  }

  /// Returns the commands that change `old` to this value, and the commands of a renewal. Starts precede stops, so that the app
  /// keeps running while one service replaces another. For the same reason, the sessions and the background time start before the other
  /// services and stop after them.
  func commands(from old: Services, renewing renewal: Renewal) -> [CoreLocationCore.Action] {
    var commands: [CoreLocationCore.Action] = []
    if let session, session != old.session { commands.append(.beginServiceSession(session)) }
    if let receiverAccuracy, receiverAccuracy != old.receiverAccuracy {
      commands.append(.setReceiver(accuracy: receiverAccuracy))
    }
    if let keeperAccuracy, keeperAccuracy != old.keeperAccuracy {
      commands.append(.setKeeper(accuracy: keeperAccuracy))
    }
    for service in Service.allCases where running.contains(service) {
      if !old.running.contains(service) || renewal.services.contains(service) { commands.append(.start(service)) }
    }
    if hasOpenConditions, !old.hasOpenConditions { commands.append(.openConditions) }
    let isRegionNew = region != old.region || renewal.region
    if isRegionNew, case .circle(let region) = region { commands.append(.armCircle(region)) }
    if isRegionNew, case .condition(let region) = region { commands.append(.armCondition(region)) }
    for service in Service.allCases.reversed()
    where !running.contains(service) && (old.running.contains(service) || !mayRunEarlier && old.isEarlier(service)) {
      commands.append(.stop(service))
    }
    if isRegionNew, region == .none { commands.append(.removeRegion) }
    if session == nil, old.session != nil { commands.append(.endServiceSession) }
    if timer != old.timer { commands.append(.setTimer(timer)) }
    return commands
  }

  /// Returns whether a service may still be on from an earlier launch.
  private func isEarlier(_ service: Service) -> Bool {
    mayRunEarlier && !running.contains(service) && (service == .significantChanges || service == .visits)
  }
}
