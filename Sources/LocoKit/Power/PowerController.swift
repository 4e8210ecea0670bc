/// Has a manager give every location or sleep, as a ``PowerPolicy`` says.
///
/// ```swift
/// let controller = PowerController(manager, source: AppPowerSource(isInForeground: true))   // on Linux SystemPowerSource()
/// controller.isWalking = true
/// ```
///
/// It is one of those who want something of the receiver, beside trackers, trips and one-shots; it decides nothing over a
/// pause. It belongs to the actor to which its manager belongs, and decides anew whenever the source says that something has
/// changed, with each location, and once a minute.
public final class PowerController {
  /// The manager.
  public let manager: LocationManager
  /// What decides.
  public var policy: PowerPolicy { didSet { decide() } }
  /// Which fixes become locations while the GPS is on all the time; the distance filter is the policy's. By default an
  /// accurate location stands for a minute; with a recency of 0 each that is far enough is given.
  public var acceptance: AcceptancePolicy { didSet { if acceptance != oldValue { follow() } } }
  /// What the manager is made to do.
  public private(set) var decision = PowerPolicy.Decision.significantChanges
  /// How fast the device moves.
  public private(set) var pace = PaceMachine.initialState
  /// Whether the app says that its user walks: locations are closer then.
  public var isWalking = false {
    didSet {
      guard isWalking != oldValue else { return }
      handle(isWalking ? .walkModeOn : .walkModeOff)
      decide()
    }
  }
  /// How often the source is read where it says nothing by itself, and how long a speed is remembered.
  public static let interval = Duration.seconds(60)

  private static let table = TransitionTable<PaceMachine>()
  private let source: any PowerSource
  private var observing: Int?
  private var tracking: Int?
  private var spedAt: Duration?

  /// Begins to decide.
  public init(
    _ manager: LocationManager, source: any PowerSource, policy: PowerPolicy = PowerPolicy(),
    acceptance: AcceptancePolicy = AcceptancePolicy()
  ) {
    self.acceptance = acceptance
    self.manager = manager
    self.source = source
    self.policy = policy
    source.onChange = { [weak self] in self?.decide() }
    observing = manager.observe(
      onFix: { [weak self] in self?.heard($0) }, onFailure: { _ in },
      onDeadline: { [weak self] in self?.decide() }, onInterruption: {})
    decide()
  }

  deinit {
    if let observing { manager.stopObserving(observing) }
    if let tracking { manager.endTracking(tracking) }
  }

  private func heard(_ judged: JudgedFix) {
    if case .rejected(let reason) = judged.verdict, reason != .worseThanCandidate { return }
    if let speed = judged.fix.speed {
      spedAt = manager.uptime
      if speed >= PowerPolicy.fast { handle(.fast) } else if speed < PowerPolicy.slow { handle(.slow) }
    }
    decide()
  }

  private func handle(_ event: PaceMachine.Event) {
    pace = Self.table.step(from: pace, on: event).next
  }

  private func decide() {
    if let observing { manager.setDeadline(manager.uptime + Self.interval, of: observing) }
    // A speed of which nothing has been heard since is none.
    if let spedAt, manager.uptime - spedAt >= Self.interval {
      self.spedAt = nil
      handle(.slow)
    }
    let new = policy.decision(in: source.conditions, pace: pace)
    guard new != decision else { return }
    decision = new
    follow()
  }

  /// Has the manager do what was decided.
  private func follow() {
    let before = tracking
    tracking = nil
    if case .continuous(let distanceFilter) = decision {
      // The new want comes before the old one goes, so the receiver stays on in between.
      var acceptance = acceptance
      acceptance.distanceFilter = distanceFilter
      // Apple's own filter would hold fixes back that are to be judged here.
      tracking = manager.addTracker(
        ReceiverSettings(desiredAccuracy: acceptance.requiredAccuracy, distanceFilter: 0), accepting: acceptance, nil)
      manager.serveTrackers()
    }
    if let before { manager.endTracking(before) }
  }
}

@available(*, unavailable)
extension PowerController: Sendable {}
