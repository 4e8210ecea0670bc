import Foundation

@testable import LocoKit

/// What must always hold, as functions of a core, an input, its actions and the core afterwards. The numbers are those of the
/// invariants of the simulation in `InvariantTests`.
enum Rules {
  typealias Core = LocationCore

  /// After each step of a turn. Returns the rule that is broken.
  static func afterStep(
    _ before: Core, _ now: Core.Now, _ input: Core.Input, _ actions: [Core.Action], _ after: Core
  ) -> String? {
    var mode = before.state.mode
    var transitions = 0
    var rank = 0
    var deliveries = 0
    for action in actions {
      if action.rank != 1 || !isPrivate(action) {
        if action.rank < rank { return "6: state, hardware, listeners and disk come in this order: \(action)" }
        rank = action.rank
      }
      switch action {
      case .setMode(let next):
        mode = next
        if next == .gps, let rule = start(before, now, input, after) { return rule }
      case .transition(let transition):
        transitions += 1
        if transition.from != before.state || transition.to != after.state {
          return "6: a transition is told in the state that it leads to"
        }
      case .deliver(let location):
        deliveries += 1
        if let rule = delivery(location, before, now, after) { return rule }
      case .give(let location, _):
        if before.state != .acquiring { return "3: nobody is given a location while the GPS is off" }
        if !location.hasValidCoordinate || !location.hasValidAccuracy { return "5: what is given is valid" }
      case .judged(let judged, _):
        let age = now.date.timeIntervalSince(judged.fix.timestamp)
        if case .rejected = judged.verdict { break }
        if age > World.policy.maximumAge.inSeconds || age < -Acquisition.clockTolerance {
          return "5: a fix that is too old, or from the future, is not used"
        }
      case .acquisitionFailed(.timeLimit(let best?)):
        if best.horizontalAccuracy <= World.policy.acceptableAccuracy, before.demands.policyDeadline != nil,
          before.location != best, best.timestamp > before.location?.timestamp ?? .distantPast
        {
          return "7: at the time limit an acceptable fix is taken"
        }
      default: break
      }
    }
    if mode != after.state.mode { return "1: the receiver's mode is the state's" }
    if transitions > 1 || deliveries > 1 { return "4: one transition and one location a step" }
    if transitions == 0, before.state != after.state { return "4: each transition is told" }
    if transitions == 1, after.state == .acquiring, after.acquisition?.best != nil {
      return "5: an acquisition begins with nothing of another one"
    }
    if case .report(.failure(.locationUnknown)) = input, transitions > 0, before.state == .acquiring,
      !isOver(before, now)
    {
      return "7: an unknown location means that the receiver goes on trying"
    }
    return nil
  }

  /// When the turn is over and nothing is due any more.
  static func afterTurn(_ world: World, _ input: Core.Input, _ actions: [Core.Action]) -> String? {
    let (core, now) = (world.core, world.now)
    if core.state.mode != .off, !core.authorization.isAuthorized { return "1: nothing is on without a permission" }
    if core.state == .prompted, now.uptime >= core.promptDeadline ?? .zero { return "2: a prompt ends in time" }
    if core.state == .acquiring, !core.demands.isTracking {
      guard let end = core.demands.deadline(whileAcquiring: true) else { return "2: an acquisition has an end" }
      if now.uptime >= end { return "2: an acquisition ends in time" }
      if end > now.uptime + .seconds(20) { return "2: an acquisition is no longer than its limit" }
      if core.timer.map({ $0 > end }) ?? true { return "2: the timer ends the acquisition" }
    }
    if input == .command(.pause), core.state == .acquiring || core.state == .waitingSignificantChange {
      return "3: after a pause nothing is on"
    }
    if core.state == .paused, core.receiver != nil || core.acquisition != nil || core.demands.policyDeadline != nil {
      return "3: after a pause nothing is on"
    }
    if (core.acquisition != nil) != (core.state == .acquiring) { return "1: an acquisition is the state's" }
    if core.state == .acquiring, core.receiver == nil { return "1: the receiver knows what is wanted" }
    if core.hasSavedPause != (core.state == .paused) { return "6: a pause is saved" }
    if core.needsSave, core.state != .acquiring { return "6: a location is saved when the GPS is off" }
    if actions.count(where: { $0 == .setMode(.gps) }) > 1 { return "8: a turn starts the GPS once" }
    let waits: [LocationState] = [.prompted, .acquiring, .waitingSignificantChange]
    if world.isWaiting, !waits.contains(core.state) { return "7: whoever waits has an answer" }
    if !core.unjudged.isEmpty || !core.undelivered.isEmpty { return "7: nothing is left over" }
    return nil
  }

