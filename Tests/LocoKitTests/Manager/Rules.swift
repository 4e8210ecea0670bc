import Foundation

@testable import LocoKit
@testable import TestSupport

/// The invariants of the core, as functions of a core, an input, its actions and the core afterwards. The rules of `InvariantTests` have
/// the same numbers.
enum Rules {
  typealias Core = LocationCore

  /// Checks one step of a turn, and returns the broken rule. The first step handles the input. `wasLocating` is whether the GPS was on
  /// before the turn.
  static func afterStep(
    _ before: Core, _ now: Core.Now, _ input: Core.Input, isFirst: Bool, _ actions: [Core.Action], _ after: Core,
    _ searchingSince: Duration?, wasLocating: Bool
  ) -> String? {
    var mode = before.state.mode
    var transitions = 0
    var rank = 0
    var deliveries = 0
    let isLook = actions.contains { if case .look = $0 { true } else { false } }
    for action in actions {
      if action.rank != 1 || !isPrivate(action) {
        if action.rank < rank { return "6: state, hardware, listeners and disk come in this order: \(action)" }
        rank = action.rank
      }
      switch action {
      case .apply(let plan):
        if plan.mode == .gps, before.plan.mode == .gps, plan.coarseFixesFrom != before.plan.coarseFixesFrom {
          return "12: the time of coarse fixes doesn't change while the GPS is on"
        }
        let isStart = plan.mode == .gps && mode != .gps
        mode = plan.mode
        if isStart, let rule = isLook ? look(before, now) : start(before, now, input, after) { return rule }
      case .transition(let transition):
        transitions += 1
        if transition.event == .significantChange, case .report(.wake(.significantChange(let change))) = input,
          after.acquisition?.trigger != min(change?.timestamp ?? now.date, now.date)
        {
          return "5: fixes from before the change are refused, and no others"
        }
        if transition.from != before.state || transition.to != after.state {
          return "6: a transition is reported in its new state"
        }
        if transition.event == .forceAcquire, after.acquisition?.policy != after.settings.policy {
          return "2: a forced acquisition has the app's policy, also with an error bound"
        }
      case .look, .significantChange:
        // A coarse fix can't replace the look at rest. While the GPS is on, coarse fixes are received too.
        if input == .report(.timer), action != .look(.rest), before.plan.keepsAppRunning, !wasLocating,
          before.plan.coarseFixesFrom.map({ $0 > now.uptime }) ?? true
        {
          return "12: coarse fixes are wanted before a look that time starts"
        }
        let isKept = before.plan.keepsAppRunning || actions.plan?.keepsAppRunning == true
        if before.device.backgroundUpdates != .never, before.planner != nil, !isKept {
          return "11: a wake-up keeps the app running before the look"
        }
      case .deliver(let location):
        deliveries += 1
        if location.source == .coarse, let rule = coarse(location, before, now) { return rule }
        if location.source == .significantChange, let rule = change(location, before, now, input) { return rule }
        if let rule = delivery(location, before, now, after) ?? age(location, before, now, after) { return rule }
      case .give(let location, _):
        if let rule = known(location, before, now, input) { return rule }
        if !location.hasValidCoordinate || !location.hasValidAccuracy { return "5: a returned location is valid" }
      case .perform(.restart):
        if before.state != .acquiring { return "1: only a receiver that is on is restarted" }
      case .judged(let judged, let isUsed):
        let age = now.date.timeIntervalSince(judged.fix.timestamp)
        for demand in before.demands.all where demand.receivesFixes {
          // An invalid fix may contain numbers that don't equal themselves.
          let isGiven = actions.contains {
            if case .giveFix(let given, to: demand.id) = $0 { given.verdict == judged.verdict } else { false }
          }
          if !isGiven { return "7: a consumer of all fixes receives each one" }
        }
        if case .rejected = judged.verdict {
          if isUsed { return "7: the listeners learn of each rejection" }
          break
        }
        if age > before.settings.policy.maximumAge.inSeconds || age < -Acquisition.clockTolerance {
          return "5: a fix that is too old, or from the future, is not used"
        }
      case .acquisitionFailed(.timeLimit(let best?)):
        if let limit = before.acquisition?.policy.acceptableAccuracy, best.horizontalAccuracy <= limit,
          before.demands.all.contains(where: { $0.id == Demand.policyID }),
          before.location != best, best.timestamp > before.location?.timestamp ?? .distantPast
        {
          return "7: at the time limit an acceptable fix is delivered"
        }
      default: break
      }
    }
    if let rule = known(input, isFirst: isFirst, before, after) { return rule }
    if isFirst, deliveries == 0, let rule = changeIsNoted(before, now, input, after) { return rule }
    if isLook, after.planner?.isAsleep == true { return "11: a look wakes the planner" }
    if let rule = motion(before, input, actions, after) ?? lasting(before, input, after) {
      return rule
    }
    if let rule = backoff(before, now, actions, after, searchingSince) { return rule }
    if isFirst, let rule = outsideAcquisition(before, input, after) ?? lead(before, now, after) { return rule }
    if let rule = suspension(before, after) { return rule }
    if before.device.isOutOfTime, !after.device.isOutOfTime, case .report(.wakeSources(let sources, _)) = input,
      !sources.contains(.timer)
    {
      return "10: new sources without timers do not show that an app whose background time is over runs again"
    }
    if mode != after.state.mode, !after.isReleased { return "1: the receiver's mode is the state's" }
    if transitions > 1 || deliveries > 1 { return "4: a step has one transition and one location at most" }
    let isRejected = actions.contains {
      if case .judged(let judged, _) = $0 { judged.verdict.isRejection } else { false }
    }
    if isRejected, transitions + deliveries > 0 { return "7: a rejected fix ends nothing in its step" }
    if transitions == 0, before.state != after.state { return "4: each transition is reported" }
    if transitions == 1, after.state == .acquiring, after.acquisition?.best != nil {
      return "5: an acquisition starts without a candidate"
    }
    // After a change of the clock, the last location may be recent enough for a demand. It then ends the demand and the
    // acquisition.
    let isGiven = actions.contains { if case .give = $0 { true } else { false } }
    if case .report(.failure(.locationUnknown)) = input, transitions > 0, !isGiven, before.state == .acquiring,
      !isOver(before, now)
    {
      return "7: an unknown location does not end an acquisition"
    }
    return nil
  }

