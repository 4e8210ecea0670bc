import Foundation

@testable import LocoKit
@testable import TestSupport

/// Rules for each turn, most of them promises of *Locations in the background*. They are functions of the turn's input and actions, and of the world
/// before and after the turn. Most of them don't read the core.
enum CoreLocationRules {
  typealias Core = CoreLocationCore
  typealias World = CoreLocationWorld

  /// Returns the first broken rule; `nil` if all hold.
  static func afterTurn(
    _ before: World, _ input: Core.Input, _ letter: World.Letter, _ actions: [Core.Action], _ after: World
  ) -> String? {
    let broken = session(before, input, actions, after) ?? services(before, after) ?? change(input, actions, after)
    if let broken = broken ?? monitor(input, actions, after) ?? again(before, input, actions, after) { return broken }
    if let broken = prompts(before, input, actions, after) { return broken }
    if let broken = region(before, input, letter, actions, after) { return broken }
    if let broken = timer(before, input, actions, after) ?? background(before, input, actions, after) { return broken }
    if let broken = fixes(before, input, actions, after) ?? visit(before, input, actions, after) { return broken }
    if let broken = battery(before, input, actions, after) ?? reports(input, actions, after) { return broken }
    if let broken = app(before, input, actions, after) { return broken }
    if let broken = requests(before, actions, after) ?? motion(before, input, actions, after) { return broken }
    return sources(before, actions, after) ?? order(actions) ?? once(before, input, actions)
  }

  // MARK: - Services

  private static func mayWatchRegions(_ world: World) -> Bool {
    world.configuration.platform.regionExits && world.authorization == .always && !world.isReduced
  }

  static func mayKeepRunning(_ world: World) -> Bool {
    let configuration = world.configuration
    return configuration.platform.suspendsApps && configuration.hasBackgroundUpdates
      && configuration.backgroundUpdates != .never && mayWatchRegions(world)
  }

  private static func runsSensor(_ before: World, _ world: World) -> Bool {
    guard world.configuration.usesMotionActivity, world.mode != .off, world.authorization.isAuthorized else {
      return false
    }
    if mayKeepRunning(world) ? world.isKept : world.hasBound && world.isNotSuspended { return true }
    // A running sensor stays on with the GPS.
    let configuration = world.configuration
    let mayRun = configuration.hasBackgroundUpdates && configuration.backgroundUpdates != .never
    return before.system.running.contains(.motion) && world.isLocating && (world.isNotSuspended || mayRun)
  }

  /// 1: each service runs exactly when it is needed and allowed. The services of an earlier launch stay on until the launch is over.
  private static func services(_ before: World, _ world: World) -> String? {
    let configuration = world.configuration
    let isOn = world.mode != .off && world.authorization.isAuthorized
    let isAsleep = isOn && world.mode == .significantChanges
    let showsIndicator = world.authorization == .whenInUse || configuration.showsBackgroundIndicator
    let needs: [(World.Service, Bool)] = [
      (.updates, world.isLocating && configuration.platform.continuousFixes),
      (.requests, world.isLocating && !configuration.platform.continuousFixes),
      (.backgroundTime, world.isLocating),
      (.activitySession, world.isLocating && configuration.hasBackgroundUpdates && showsIndicator),
      (
        .significantChanges,
        world.isLaunching
          || configuration.platform.significantChanges && (isAsleep || isOn && world.authorization == .always)
      ),
      (
        .visits,
        world.isLaunching
          || configuration.platform.visits && isOn && world.authorization == .always && world.hasBound
      ),
      (.keeper, isOn && world.isKept && mayKeepRunning(world)),
      (.motion, runsSensor(before, world)),
    ]
    for (service, isNeeded) in needs where world.system.running.contains(service) != isNeeded {
      return "1: \(service) runs exactly when needed"
    }
    if world.system.hasOpenConditions, !configuration.usesConditions { return "1: no monitor is opened for circles" }
    let isUnseen = configuration.hasBackgroundUpdates && !configuration.showsBackgroundIndicator
    guard let accuracy = world.system.accuracy else { return "1: the receiver has an accuracy" }
    if isUnseen, accuracy > 100 { return "1: without an indicator updates are at 100 m or better" }
    if world.system.running.contains(.keeper), world.system.keeperAccuracy != keeperAccuracy(world) {
      return "1: the keeper's accuracy is 3 km between looks if it is duty-cycled, and otherwise as configured"
    }
    if !isUnseen, world.tracks != (accuracy > 0) { return "1: the receiver's accuracy is the manager's" }
    return nil
  }

  private static func keeperAccuracy(_ world: World) -> Double {
    switch world.configuration.keepsRunning {
    case .continuous(let accuracy): accuracy
    case .dutyCycled: world.plan.coarseFixesFrom.map { $0 <= world.now.uptime } == true ? 100 : 3_000
    }
  }

  /// 2: a service session is held while a permission is granted, also during a pause, and requires Always if that is granted.
  private static func session(
    _ before: World, _ input: Core.Input, _ actions: [Core.Action], _ world: World
  ) -> String? {
    let needed: Bool? = world.authorization.isAuthorized ? world.authorization == .always : nil
    guard world.system.session?.requiresAlways == needed else {
      return "2: the session matches the permission"
    }
    if let old = before.system.session, let new = world.system.session, old.requiresAlways == new.requiresAlways,
      (old != new) != (before.isSessionLate && world.isNotSuspended)
    {
      return
        "2: a session is held as long as it is needed, and one that began in the background is replaced in the foreground"
    }
    if case .session(let number, let isSuspended) = input {
      if number != before.system.session?.number {
        // Something else may be due, such as the end of the launch: the same as at an input that does nothing.
        var (core, now, others) = (before.core, world.now, [Core.Action]())
        now.hasBeenUnlocked = core.asksForUnlock(on: input) && world.isUnlocked
        core.handle(.storedMotion([]), at: now, into: &others)
        world.defect?.change(&others, on: input, before)
        return others == actions ? nil : "2: a diagnostic of an earlier session has no effect"
      }
      let isNews =
        isSuspended && !before.isSessionSuspended && world.configuration.usesConditions
        && world.authorization == .always
      if isNews != actions.contains(where: { if case .log = $0 { true } else { false } }) {
        return "2: a session without effect is logged once"
      }
    }
    return nil
  }

