import Foundation

// The keeper and its coarse fixes.
extension SimulatedProvider {
  var hasKeeper: Bool { configuration.wakeSources.contains(.keeper) }

  /// Whether the app is suspended because the keeper is off.
  var isKeeperOff: Bool { hasKeeper && !isKeptRunning && mode == .significantChanges }

  /// Updates the energy meter and the coarse fixes after a change of the hardware.
  func updateState() {
    let wantsChanges = mode == .significantChanges && authorization.isAuthorized && !isTerminated
    let isKept = wantsChanges && (hasKeeper ? isKeptRunning : configuration.wakeSources.contains(.timersWhileAsleep))
    let state: EnergyMeter.State = receiver.search != nil ? .gps : isKept && !isSuspended ? .keptRunning : .asleep
    meter.enter(state, at: now, tail: configuration.energyProfile.tail, on: route)
    if timerIsOverdue, !isKeeperOff {
      timerIsOverdue = false
      schedule(.timer(timers), after: 0)
    }
    guard hasKeeper, isKept != hasCoarseFixes else { return }
    hasCoarseFixes = isKept
    coarseChanges += 1
    if isKept { schedule(.coarse(coarseChanges), after: coarseLocator.firstWait()) }
  }

  func reportCoarseFix() {
    let rest = max(0, walker.standsUntil(from: seconds, on: route) - seconds)
    schedule(.coarse(coarseChanges), after: coarseLocator.wait(standingFor: rest))
    guard var fix = coarseFix() else { return }
    fix.source = .coarse
    spoil(fix)
  }

  /// Returns a fix of the network; `nil` in a tunnel.
  func coarseFix() -> Location? {
    guard hasSky || route.isIndoors(at: seconds) else { return nil }
    let speed = walker.step(at: seconds, on: route).speed
    let coarse = coarseLocator.fix(at: seconds, speed: speed, hasData: configuration.hasDataConnection)
    return place(
      point, north: coarse.error.north, east: coarse.error.east, accuracy: coarse.accuracy, speed: nil, course: nil)
  }
}