  /// 17: after a report, the core knows what the report says, in every state, and nothing that it can't know any more. A consumer begins
  /// with the last location.
  private static func known(_ input: Core.Input, isFirst: Bool, _ before: Core, _ after: Core) -> String? {
    if after.isReleased { return nil }
    let (device, isKnown) = (after.device, "17: the core knows the last report")
    switch input {
    case .report(.battery(let battery)): if device.battery != battery { return isKnown }
    case .report(.wake(.motion(let motion))): if device.motion != motion { return isKnown }
    case .report(.wakeSources(let sources, let updates)):
      if device.wakeSources != sources || device.backgroundUpdates != updates { return isKnown }
      if device.motion != nil, !sources.contains(.motion) { return "17: no motion is known without a sensor" }
    case .report(.app(let isInForeground, let isLowPowerMode, let mayRefresh)):
      let app = device.app
      if app?.isInForeground != isInForeground || app?.isLowPowerMode != isLowPowerMode || app?.mayRefresh != mayRefresh
      {
        return isKnown
      }
    case .begin(let id, .accepted) where isFirst:
      guard let demand = after.demands.all.first(where: { $0.id == id }), case .accepted(let acceptance) = demand.kind
      else { break }
      if acceptance.last != before.location { return "17: tracking begins with the last location" }
    default: break
    }
    return nil
  }

  /// 17: the listeners know the health, except that time alone may have changed it.
  private static func health(_ core: Core, _ now: Core.Now, _ actions: [Core.Action]) -> String? {
    for case .healthChanged(let health) in actions where health != core.surroundings.monitoring.health.lastReported {
      return "17: the listeners learn of the last health"
    }
    func problems(_ health: LocationManager.Health) -> [LocationManager.Health.Problem] {
      health.problems.filter { $0 != .noLocation }
    }
    let told = problems(core.surroundings.monitoring.health.lastReported)
    if core.state == .prompted, told.contains(.permission) { return "17: the prompt is no missing permission" }
    if core.isReleased || told == problems(core.surroundings.health(in: core.state, at: now.uptime)) { return nil }
    return "17: the listeners know the health"
  }

  /// 15: nothing that the manager knows contradicts the presence, and each change is reported and saved.
  private static func presence(
    _ core: Core, _ now: Core.Now, _ input: Core.Input, _ actions: [Core.Action]
  ) -> String? {
    let presence = core.surroundings.monitoring.presence.presence(at: now.date)
    var (reported, saved): ([LocationManager.Presence?], [LocationManager.Presence?]) = ([], [])
    for action in actions {
      if case .presenceChanged(let presence) = action { reported.append(presence) }
      if case .savePresence(let presence) = action { saved.append(presence) }
    }
    if reported != saved || core.surroundings.monitoring.lastReported != core.surroundings.monitoring.presence
      || reported.contains(where: { $0 != core.surroundings.monitoring.presence.stored })
    {
      return "15: a new presence is reported and saved"
    }
    if core.surroundings.monitoring.presence.hasPresence != (presence != nil) {
      return "15: a presence ends when it is over"
    }
    if core.state == .waitingSignificantChange, !core.surroundings.monitoring.hasLeft,
      let rest = core.planner?.placeAtRest, let rule = atRest(core, rest, presence, now)
    {
      return rule
    }
    guard let presence else { return nil }
    if core.planner?.looks.hint == .wake(.regionExit) {
      return "15: a device that may have left a region isn't known to rest"
    }
    if presence.until <= now.date || presence.until > now.date + 86_401 { return "15: a presence lasts a day at most" }
    if core.state.mode == .off || core.planner == nil { return "15: a presence needs a permission and an error bound" }
    switch input {
    case .report(.wake(.regionExit)): return "15: a departure ends the presence"
    case .report(.wake(.visit(let visit))) where visit.departure != nil: return "15: a departure ends the presence"
    default: break
    }
    for case .deliver(let location) in actions
    where presence.place.distance(to: location) > presence.radius + location.horizontalAccuracy {
      return "15: a location outside ends the presence"
    }
    return presence.reasons.isEmpty ? "15: a presence has a reason" : nil
  }

  /// 15: at rest, the presence has exactly the reasons that now apply, and its circle contains the fix and the region around it.
  private static func atRest(
    _ core: Core, _ rest: (fix: Location, distance: Double), _ presence: LocationManager.Presence?, _ now: Core.Now
  ) -> String? {
    let fix = rest.fix
    var reasons: Set<LocationManager.Presence.Reason> = []
    var least = 100.0
    if let region = core.surroundings.planning.watchedRegion, core.device.wakeSources.contains(.regionExit) {
      reasons.insert(.region)
      least = max(least, region.radius)
    }
    if core.device.wakeSources.contains(.visit) { reasons.insert(.visit) }
    if core.device.motion == .still { reasons.insert(.stillness) }
    guard (presence?.reasons ?? []) == reasons else { return "15: each reason of a presence applies, and no other" }
    guard let presence else { return nil }
    if presence.until <= now.date + 82_800 { return "15: at rest a presence is extended in time" }
    if presence.radius < least + fix.horizontalAccuracy + rest.distance
      || presence.place.distance(to: fix) + fix.horizontalAccuracy > presence.radius
    {
      return "15: the circle contains the place and the watched region"
    }
    return nil
  }

