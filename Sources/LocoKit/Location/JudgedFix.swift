extension LocationManager {
  /// A fix, and the verdict on it.
  ///
  /// ```swift
  /// for await judged in manager.judgedFixes {
  ///   switch judged.verdict {
  ///   case .candidate, .acquired, .surpassed: plot(judged.fix)
  ///   case .rejected(let reason): plot(judged.fix, label: reason.rawValue)
  ///   }
  /// }
  /// ```
  public struct JudgedFix: Hashable, Sendable {
    /// The verdict on a fix.
    public enum Verdict: Hashable, Sendable {
      /// The best fix so far, but not good enough to end the acquisition.
      case candidate
      /// The best fix so far, and good enough: it has the desired accuracy, or a reduced accuracy that the policy accepts.
      case acquired
      /// A good fix, but the best one so far is more accurate. The acquisition doesn't use the fix. A consumer that tracks may use it.
      case surpassed
      /// The manager, `acquire` and `track` don't use the fix. A trip recorder may: it judges some of these fixes itself.
      case rejected(RejectionReason)

      package var isRejection: Bool {
        if case .rejected = self { true } else { false }
      }

      /// Whether the fix is the best one so far.
      package var isBest: Bool {
        switch self {
        case .candidate, .acquired: true
        case .surpassed, .rejected: false
        }
      }

      /// Whether the accuracy of the fix is that of the receiver's current signal.
      package var showsSignal: Bool {
        switch self {
        case .candidate, .acquired, .surpassed: true
        case .rejected(let reason): reason.showsSignal
        }
      }
    }

    /// The fix.
    public let fix: Location
    /// The verdict.
    public let verdict: Verdict

    package init(fix: Location, verdict: Verdict) { (self.fix, self.verdict) = (fix, verdict) }
  }
}
