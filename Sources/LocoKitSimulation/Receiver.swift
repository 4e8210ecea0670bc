import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

extension SimulatedProvider {
  /// The state of a simulated receiver: its current search, and its knowledge of the satellites.
  ///
  /// Times are seconds of the simulation if they are `Double`, and nanoseconds if they are `Int64`.
  struct Receiver: Sendable {
    /// The progress since the receiver was turned on.
    struct Search: Sendable {
      let since: Int64
      /// The seconds with sky that the first fix needs, and those that have passed.
      var timeToFix: Double
      var searched = 0.0
      /// The accuracy of the first fix, in metres.
      var firstAccuracy: Double
      /// The time of the first fix since the receiver last had no sky.
      var foundAt: Double?
      /// The seconds of uninterrupted fixes.
      var tracked = 0.0
      /// The seconds indoors.
      var waited = 0.0
    }

    enum Second {
      case searching
      case noSky
      /// The first second without sky after a second with sky.
      case skyLost
      case fix
      case networkFix
      /// A fix indoors, from the satellites visible there and from Wi-Fi.
      case indoorFix
    }

    /// `nil` while the receiver is off.
    private(set) var search: Search?
    /// The time of the last satellite fix.
    private var fixAt: Double?
    /// The time when the receiver got its ephemeris.
    private var ephemerisAt: Double?
    /// The current error of a receiver without measured errors, in standard deviations, and the time of that error.
    private var error = (north: 0.0, east: 0.0)
    private var errorAt = 0.0
    /// The error model of a phone; `nil` for other receivers.
    private var phone: SatelliteError?

    /// The interval of the network's fixes, in seconds.
    private static let networkInterval: Int64 = 5
    /// The life of an ephemeris, in seconds.
    private static let ephemerisLife = 7_200.0
    /// The time from the return of the sky to a fix, in seconds, if the receiver had a fix before.
    private static let reacquisition = 2.0
    /// The accuracy that the fixes approach, in metres, and the time constant, in seconds.
    private static let (accuracyFloor, settling) = (5.0, 4.0)
    /// The correlation time of the error, a Gauss–Markov process, in seconds.
    private static let errorCorrelation = 30.0
    /// The times of a phone's hot starts, as multiples of the median: see ``ReceiverModel/hasSlowStarts``.
    private static let hotStarts = Quantiles([
      (0, 0.3), (0.1, 0.65), (0.25, 0.85), (0.5, 1), (0.75, 1.65), (0.81, 2), (0.88, 3.75), (0.9, 7.25), (1, 30),
    ])

    init(_ model: ReceiverModel, _ random: inout SeededGenerator) {
      error = (random.nextNormal(), random.nextNormal())
      if model.hasMeasuredErrors { phone = SatelliteError(seed: random.next()) }
      ephemerisAt = model.firstStart == .hot ? 0 : nil
    }

    mutating func start(_ model: ReceiverModel, at now: Int64, _ random: inout SeededGenerator) {
      let time = Double(now) * 1e-9
      let start: ReceiverModel.Start =
        fixAt == nil && model.firstStart == .cold ? .cold : hasEphemeris(at: time) ? .hot : .warm
      let (median, spread) =
        switch start {
        case .cold: (model.coldStart, model.coldSpread)
        case .warm: (model.warmStart, model.warmSpread)
        case .hot: (model.hotStart, model.hotSpread)
        }
      let firstAccuracy = model.firstAccuracy * exp(model.firstAccuracySpread * random.nextNormal())
      let normal = random.nextNormal()
      let isSlow = start == .hot && model.hasSlowStarts
      let factor = isSlow ? Self.hotStarts.value(atNormal: -normal) : exp(spread * normal)
      search = Search(since: now, timeToFix: median.inSeconds * factor, firstAccuracy: firstAccuracy)
    }

    mutating func stop() { search = nil }

    private func hasEphemeris(at time: Double) -> Bool {
      ephemerisAt.map { time - $0 <= Self.ephemerisLife } ?? false
    }

    /// Returns the result of a second, at its end. The receiver was on for all or part of it.
    mutating func pass(_ model: ReceiverModel, at time: Double, hasSky: Bool, isIndoors: Bool) -> Second {
      guard var search else { return .searching }
      defer { self.search = search }
      guard hasSky else { return passWithoutSky(model, &search, isIndoors) }
      search.waited = 0
      search.searched += min(1, time - Double(search.since) * 1e-9)
      if search.foundAt == nil {
        guard search.searched >= search.timeToFix else {
          return model.hasNetwork && Int64(search.searched) % Self.networkInterval == Self.networkInterval - 1
            ? .networkFix : .searching
        }
        search.foundAt = time
        if !hasEphemeris(at: time) { ephemerisAt = time }
      }
      search.tracked += 1
      if search.tracked >= model.ephemerisNeeds.inSeconds { ephemerisAt = time }
      fixAt = time
      return .fix
    }

    private func passWithoutSky(_ model: ReceiverModel, _ search: inout Search, _ isIndoors: Bool) -> Second {
      let isLostNow = search.searched > 0
      if search.foundAt != nil { (search.timeToFix, search.firstAccuracy) = (Self.reacquisition, model.firstAccuracy) }
      (search.foundAt, search.tracked, search.searched) = (nil, 0, 0)
      search.waited = isIndoors ? search.waited + 1 : 0
      if model.hasNetwork, isIndoors {
        guard Int64(search.waited) % Self.networkInterval == 0 else { return .searching }
        return search.waited < search.timeToFix ? .networkFix : .indoorFix
      }
      return isLostNow ? .skyLost : .noSky
    }

    /// Returns the accuracy and the error of a fix, in metres.
    mutating func measure(
      _ search: Search, at time: Double, speed: Double, _ random: inout SeededGenerator
    ) -> (accuracy: Double, error: (north: Double, east: Double)) {
      let settled = exp(-(time - (search.foundAt ?? time)) / Self.settling)
      guard var phone else {
        let accuracy = Self.accuracyFloor + max(0, search.firstAccuracy - Self.accuracyFloor) * settled
        return (accuracy, nextError(at: time, accuracy: accuracy, &random))
      }
      phone.pass(to: time, speed: speed)
      self.phone = phone
      let accuracy = max(phone.claim, (search.firstAccuracy * settled).rounded())
      let (error, scale) = (phone.metres(speed: speed), accuracy / phone.claim)
      return (accuracy, (error.north * scale, error.east * scale))
    }

    /// Returns the error of a receiver without measured errors, in metres.
    private mutating func nextError(
      at time: Double, accuracy: Double, _ random: inout SeededGenerator
    ) -> (north: Double, east: Double) {
      let passed = (time - errorAt) / Self.errorCorrelation
      errorAt = time
      error.north = random.nextValue(after: error.north, in: passed)
      error.east = random.nextValue(after: error.east, in: passed)
      // In two dimensions, 68 % of a normal distribution are within a radius of 1.51 standard deviations per axis.
      return (error.north * accuracy / 1.51, error.east * accuracy / 1.51)
    }
  }
}