  /// 13: a significant change is reported while asleep, and at no other time.
  private static func change(_ input: Core.Input, _ actions: [Core.Action], _ world: World) -> String? {
    var expected: [Core.Action] = []
    if case .significantChange(let location) = input, world.mode == .significantChanges {
      expected = [.report(.significantChange(location.map { marked($0, source(in: world)) }))]
    }
    let reported = actions.filter { if case .report(.wake(.significantChange)) = $0 { true } else { false } }
    return reported == expected ? nil : "13: a significant change is reported while asleep"
  }

  private static func marked(_ location: Location, _ source: Location.Source) -> Location {
    var location = location
    location.source = source
    return location
  }

  /// The source of the GPS's fixes.
  private static func source(in world: World) -> Location.Source { world.isReduced ? .reduced : .gps }

  /// 15: each fix of the GPS is reported when it arrives, and a fix of the keeper if the keeper is on and the GPS is off. Each is marked with
  /// its source.
  private static func fixes(
    _ before: World, _ input: Core.Input, _ actions: [Core.Action], _ world: World
  ) -> String? {
    let reported = actions.compactMap { if case .report(.fixes(let fixes)) = $0 { fixes } else { nil } }
    switch input {
    case .coarseFixes(let fixes):
      let coarse = fixes.map { marked($0, .coarse) }
      let isRight = reported == (before.isKeptRunning && !before.isLocating ? [coarse] : [])
      return isRight ? nil : "15: coarse fixes are reported while the keeper is on and the GPS is off"
    case .fixes(let fixes):
      let isRight = reported == [fixes.map { marked($0, source(in: world)) }]
      return isRight ? nil : "15: the GPS's fixes are all reported"
    default: return reported.isEmpty ? nil : "15: a fix is reported when it arrives"
    }
  }

  /// 18: the manager learns the permission and the failures that the system reports.
  private static func reports(_ input: Core.Input, _ actions: [Core.Action], _ world: World) -> String? {
    let answer = Core.Action.report(.authorization(world.authorization))
    switch input {
    case .authorization, .promptDeclined:
      if !actions.contains(answer) { return "18: a change of the permission and a declined prompt are reported" }
    case .failure(let failure):
      // While the permission is given, a denial is reported as another failure.
      let isNoDenial = failure == .accessDenied && world.authorization.isAuthorized
      let isRight = actions.contains { action in
        guard case .report(.failure(let reported)) = action else { return false }
        if isNoDenial, case .other = reported { return true }
        return !isNoDenial && reported == failure
      }
      if !isRight { return "18: a failure is reported, and a denial only without the permission" }
    default: break
    }
    return nil
  }

  /// Whether a turn is the first one of a launch that uses locations. What launched the app is then reported.
  private static func usesLaunch(_ before: World, _ after: World) -> Bool {
    before.isLaunching && after.mode != .off && after.authorization.isAuthorized
  }

  /// 16: a visit is reported unless the mode is off. A visit of the launch is reported when the manager turns on a mode.
  private static func visit(
    _ before: World, _ input: Core.Input, _ actions: [Core.Action], _ world: World
  ) -> String? {
    let visit: Location.Visit? = if case .visit(let visit) = input, world.mode != .off { visit } else { nil }
    let kept = usesLaunch(before, world) ? before.keptVisits : []
    let expected = (kept + [visit].compactMap(\.self)).map { Core.Action.report(.visit($0)) }
    let reported = actions.filter { if case .report(.wake(.visit)) = $0 { true } else { false } }
    return reported == expected ? nil : "16: a visit is reported unless the mode is off"
  }

  /// 19: unless the mode is off, the manager knows the state of the app, and each change is reported once.
  private static func app(_ before: World, _ input: Core.Input, _ actions: [Core.Action], _ world: World) -> String? {
    let reports = actions.filter { if case .report(.app) = $0 { true } else { false } }
    let isNew =
      world.mode != .off && (before.mode == .off || world.core.system.appReport != before.core.system.appReport)
    let isRight = reports == (isNew ? [.report(world.core.system.appReport)] : [])
    if world.isInForeground != world.core.system.isInForeground { return "19: the foreground is noticed" }
    return isRight ? nil : "19: the app's state is reported once, unless the mode is off"
  }

  /// 17: unless the mode is off, the manager knows the battery's last status. A known status isn't reported again, unless the mode was off.
  private static func battery(
    _ before: World, _ input: Core.Input, _ actions: [Core.Action], _ world: World
  ) -> String? {
    var present = before.presentBattery
    if case .battery(let battery) = input { present = battery }
    let reports = actions.compactMap { if case .report(.battery(let battery)) = $0 { battery } else { nil } }
    if world.mode == .off { return reports.isEmpty ? nil : "17: no battery is reported in a pause" }
    if (reports.last ?? before.battery) != present { return "17: the battery is reported when it changes" }
    let isNews = before.mode == .off || reports.first != before.battery
    return reports.isEmpty || reports.count == 1 && isNews ? nil : "17: the battery is reported once"
  }

