import Foundation

extension SimulatedProvider {
  /// What goes wrong by itself, at a rate an hour.
  enum Incident: CaseIterable {
    case clock, suspension, relaunch, permission, sky, repeatedAuthorization, strayChange
  }

  /// What a device has with which something goes wrong, or is made to: others do not need it.
  final class FaultState {
    static let mostQueued = 1_000
    var random: SeededGenerator
    var round = 0
    var isSuspended = false
    /// Counts the suspensions.
    var suspensions = 0
    var isTerminated = false
    var queued: [ProviderReport] = []
    var skyLostUntil: Int64 = 0
    var unknownLeft = 0
    var lastFix: Location?
    var heldBack: Location?

    init(seed: UInt64) {
      random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0x7B0B1E))
    }
  }

  /// What goes wrong, made when it is needed first.
  func madeFaultState() -> FaultState {
    let made = faultState ?? FaultState(seed: seed)
    faultState = made
    return made
  }

  private func rate(of incident: Incident) -> Double {
    switch incident {
    case .clock: faults.clockJumps
    case .suspension: faults.suspensions
    case .relaunch: faults.relaunches
    case .permission: faults.permissionChanges
    case .sky: faults.skyLosses
    case .repeatedAuthorization: faults.repeatedAuthorizations
    case .strayChange: faults.strayChanges
    }
  }

  func beginFaults() {
    madeFaultState().round += 1
    for incident in Incident.allCases { schedule(incident) }
  }

  private func schedule(_ incident: Incident) {
    let rate = rate(of: incident)
    guard let faultState, rate > 0 else { return }
    let wait = -log(1 - Double.random(in: 0..<1, using: &faultState.random)) * 3_600 / rate
    schedule(.incident(incident, round: faultState.round), after: min(wait, 1e8))
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
      setAuthorization(choices[draw(0...choices.count - 1)])
    case .sky:
      loseSky(for: .seconds(draw(1...300.0)))
    case .repeatedAuthorization:
      report(.authorization(authorization))
    case .strayChange:
      // What is not running is launched by a change that it is registered for, and by no other.
      if !isTerminated { report(.significantChange(lastChange?.location)) }
    }
  }

  /// Whether something is on by which the system launches the app again.
  private var canBeLaunched: Bool {
    guard authorization == .always else { return false }
    return regionMonitor != nil
      || mode != .off && !configuration.wakeSources.isDisjoint(with: [.significantChanges, .visits])
  }

  /// All faults are over: the app runs, the sky is there.
  func calm() {
    guard let faultState else { return }
    faultState.round += 1
    faultState.skyLostUntil = 0
    faultState.unknownLeft = 0
    faultState.heldBack = nil
    resume()
    if isTerminated { relaunch() }
  }

  /// The system launches the app, where ``onRelaunch`` makes a manager: nothing else would ask for what launched it.
  func relaunch() {
    guard onRelaunch != nil else { return }
    meter.use.wakes += 1
    startApp()
  }

  /// Begins a new life of the app, which has no manager yet.
  func startApp() {
    // Whatever the app does with the old manager, it can do nothing any more.
    onReport?(.replaced)
    onReport = nil
    faultState?.isTerminated = false
    mode = .off
    generation += 1
    senses += 1
    updateState()
    onRelaunch?()
  }

  func chance(_ share: Double) -> Bool {
    guard let faultState, share > 0 else { return false }
    return Double.random(in: 0..<1, using: &faultState.random) < share
  }

  func draw(_ range: ClosedRange<Double>) -> Double {
    faultState.map { Double.random(in: range, using: &$0.random) } ?? range.lowerBound
  }

  private func draw(_ range: ClosedRange<Int>) -> Int {
    faultState.map { Int.random(in: range, using: &$0.random) } ?? range.lowerBound
  }
}

// Fixes.
extension SimulatedProvider {
  /// How far a fix lies off that is made to jump, metres.
  private static let jump = 2_000.0...20_000

  func drawUnknownBurst() {
    if chance(faults.unknownBursts) { faultState?.unknownLeft = draw(1...20) }
  }

  /// Reports a fix, with what goes wrong with fixes.
  func spoil(_ fix: Location) {
    faultState?.lastFix = fix
    var fix = fix
    if chance(faults.staleFixes) { fix.timestamp -= draw(20...600) }
    if chance(faults.futureFixes) { fix.timestamp += draw(2...86_400) }
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
      let (metres, angle) = (draw(Self.jump), draw(0...2 * .pi))
      let there = place(
        SimulatedProvider.Route.Point(time: 0, latitude: fix.latitude, longitude: fix.longitude),
        north: metres * cos(angle),
        east: metres * sin(angle), accuracy: 0, speed: nil, course: nil)
      (fix.latitude, fix.longitude) = (there.latitude, there.longitude)
    }
    let late = faultState?.heldBack
    faultState?.heldBack = nil
    if chance(faults.reorderedFixes) {
      faultState?.heldBack = fix
    } else {
      report(.fixes([fix]))
    }
    if chance(faults.duplicateFixes) { report(.fixes([fix])) }
    if let late { report(.fixes([late])) }
  }
}