  /// Checks the core at the end of a turn, and returns the broken rule.
  static func afterTurn(_ checked: CheckedCore, _ input: Core.Input, _ actions: [Core.Action]) -> String? {
    let (core, now) = (checked.core, checked.now)
    if core.state.mode != .off, !checked.awaitsPermission, !checked.permission.isAuthorized {
      return "1: nothing is on without a permission"
    }
    if core.state.mode == .off, !core.isReleased, core.planner?.fix != nil {
      return "1: while nothing is on, the planner knows no place"
    }
    if let run = core.phase.run, core.demands.isTracking, let timeout = core.demands.signalTimeout, !run.signal.isLost {
      let loss = run.signal.lastFix + timeout
      if now.uptime >= loss { return "16: a loss of the signal is reported when it is due" }
      if core.plan.timer.map({ $0 > loss }) ?? true { return "16: a loss of the signal has a timer" }
    }
    for case .signalChanged(let hasSignal) in actions
    where hasSignal == (core.phase.run?.signal.isLost ?? false) && core.state == .acquiring {
      return "16: a loss of the signal is reported as it is"
    }
    if case .prompted(let deadline) = core.phase {
      if input == .report(.promptShown), deadline == nil { return "2: a prompt that the system shows has an end" }
      if let deadline, now.uptime >= deadline { return "2: a prompt ends at its deadline" }
      if let deadline, core.plan.timer.map({ $0 > deadline }) ?? true { return "2: a prompt's end has a timer" }
      if let deadline, core.demands.all.contains(where: { $0.deadline(whileAcquiring: false) ?? deadline < deadline }) {
        return "2: a timeout begins after the prompt"
      }
    }
    if core.state == .acquiring, !core.demands.isTracking {
      guard let end = core.demands.deadline(whileAcquiring: true) else { return "2: an acquisition has an end" }
      if now.uptime >= end { return "2: an acquisition ends at its deadline" }
      if end > now.uptime + longest(checked) + .seconds(5) {
        return "2: an acquisition is no longer than its limit"
      }
      if core.plan.timer.map({ $0 > end }) ?? true { return "2: the timer ends the acquisition" }
    }
    if case .command = input, !actions.contains(where: \.isAnswer) { return "4: a command is answered" }
    if input == .command(.pause), core.state == .acquiring || core.state == .waitingSignificantChange {
      return "3: after a pause nothing is on"
    }
    if core.state.mode == .off, core.surroundings.planning.watchedRegion != nil {
      return "3: no region is armed while nothing is on"
    }
    if let rule = fresh(core, now, input, actions) ?? wanted(checked) { return rule }
    if let rule = presence(core, now, input, actions) ?? health(core, now, actions) { return rule }
    if let rule = bound(core, now) ?? keeper(checked) ?? coarseFixes(checked) ?? recent(checked, input, actions) {
      return rule
    }
    if core.state == .paused,
      core.plan.desiredAccuracy != nil || core.plan.timer != nil
        || core.demands.all.contains(where: { $0.id == Demand.policyID })
    {
      return "3: after a pause nothing is on"
    }
    if core.state == .acquiring, core.plan.desiredAccuracy == nil { return "1: the receiver has an accuracy" }
    if let planner = core.planner, core.plan.desiredAccuracy ?? 0 > lookAccuracy(planner) {
      return "10: under a bound, the receiver is as accurate as in a look"
    }
    if core.saved.isPaused != (core.state == .paused) { return "6: a pause is saved" }
    if core.saved.needsLocation, core.state != .acquiring, !core.plan.keepsAppRunning {
      return "6: a location is saved when the GPS is off and the app isn't kept running"
    }
    let delivered = actions.compactMap { if case .deliver(let location) = $0 { location } else { nil } }
    if Set(delivered).count < delivered.count { return "4: the listeners receive each location once" }
    if checked.starts > 1 { return "8: a turn starts the GPS at most once" }
    let waits: [LocationMachine.State] = [.prompted, .acquiring, .waitingSignificantChange]
    if !checked.waiting.isEmpty, !waits.contains(core.state) { return "7: each waiting task has an answer" }
    if !core.acquiring.unjudged.isEmpty || !core.acquiring.undelivered.isEmpty {
      return "7: no fix or location is left"
    }
    return nil
  }

  /// Returns the longest time limit of an acquisition.
  private static func longest(_ checked: CheckedCore) -> Duration {
    let policy = checked.core.settings.policy
    var longest = max(policy.timeLimit, checked.hasHadBound ? policy.lookLimits.all.max() ?? .zero : .zero)
    for case .one(let one) in checked.core.demands.all.map(\.kind) { longest = max(longest, one.timeLimit) }
    return longest
  }

  /// 7 and 10: with a permission and sky, a significant change, or motion under an error bound, leads to a location, unless a demand may
  /// hold it back. Each waiting task has an answer, and the manager sleeps again, unless the bound keeps the GPS on.
  static func afterCalm(_ world: World) -> String? {
    var world = world
    world.play(.authorization(.always))
    world.play(.command(.forcePrompt))
    // The answer to the prompt.
    world.play(.authorization(.always))
    world.play(.command(.resume))
    if world.core.planner == nil, world.core.state == .waitingSignificantChange {
      world.play(.wait(60))
      world.play(.change(age: nil))
    }
    // With a bound, a device that moves causes a look, at the latest when it has gone 85 % of the bound at the slowest
    // pace, or after the longest wait.
    if world.core.planner != nil { world.play(.wakeSources(.awake)) }
    let minutes = max(8, Int((world.core.planner?.settings.bound ?? 0) * 0.85 / 1.2 / 60) + 2)
    for _ in 0..<minutes where world.core.planner != nil && world.core.state == .waitingSignificantChange {
      world.play(.motion(.walking))
      world.play(.wait(60))
      world.play(.timer)
    }
    if world.violation == nil, world.core.state != .acquiring {
      return world.core.planner == nil
        ? "7: a significant change starts the GPS" : "10: a device that moves causes a look in time"
    }
    world.play(.wait(2))
    var fix = world.location(5, age: 0)
    world.play(.fix(5, age: 0))
    if world.core.location != fix, world.core.acquisition?.doubted == fix {
      // The fix was far from the last location: a second one that agrees with it is used.
      world.play(.wait(1))
      fix = world.location(5, age: 0)
      world.play(.fix(5, age: 0))
    }
    if let violation = world.violation { return violation }
    if world.core.location != fix, !world.core.demands.all.contains(where: \.isHoldingBack) {
      return "7: a good fix is delivered"
    }
    if world.isWaiting { return "7: each waiting task receives it" }
    world.play(.wantEveryNoMore)
    world.play(.wantAlsoNoMore)
    world.play(.wait(2))
    world.play(.fix(5, age: 0))
    if let violation = world.violation { return violation }
    if world.core.planner?.staysOn == true { return nil }
    return world.core.state == .waitingSignificantChange ? nil : "7: the manager sleeps again"
  }

