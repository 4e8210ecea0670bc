import Foundation

@testable import LocoKit
@testable import TestSupport

/// A core whose turns are checked by `Rules`, with the facts about its run that the rules need.
struct CheckedCore {
  private(set) var core: LocationCore
  /// The time of the last turn.
  private(set) var now: LocationCore.Now
  /// The first broken rule.
  private(set) var violation: String?
  /// The seeded defect; `nil` for the code that ships.
  var defect: SeededDefect?

  /// The permission that the provider reported last.
  private(set) var permission: Authorization
  /// Whether the core has turned something on without a permission. The provider then reports the permission.
  private(set) var awaitsPermission = false
  /// The tasks that wait for one location.
  private(set) var waiting: [Demand.ID] = []
  /// The error bound that the app has set last.
  private(set) var appBound: Double?
  /// Whether the app or a demand has ever set an error bound.
  private(set) var hasHadBound = false
  /// The time since which, according to the inputs, the device has rested without a wake-up.
  private(set) var restSince: Duration?
  /// The number of times that the last turn has turned the GPS on.
  private(set) var starts = 0
  /// Whether the GPS was on before the turn.
  private var wasLocating = false
  /// Whether the app is kept running, according to the commands.
  private(set) var isKept = false
  /// The time from which coarse fixes are wanted, according to the commands.
  private(set) var coarseFixesFrom: Duration?
  /// The start of the search for a location; `nil` while the GPS is off. A search starts when the GPS turns on, at each location, and at
  /// the start of each acquisition.
  private(set) var searchingSince: Duration?

  init(_ core: LocationCore, at now: LocationCore.Now) {
    (self.core, self.now) = (core, now)
    (permission, appBound) = (core.device.authorization, core.settings.errorBound)
    hasHadBound = appBound != nil
  }

  /// Plays a whole turn: handles the input, settles until nothing is due, and checks each step. Returns the actions.
  mutating func turn(_ input: LocationCore.Input, at now: LocationCore.Now) -> [LocationCore.Action] {
    self.now = now
    (starts, wasLocating) = (0, core.plan.mode == .gps)
    let before = core
    learn(from: input)
    var all: [LocationCore.Action] = []
    step(&all, input, isFirst: true)
    var isMore = true
    // Each fix is a step, and so is the location that it yields, and the end of each wait that it satisfies.
    var steps = if case .report(.fixes(let fixes)) = input { -(2 + core.demands.all.count) * fixes.count } else { 0 }
    while isMore {
      isMore = step(&all, input, isFirst: false)
      steps += 1
      if steps > 20 {
        note("a turn ends")
        break
      }
    }
    if violation == nil, !core.isReleased { checkRepetition(of: input, before) }
    return all
  }

  /// Rule 18: a report of the battery or the app that the core knows does the same as the passing of time, and a report of the motion that
  /// the planner knows changes nothing that the planner counts.
  private mutating func checkRepetition(of input: LocationCore.Input, _ before: LocationCore) {
    switch input {
    case .report(.battery(before.device.battery)): break
    case .report(.app(let isInForeground, let isLowPowerMode, let mayRefresh)):
      let app = before.device.app
      guard app?.isInForeground == isInForeground, app?.isLowPowerMode == isLowPowerMode, app?.mayRefresh == mayRefresh
      else { return }
    case .report(.wake(.motion(let motion))):
      guard var planner = before.planner, planner.counter.motion == motion, !planner.isAsleep else { return }
      planner.count(to: now.uptime)
      let counter = planner.counter
      planner.motionDidChange(to: motion)
      if counter.motion == motion, planner.counter != counter { note("18: a repeated report changes nothing") }
      return
    default: return
    }
    var (other, actions) = (before, [LocationCore.Action]())
    other.surroundings.planner?.value.count(to: now.uptime, isLooking: before.phase.isAcquiring)
    // A report also shows what time alone has changed in the health.
    other.surroundings.monitoring.health.noteDevice()
    while Self.step(&other, nil, now, &actions, defect) {}
    if !Self.isSame(other, core) { note("18: a repeated report changes nothing") }
  }

  /// Checks the rules for the end of a turn.
  mutating func endTurn(_ input: LocationCore.Input, _ actions: [LocationCore.Action]) {
    if violation == nil { violation = Rules.afterTurn(self, input, actions) }
  }

  /// The wake-up sources that a provider with a keeper reports after the commands so far; `nil` without a keeper, after a broken rule,
  /// or if the core knows them already.
  var newSources: Sources? {
    let sources = Sources(core.device.wakeSources, core.device.backgroundUpdates)
    guard sources.updates != .never, violation == nil else { return nil }
    let whileKept: Set<WakeKind> = [.timer, .motion]
    let kinds = isKept ? sources.kinds.union(whileKept) : sources.kinds.subtracting(whileKept)
    return kinds == sources.kinds ? nil : Sources(kinds, sources.updates)
  }

  private mutating func note(_ violation: String?) { self.violation = self.violation ?? violation }

