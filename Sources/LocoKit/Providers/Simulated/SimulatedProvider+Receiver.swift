import Foundation

extension SimulatedProvider {
  func startGPS() {
    meter.use.gpsStarts += 1
    receiver.start(configuration.receiver, at: now, &random)
    faultState?.heldBack = nil
    if let lastFix = faultState?.lastFix, chance(faults.cachedFixes) { schedule(.lateFix(lastFix), after: 0.05) }
    updateState()
    if configuration.receiver.hasNetwork {
      schedule(.networkFix(generation: generation), after: coarseLocator.networkWait())
    }
    scheduleSecond()
  }

  /// Receivers measure at whole seconds, whenever they were turned on.
  private func scheduleSecond() {
    agenda.add(.second(generation: generation), at: (now / 1_000_000_000 + 1) * 1_000_000_000)
  }

  func stopGPS() {
    guard let search = receiver.search else { return }
    turnGPSOff()
    guard search.foundAt != nil, chance(faults.fixesAfterStop) else { return }
    schedule(
      .lateFix(fix(accuracy: receiver.accuracy(search, configuration.receiver, at: seconds))), after: draw(0.01...3))
  }

  /// Turns the GPS off; nothing comes after that.
  func turnGPSOff() {
    guard receiver.search != nil else { return }
    receiver.stop()
    updateState()
  }

  func second() {
    scheduleSecond()
    let hasSky = hasSky
    if hasSky {
      if let faultState, faultState.unknownLeft > 0 {
        faultState.unknownLeft -= 1
        return report(.failure(.locationUnknown))
      }
      drawUnknownBurst()
      if chance(faults.receiverErrors) { return report(.failure(.other("the receiver did not answer"))) }
    }
    switch receiver.pass(configuration.receiver, at: seconds, hasSky: hasSky, isIndoors: route.isIndoors(at: seconds)) {
    case .fix(let accuracy): spoil(fix(accuracy: accuracy))
    case .networkFix: reportNetworkFix()
    case .skyLost: report(.failure(.locationUnknown))
    case .searching: break
    case .noSky: if Int(seconds) % 5 == 0 { report(.failure(.locationUnknown)) }
    }
  }

  private func fix(accuracy: Double) -> Location {
    let error = receiver.nextError(configuration.receiver, at: seconds, accuracy: accuracy, &random)
    let velocity = route.velocity(at: seconds)
    return place(
      point, north: error.north, east: error.east, accuracy: accuracy, speed: velocity.speed, course: velocity.course
    )
  }

  /// The network's first fix, unless the satellites were faster.
  func firstNetworkFix() {
    if receiver.search?.foundAt == nil { reportNetworkFix() }
  }

  private func reportNetworkFix() {
    if let fix = coarseFix() { spoil(fix) }
  }

  func place(
    _ point: SimulatedProvider.Route.Point, north: Double, east: Double, accuracy: Double, speed: Double?,
    course: Double?
  ) -> Location {
    var longitude = point.longitude + east / max(1, 111_320 * cos(point.latitude * .pi / 180))
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    return Location(
      latitude: min(90, max(-90, point.latitude + north / 111_320)), longitude: longitude, horizontalAccuracy: accuracy,
      altitude: point.altitude, verticalAccuracy: point.altitude == nil ? nil : accuracy * 1.5, speed: speed,
      course: course, timestamp: date)
  }
}