  /// 10: while the manager sleeps with timers and a motion sensor, and the device moves, a look is due before the error of the last
  /// location can exceed the bound, and the timer is set for it. The error is calculated here independently.
  static func bound(_ core: Core, _ now: Core.Now) -> String? {
    // An app that is about to be suspended starts no look.
    guard !core.isReleased, !core.device.isOutOfTime, core.state == .waitingSignificantChange,
      let planner = core.planner,
      planner.settings.target == .lastLocation, planner.settings.hearsMotion
    else { return nil }
    guard let fix = planner.fix else {
      return planner.looks.failures == 0 ? "10: without a fix a look starts" : nil
    }
    guard planner.state == .moving || planner.state == .asleepMoving, planner.counter.motion != .still,
      planner.counter.motion != .standing
    else { return nil }
    let margin = planner.settings.backgroundUpdates != .never ? min(100, planner.settings.bound / 3) : 0
    let limit = 0.85 * planner.settings.bound - margin
    func reach(after seconds: Double) -> Double {
      self.reach(
        of: planner, from: fix,
        after: planner.counter.moved + (now.uptime - planner.counter.time).inSeconds + planner.looks.lead + seconds)
    }
    if reach(after: 0) >= limit { return "10: a look starts when the error may reach the bound" }
    guard let timer = core.plan.timer else { return "10: a timer is set for the next look" }
    return reach(after: (timer - now.uptime).inSeconds - 0.01) < limit ? nil : "10: the timer is set early enough"
  }

  /// 4: only the owner ends a demand, unless the demand is the policy's or for one location, or the provider is released.
  private static func lasting(_ before: Core, _ input: Core.Input, _ after: Core) -> String? {
    for demand in before.demands.all {
      switch (demand.kind, input) {
      case (.policy, _), (.one, _), (_, .release), (_, .end(demand.id)), (_, .begin(demand.id, _)): continue
      default: break
      }
      if !after.demands.all.contains(where: { $0.id == demand.id }) {
        return "4: only the owner ends the demand \(demand.id)"
      }
    }
    return nil
  }

  /// 8: the back-off is at most three times as long as the GPS has looked for a location in vain. At rest the planner may wait longer, so
  /// this isn't checked then.
  private static func backoff(
    _ before: Core, _ now: Core.Now, _ actions: [Core.Action], _ after: Core, _ since: Duration?
  ) -> String? {
    guard let since, before.state == .acquiring, after.state == .waitingSignificantChange,
      let planner = after.planner,
      planner.state != .resting, planner.state != .asleep, let earlier = before.planner,
      actions.contains(where: \.isFailure)
    else { return nil }
    let latest = max(earlier.looks.blockedUntil, now.uptime + (now.uptime - since) * 3)
    return planner.looks.blockedUntil > latest + .milliseconds(1)
      ? "8: the back-off is at most three times the search" : nil
  }

  /// 2 and 10: after a timer has fired, a timer that is still needed is set again, and the estimate doesn't depend on when the core was
  /// last called.
  private static func fresh(
    _ core: Core, _ now: Core.Now, _ input: Core.Input, _ actions: [Core.Action]
  ) -> String? {
    if input == .report(.timer), let timer = core.plan.timer, actions.plan?.timer != timer {
      return "2: a timer that fired is set again"
    }
    guard core.planner?.fix != nil else { return nil }
    let later = Core.Now(uptime: now.uptime + .seconds(7), date: now.date + 7)
    var called = core
    var ignored: [Core.Action] = []
    called.handle(.promptTimeLimit(core.settings.promptTimeLimit), at: later, into: &ignored)
    return called.surroundings.estimate(at: later) == core.surroundings.estimate(at: later)
      ? nil : "10: the estimate is that of the current time"
  }

  /// 10 and 11: the planner and the provider have the smallest bound of the app and the demands. The planner has the app's target, and
  /// must keep the app running at rest exactly if a demand requires it.
  private static func wanted(_ checked: CheckedCore) -> String? {
    let core = checked.core
    if core.isReleased { return nil }
    var (bound, keepsRunning) = (checked.appBound, false)
    for case .bound(let other, let keeps) in core.demands.all.map(\.kind) {
      bound = min(bound ?? other, other)
      keepsRunning = keepsRunning || keeps
    }
    if core.planner?.settings.bound != bound || core.plan.errorBound != bound {
      return "10: the bound is the smallest"
    }
    guard let planner = core.planner else { return nil }
    if planner.settings.mustKeepRunning != keepsRunning {
      return "11: the app is kept running at rest only if that is wanted"
    }
    return planner.settings.target == core.settings.boundTarget ? nil : "10: the planner's target is the app's"
  }

  /// 11: the app isn't kept running while everything is off, nor after three minutes at rest. At rest it may be kept running before the
  /// first fix, for a demand that requires it, or while a failed look delays the look at rest.
  private static func keeper(_ checked: CheckedCore) -> String? {
    let (core, now) = (checked.core, checked.now)
    guard checked.isKept else { return nil }
    if core.state.mode == .off { return "11: an app that uses no locations isn't kept running" }
    if core.state == .waitingSignificantChange, let planner = core.planner, planner.isAsleep,
      core.device.backgroundUpdates != .always
    {
      return "11: an app that may be suspended isn't kept running"
    }
    guard core.state == .waitingSignificantChange, let planner = core.planner, let restSince = checked.restSince,
      planner.fix != nil, !core.demands.keepRunning
    else { return nil }
    if planner.looks.hint == .rest, now.uptime < planner.looks.blockedUntil { return nil }
    return now.uptime - restSince > .seconds(180) && planner.state == .resting && planner.counter.motion == .still
      ? "11: at rest the app isn't kept running" : nil
  }