  /// 14: a monitor is opened as soon as it may be used: with Always, full accuracy and a mode other than off, after the first unlock.
  private static func monitor(_ input: Core.Input, _ actions: [Core.Action], _ world: World) -> String? {
    let isUsed = world.mode != .off && world.configuration.usesConditions
    if isUsed, world.isUnlocked != world.core.system.isUnlocked { return "14: the first unlock is noticed" }
    if world.core.asksForUnlock(on: input), !isUsed || world.isUnlocked {
      return "14: nothing asks for the unlock in a pause, or after the unlock"
    }
    let mayUse = isUsed && world.isUnlocked && world.authorization.isAuthorized && mayWatchRegions(world)
    if actions.contains(.openConditions), !mayUse { return "14: a monitor is opened only if it may be used" }
    return mayUse && !world.system.hasOpenConditions ? "14: a monitor that may be used is opened" : nil
  }

  // MARK: - Orders

  /// 6: the sessions and the background time start before the other services, and stop after them. Requests and reports follow, when the
  /// services are as the manager wants them.
  private static func order(_ actions: [Core.Action]) -> String? {
    let ranks = actions.map(rank)
    return ranks == ranks.sorted() ? nil : "6: the commands are in order"
  }

  static func rank(_ action: Core.Action) -> Int {
    switch action {
    case .beginServiceSession: 0
    case .setReceiver, .setKeeper: 1
    case .start(.activitySession): 2
    case .start(.backgroundTime): 3
    case .start: 4
    case .openConditions: 5
    case .armCircle, .armCondition: 6
    case .stop(.backgroundTime): 8
    case .stop(.activitySession): 9
    case .stop: 7
    case .removeRegion: 10
    case .endServiceSession: 11
    case .setTimer: 12
    case .requestWhenInUse, .requestAlways, .requestFullAccuracy, .requestLocation, .checkCondition, .log, .report,
      .openSettings:
      13
    }
  }

  /// 6: no action occurs twice in a turn. No command asks for what is the case already, except those that arm or remove the region, and
  /// those that start a service again.
  private static func once(_ before: World, _ input: Core.Input, _ actions: [Core.Action]) -> String? {
    for (index, action) in actions.enumerated() {
      if actions[..<index].contains(action) { return "6: nothing is commanded or reported twice" }
      let isSo =
        switch action {
        // Each launch starts a service again that an earlier launch has left on.
        case .start(let service):
          before.system.running.contains(service) && !beginsAgain(service, input, before) && !before.isLaunching
        case .stop(let service): !before.system.running.contains(service)
        case .setReceiver(let accuracy): before.system.accuracy == accuracy
        case .setKeeper(let accuracy): before.system.keeperAccuracy == accuracy
        case .setTimer(let time): before.system.timer == time && input != .timerFired
        case .openConditions: before.system.hasOpenConditions
        case .beginServiceSession(let session): before.system.session == session
        case .endServiceSession: before.system.session == nil
        default: false
        }
      if isSo { return "6: no command asks for what is the case already" }
    }
    return nil
  }

  /// Whether a service that is on is started again: the system may have ended it, or it had no effect in the background. A sensor without a
  /// reading may lack the permission, and the system shows its prompt only in the foreground.
  private static func beginsAgain(_ service: World.Service, _ input: Core.Input, _ before: World) -> Bool {
    switch (service, input) {
    case (.motion, .foreground(true)): before.motion == nil
    case (.updates, .updatesPaused), (.updates, .foreground(true)), (.activitySession, .foreground(true)),
      (.backgroundTime, .foreground(false)):
      true
    default: false
    }
  }

  /// 5: what the system may have ended is commanded again.
  private static func again(
    _ before: World, _ input: Core.Input, _ actions: [Core.Action], _ after: World
  ) -> String? {
    for service in World.Service.allCases where beginsAgain(service, input, before) {
      if before.system.running.contains(service), after.system.running.contains(service),
        !actions.contains(.start(service))
      {
        return "5: \(service) begins again"
      }
    }
    return nil
  }

  // MARK: - Prompts