  private mutating func learn(from input: LocationCore.Input) {
    switch input {
    case .report(.authorization(let authorization)): (permission, awaitsPermission) = (authorization, false)
    case .errorBound(let bound): (appBound, hasHadBound) = (bound, hasHadBound || bound != nil)
    case .begin(_, .bound): hasHadBound = true
    case .begin(let id, .one): waiting.append(id)
    case .end(let id): waiting.removeAll { $0 == id }
    default: break
    }
    switch input {
    case .report(.wake(.motion(.still))): restSince = restSince ?? now.uptime
    // These don't show motion. Sources without a keeper wake the planner, which counts the rest from then on.
    case .report(.wake(.timer)), .report(.promptShown), .report(.wake(.cell)), .report(.battery): break
    case .report(.wakeSources(_, let updates)) where updates != .never: break
    default: restSince = nil
    }
  }

  /// Plays one step of a turn: handles the input, or settles one due item.
  @discardableResult
  private mutating func step(_ all: inout [LocationCore.Action], _ input: LocationCore.Input, isFirst: Bool) -> Bool {
    let before = core
    var actions: [LocationCore.Action] = []
    let isMore = Self.step(&core, isFirst ? input : nil, now, &actions, defect)
    for action in actions {
      switch action {
      case .finish(let id, _): waiting.removeAll { $0 == id }
      case .apply(let plan):
        (isKept, coarseFixesFrom) = (plan.keepsAppRunning, plan.coarseFixesFrom)
        if plan.mode == .gps, before.plan.mode != .gps { starts += 1 }
        if plan.mode != .off, plan.mode != before.plan.mode { awaitsPermission = !permission.isAuthorized }
      default: break
      }
    }
    guard violation == nil else {
      all += actions
      return isMore
    }
    violation = Rules.afterStep(
      before, now, input, isFirst: isFirst, actions, core, searchingSince, wasLocating: wasLocating)
    // A timer that has fired is no longer in the plan.
    if isMore, !core.isReleased, core.plan.timer != before.plan.timer, core.plan.timer != nil || !isFirst {
      note("10: a turn sets the timer once, when nothing else is due")
    }
    let ends = [before, core].map { core in
      core.demands.all.first(where: \.isPolicy)?.deadline(whileAcquiring: true) ?? .zero
    }
    if before.state != .acquiring || ends[0] < ends[1] || actions.contains(where: \.isDelivery) {
      searchingSince = now.uptime
    }
    if core.state != .acquiring { searchingSince = nil }
    // A wake-up of the planner begins another rest, which ends in another suspension.
    let wakes = before.planner?.isAsleep == true && core.planner?.isAsleep == false
    if wakes, restSince != nil { restSince = now.uptime }
    // Rule 9: repeating the input gives the same result.
    var (again, sameActions) = (before, [LocationCore.Action]())
    let same = Self.step(&again, isFirst ? input : nil, now, &sameActions, defect)
    if same != isMore || !Self.isSame(again, core) || !Self.isSame(sameActions, actions) {
      note("9: the same input has the same result")
    }
    all += actions
    return isMore
  }

  /// Returns whether values are equal, or differ only in numbers that aren't equal to themselves, such as a latitude of NaN.
  static func isSame<Value: Equatable>(_ one: Value, _ other: Value) -> Bool {
    if one == other { return true }
    // Unlike a description, a dump has the contents of classes, such as the storage of `Shared`.
    var dumps = ("", "")
    dump(one, to: &dumps.0)
    dump(other, to: &dumps.1)
    return dumps.0 == dumps.1
  }

  /// - Parameter input: The input to handle; `nil` settles.
  static func step(
    _ core: inout LocationCore, _ input: LocationCore.Input?, _ now: LocationCore.Now,
    _ actions: inout [LocationCore.Action], _ defect: SeededDefect?
  ) -> Bool {
    if let defect { return defect.step(&core, input, now, &actions) }
    guard let input else { return core.settle(at: now, into: &actions) }
    core.handle(input, at: now, into: &actions)
    return true
  }
}

/// Checks the turns of a manager. A copy of its core handles each input first, and is checked by `Rules`. The manager must then carry out
/// the same actions.
final class TurnWatch {
  private(set) var checked: CheckedCore?
  private var expected: [LocationCore.Action] = []
  private var position = 0
  private var input: LocationCore.Input?
  /// The first difference between the manager's actions and those of the copy.
  private var mistake: String?

  var violation: String? { mistake ?? checked?.violation }

  func begin(_ core: LocationCore, at now: LocationCore.Now) { checked = CheckedCore(core, at: now) }

  func willTake(_ input: LocationCore.Input, at now: LocationCore.Now) {
    endTurn()
    (expected, position, self.input) = (checked?.turn(input, at: now) ?? [], 0, input)
  }

  func didDecide(_ action: LocationCore.Action) {
    guard position < expected.count, CheckedCore.isSame(expected[position], action) else {
      let core = position < expected.count ? "\(expected[position])" : "nothing more"
      mistake = mistake ?? "the manager carries out \(action), and its core decides \(core)"
      return
    }
    position += 1
  }

  func endTurn() {
    guard let input else { return }
    self.input = nil
    if position < expected.count { mistake = mistake ?? "the manager doesn't carry out \(expected[position])" }
    checked?.endTurn(input, expected)
  }

  /// Returns whether the manager's core equals the checked one.
  func agrees(with core: LocationCore) -> Bool { checked.map { CheckedCore.isSame($0.core, core) } ?? false }
}