  /// 12: coarse fixes are wanted after a failed look, during motion from 45 s after the last fix on, and when motion begins after a rest. They
  /// aren't wanted from an app that may be suspended, and not at rest.
  private static func coarseFixes(_ checked: CheckedCore) -> String? {
    let (core, now, from) = (checked.core, checked.now, checked.coarseFixesFrom)
    if core.state == .acquiring { return nil }
    guard checked.isKept, let planner = core.planner else {
      return from == nil ? nil : "12: coarse fixes are wanted only from an app that is kept running"
    }
    let isNow = from.map { $0 <= now.uptime } ?? false
    guard let found = planner.found, planner.looks.hint == nil else {
      return isNow ? nil : "12: coarse fixes are wanted while a look is due"
    }
    let isStill = planner.counter.motion == .still || planner.counter.motion == .standing
    switch planner.state {
    case .blind, .asleepBlind: return isNow ? nil : "12: coarse fixes are wanted after a failed look"
    case .resting, .asleep:
      let isMoving =
        planner.settings.hearsMotion ? planner.counter.motion.map { $0 != .still && $0 != .standing } : true
      guard let isMoving else { return nil }
      return isNow == isMoving ? nil : "12: at rest coarse fixes are wanted only when motion begins"
    case .moving, .asleepMoving:
      if isStill || !planner.settings.runsTimers { return nil }
      return from.map { $0 <= found.time + .seconds(45) } ?? false
        ? nil : "12: coarse fixes are wanted 45 s after a fix at the latest"
    }
  }

  /// Returns the distance that the device may have moved after a time of motion.
  private static func reach(of planner: LookPlanner, from fix: Location, after moved: Double) -> Double {
    let isVehicle = planner.counter.motion == .vehicle || planner.counter.motion == .standing
    let (least, acceleration): (Double, Double) =
      switch (planner.settings.backgroundUpdates, planner.settings.bound) {
      case (.never, _): (8, 30)
      case (_, ..<250): (6, 10)
      default: (14, 30)
      }
    let pace = isVehicle ? max(planner.trip.value, least) : planner.trip.value
    let speed = fix.speed ?? pace
    let time = isVehicle && speed < pace ? acceleration : 30
    return pace * moved + (speed - pace) * time * (1 - exp(-moved / time))
  }

  /// 10 and 4: a late report of expired background time doesn't stop the timers, and the end of one of several tracking demands doesn't
  /// change the acquisition.
  private static func outsideAcquisition(_ before: Core, _ input: Core.Input, _ after: Core) -> String? {
    switch input {
    case .report(.failure(.backgroundTimeExpired)) where before.state != .acquiring:
      before.device.isOutOfTime == after.device.isOutOfTime ? nil : "10: only an acquisition uses background time"
    case .end where before.demands.isTracking && after.demands.isTracking && before.acquisition != nil:
      before.acquisition == after.acquisition && after.demands.all.allSatisfy(before.demands.all.contains)
        ? nil : "4: tracking goes on unchanged for the other consumers"
    default: nil
    }
  }

  /// 11: unless the system reports an arrival, the app is suspended at rest only after a quiet time in one place, and awake.
  private static func suspension(_ before: Core, _ after: Core) -> String? {
    guard let planner = before.planner, let next = after.planner, !planner.isAsleep, next.state == .asleep,
      planner.sleep.arrivedAt == nil, next.place == planner.place
    else { return nil }
    let since = max(next.place.since, planner.sleep.wokeAt)
    return next.counter.time - since >= .seconds(next.settings.quiet.sleep)
      ? nil : "11: an app at rest isn't suspended before a quiet time"
  }

  /// 10: only looks of a receiver without assistance data, or of 15 s at most, change the mean duration of a look.
  private static func lead(_ before: Core, _ now: Core.Now, _ after: Core) -> String? {
    guard let run = before.phase.run, let planner = before.planner, let next = after.planner,
      let took = run.timeToFirstLocation(at: now.uptime), took >= .seconds(15),
      planner.settings.isAssisted || !run.cause.isLook,
      // A pause or a lost permission begins a new planner.
      after.state.mode != .off
    else { return nil }
    return next.looks.lead == planner.looks.lead ? nil : "10: an exceptionally long acquisition isn't learned"
  }

  /// 10: the error under a bound counts from the fix, which may be older than its report. A fix that shows motion begins a place.
  private static func age(_ location: Location, _ before: Core, _ now: Core.Now, _ after: Core) -> String? {
    guard var planner = before.planner, let next = after.planner, next.settings == planner.settings else { return nil }
    planner.count(to: now.uptime, isLooking: before.phase.isAcquiring)
    let moved = min(planner.counter.moved, max(0, now.date.timeIntervalSince(location.timestamp)))
    if abs(next.counter.moved - moved) > 1e-6 { return "10: the error counts from the time of the fix" }
    if LookSleep.showsMotion(location), next.place.since != next.counter.time {
      return "11: a device that moves rests nowhere"
    }
    // With 1,500 m or more, the app may be suspended in a vehicle.
    let isFast = location.speed ?? 0 >= LocationManager.Motion.vehicleSpeed
    if isFast, next.isAsleep, !next.settings.vehiclesMaySleep { return "11: a fix at a vehicle's speed wakes the app" }
    return nil
  }

  /// 12: while the manager sleeps, a coarse fix is delivered only if it is more accurate than the last location is by now, and, except after a
  /// failed look, if its accuracy is within 85 % of the bound.
  static func coarse(_ location: Location, _ before: Core, _ now: Core.Now) -> String? {
    guard before.state == .waitingSignificantChange else { return nil }
    guard var planner = before.planner else { return "12: without a bound coarse fixes are not delivered" }
    if location.horizontalAccuracy > 0.85 * planner.settings.bound, planner.phase.blindness == nil || planner.fix == nil
    {
      return "12: except after a failed look, a coarse fix is within the bound"
    }
    guard let fix = planner.fix else { return nil }
    // Counts the motion since the last input.
    planner.count(to: now.uptime)
    let beforeRest = planner.phase.rest?.distance ?? 0
    let reach = beforeRest + max(0, reach(of: planner, from: fix, after: planner.counter.moved))
    return location.horizontalAccuracy < fix.horizontalAccuracy + reach + 1e-6
      ? nil : "12: a coarse fix is more accurate than the last location is by now"
  }