  /// 3: no prompt is requested before the app asks. A request that the system ignores in the background is repeated in the foreground. After
  /// While Using, Always is requested once in the foreground. Full accuracy is requested once, and again only after a failed request, or
  /// after the user's answer has expired.
  private static func prompts(
    _ before: World, _ input: Core.Input, _ actions: [Core.Action], _ after: World
  ) -> String? {
    let configuration = after.configuration
    let isRepeated = input == .foreground(true) && before.isPromptIgnored && after.authorization == .notDetermined
    for action in actions {
      switch action {
      case .requestWhenInUse:
        if input != .requestAuthorization && !isRepeated || configuration.permission == .always {
          return "3: prompts follow a request"
        }
      case .requestAlways:
        if !after.hasAsked || configuration.permission == .whenInUse {
          return "3: Always is requested only if configured"
        }
        if before.alwaysRequests > 0, after.authorization == .whenInUse { return "3: Always is requested once" }
      case .requestFullAccuracy:
        if !after.isLocating { return "3: full accuracy is requested while the GPS is on" }
        if !mayAskForFullAccuracy(before, after) || !after.isReduced || !configuration.asksForFullAccuracy {
          return "3: full accuracy is requested once, if reduced"
        }
      case .openSettings:
        if input != .requestAuthorization || after.authorization != .denied || !before.hasAsked {
          return "3: settings open for an app that asks again after a denial"
        }
      default: break
      }
    }
    if after.authorization == .whenInUse, after.hasAsked, after.isNotSuspended, after.alwaysRequests == 0,
      configuration.permission != .whenInUse, isOccasion(input)
    {
      return "3: Always is requested in the foreground"
    }
    let isReported = actions.contains { if case .report(.authorization) = $0 { true } else { false } }
    if input == .requestAuthorization {
      let isAsked = actions.contains(configuration.permission == .always ? .requestAlways : .requestWhenInUse)
      let mayAsk = after.authorization == .notDetermined
      if mayAsk && !isAsked || isReported == mayAsk {
        return "3: a request is answered, or a prompt is shown"
      }
      if after.authorization == .denied, before.hasAsked, !actions.contains(.openSettings) {
        return "3: settings open for an app that asks again after a denial"
      }
    }
    let isNewlyAsked = input == .requestAuthorization && after.authorization == .notDetermined
    let isShown = isRepeated || isNewlyAsked && after.isNotSuspended
    if actions.contains(.report(.promptShown)) != isShown {
      return "3: a prompt that is shown is reported, and no other"
    }
    if isRepeated, !actions.contains(configuration.permission == .always ? .requestAlways : .requestWhenInUse) {
      return "3: a request that was ignored in the background is repeated in the foreground"
    }
    let isAccuracyOccasion = !before.isLocating || input == .foreground(true) || after.isReduced && !before.isReduced
    if after.isLocating, isAccuracyOccasion, after.isReduced, configuration.asksForFullAccuracy,
      mayAskForFullAccuracy(before, after), !actions.contains(.requestFullAccuracy)
    {
      return "3: full accuracy is requested when the GPS turns on, in the foreground, and after the answer has expired"
    }
    if after.mode != .off, after.mode != before.mode, !after.authorization.isAuthorized, !isReported {
      return "3: a mode without the permission reports the permission"
    }
    return nil
  }

  /// Whether the user wasn't asked for full accuracy yet, or the answer has expired.
  private static func mayAskForFullAccuracy(_ before: World, _ after: World) -> Bool {
    before.mayAskForFullAccuracy || after.isReduced && !before.isReduced
  }

  /// Returns whether an input is an occasion to request Always.
  private static func isOccasion(_ input: Core.Input) -> Bool {
    switch input {
    case .requestAuthorization, .authorization, .foreground: true
    default: false
    }
  }

  // MARK: - The region

  /// Whether an event is the exit from an armed region.
  static func isExit(_ input: Core.Input, of region: RegionWatch.Armed) -> Bool {
    switch (input, region) {
    case (.regionEvent(.outside(let latitude, _)), .circle(let region)): isCenter(latitude - 34, of: region)
    case (.regionEvent(.outsideCondition), .condition), (.regionEvent(.outside), .earlier),
      (.regionEvent(.outsideCondition), .earlier):
      true
    default: false
    }
  }

  /// 10: an exit is reported at most once for each arming. The exit that launched the app is reported when the manager turns on a mode. The
  /// wake source of a region that isn't watched is withdrawn. A fix restores it, once a minute at most, and so does the foreground.
  private static func region(
    _ before: World, _ input: Core.Input, _ letter: World.Letter, _ actions: [Core.Action], _ after: World
  ) -> String? {
    let exits = actions.count { $0 == .report(.regionExit) }
    if exits > 1 { return "10: an exit is reported once" }
    let isReported = exits == 1
    let fails =
      switch (letter, before.system.region) {
      case (.conditionFailed, .condition), (.failed(nil), .circle): before.mayExit
      case (.failed(let place?), .circle(let region)): before.mayExit && Self.isCenter(place, of: region)
      default: false
      }
    if fails != (after.core.region.problem != nil), !before.isLost {
      return "10: the source is withdrawn if the armed region isn't watched, and only then"
    }
    let isExit = isExit(input, of: before.system.region) && before.mayExit
    let isOfLaunch = before.keptExit && usesLaunch(before, after)
    if isReported != (isExit && before.mode != .off || isOfLaunch) {
      return "10: the exit of the armed region is reported once, not while off, and when a launch uses locations"
    }
    let isUnwanted = isExit && before.mode == .off && !after.isLaunching || before.keptExit && !isOfLaunch
    if isUnwanted, !after.isLaunching, !isRegion(letter), after.system.region != .none {
      return "10: an unwanted exit removes its region"
    }
    if isRegion(letter) {
      let armed: RegionWatch.Armed
      if let region = after.plan.region {
        let isCondition =
          after.configuration.usesConditions && after.core.system.isUnlocked && !after.isSessionSuspended
        armed = isCondition ? .condition(region) : .circle(region)
      } else {
        armed = .none
      }
      if after.system.region != armed { return "10: the region is the manager's" }
      let isCommanded =
        switch armed {
        case .circle(let region): actions.contains(.armCircle(region))
        case .condition(let region): actions.contains(.armCondition(region))
        case .earlier, .none: actions.contains(.removeRegion)
        }
      if !isCommanded { return "10: a region is armed again, although it is the same" }
    }
    if before.mode != .off, after.mode == .off, after.system.region == .earlier {
      return "10: while off, nothing wakes the app"
    }
    let removesEarlier = after.mode == .off && before.system.region == .earlier
    if actions.contains(.removeRegion), letter != .region(nil), before.mode != .off, !removesEarlier {
      return "10: a region stays until the manager replaces or removes it"
    }
    let isArmed = actions.contains { if case .armCircle = $0 { true } else { $0 == .checkCondition } }
    if isArmed, !before.mayExit, !isRegion(letter) { return "10: a region that was left isn't armed again" }
    let isChange = if case .significantChange = input { after.mode == .significantChanges } else { false }
    if before.mayExit, isChange || input == .foreground(true) || after.mode == .gps && before.mode != .gps {
      switch before.system.region {
      case .circle(let region):
        if !actions.contains(.armCircle(region)) { return "10: a region that may have been stopped is armed again" }
      case .condition: if !actions.contains(.checkCondition) { return "10: a condition is checked" }
      case .earlier, .none: break
      }
    }
    let losesConditions =
      after.configuration.usesConditions && after.authorization == .always && after.isSessionSuspended
      && !before.isSessionSuspended
    if losesConditions, before.mayExit, case .condition(let region) = before.system.region,
      after.system.region != .circle(region)
    {
      return "10: a circle replaces a condition without effect"
    }
    if before.isLost {
      let isOld = before.lastOffer.map { after.now.uptime - $0 >= .seconds(60) } ?? true
      let isFix =
        switch input {
        case .fixes: true
        case .coarseFixes: before.isKeptRunning && !before.isLocating
        default: false
        }
      let isOffered = isFix && isOld || input == .foreground(true) || losesConditions
      if isOffered != (after.core.region.problem == nil) {
        return "10: a lost region returns with a fix, once a minute at most, in the foreground, or as a circle"
      }
    }
    return nil
  }

