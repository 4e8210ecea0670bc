import LocoFoundation

/// What locates the device while the GPS is off: significant changes, and coarse fixes under an error bound.
extension LocationCore {
  /// Whether the manager waits for the end of the back-off after a failed look.
  var isBackingOff: Bool {
    if case .waiting = phase, let planner = surroundings.planner { !planner.value.mayLook } else { false }
  }

  /// Whether a significant change counts. In the cool-down and in a back-off, it counts if it shows that the device has left while no look
  /// can show it: the next change may be minutes away.
  func counts(_ change: Location?, at now: Now) -> Bool {
    guard case .waiting(let sleep) = phase, now.uptime < sleep.cooldownEnd || isBackingOff else { return true }
    guard let change, let planner = surroundings.planner else { return false }
    return planner.value.hasLeft(by: change, at: now.date)
  }

  /// Begins an acquisition after a significant change, unless the planner doesn't look at significant changes. If the location of the
  /// change satisfies the policy, delivers that location instead.
  mutating func look(because change: Location?, at now: Now, into actions: inout [Action]) {
    if case .waiting = phase, surroundings.planner?.value.looksAtSignificantChange == false { return }
    surroundings.planner?.value.appDidWake()
    guard var location = change, judgeAsleep(location, at: now) == .acquired else {
      raise(.changed(change), at: now, into: &actions)
      return
    }
    if location.source != .reduced { location.source = .significantChange }
    let judged = LocationManager.JudgedFix(fix: location, verdict: .acquired)
    acquiring.giveFix(judged, into: &actions)
    actions.append(.judged(judged, isUsed: true))
    raise(.coarse(location), at: now, into: &actions)
  }

  /// Judges a coarse fix while the GPS is off, and delivers it if it isn't rejected.
  mutating func judgeCoarse(_ fix: Location, at now: Now, into actions: inout [Action]) {
    // Coarse fixes count only with an error bound.
    let verdict = surroundings.planner == nil ? .rejected(.notListening) : judgeAsleep(fix, at: now)
    if verdict == .rejected(.tooCoarse) { surroundings.planner?.value.noteRejectedCoarseFix(fix) }
    let judged = LocationManager.JudgedFix(fix: fix, verdict: verdict)
    acquiring.giveFix(judged, into: &actions)
    actions.append(.judged(judged, isUsed: verdict.isBest))
    if verdict.isBest { raise(.coarse(fix), at: now, into: &actions) }
  }

  /// Returns the policy of the planner's next look, or the app's policy without an error bound.
  func lookPolicy(at now: Now) -> AcquisitionPolicy {
    surroundings.planner?.value.policy(for: settings.policy, at: now.uptime) ?? settings.policy
  }

  /// Judges a location that was found while the GPS is off, by the policy of the next acquisition and by the planner if there is one.
  private mutating func judgeAsleep(_ fix: Location, at now: Now) -> Acquisition.Verdict {
    guard case .waiting(var sleep) = phase else { return .rejected(.notListening) }
    let verdict = sleep.judge(fix, under: lookPolicy(at: now), previous: location, at: now.date)
    phase = .waiting(sleep)
    return !verdict.isBest || surroundings.planner?.value.accepts(fix) ?? true ? verdict : .rejected(.tooCoarse)
  }
}