  /// 12 and 8: a significant change that is delivered is accurate enough for the policy or a look, and doesn't arrive in the cool-down.
  private static func change(
    _ location: Location, _ before: Core, _ now: Core.Now, _ input: Core.Input
  ) -> String? {
    guard case .report(.wake(.significantChange)) = input, case .waiting(let sleep) = before.phase else {
      return "8: only a significant change is delivered as one"
    }
    if now.uptime < sleep.cooldownEnd, !showsDeparture(location, before, now) {
      return "8: a change is not delivered during the cool-down, unless it shows a departure"
    }
    let limit = before.planner.map(lookAccuracy) ?? before.settings.policy.desiredAccuracy
    return location.horizontalAccuracy <= limit ? nil : "12: a change that is delivered is accurate enough"
  }

  /// 8: a significant change that counts turns the GPS on, unless time starts the looks, or the last look has just failed.
  private static func changeIsNoted(_ before: Core, _ now: Core.Now, _ input: Core.Input, _ after: Core) -> String? {
    guard case .report(.wake(.significantChange(let change))) = input, case .waiting(let sleep) = before.phase,
      now.uptime >= sleep.cooldownEnd || change.map({ showsDeparture($0, before, now) }) == true,
      after.state == .waitingSignificantChange
    else { return nil }
    if let planner = after.planner {
      if planner.state == .moving, planner.settings.runsTimers { return nil }
      if now.uptime < planner.looks.blockedUntil { return nil }
    }
    return "8: a change that counts turns the GPS on"
  }

  /// Returns the accuracy at which a look ends.
  private static func lookAccuracy(_ planner: LookPlanner) -> Double { max(10, planner.settings.bound / 3) }

  private static func showsDeparture(_ change: Location, _ before: Core, _ now: Core.Now) -> Bool {
    guard var planner = before.planner else { return false }
    // The app may be suspended since the last input.
    planner.count(to: now.uptime)
    guard planner.isAsleep || !planner.mayLook, let fix = planner.fix else {
      return false
    }
    return change.timestamp > fix.timestamp
      && fix.distance(to: change) > fix.horizontalAccuracy + change.horizontalAccuracy
  }

  private static func isGood(_ change: Location, _ before: Core, _ now: Core.Now) -> Bool {
    let age = now.date.timeIntervalSince(change.timestamp)
    guard change.horizontalAccuracy <= before.settings.policy.desiredAccuracy, age >= -Acquisition.clockTolerance,
      age <= before.settings.policy.maximumAge.inSeconds
    else { return false }
    guard let last = before.location, last.timestamp.timeIntervalSince(now.date) <= Acquisition.clockTolerance else {
      return true
    }
    return change.timestamp > last.timestamp && change.isPlausible(after: last)
  }

  /// 13: while the GPS is off, only the last location is returned, and only to a demand that accepts its age and accuracy.
  private static func known(
    _ location: Location, _ before: Core, _ now: Core.Now, _ input: Core.Input
  ) -> String? {
    if before.state == .acquiring { return nil }
    guard case .begin(_, .one(let one)) = input, before.state == .waitingSignificantChange else {
      return "3: no location is returned while the GPS is off"
    }
    return location == before.location && isRecent(location, for: one, now)
      ? nil : "13: the last location is returned to a demand that accepts its age and accuracy"
  }

  /// 13: while the manager sleeps or acquires, a demand that accepts the age and accuracy of the last location receives it immediately, and
  /// nothing is turned on.
  private static func recent(_ checked: CheckedCore, _ input: Core.Input, _ actions: [Core.Action]) -> String? {
    let (core, now) = (checked.core, checked.now)
    guard case .begin(let id, .one(let one)) = input, let last = core.location, isRecent(last, for: one, now) else {
      return nil
    }
    let isGiven = actions.contains { if case .give(_, id) = $0 { true } else { false } }
    if isGiven, checked.starts == 0 { return nil }
    return core.state != .waitingSignificantChange && core.state != .acquiring
      ? nil : "13: the last location is returned immediately, and nothing is turned on"
  }

  /// 14: listeners receive changes of the device's motion, except during a pause.
  private static func motion(
    _ before: Core, _ input: Core.Input, _ actions: [Core.Action], _ after: Core
  ) -> String? {
    let told = actions.compactMap { if case .motionChanged(let motion) = $0 { motion } else { nil } }
    if before.state == .paused { return told.isEmpty ? nil : "14: no motion is reported during a pause" }
    guard case .report(.wake(.motion(let motion))) = input else {
      return told.isEmpty ? nil : "14: motion is reported only after the sensor's report"
    }
    return told == (motion == before.device.motion ? [] : [motion]) && after.device.motion == motion
      ? nil : "14: motion is reported when it changes"
  }

  private static func isRecent(_ location: Location, for one: OneLocation, _ now: Core.Now) -> Bool {
    let age = now.date.timeIntervalSince(location.timestamp)
    return age >= -Acquisition.clockTolerance && age <= one.maximumAge.inSeconds && one.maximumAge > .zero
      && location.horizontalAccuracy <= one.desiredAccuracy
  }

  /// 8: a look starts only from sleep, and not during the back-off.
  private static func look(_ before: Core, _ now: Core.Now) -> String? {
    guard before.state == .waitingSignificantChange, let planner = before.planner else {
      return "8: a look starts only from sleep"
    }
    return now.uptime >= planner.looks.blockedUntil ? nil : "8: no look starts during the back-off"
  }

  private static func start(_ before: Core, _ now: Core.Now, _ input: Core.Input, _ after: Core) -> String? {
    switch input {
    case .command(.resume) where before.state == .paused: return nil
    case .command(.forceAcquire) where before.state == .waitingSignificantChange: return nil
    case .begin where before.state == .waitingSignificantChange: return nil
    case .report(.authorization(let authorization)) where authorization.isAuthorized:
      if before.state == .waitingSignificantChange, before.surroundings.monitoring.health.isReduced { return nil }
      return before.state == .prompted || before.state == .denied ? nil : "8: a permission starts the GPS once"
    case .report(.wake(.significantChange(let change))):
      guard case .waiting(let sleep) = before.phase else { return "8: a change starts the GPS only from sleep" }
      if before.planner == nil, let change, isGood(change, before, now) {
        return "12: a change that satisfies the policy turns nothing on"
      }
      if now.uptime >= sleep.cooldownEnd { return nil }
      return change.map { showsDeparture($0, before, now) } == true
        ? nil
        : "8: a change does not start the GPS during the cool-down, unless it shows a departure"
    default: return "8: nothing else starts the GPS"
    }
  }

