import Foundation

extension SimulatedProvider {
  func startGPS() {
    meter.use.gpsStarts += 1
    receiver.start(configuration.receiver, at: now, &random)
    heldBack = nil
    if let lastFix, chance(faults.cachedFixes) { schedule(.lateFix(lastFix), after: 0.05) }
    updateState()
    if configuration.receiver.hasNetwork { schedule(.networkFix, after: coarseLocator.networkWait()) }
    scheduleSecond()
  }

  /// Schedules the next whole second, because receivers measure at these.
  private func scheduleSecond() { schedule(.second, at: (now / 1_000_000_000 + 1) * 1_000_000_000) }

  func stopGPS() {
    guard let search = receiver.search else { return }
    turnGPSOff()
    guard search.foundAt != nil, chance(faults.fixesAfterStop) else { return }
    let fix = fix(accuracy: receiver.accuracy(search, at: seconds))
    schedule(.lateFix(fix), after: draw(0.01...3))
  }

  /// Turns the GPS off without a late fix.
  func turnGPSOff() {
    guard receiver.search != nil else { return }
    receiver.stop()
    updateState()
  }

  func second() {
    scheduleSecond()
    let hasSky = hasSky
    if hasSky {
      if unknownLeft > 0 {
        unknownLeft -= 1
        return report(.failure(.locationUnknown))
      }
      if chance(faults.unknownBursts) { unknownLeft = draw(1...20) }
      if chance(faults.receiverErrors) { return report(.failure(.other("the receiver did not answer"))) }
    }
    switch receiver.pass(configuration.receiver, at: seconds, hasSky: hasSky, isIndoors: route.isIndoors(at: seconds)) {
    case .fix(let accuracy): deliverWithFaults(fix(accuracy: accuracy))
    case .networkFix: reportNetworkFix()
    case .skyLost: report(.failure(.locationUnknown))
    case .searching: break
    case .noSky: if Int(seconds) % 5 == 0 { report(.failure(.locationUnknown)) }
    }
  }

  private func fix(accuracy: Double) -> Location {
    let error = receiver.nextError(configuration.receiver, at: seconds, accuracy: accuracy, &random)
    var fix = place(point, north: error.north, east: error.east, accuracy: accuracy)
    (fix.speed, fix.course) = route.velocity(at: seconds)
    return fix
  }

  /// Returns the location at a distance from a point, in metres.
  func place(_ point: Route.Point, north: Double, east: Double, accuracy: Double) -> Location {
    var longitude = point.longitude + east / max(1, 111_320 * cos(point.latitude * .pi / 180))
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    return Location(
      latitude: min(90, max(-90, point.latitude + north / 111_320)), longitude: longitude, horizontalAccuracy: accuracy,
      altitude: point.altitude, verticalAccuracy: point.altitude == nil ? nil : accuracy * 1.5, timestamp: date)
  }
}