  private static func isRegion(_ letter: World.Letter) -> Bool { if case .region = letter { true } else { false } }

  /// Whether a region's centre is this many degrees north of the device.
  private static func isCenter(_ place: Double, of region: Location.Region) -> Bool {
    abs(34 + place - region.latitude) < 1
  }

  // MARK: - Time

  /// 4: the manager's timer is reported once, and never early.
  private static func timer(
    _ before: World, _ input: Core.Input, _ actions: [Core.Action], _ after: World
  ) -> String? {
    let fired = actions.count { $0 == .report(.timer) }
    let isDue = input == .timerFired && before.deadline.map { after.now.uptime >= $0 } ?? false
    if fired != (isDue ? 1 : 0) { return "4: a timer fires once, and not early" }
    if after.isLaunching, after.system.timer.map({ $0 > .seconds(5) }) ?? true { return "4: a launch ends by a timer" }
    if let deadline = after.deadline, fired == 0, after.system.timer.map({ $0 > deadline }) ?? true {
      return "4: the timer is set for the manager's deadline"
    }
    if after.isKeptRunning, after.configuration.keepsRunning == .dutyCycled,
      let from = after.plan.coarseFixesFrom, from > after.now.uptime, after.system.timer.map({ $0 > from }) ?? true
    {
      return "4: the timer is set for the time of coarse fixes"
    }
    return nil
  }

  /// 5: in the background with the GPS on, the end of the background time is reported, unless updates keep the app running.
  private static func background(
    _ before: World, _ input: Core.Input, _ actions: [Core.Action], _ after: World
  ) -> String? {
    let isReported = actions.contains(.report(.failure(.backgroundTimeExpired)))
    let continues =
      after.configuration.hasBackgroundUpdates
      && (after.authorization == .always || after.authorization == .whenInUse && after.beganInForeground)
    let isEnding =
      input == .backgroundTimeExpired && after.isLocating && !after.isNotSuspended && !continues
    if isReported != isEnding { return "5: the end of background time is reported if it ends an acquisition" }
    return nil
  }

  /// 8: where fixes are requested one at a time, a request is pending or the next one is planned while the GPS is on. While it stays on,
  /// two requests are at least a second apart, or five seconds after an error.
  private static func requests(_ before: World, _ actions: [Core.Action], _ after: World) -> String? {
    let isUseless = !after.isLocating || after.configuration.platform.continuousFixes
    if isUseless, actions.contains(.requestLocation) { return "8: nothing is requested in vain" }
    guard after.isLocating, !after.configuration.platform.continuousFixes else { return nil }
    if !after.system.isRequesting, after.system.timer.map({ $0 > after.now.uptime + .seconds(5) }) ?? true {
      return "8: the next fix is requested"
    }
    guard before.isLocating, let last = before.system.lastRequest, actions.contains(.requestLocation) else {
      return nil
    }
    return after.now.uptime - last >= .seconds(before.system.hasFailed ? 5 : 1)
      ? nil : "8: a second passes between two requests, and five after an error"
  }

  /// 11: every ten seconds, the newest reading is reported if it differs from the last report. Stillness isn't reported for three minutes
  /// after a fix with a vehicle's speed, nor while it is doubted. Stored motion is reported when it arrives.
  private static func motion(
    _ before: World, _ input: Core.Input, _ actions: [Core.Action], _ after: World
  ) -> String? {
    var expected: [Core.Action] = []
    if input == .timerFired, before.system.running.contains(.motion), let reading = before.reading,
      reading != before.motion, reading != .still || !before.hasBeenFast && !before.doubtsStillness
    {
      expected = [.report(.motion(reading))]
    }
    if case .storedMotion(let changes) = input, before.system.running.contains(.motion), !changes.isEmpty {
      expected = [.report(.pastMotion(changes))]
    }
    let reported = actions.filter {
      switch $0 {
      case .report(.wake(.motion)), .report(.pastMotion): true
      default: false
      }
    }
    if reported != expected { return "11: motion is reported when it changes, and a smooth ride isn't stillness" }
    if after.system.running.contains(.motion),
      after.system.timer.map({ $0 > after.now.uptime + .seconds(10) }) ?? true
    {
      return "11: the sensor is read every ten seconds"
    }
    if actions.contains(.start(.motion)) {
      let hourAgo = after.now.date.addingTimeInterval(-3_600)
      let begins = after.core.storedMotionBegins(at: after.now.date)
      let offSince = before.motionOffSince.flatMap { $0 <= after.now.date ? $0 : nil }
      if begins != max(offSince ?? hourAgo, hourAgo) {
        return "11: the query for stored motion begins when the sensor turned off, an hour ago at most"
      }
    }
    return nil
  }