  private static func delivery(_ location: Location, _ before: Core, _ now: Core.Now, _ after: Core) -> String? {
    if before.state != .acquiring, location.source == .gps {
      return "3: a GPS location is delivered only while the GPS is on"
    }
    if !location.hasValidCoordinate || !location.hasValidAccuracy { return "5: a location is valid" }
    let age = now.date.timeIntervalSince(location.timestamp)
    if age > before.settings.policy.maximumAge.inSeconds { return "5: a location is not too old" }
    if age < -Acquisition.clockTolerance { return "5: a location is not from the future" }
    if let trigger = before.acquisition?.trigger, trigger <= now.date, location.timestamp < trigger {
      return "5: a location is not from before its trigger"
    }
    // A location from before the clock was set back does not count for the order.
    if let last = before.location, last.timestamp.timeIntervalSince(now.date) <= Acquisition.clockTolerance,
      location.timestamp <= last.timestamp
    {
      return "5: a location is newer than the one before"
    }
    return after.location == location ? nil : "6: the location is set before listeners receive it"
  }

  /// Whether the action concerns a demand or the verdict on a fix. The order doesn't apply to such an action: a consumer's task runs later.
  private static func isPrivate(_ action: Core.Action) -> Bool {
    switch action {
    case .give, .giveFix, .finish, .judged, .providerFailed, .callBack, .interrupted, .departed: true
    default: false
    }
  }

  /// Whether the acquisition ends now, whatever is reported.
  private static func isOver(_ core: Core, _ now: Core.Now) -> Bool {
    core.demands.deadline(whileAcquiring: true).map { now.uptime >= $0 } ?? false || !core.demands.wantGPS
  }
}

extension Demand {
  /// Whether an accurate location may delay the acceptance of others.
  fileprivate var isHoldingBack: Bool { if case .accepted = kind { true } else { false } }
}

/// A defect that is seeded into the core. Each rule has at least one.
enum SeededDefect: String, CaseIterable {
  case receiverStaysOn, changesStayOnInAPause, permissionIsNotSeen
  case noEnd, promptStands
  case locationInPause, waitingFixIsAChange
  case toldTwice, commandIsSilent
  case oldLocation, triggerIsNow
  case toldBeforeOff, diskBeforeTheReceiver
  case noAnswer, firstFixIsThrownAway, unknownLocationIsAnError, changeIsKeptFromRecorders
  case coolDownIsOver, changeUnheard
  case chance
  case lookIsLate, boundUnheard
  case keeperInAPause, keeperAtRest, wakeWithoutKeeper
  case anyCoarseFix, noCoarseFixesBeforeALook, coarseFixesLateAfterAFailure, coarseFixesAtRest
  case anyChange, goodChangeLooks
  case knownLocationOfAnyAge, knownLocationUnused
  case motionUntold, motionInAPause
  case exitUnheard, presenceUntold

  /// The number of the rule that the defect breaks.
  var rule: Int {
    switch self {
    case .receiverStaysOn, .changesStayOnInAPause, .permissionIsNotSeen: 1
    case .noEnd, .promptStands: 2
    case .locationInPause: 3
    case .toldTwice, .commandIsSilent: 4
    case .oldLocation, .triggerIsNow: 5
    case .toldBeforeOff, .diskBeforeTheReceiver: 6
    case .noAnswer, .firstFixIsThrownAway, .unknownLocationIsAnError, .changeIsKeptFromRecorders: 7
    case .coolDownIsOver, .waitingFixIsAChange, .changeUnheard: 8
    case .chance: 9
    case .lookIsLate, .boundUnheard: 10
    case .keeperInAPause, .keeperAtRest, .wakeWithoutKeeper: 11
    case .anyCoarseFix, .anyChange, .goodChangeLooks, .noCoarseFixesBeforeALook, .coarseFixesLateAfterAFailure,
      .coarseFixesAtRest:
      12
    case .knownLocationOfAnyAge, .knownLocationUnused: 13
    case .motionUntold, .motionInAPause: 14
    case .exitUnheard, .presenceUntold: 15
    }
  }

  /// The world in which a search finds the defect soon.
  var world: World {
    switch self {
    case .coolDownIsOver, .changeUnheard, .motionInAPause, .anyChange, .goodChangeLooks, .knownLocationOfAnyAge,
      .waitingFixIsAChange, .changeIsKeptFromRecorders, .triggerIsNow:
      World(.always, bound: bound, after: [.command(.tryPrompt), .fix(5, age: 0)])
    case .lookIsLate:
      World(bound: bound, after: [.command(.tryPrompt), .authorization(.always), .fixAway(2_000, speed: 40)])
    default: World(bound: bound, isPhone: isOfPhone)
    }
  }

  /// The error bound that the defect needs.
  private var bound: Double? {
    switch self {
    case .lookIsLate, .boundUnheard, .motionUntold, .motionInAPause, .keeperInAPause, .keeperAtRest, .wakeWithoutKeeper,
      .anyCoarseFix, .noCoarseFixesBeforeALook, .coarseFixesLateAfterAFailure, .coarseFixesAtRest,
      .exitUnheard, .presenceUntold:
      500
    default: nil
    }
  }

  /// Whether the defect needs a phone that can keep the app running.
  private var isOfPhone: Bool {
    rule == 11 || rule == 15
      || [.anyCoarseFix, .noCoarseFixesBeforeALook, .coarseFixesLateAfterAFailure, .coarseFixesAtRest].contains(self)
  }

