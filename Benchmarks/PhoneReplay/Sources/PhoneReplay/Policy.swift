/// The way the phone gets its last location.
public enum Policy: String, CaseIterable, Sendable {
  /// An error bound, with the library's defaults.
  case `default`
  /// An error bound, with the library's defaults, on a phone that is worse than the recordings show.
  case pessimistic
  /// An error bound, with an app that is kept running in 3 km mode, and in 100 m mode before looks.
  case dutyCycled
  /// The same, on a phone that is worse than the recordings show.
  case dutyCycledPessimistic
  /// An error bound, with the app suspended a minute after the last motion even with a narrow bound.
  case briefly
  /// An error bound, with the app also kept running at rest.
  case always
  /// An error bound, with an app that is suspended while the GPS is off.
  case never
  /// An error bound, with the app always kept running and coarse fixes dropped, as in early versions of LocoKit, which had another
  /// planner.
  case coarseIgnored
  /// No bound: a look at each significant change.
  case significantChanges
  /// Always in 100 m mode, without a manager: each fix is the last location.
  case tracking100m
  /// Always in Best mode, without a manager.
  case trackingBest
  /// The fewest looks that keep the bound: those of a policy that knows the whole route.
  case oracle

  /// Whether the policy has an error bound.
  public var hasBound: Bool {
    switch self {
    case .default, .pessimistic, .dutyCycled, .dutyCycledPessimistic, .briefly, .always, .never, .coarseIgnored,
      .oracle:
      true
    case .significantChanges, .tracking100m, .trackingBest: false
    }
  }

  /// The options of the phone that runs the manager.
  var options: ReplayProvider.Options {
    switch self {
    case .default, .oracle: ReplayProvider.Options()
    case .pessimistic: ReplayProvider.Options(assumptions: .pessimistic)
    case .dutyCycled: ReplayProvider.Options(isDutyCycled: true)
    case .dutyCycledPessimistic: ReplayProvider.Options(isDutyCycled: true, assumptions: .pessimistic)
    case .briefly: ReplayProvider.Options(keeper: .briefly)
    case .always: ReplayProvider.Options(keeper: .always)
    case .never, .significantChanges: ReplayProvider.Options(keeper: .never)
    case .coarseIgnored, .tracking100m, .trackingBest:
      ReplayProvider.Options(keeper: .always, reportsCoarse: false, takesNoFlagForWalking: true)
    }
  }
}

/// A policy and its bound.
public struct Candidate: Hashable, Sendable {
  /// The policy.
  public var policy: Policy
  /// The bound in metres, or `nil`.
  public var bound: Double?

  /// The bounds of the tables, in metres.
  public static let bounds = [100.0, 200, 500, 1_000, 2_000]

  /// Creates a candidate.
  public init(_ policy: Policy, bound: Double? = nil) {
    self.policy = policy
    self.bound = bound
  }

  /// Returns a candidate for each policy and bound.
  public static func all(bounds: [Double] = bounds, policies: [Policy] = Policy.allCases) -> [Candidate] {
    policies.flatMap { policy in
      policy.hasBound ? bounds.map { Candidate(policy, bound: $0) } : [Candidate(policy)]
    }
  }
}
