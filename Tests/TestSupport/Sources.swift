import LocoKit

/// What can wake an app, and when the app can be kept running.
struct Sources: Hashable, ExpressibleByArrayLiteral, CustomStringConvertible {
  var kinds: Set<WakeKind>
  var updates = LocationManager.BackgroundUpdates.never

  init(_ kinds: Set<WakeKind>, _ updates: LocationManager.BackgroundUpdates = .never) {
    self.kinds = kinds
    self.updates = updates
  }

  init(arrayLiteral kinds: WakeKind...) { self.init(Set(kinds)) }

  func union(_ kinds: Set<WakeKind>) -> Self { Sources(self.kinds.union(kinds), updates) }

  /// A device that reports significant changes only.
  static let changes = Sources([.significantChange])
  /// A device that is always awake, with every event except visits.
  static let awake = Sources([.significantChange, .regionExit, .cell, .motion, .timer])
  /// A phone whose app is suspended unless it is kept running.
  static let phone = Sources([.significantChange, .regionExit, .visit], .whileMoving)
  /// The same phone while the app is kept running.
  static let kept = Sources(phone.kinds.union([.timer, .motion]), .whileMoving)

  /// The value as Swift code.
  var description: String {
    "Sources([\(WakeKind.allCases.filter(kinds.contains).map { ".\($0)" }.joined(separator: ", "))], .\(updates))"
  }

  var report: ProviderReport { .wakeSources(kinds, backgroundUpdates: updates) }
}

extension ProviderReport {
  static func significantChange(_ location: Location?) -> Self { .wake(.significantChange(location)) }
  static let regionExit = wake(.regionExit)
  static func visit(_ visit: Location.Visit) -> Self { .wake(.visit(visit)) }
  static func cell(_ name: String) -> Self { .wake(.cell(name)) }
  static func motion(_ motion: LocationManager.Motion) -> Self { .wake(.motion(motion)) }
  static let timer = wake(.timer)
}

extension LocationManager.Cause {
  static let significantChange = wake(.significantChange)
  static let regionExit = wake(.regionExit)
  static let visit = wake(.visit)
  static let cell = wake(.cell)
  static let motion = wake(.motion)
}

extension LocationCore.Action {
  /// The plan that the action applies; `nil` for other actions.
  var plan: ReceiverPlan? { if case .apply(let plan) = self { plan } else { nil } }
}

extension [LocationCore.Action] {
  /// The last plan that the actions apply; `nil` without one.
  var plan: ReceiverPlan? { last { $0.plan != nil }?.plan }

  /// Whether the actions turn on a mode.
  func sets(_ mode: ReceiverMode, after last: ReceiverPlan) -> Bool {
    let modes = [last.mode] + compactMap { $0.plan?.mode }
    return zip(modes, modes.dropFirst()).contains { $0 != $1 && $1 == mode }
  }

  /// Changes the plans that the actions apply.
  mutating func changePlans(_ change: (inout ReceiverPlan) -> Void) {
    for (index, action) in enumerated() {
      guard var plan = action.plan else { continue }
      change(&plan)
      self[index] = .apply(plan)
    }
  }
}