  /// Performs a step of a core with the defect.
  func step(
    _ core: inout LocationCore, _ input: LocationCore.Input?, _ now: LocationCore.Now,
    _ actions: inout [LocationCore.Action]
  ) -> Bool {
    let (state, location) = (core.state, core.location)
    let isMore = CheckedCore.step(&core, input.map { changed($0, core, now) }, changed(now, core, input), &actions, nil)
    switch self {
    case .receiverStaysOn: actions.changePlans { if $0.mode == .off { $0.mode = state.mode } }
    case .changesStayOnInAPause:
      if state == .waitingSignificantChange, core.state == .paused {
        actions.changePlans { $0.mode = .significantChanges }
      }
    case .locationInPause:
      if state == .paused, let location, case .judged? = actions.first { actions.append(.deliver(location)) }
    case .toldTwice:
      if let transition = actions.first(where: { if case .transition = $0 { true } else { false } }) {
        actions.append(transition)
      }
    case .commandIsSilent: actions.removeAll { if case .ignored = $0 { true } else { false } }
    case .oldLocation:
      actions = actions.map { action in
        guard case .deliver(var location) = action else { return action }
        location.timestamp -= 86_400
        return .deliver(location)
      }
    case .toldBeforeOff: actions.reverse()
    case .diskBeforeTheReceiver:
      if let save = actions.firstIndex(where: { if case .savePause = $0 { true } else { false } }) {
        actions.insert(actions.remove(at: save), at: 0)
      }
    case .keeperInAPause:
      if core.state.mode == .off, core.planner != nil { actions.changePlans { $0.keepsAppRunning = true } }
    case .keeperAtRest:
      if core.state.mode != .off { actions.changePlans { $0.keepsAppRunning = true } }
    case .wakeWithoutKeeper: if core.state == .acquiring { actions.changePlans { $0.keepsAppRunning = false } }
    case .anyCoarseFix:
      actions = actions.map { action in
        guard case .deliver(var location) = action, location.source == .coarse else { return action }
        location.horizontalAccuracy = 600
        return .deliver(location)
      }
    case .anyChange:
      actions = actions.map { action in
        guard case .deliver(var location) = action, location.source == .significantChange else { return action }
        location.horizontalAccuracy = 500
        return .deliver(location)
      }
    case .noCoarseFixesBeforeALook: actions.changePlans { $0.coarseFixesFrom = nil }
    case .coarseFixesLateAfterAFailure:
      if core.planner?.phase.blindness != nil {
        actions.changePlans { $0.coarseFixesFrom = now.uptime + .seconds(30) }
      }
    case .coarseFixesAtRest: actions.changePlans { $0.coarseFixesFrom = .zero }
    case .presenceUntold: actions.removeAll { if case .presenceChanged = $0 { true } else { false } }
    case .motionUntold: actions.removeAll { if case .motionChanged = $0 { true } else { false } }
    case .changeIsKeptFromRecorders:
      if case .report(.wake(.significantChange))? = input {
        actions.removeAll { if case .giveFix = $0 { true } else { false } }
      }
    case .motionInAPause:
      if state == .paused, case .report(.wake(.motion(let motion)))? = input { actions.append(.motionChanged(motion)) }
    case .noAnswer: actions.removeAll { if case .finish(_, .paused) = $0 { true } else { false } }
    case .chance: if core.state == .denied, Bool.random() { actions.insert(.apply(core.plan), at: 0) }
    case .noEnd, .promptStands, .coolDownIsOver, .lookIsLate, .permissionIsNotSeen, .waitingFixIsAChange,
      .triggerIsNow, .firstFixIsThrownAway, .knownLocationOfAnyAge, .knownLocationUnused, .goodChangeLooks,
      .exitUnheard, .changeUnheard, .boundUnheard, .unknownLocationIsAnError:
      break
    }
    return isMore
  }

  /// Returns the time that the defective core receives.
  private func changed(
    _ now: LocationCore.Now, _ core: LocationCore, _ input: LocationCore.Input?
  ) -> LocationCore.Now {
    var now = now
    switch (self, core.state) {
    case (.noEnd, .acquiring), (.promptStands, .prompted): now.uptime = .zero
    case (.lookIsLate, .waitingSignificantChange) where input == nil || input == .report(.timer):
      now.uptime -= .seconds(20)
    case (.coolDownIsOver, .waitingSignificantChange): now.uptime += .seconds(5)
    default: break
    }
    return now
  }

  /// Returns the input that the defective core receives.
  private func changed(
    _ input: LocationCore.Input, _ core: LocationCore, _ now: LocationCore.Now
  ) -> LocationCore.Input {
    switch (self, input) {
    case (.exitUnheard, .report(.wake(.visit(let visit)))) where visit.departure != nil: .report(.timer)
    case (.changeUnheard, .report(.wake(.significantChange))): .report(.timer)
    case (.unknownLocationIsAnError, .report(.failure(.locationUnknown))) where core.state == .acquiring:
      .report(.failure(.accessDenied))
    case (.boundUnheard, .errorBound) where core.planner != nil: .report(.timer)
    case (.permissionIsNotSeen, .report(.authorization)) where core.state != .prompted: .report(.promptShown)
    case (.waitingFixIsAChange, .report(.fixes(let fixes))) where core.state == .waitingSignificantChange:
      .report(.significantChange(fixes.first))
    case (.anyCoarseFix, .report(.fixes(let fixes))) where fixes.first?.source == .coarse:
      .report(
        .fixes(
          fixes.map {
            Location(
              latitude: $0.latitude, longitude: $0.longitude, horizontalAccuracy: 1, timestamp: $0.timestamp,
              source: .coarse)
          }))
    case (.knownLocationOfAnyAge, .begin(let id, .one(let one))) where one.maximumAge > .zero:
      .begin(
        id, .one(OneLocation(desiredAccuracy: one.desiredAccuracy, within: one.timeLimit, maximumAge: .seconds(86_400)))
      )
    case (.anyChange, .report(.wake(.significantChange(var change?)))):
      {
        change.horizontalAccuracy = 1
        return .report(.significantChange(change))
      }()
    case (.goodChangeLooks, .report(.wake(.significantChange(let change?)))) where change.horizontalAccuracy < 100:
      .report(.significantChange(nil))
    case (.knownLocationUnused, .begin(let id, .one(let one))):
      .begin(id, .one(OneLocation(desiredAccuracy: one.desiredAccuracy, within: one.timeLimit)))
    case (.triggerIsNow, .report(.wake(.significantChange))): .report(.significantChange(nil))
    case (.firstFixIsThrownAway, .report(.fixes)) where core.location == nil && core.acquisition?.best == nil:
      .report(.fixes([]))
    default: input
    }
  }
}
