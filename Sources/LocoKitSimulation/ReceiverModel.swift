import LocoKit

extension SimulatedProvider {
  /// A simulated receiver's times to the first fix, and its accuracy.
  ///
  /// ```swift
  /// var configuration = SimulatedProvider.Configuration()
  /// configuration.receiver = .standalone
  /// let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
  /// ```
  ///
  /// Times and first accuracies are medians. Each start draws its own values: the times of a phone's hot starts from a measured
  /// distribution, all others from log-normal ones. The search starts again when the sky returns. Turning the receiver off discards its
  /// progress. Sources: for ``phone``, MobilityNet's measurements of iPhone 6 with iOS 12.3.1; for ``standalone``, data sheets of u-blox
  /// SAM-M8Q and MAX-M8Q (hot 1 s, cold 26–30 s), and notes of Nordic and u-blox on assistance (1–5 s).
  ///
  /// - Important: The first fix of a phone comes from Wi-Fi, and was measured in a region with dense Wi-Fi. The cost of a look depends on
  ///   the Wi-Fi, and on `hotStart` if the network's fix isn't accurate enough. State both with each figure.
  public struct ReceiverModel: Hashable, Sendable {
    /// The receiver's knowledge of the satellites when it is turned on.
    package enum Start: String, CaseIterable, Hashable, Sendable {
      /// The receiver has never had a fix.
      case cold
      /// The ephemeris has expired.
      case warm
      /// The ephemeris is valid.
      case hot
    }

    /// The time to the first fix with a valid ephemeris.
    package var hotStart: Duration
    /// The time to the first fix with an expired ephemeris.
    package var warmStart: Duration
    /// The time to the first fix ever.
    package var coldStart: Duration
    /// The standard deviations of the logarithms of the times to the first fix.
    package var hotSpread, warmSpread, coldSpread: Double
    /// Whether hot starts have the measured distribution of phones. In multiples of `hotStart`: 10 % within 0.65, 75 % within 1.65,
    /// 81 % within 2, 88 % within 3.75, 90 % within 7.25. Starts within two minutes of a fix were not measured, and are drawn from the same
    /// distribution.
    package var hasSlowStarts = false
    /// The kind of the first start. With `hot`, it is hot in the first two hours of the simulation, and warm later. A phone's first start
    /// is hot if any app has had a fix within the last two hours.
    package var firstStart = Start.cold
    /// The duration of uninterrupted tracking that renews a valid ephemeris. If the ephemeris has expired, the receiver has a new one at
    /// its first fix. A satellite takes 30 s to send its ephemeris; a phone's network provides it immediately.
    package var ephemerisNeeds = Duration.zero
    /// The median accuracy of a first fix in metres, and the standard deviation of its logarithm.
    package var (firstAccuracy, firstAccuracySpread) = (30.0, 0.5)
    /// Whether errors and claimed accuracies have the measured distribution of phones: see ``SatelliteError``. Otherwise the claimed
    /// accuracy approaches 5 m, and errors have a normal distribution in two dimensions, 68 % of them within the claimed accuracy, with a
    /// correlation time of 30 s.
    package var hasMeasuredErrors = false
    /// Whether the network gives fixes until the receiver finds satellites, and indoors, but not in a tunnel. The first arrives after 0.7 s
    /// (median; 90 % within 0.9 s), the others every 5 s. They claim the accuracy of coarse fixes, which at up to 20 m/s is 65 m for most
    /// of them. Indoors, when the time to the first fix has passed, they claim at most 65 m, and most of them at most 20 m.
    package var hasNetwork = false

    package init(
      hotStart: Duration, warmStart: Duration, coldStart: Duration, hotSpread: Double = 0.35, warmSpread: Double = 0.4,
      coldSpread: Double = 0.4
    ) {
      (self.hotStart, self.warmStart, self.coldStart) = (hotStart, warmStart, coldStart)
      (self.hotSpread, self.warmSpread, self.coldSpread) = (hotSpread, warmSpread, coldSpread)
    }

    /// A phone's receiver with the satellites' orbits from the network: hot 4 s, warm 8 s, cold 15 s. The first start is hot in the first
    /// two hours of the simulation, and warm later. Before the first satellite fix, and indoors, the network gives fixes.
    ///
    /// Measured by MobilityNet on iPhone 6 with iOS 12.3.1, with the best accuracy requested: a first fix of at most 30 m after 4.0 s
    /// (median), 6.6 s (75th percentile) and 29 s (90th), and within 15 s in 88 % of the starts. Most fixes claim 10 m. They are 5 m off
    /// (median; 95 % within 20 m), and their error changes by 2 m in 3 s while the device moves. At rest their place hardly changes. Warm
    /// and cold starts are assumptions.
    public static let phone: ReceiverModel = {
      var model = ReceiverModel(hotStart: .seconds(4), warmStart: .seconds(8), coldStart: .seconds(15))
      (model.firstStart, model.hasSlowStarts) = (.hot, true)
      (model.firstAccuracy, model.firstAccuracySpread) = (20, 0.3)
      model.hasMeasuredErrors = true
      model.hasNetwork = true
      return model
    }()

    /// A receiver without assistance data: hot 1.5 s, warm 27 s, cold 29 s. Tracking for 30 s renews a valid ephemeris.
    public static let standalone: ReceiverModel = {
      var model = ReceiverModel(
        hotStart: .milliseconds(1_500), warmStart: .seconds(27), coldStart: .seconds(29), hotSpread: 0.3,
        warmSpread: 0.1, coldSpread: 0.1)
      model.ephemerisNeeds = .seconds(30)
      return model
    }()
  }
}