  /// 7: with a permission, sky, and a significant change, a location comes, and whoever waits has an answer.
  static func afterCalm(_ world: World) -> String? {
    var world = world
    world.play(.authorization(.always))
    world.play(.command(.forcePrompt))
    // Where the prompt is asked for, the answer comes.
    world.play(.authorization(.always))
    world.play(.command(.resume))
    if world.core.state == .waitingSignificantChange {
      world.play(.wait(60))
      world.play(.change(age: nil))
    }
    if world.violation == nil, world.core.state != .acquiring { return "7: a significant change starts the GPS" }
    world.play(.wait(2))
    let fix = world.location(5, age: 0)
    world.play(.fix(5, age: 0))
    if let violation = world.violation { return violation }
    if world.core.location != fix, !world.core.demands.all.contains(where: \.isHoldingBack) {
      return "7: a good fix is delivered"
    }
    if world.isWaiting { return "7: whoever waits is given it" }
    world.play(.wantEveryNoMore)
    world.play(.wait(2))
    world.play(.fix(5, age: 0))
    if let violation = world.violation { return violation }
    return world.core.state == .waitingSignificantChange ? nil : "7: and it sleeps again"
  }

  private static func start(_ before: Core, _ now: Core.Now, _ input: Core.Input, _ after: Core) -> String? {
    switch input {
    case .command(.resume) where before.state == .paused: return nil
    case .command(.forceAcquire) where before.state == .waitingSignificantChange: return nil
    case .begin where before.state == .waitingSignificantChange: return nil
    case .report(.authorization(let authorization)) where authorization.isAuthorized:
      return before.state == .prompted || before.state == .denied ? nil : "8: a permission starts the GPS once"
    case .report(.significantChange):
      guard before.state == .waitingSignificantChange else { return "8: a change wakes who sleeps" }
      return now.uptime >= before.cooldownEnd ?? .zero ? nil : "8: a change does not start the GPS in the cool-down"
    default: return "8: nothing else starts the GPS"
    }
  }

  private static func delivery(_ location: Location, _ before: Core, _ now: Core.Now, _ after: Core) -> String? {
    if before.state != .acquiring { return "3: a location is delivered while the GPS is on" }
    if !location.hasValidCoordinate || !location.hasValidAccuracy { return "5: a location is valid" }
    let age = now.date.timeIntervalSince(location.timestamp)
    if age > World.policy.maximumAge.inSeconds { return "5: a location is not too old" }
    if age < -Acquisition.clockTolerance { return "5: a location is not from the future" }
    if let trigger = before.acquisition?.trigger, trigger <= now.date, location.timestamp < trigger {
      return "5: a location is not from before its trigger"
    }
    // One from before the clock was set back says nothing of the order.
    if let last = before.location, last.timestamp.timeIntervalSince(now.date) <= Acquisition.clockTolerance,
      location.timestamp <= last.timestamp
    {
      return "5: a location is newer than the one before"
    }
    return after.location == location ? nil : "6: the location is set before listeners hear of it"
  }

  /// What goes to those who want something, which is no matter of order: they run later.
  private static func isPrivate(_ action: Core.Action) -> Bool {
    switch action {
    case .give, .finish, .judged, .providerFailed, .callBack: true
    default: false
    }
  }

  /// Whether something ends now, whatever is reported.
  private static func isOver(_ core: Core, _ now: Core.Now) -> Bool {
    core.demands.deadline(whileAcquiring: true).map { now.uptime >= $0 } ?? false || core.demands.wantNoGPS
  }
}

extension Demand {
  /// Whether an accurate location stands, so that no other is accepted for a while.
  fileprivate var isHoldingBack: Bool { if case .accepted = progress { true } else { false } }
}

/// Something wrong in what a core does, one for each rule.
enum SeededDefect: Int, CaseIterable {
  case receiverStaysOn = 1, noEnd, locationInPause, toldTwice, oldLocation, toldBeforeOff, noAnswer, coolDownIsOver,
    chance

  func step(
    _ core: inout LocationCore, _ now: LocationCore.Now, _ actions: inout [LocationCore.Action],
    _ body: (inout LocationCore, LocationCore.Now, inout [LocationCore.Action]) -> Bool
  ) -> Bool {
    let state = core.state
    var then = now
    // Time stands still while the GPS is on; or runs ahead while it is off.
    if self == .noEnd, state == .acquiring { then.uptime = .zero }
    if self == .coolDownIsOver, state == .waitingSignificantChange { then.uptime += .seconds(5) }
    let isMore = body(&core, then, &actions)
    switch self {
    case .receiverStaysOn: actions.removeAll { $0 == .setMode(.off) }
    case .locationInPause:
      if state == .paused, let location = core.location, case .judged? = actions.first {
        actions.append(.deliver(location))
      }
    case .toldTwice:
      if let transition = actions.first(where: { if case .transition = $0 { true } else { false } }) {
        actions.append(transition)
      }
    case .oldLocation:
      actions = actions.map { action in
        guard case .deliver(var location) = action else { return action }
        location.timestamp -= 86_400
        return .deliver(location)
      }
    case .toldBeforeOff: actions.reverse()
    case .noAnswer: actions.removeAll { if case .finish(_, .paused) = $0 { true } else { false } }
    case .chance: if core.state == .denied, Bool.random() { actions.insert(.interrupted, at: 0) }
    case .noEnd, .coolDownIsOver: break
    }
    return isMore
  }
}