  /// 12: each change of the wake sources is reported once.
  private static func sources(_ before: World, _ actions: [Core.Action], _ after: World) -> String? {
    var known = before.sources
    for case .report(.wakeSources(let kinds, let updates)) in actions {
      let sources = Core.Sources(kinds: kinds, backgroundUpdates: updates)
      if sources == known { return "12: known sources aren't reported again" }
      known = sources
    }
    // A manager that doesn't know of the source would ignore the motion.
    var toldFirst = before.sources
    for case .report(let report) in actions {
      if case .wakeSources(let kinds, let updates) = report {
        toldFirst = Core.Sources(kinds: kinds, backgroundUpdates: updates)
      }
      if case .wake(.motion) = report, !toldFirst.kinds.contains(.motion) {
        return "12: a source is reported before its reports"
      }
    }
    var expected: Set<WakeKind> = []
    let wakesApp = after.authorization == .always && !after.isRefreshOff
    if after.configuration.platform.significantChanges, after.isNotSuspended || wakesApp {
      expected.insert(.significantChange)
    }
    if mayWatchRegions(after), wakesApp, after.core.region.problem == nil { expected.insert(.regionExit) }
    if after.isNotSuspended || after.isKeptRunning { expected.insert(.timer) }
    let isMotionReported = actions.contains { if case .report(.wake(.motion)) = $0 { true } else { false } }
    if runsSensor(before, after), after.motion != nil || isMotionReported { expected.insert(.motion) }
    if after.configuration.platform.visits, wakesApp { expected.insert(.visit) }
    let updates = mayKeepRunning(after) ? after.configuration.backgroundUpdates : .never
    return known == Core.Sources(kinds: expected, backgroundUpdates: updates)
      ? nil : "12: the sources are those that can wake the app"
  }
}

/// A seeded defect of the core. Each rule except 7 has at least one.
enum CoreLocationDefect: String, CaseIterable {
  case staysOnInAPause, keptRunningUncommanded, changesOffWithTheGPS, filterWithoutAnIndicator
  case sessionOutlastsThePermission, sessionEndsInAPause, sessionRequiresTooMuch
  case alwaysUnasked, fullAccuracyEachTime
  case timerTwice
  case backgroundTimeIgnored, notBegunInTheForeground
  case stopsFirst
  case gpsNotBegun
  case requestsAtOnce
  case exitTwice, replacedRegionLeft, lossForgotten
  case stillInATrain
  case sourcesUntold
  case chance
  case earlierLaunchLeftOn, changesToldWithTheGPS
  case sessionForEachMode, sessionKeepsItsRequirement, sessionNotTakenAtLaunch
  case alwaysAskedOnceInTheBackground, fullAccuracyNotAskedLater, ignoredPromptForgotten, expiredAccuracyNotAsked
  case monitorBeforeTheFirstUnlock
  case unwantedRegionKept, regionRemovedAtLaunch, regionNotOfferedAgain, regionStoppedByOthers, conditionUnchecked
  case motionNeverSaid
  case keeperInAPause, keeperWithoutAlways, keptRunningNever, keeperOffWithTheGPS
  case keeperAlwaysIdle, keeperNeverIdle, coarseFixesWithoutATimer
  case visitsWithoutABound, visitsOfAnEarlierLaunchLeftOn, launchStopsVisits
  case exitOfTheLaunchLost, visitOfTheLaunchLost, launchWithoutATimer
  case timersWithoutAKeeper, silenceIgnored
  case coarseFixOfTheGPS, coarseCopyOfAFix, lateCoarseFix, reducedFixUnmarked
  case departureInAPause, departureUntold
  case batteryInAPause, batteryOfAPauseUntold
  case failureUntold, sourceToldAfterItsReports, timerSetAgain, appUntold, appInAPause

  var rule: Int {
    switch self {
    case .staysOnInAPause, .keptRunningUncommanded, .changesOffWithTheGPS, .filterWithoutAnIndicator, .gpsNotBegun,
      .earlierLaunchLeftOn, .keeperInAPause, .keeperWithoutAlways, .keptRunningNever, .keeperOffWithTheGPS,
      .keeperAlwaysIdle, .keeperNeverIdle,
      .visitsWithoutABound, .visitsOfAnEarlierLaunchLeftOn, .launchStopsVisits:
      1
    case .sessionOutlastsThePermission, .sessionEndsInAPause, .sessionRequiresTooMuch, .sessionForEachMode,
      .sessionKeepsItsRequirement,
      .sessionNotTakenAtLaunch:
      2
    case .alwaysUnasked, .fullAccuracyEachTime, .alwaysAskedOnceInTheBackground, .fullAccuracyNotAskedLater,
      .ignoredPromptForgotten, .expiredAccuracyNotAsked:
      3
    case .timerTwice, .launchWithoutATimer, .coarseFixesWithoutATimer: 4
    case .backgroundTimeIgnored, .notBegunInTheForeground: 5
    case .stopsFirst, .timerSetAgain: 6
    case .requestsAtOnce: 8
    case .chance: 9
    case .exitTwice, .replacedRegionLeft, .lossForgotten, .unwantedRegionKept, .regionRemovedAtLaunch,
      .regionNotOfferedAgain, .regionStoppedByOthers, .conditionUnchecked, .exitOfTheLaunchLost:
      10
    case .stillInATrain, .motionNeverSaid: 11
    case .sourcesUntold, .timersWithoutAKeeper, .sourceToldAfterItsReports, .silenceIgnored: 12
    case .changesToldWithTheGPS: 13
    case .monitorBeforeTheFirstUnlock: 14
    case .coarseFixOfTheGPS, .coarseCopyOfAFix, .lateCoarseFix, .reducedFixUnmarked: 15
    case .departureInAPause, .departureUntold, .visitOfTheLaunchLost: 16
    case .batteryInAPause, .batteryOfAPauseUntold: 17
    case .failureUntold: 18
    case .appUntold, .appInAPause: 19
    }
  }

