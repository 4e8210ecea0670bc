import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

extension SimulatedProvider {
  /// A fault with a rate per hour.
  enum Incident: CaseIterable {
    case clock, suspension, relaunch, permission, sky, repeatedAuthorization, strayChange
  }

  func beginFaults() {
    faultRounds += 1
    for incident in Incident.allCases { schedule(incident) }
  }

  private func schedule(_ incident: Incident) {
    let rate =
      switch incident {
      case .clock: faults.clockJumps
      case .suspension: faults.suspensions
      case .relaunch: faults.relaunches
      case .permission: faults.permissionChanges
      case .sky: faults.skyLosses
      case .repeatedAuthorization: faults.repeatedAuthorizations
      case .strayChange: faults.strayChanges
      }
    guard rate > 0 else { return }
    let wait = -log(1 - Double.random(in: 0..<1, using: &faultRandom)) * 3_600 / rate
    schedule(.incident(incident), after: min(wait, 1e8))
  }

  func happen(_ incident: Incident) {
    schedule(incident)
    switch incident {
    case .clock:
      let reach = [5.0, 120, 7_200, 172_800][draw(0...3)]
      clockOffset += draw(-reach...reach)
    case .suspension:
      if appIsRunning { suspend(for: .seconds(draw(1...300.0))) }
    case .relaunch:
      if onRelaunch != nil, canBeLaunched { terminate() }
    case .permission:
      let choices: [Authorization] = [.always, .always, .whenInUse, .denied, .restricted, .notDetermined]
      change(to: choices[draw(0...choices.count - 1)])
    case .sky:
      loseSky(for: .seconds(draw(1...300.0)))
    case .repeatedAuthorization:
      report(.authorization(authorization))
    case .strayChange:
      // An unregistered change doesn't launch a terminated app.
      if !isTerminated { report(.wake(.significantChange(lastChange?.location))) }
    }
  }

  /// Whether the system can launch a terminated app.
  private var canBeLaunched: Bool {
    let isLaunched = configuration.wakeSources.contains { $0 != .regionExit && $0.launchesApp }
    return authorization == .always && app?.mayRefresh != false && (regionMonitor != nil || mode != .off && isLaunched)
  }

  /// Ends all faults: resumes the app, or relaunches it if ``onRelaunch`` is set, and ends a loss of the sky.
  func endFaults() {
    faultRounds += 1
    (skyLostUntil, unknownLeft, heldBack) = (0, 0, nil)
    resume()
    if isTerminated { relaunch() }
  }

  /// Launches the app as the system does. Does nothing without ``onRelaunch``, because then no manager would use the launch.
  func relaunch() {
    guard onRelaunch != nil else { return }
    meter.use.wakes += 1
    startApp()
  }

  /// Starts the app: detaches the old manager, and calls ``onRelaunch``.
  func startApp() {
    // The old manager has no effect from now on.
    onReport?.releaseManager()
    onReport = nil
    isTerminated = false
    plan = ReceiverPlan()
    generation += 1
    sensorGeneration += 1
    updateState()
    onRelaunch?()
  }

  func chance(_ share: Double) -> Bool { share > 0 && Double.random(in: 0..<1, using: &faultRandom) < share }

  func draw(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &faultRandom) }

  func draw(_ range: ClosedRange<Int>) -> Int { range.lowerBound + faultRandom.index(below: range.count) }

  func deliverWithFaults(_ fix: Location) {
    lastFix = fix
    // Like Core Location's provider, which withdraws stillness after a fix with the speed of a vehicle, and reports it again later.
    if reportedMotion == .still, fix.speed ?? 0 >= LocationManager.Motion.vehicleSpeed { reportedMotion = nil }
    var fix = fix
    if chance(faults.staleFixes) { fix.timestamp -= draw(20...600.0) }
    if chance(faults.futureFixes) { fix.timestamp += draw(2...86_400.0) }
    if chance(faults.invalidFixes) {
      switch draw(0...5) as Int {
      case 0: fix.horizontalAccuracy = -1
      case 1: fix.horizontalAccuracy = .nan
      case 2: fix.latitude = .nan
      case 3: fix.latitude = 91
      case 4: fix.longitude = -180.5
      default: fix.horizontalAccuracy = .infinity
      }
    }
    if chance(faults.jumps) {
      let (metres, angle) = (draw(2_000...20_000.0), draw(0...2 * .pi))
      let here = Route.Point(time: 0, latitude: fix.latitude, longitude: fix.longitude)
      let there = place(here, north: metres * cos(angle), east: metres * sin(angle), accuracy: 0)
      (fix.latitude, fix.longitude) = (there.latitude, there.longitude)
    }
    let late = heldBack
    heldBack = nil
    if chance(faults.reorderedFixes) { heldBack = fix } else { report(.fixes([fix])) }
    if chance(faults.duplicateFixes) { report(.fixes([fix])) }
    if let late { report(.fixes([late])) }
  }
}
