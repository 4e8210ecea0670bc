extension SimulatedProvider {
  /// How a simulated receiver finds its first fix, and how accurate it is.
  ///
  /// ```swift
  /// var configuration = SimulatedProvider.Configuration()
  /// configuration.receiver = .standalone
  /// configuration.receiver.coldStart = .seconds(45)
  /// let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
  /// ```
  ///
  /// Times and first accuracies are medians; each start draws its own, log-normally. Without sky the search begins anew, and
  /// what was found is lost when the receiver is turned off. Sources: MobilityNet's measurements of iPhone 6 with iOS 12.3.1 for ``phone``;
  /// for ``standalone`` u-blox SAM-M8Q and MAX-M8Q data sheets (hot 1 s, cold 26–30 s), Nordic and u-blox notes on assistance (1–5 s).
  ///
  /// - Important: The first fix of a phone comes from Wi-Fi. The measurements are from a region with dense Wi-Fi. The cost of a look
  ///   depends on that, and on ``hotStart`` if the network claims too much. Name both with each figure.
  public struct ReceiverModel: Hashable, Sendable {
    /// What a receiver knows of the satellites when it is turned on.
    package enum Start: String, CaseIterable, Hashable, Sendable {
      /// Nothing: it has never had a fix.
      case cold
      /// Roughly where they are: its ephemeris is old.
      case warm
      /// Exactly where they are.
      case hot
    }

    /// Time to the first fix with a valid ephemeris.
    public var hotStart: Duration
    /// The standard deviation of the logarithm of ``hotStart``.
    package var hotSpread: Double
    /// Whether hot starts have the measured distribution of phones. In multiples of ``hotStart``: 10 % within 0.65, 75 % within 1.65,
    /// 81 % within 2, 88 % within 3.75, 90 % within 7.25. Starts within two minutes of a fix were not measured; the model uses
    /// ``hotSpread`` for these.
    package var hasSlowStarts = false
    /// Time to the first fix with an old ephemeris.
    public var warmStart: Duration
    /// The standard deviation of the logarithm of ``warmStart``.
    package var warmSpread: Double
    /// Time to the first fix ever.
    public var coldStart: Duration
    /// The standard deviation of the logarithm of ``coldStart``.
    package var coldSpread: Double
    /// What the receiver knows when the simulation begins: a phone has mostly had a fix of late, for one app or another.
    package var firstStart = Start.cold
    /// How long an ephemeris is good.
    package var ephemerisLife = Duration.seconds(7_200)
    /// How long the receiver must track without a break to renew an ephemeris that is still good; a start with an old one has
    /// received a new one when it finds its fix. A satellite takes 30 s to send its own; a phone's network hands it over at once.
    package var ephemerisNeeds = Duration.zero
    /// Time to a fix again after the sky was lost.
    package var reacquisition = Duration.seconds(2)
    /// The median accuracy of a first fix, metres.
    package var firstAccuracy = 30.0
    /// The standard deviation of the logarithm of ``firstAccuracy``.
    package var firstAccuracySpread = 0.5
    /// The accuracy that is reached in time, metres.
    package var accuracyFloor = 5.0
    /// How fast accuracy settles: the time to come down to 37 % of the way.
    package var settling = Duration.seconds(4)
    /// How long an error lasts: the correlation time of a Gauss–Markov process.
    package var errorCorrelation = Duration.seconds(30)
    /// The median of the ratio of error and claimed accuracy, which is log-normal; `nil` for errors with a normal distribution in two
    /// dimensions, 68 % of them within the claim.
    package var errorRatio: Double?
    /// The standard deviation of the logarithm of ``errorRatio``.
    package var errorRatioSpread = 0.87
    /// The claim that limits the errors from below, in metres. Fixes with smaller claims have errors as large.
    package var leastError = 0.0
    /// Whether the network gives fixes until the receiver finds satellites, and indoors. The first arrives after 0.7 s (median; 90 %
    /// within 0.9 s), the others every 5 s. Their claims are those of coarse fixes: 65 m for most.
    public var hasNetwork = false

    /// A receiver from its times to first fix, with the spreads of a phone's.
    public init(
      hotStart: Duration, warmStart: Duration, coldStart: Duration, hotSpread: Double = 0.35, warmSpread: Double = 0.4,
      coldSpread: Double = 0.4
    ) {
      self.hotStart = hotStart
      self.hotSpread = hotSpread
      self.warmStart = warmStart
      self.warmSpread = warmSpread
      self.coldStart = coldStart
      self.coldSpread = coldSpread
    }

    /// A phone's receiver, which its network hands the satellites' orbits: hot 4 s, warm 8 s, cold 15 s. The first start is a
    /// hot one: some app has had a fix within the last two hours. Before the first satellite fix, and indoors,
    /// the network gives fixes.
    ///
    /// Measured by MobilityNet of iPhone 6 with iOS 12.3.1, with the best accuracy requested: a first fix of at most 30 m after 4.0 s (median),
    /// 6.6 s (75th percentile) and 29 s (90th), and within 15 s in 88 % of the starts; errors of 23–37 m (95th percentile). Warm and
    /// cold starts are assumptions.
    public static let phone: SimulatedProvider.ReceiverModel = {
      var model = SimulatedProvider.ReceiverModel(
        hotStart: .seconds(4), warmStart: .seconds(8), coldStart: .seconds(15))
      model.firstStart = .hot
      model.hasSlowStarts = true
      (model.firstAccuracy, model.firstAccuracySpread) = (20, 0.3)
      (model.errorRatio, model.leastError) = (0.65, 10)
      model.hasNetwork = true
      return model
    }()

    /// A receiver without assistance data: hot 1.5 s, warm 27 s, cold 29 s; an ephemeris takes 30 s of tracking.
    public static let standalone: SimulatedProvider.ReceiverModel = {
      var model = SimulatedProvider.ReceiverModel(
        hotStart: .milliseconds(1_500), warmStart: .seconds(27), coldStart: .seconds(29), hotSpread: 0.3,
        warmSpread: 0.1,
        coldSpread: 0.1)
      model.ephemerisNeeds = .seconds(30)
      return model
    }()
  }
}