  /// The phone that shows the defect.
  var phone: CoreLocationWorld.Phone {
    switch self {
    case .requestsAtOnce: .television
    case .fullAccuracyEachTime, .replacedRegionLeft, .exitTwice, .alwaysAskedOnceInTheBackground, .unwantedRegionKept,
      .fullAccuracyNotAskedLater, .regionStoppedByOthers, .keeperAlwaysIdle, .keeperNeverIdle,
      .coarseFixesWithoutATimer, .ignoredPromptForgotten, .expiredAccuracyNotAsked:
      .twoSteps
    case .alwaysUnasked, .backgroundTimeIgnored, .keptRunningNever, .silenceIgnored: .inUse
    default: .background
    }
  }

  /// Returns the input that the defective core handles instead.
  func changed(_ input: CoreLocationCore.Input, _ world: CoreLocationWorld) -> CoreLocationCore.Input {
    if self == .keptRunningUncommanded, case .plan(var plan) = input, plan.keepsAppRunning != world.isKept {
      plan.keepsAppRunning = true
      return .plan(plan)
    }
    return switch (self, input) {
    case (.backgroundTimeIgnored, .backgroundTimeExpired), (.lossForgotten, .regionEvent(.conditionFailed)),
      (.fullAccuracyNotAskedLater, .fullAccuracyRequestFailed), (.silenceIgnored, .motionUnknown):
      .session(-1, isSuspended: false)
    case (.regionNotOfferedAgain, .fixes) where world.isLost: .failure(.locationUnknown)
    default: input
    }
  }

