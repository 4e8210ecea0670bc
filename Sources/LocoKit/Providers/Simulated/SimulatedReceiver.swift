import Foundation

/// The state of a simulated receiver: what it has found since it was turned on, and what it knows of the satellites.
///
/// Times are seconds of the simulation.
struct SimulatedReceiver: Sendable {
  /// What it has done since it was turned on.
  struct Search: Sendable {
    let since: Int64
    /// Seconds under the sky that the first fix takes, and those that were.
    var timeToFix: Double
    var searched = 0.0
    /// Metres.
    var firstAccuracy: Double
    /// The time of the first fix; `nil` before it.
    var foundAt: Double?
    /// Seconds of fixes without a break.
    var tracked = 0.0
    /// Seconds indoors.
    var waited = 0.0
  }

  /// What a second gives.
  enum Second {
    case searching
    case noSky
    /// The sky is lost since the last second.
    case skyLost
    case fix(accuracy: Double)
    /// A fix of the network.
    case networkFix
  }

  /// `nil` while it is off.
  private(set) var search: Search?
  /// Whether there has been a fix.
  private var hasHadFix: Bool
  /// When there was a fix of satellites last.
  private var fixAt: Double?
  /// When its ephemeris was received; `nil` where it has none that is good.
  private var ephemerisAt: Double?
  /// The present error, in standard deviations, and when it was drawn.
  private var error = (north: 0.0, east: 0.0)
  /// A normal number of variance 1, for its size.
  private var errorSize = 0.0
  private var errorAt = 0.0

  /// What the network gives is renewed after so many seconds.
  private static let networkInterval = 5
  /// The time after a fix that excludes a slow start, in seconds.
  private static let recently = 120.0
  /// Multiples of the median of a phone's hot start: see ``SimulatedProvider/ReceiverModel/hasSlowStarts``.
  private static let hotStarts = Quantiles([
    (0, 0.3), (0.1, 0.65), (0.25, 0.85), (0.5, 1), (0.75, 1.65), (0.81, 2), (0.88, 3.75), (0.9, 7.25), (1, 30),
  ])

  init(_ model: SimulatedProvider.ReceiverModel, _ random: inout SeededGenerator) {
    error = (random.nextNormal(), random.nextNormal())
    if model.errorRatio != nil { errorSize = random.nextNormal() }
    hasHadFix = model.firstStart != .cold
    ephemerisAt = model.firstStart == .hot ? 0 : nil
  }

  mutating func start(_ model: SimulatedProvider.ReceiverModel, at now: Int64, _ random: inout SeededGenerator) {
    let start = nextStart(model, at: Double(now) * 1e-9)
    let (median, spread) =
      switch start {
      case .cold: (model.coldStart, model.coldSpread)
      case .warm: (model.warmStart, model.warmSpread)
      case .hot: (model.hotStart, model.hotSpread)
      }
    let firstAccuracy = model.firstAccuracy * exp(model.firstAccuracySpread * random.nextNormal())
    let normal = random.nextNormal()
    let isSlow = start == .hot && model.hasSlowStarts && Double(now) * 1e-9 - (fixAt ?? -.infinity) > Self.recently
    let factor = isSlow ? Self.hotStarts.value(atNormal: -normal) : exp(spread * normal)
    search = Search(since: now, timeToFix: median.inSeconds * factor, firstAccuracy: firstAccuracy)
  }

  mutating func stop() {
    search = nil
  }

  private func nextStart(
    _ model: SimulatedProvider.ReceiverModel, at time: Double
  ) -> SimulatedProvider.ReceiverModel.Start {
    guard hasHadFix else { return .cold }
    return hasEphemeris(model, at: time) ? .hot : .warm
  }

  private func hasEphemeris(_ model: SimulatedProvider.ReceiverModel, at time: Double) -> Bool {
    ephemerisAt.map { time - $0 <= model.ephemerisLife.inSeconds } ?? false
  }

  /// Measures at the end of a second, with the receiver on in it or in a part of it.
  mutating func pass(
    _ model: SimulatedProvider.ReceiverModel, at time: Double, hasSky: Bool, isIndoors: Bool
  ) -> Second {
    guard var search else { return .searching }
    defer { self.search = search }
    guard hasSky else { return passWithoutSky(model, &search, isIndoors) }
    search.waited = 0
    search.searched += min(1, time - Double(search.since) * 1e-9)
    if search.foundAt == nil {
      guard search.searched >= search.timeToFix else {
        return model.hasNetwork && Int(search.searched) % Self.networkInterval == Self.networkInterval - 1
          ? .networkFix : .searching
      }
      search.foundAt = time
      if !hasHadFix || !hasEphemeris(model, at: time) { ephemerisAt = time }
    }
    search.tracked += 1
    if search.tracked >= model.ephemerisNeeds.inSeconds { ephemerisAt = time }
    hasHadFix = true
    fixAt = time
    return .fix(accuracy: accuracy(search, model, at: time))
  }

  private func passWithoutSky(
    _ model: SimulatedProvider.ReceiverModel, _ search: inout Search, _ isIndoors: Bool
  ) -> Second {
    let isLostNow = search.searched > 0
    if search.foundAt != nil {
      search.timeToFix = model.reacquisition.inSeconds
      search.firstAccuracy = model.firstAccuracy
    }
    (search.foundAt, search.tracked, search.searched) = (nil, 0, 0)
    search.waited = isIndoors ? search.waited + 1 : 0
    if model.hasNetwork, isIndoors { return Int(search.waited) % Self.networkInterval == 0 ? .networkFix : .searching }
    return isLostNow ? .skyLost : .noSky
  }

  /// The accuracy, in metres, of a fix at a time.
  func accuracy(_ search: Search, _ model: SimulatedProvider.ReceiverModel, at time: Double) -> Double {
    let settled = exp(-(time - (search.foundAt ?? time)) / model.settling.inSeconds)
    return model.accuracyFloor + max(0, search.firstAccuracy - model.accuracyFloor) * settled
  }

  /// How far a fix of some accuracy is off, in metres.
  mutating func nextError(
    _ model: SimulatedProvider.ReceiverModel, at time: Double, accuracy: Double, _ random: inout SeededGenerator
  ) -> (north: Double, east: Double) {
    let kept = exp(-(time - errorAt) / model.errorCorrelation.inSeconds)
    errorAt = time
    let fresh = (1 - kept * kept).squareRoot()
    error.north = error.north * kept + fresh * random.nextNormal()
    error.east = error.east * kept + fresh * random.nextNormal()
    if let ratio = model.errorRatio {
      errorSize = errorSize * kept + fresh * random.nextNormal()
      let metres = max(accuracy, model.leastError) * ratio * exp(model.errorRatioSpread * errorSize)
      let length = max(1e-9, (error.north * error.north + error.east * error.east).squareRoot())
      return (metres * error.north / length, metres * error.east / length)
    }
    // 68 % of a two-dimensional normal distribution lie within 1.51 standard deviations of an axis.
    return (error.north * accuracy / 1.51, error.east * accuracy / 1.51)
  }
}