  /// Changes the core's actions to those of a defective core.
  func change(
    _ actions: inout [CoreLocationCore.Action], on input: CoreLocationCore.Input, _ world: CoreLocationWorld
  ) {
    let plan: ReceiverPlan? = if case .plan(let plan) = input { plan } else { nil }
    func turns(_ mode: ReceiverMode) -> Bool { plan?.mode == mode && world.mode != mode }
    switch self {
    case .staysOnInAPause: actions.removeAll { $0 == .stop(.significantChanges) }
    case .keptRunningUncommanded, .lossForgotten, .silenceIgnored: break
    case .changesOffWithTheGPS:
      if turns(.gps), world.mode == .significantChanges, world.authorization == .always {
        actions.append(.stop(.significantChanges))
      }
    case .filterWithoutAnIndicator:
      actions = actions.map { action in
        if case .setReceiver = action {
          .setReceiver(accuracy: 500)
        } else {
          action
        }
      }
    case .sessionOutlastsThePermission: actions.removeAll { $0 == .endServiceSession }
    case .sessionEndsInAPause: if turns(.off), world.system.session != nil { actions.append(.endServiceSession) }
    case .sessionRequiresTooMuch:
      actions = actions.map { action in
        if case .beginServiceSession(let session) = action {
          .beginServiceSession(Services.Session(number: session.number, requiresAlways: true))
        } else {
          action
        }
      }
    case .alwaysUnasked: if case .authorization(.whenInUse, _) = input { actions.append(.requestAlways) }
    case .fullAccuracyEachTime:
      if plan?.mode == .gps, world.isLocating { actions.append(.requestFullAccuracy) }
    case .timerTwice: if actions.contains(.report(.timer)) { actions.append(.report(.timer)) }
    case .backgroundTimeIgnored: break
    case .notBegunInTheForeground: if input == .foreground(true) { actions.removeAll { $0 == .start(.updates) } }
    case .stopsFirst:
      if let index = actions.firstIndex(where: { if case .stop = $0 { true } else { false } }) {
        actions.insert(actions.remove(at: index), at: 0)
      }
    case .gpsNotBegun: actions.removeAll { $0 == .start(.updates) }
    case .requestsAtOnce: if case .fixes = input, world.isLocating { actions.append(.requestLocation) }
    case .exitTwice: if actions.contains(.report(.regionExit)) { actions.append(.report(.regionExit)) }
    case .replacedRegionLeft:
      if case .regionEvent(.outside) = input, world.mode != .off, world.mayExit {
        actions.append(.report(.regionExit))
      }
    case .stillInATrain:
      if input == .motion(.still), world.core.motion.watch != nil, world.core.motion.lastFastFix != nil {
        actions.append(.report(.motion(.still)))
      }
    case .sourcesUntold: actions.removeAll { if case .report(.wakeSources) = $0 { true } else { false } }
    case .earlierLaunchLeftOn:
      if world.isLaunching { actions.removeAll { $0 == .stop(.significantChanges) } }
    case .changesToldWithTheGPS:
      if case .significantChange = input, world.mode == .gps { actions.append(.report(.significantChange(nil))) }
    case .sessionForEachMode:
      if let plan, plan.mode != world.mode, let old = world.system.session {
        let next = Services.Session(number: old.number + 1, requiresAlways: old.requiresAlways)
        actions.insert(.beginServiceSession(next), at: 0)
      }
    case .sessionKeepsItsRequirement:
      if world.system.session != nil {
        actions.removeAll { if case .beginServiceSession = $0 { true } else { false } }
      }
    case .sessionNotTakenAtLaunch: actions.removeAll { if case .beginServiceSession = $0 { true } else { false } }
    case .alwaysAskedOnceInTheBackground: if input == .foreground(true) { actions.removeAll { $0 == .requestAlways } }
    case .fullAccuracyNotAskedLater, .regionNotOfferedAgain: break
    case .ignoredPromptForgotten:
      if input == .foreground(true) { actions.removeAll { $0 == .requestWhenInUse || $0 == .report(.promptShown) } }
    case .expiredAccuracyNotAsked: if case .authorization = input { actions.removeAll { $0 == .requestFullAccuracy } }
    case .monitorBeforeTheFirstUnlock: if turns(.gps), !world.isUnlocked { actions.append(.openConditions) }
    case .unwantedRegionKept: if case .regionEvent = input { actions.removeAll { $0 == .removeRegion } }
    case .regionRemovedAtLaunch: if turns(.significantChanges) { actions.append(.removeRegion) }
    case .regionStoppedByOthers:
      if let plan, plan.regionNumber != world.plan.regionNumber { break }
      actions.removeAll { if case .armCircle = $0 { true } else { false } }
    case .conditionUnchecked: actions.removeAll { $0 == .checkCondition }
    case .motionNeverSaid: actions.removeAll { if case .report(.wake(.motion)) = $0 { true } else { false } }
    case .keeperInAPause: if turns(.off) { actions.removeAll { $0 == .stop(.keeper) } }
    case .keeperWithoutAlways: if case .authorization = input { actions.removeAll { $0 == .stop(.keeper) } }
    case .keptRunningNever: if plan?.keepsAppRunning == true, !world.isKept { actions.append(.start(.keeper)) }
    case .keeperOffWithTheGPS: if turns(.gps), world.isKeptRunning { actions.append(.stop(.keeper)) }
    case .keeperAlwaysIdle: actions.removeAll { $0 == .setKeeper(accuracy: 100) }
    case .keeperNeverIdle: actions.removeAll { $0 == .setKeeper(accuracy: 3_000) }
    case .coarseFixesWithoutATimer:
      guard world.system.running.contains(.keeper) || actions.contains(.start(.keeper)) else { break }
      actions.removeAll { if case .setTimer(let time?) = $0 { time == plan?.coarseFixesFrom } else { false } }
    case .visitsWithoutABound:
      if let plan, plan.errorBound == nil, world.hasBound { actions.removeAll { $0 == .stop(.visits) } }
    case .visitsOfAnEarlierLaunchLeftOn:
      if world.isLaunching { actions.removeAll { $0 == .stop(.visits) } }
    case .launchStopsVisits: if world.isLaunching { actions.append(.stop(.visits)) }
    case .exitOfTheLaunchLost: if world.isLaunching { actions.removeAll { $0 == .report(.regionExit) } }
    case .visitOfTheLaunchLost:
      if world.isLaunching { actions.removeAll { if case .report(.wake(.visit)) = $0 { true } else { false } } }
    case .launchWithoutATimer: if world.isLaunching { actions.removeAll { $0 == .setTimer(.seconds(5)) } }
    case .timersWithoutAKeeper:
      actions = actions.map { action in
        guard case .report(.wakeSources(let kinds, let updates)) = action, updates != .never else { return action }
        return .report(.wakeSources(kinds.union([.timer]), backgroundUpdates: updates))
      }
    case .coarseFixOfTheGPS, .reducedFixUnmarked:
      if self == .reducedFixUnmarked, !world.isReduced { break }
      actions = actions.map { action in
        guard case .report(.fixes(var fixes)) = action else { return action }
        for index in fixes.indices { fixes[index].source = .gps }
        return .report(.fixes(fixes))
      }
    case .coarseCopyOfAFix:
      if case .coarseFixes(let fixes) = input, world.isLocating { actions.append(.report(.fixes(fixes))) }
    case .lateCoarseFix:
      if case .coarseFixes(let fixes) = input, !world.isKeptRunning { actions.append(.report(.fixes(fixes))) }
    case .departureInAPause:
      if case .visit = input, world.mode == .off { actions.append(.report(.departure)) }
    case .batteryInAPause:
      if case .battery(let battery) = input, world.mode == .off { actions.append(.report(.battery(battery))) }
    case .batteryOfAPauseUntold:
      if plan != nil { actions.removeAll { if case .report(.battery) = $0 { true } else { false } } }
    case .departureUntold: actions.removeAll { if case .report(.wake(.visit)) = $0 { true } else { false } }
    case .appUntold: actions.removeAll { if case .report(.app) = $0 { true } else { false } }
    case .appInAPause:
      if case .foreground = input, world.mode == .off { actions.append(.report(world.core.system.appReport)) }
    case .failureUntold: actions.removeAll { if case .report(.failure) = $0 { true } else { false } }
    case .sourceToldAfterItsReports:
      if let index = actions.firstIndex(where: { if case .report(.wakeSources) = $0 { true } else { false } }) {
        actions.append(actions.remove(at: index))
      }
    case .timerSetAgain: if let timer = world.system.timer, input != .timerFired { actions.append(.setTimer(timer)) }
    case .chance: if Bool.random() { actions.append(.log("chance")) }
    }
    if self != .stopsFirst { actions.sort { CoreLocationRules.rank($0) < CoreLocationRules.rank($1) } }
  }
}
