import Foundation
import LocoKit
@_spi(Benchmarks) import LocoKitSimulation
import LocoKitTrips

/// The figures of a drive.
struct Summary: Encodable {
  struct Acquisitions: Encodable {
    /// Acquisitions that met the desired accuracy.
    var met = 0
    /// Acquisitions that timed out with an acceptable fix.
    var timedOut = 0
    /// Acquisitions without an acceptable fix.
    var failed = 0
  }

  var durationSeconds: Double
  var gpsOnSeconds: Double
  var wakes: Int
  var acquisitions: Acquisitions
  var locations: Int
  var rejections: [String: Int]
  /// The starts of the GPS, by cause, except starts for tracking.
  var looks: [String: Int]
  @OrNull var boundMeters: Double? = nil
  /// The device, and how its app runs.
  @OrNull var phone: Phone? = nil
  /// The outcomes of the wake-ups.
  @OrNull var wakeOutcomes: [String: Int]? = nil
  /// The share of the time with a last location, 0…1.
  @OrNull var coverage: Double? = nil
  /// The share of the dwelling time with the GPS on, 0…1.
  @OrNull var dwellGPSOnShare: Double? = nil
  /// The error of the last location, both dwelling and under way.
  @OrNull var medianErrorMeters: Double? = nil
  @OrNull var p95ErrorMeters: Double? = nil
  /// The error of the last location while under way.
  @OrNull var p95ErrorUnderWayMeters: Double? = nil
  /// The share of the time under way with an error within the bound, 0…1.
  @OrNull var withinBoundShare: Double? = nil
  /// The error of the estimate while under way.
  @OrNull var estimateP95ErrorMeters: Double? = nil
  /// The least possible time with the GPS on for errors of at most ``p95ErrorUnderWayMeters``, as ``Oracle`` computes it.
  @OrNull var oracleGPSOnSeconds: Double? = nil
  /// The share of the time with the app kept running and the GPS off, 0…1.
  @OrNull var keptRunningShare: Double? = nil
  /// The device of the power figures.
  @OrNull var energyProfile: String? = nil
  /// The power that the app adds to that of the device.
  @OrNull var milliwatts: Double? = nil
  /// The added power as a percentage of a new battery per hour.
  @OrNull var percentPerHour: Double? = nil
  /// The percentage on an iPhone 13 Pro Max: the least and the most, because not all of its powers were measured.
  @OrNull var percentPerHour13ProMax: [Double]? = nil
  @OrNull var seed: UInt64? = nil

  /// - Parameter truth: The positions of the device during the drive.
  init(_ trip: Trip, along truth: GroundTruth) {
    let provider = trip.provider
    self.init(
      duration: provider.uptime, gpsOn: provider.energy.gpsOn, bound: trip.setup.bound, wakes: provider.energy.wakes,
      trip.counts)
    wakeOutcomes = trip.wakes.outcomes
    phone = trip.setup.phone
    let profile = trip.setup.configuration.energyProfile
    keptRunningShare = provider.energy.keptRunningShare.map(Self.share)
    energyProfile = profile.name
    milliwatts = provider.energy.milliwatts(profile).map(Self.rounded)
    percentPerHour = provider.energy.percentPerHour(profile).map(Self.share)
    if profile == .phone { percentPerHour13ProMax = provider.energy.percentPerHour13ProMax }
    seed = provider.seed
    var score = Score()
    score.add(trip.samples, along: truth)
    coverage = score.coverage.map(Self.share)
    dwellGPSOnShare = score.dwellGPSOnShare.map(Self.share)
    medianErrorMeters = score.error.map { Self.rounded($0.median) }
    p95ErrorMeters = score.error.map { Self.rounded($0.p95) }
    p95ErrorUnderWayMeters = score.errorUnderWay.map { Self.rounded($0.p95) }
    withinBoundShare = trip.setup.bound.flatMap { score.shareUnderWay(within: $0, of: trip.setup.target) }.map(
      Self.share)
    estimateP95ErrorMeters = score.estimateError.map { Self.rounded($0.p95) }
    oracleGPSOnSeconds = score.errorUnderWay.map { Double(truth.oracle.secondsOn(within: $0.p95)) }
  }

  /// Creates the summary of a real receiver or a journal, whose errors are unknown.
  ///
  /// - Parameter wakes: The number of events that woke a suspended app.
  init(duration: Duration, gpsOn: Duration, bound: Double?, wakes: Int, _ counts: EventCounts) {
    boundMeters = bound
    looks = counts.looks
    durationSeconds = Self.rounded(duration.seconds)
    gpsOnSeconds = Self.rounded(gpsOn.seconds)
    self.wakes = wakes
    acquisitions = counts.acquisitions
    locations = counts.locations
    rejections = counts.rejections
  }

  private static func rounded(_ value: Double) -> Double { value.rounded(decimals: 1) }
  private static func share(_ value: Double) -> Double { value.rounded(decimals: 4) }
}

extension SimulatedProvider.EnergyUse {
  /// The battery use of an iPhone 13 Pro Max, for which only some powers were measured: the least and the most.
  var percentPerHour13ProMax: [Double]? {
    let profiles = SimulatedProvider.EnergyProfile.phone13ProMax
    let ends = [profiles.least, profiles.most].compactMap(percentPerHour)
    return ends.count == 2 ? ends.map { $0.rounded(decimals: 4) } : nil
  }

  /// The share of the time with the app kept running and the GPS off, 0…1; `nil` if no time has passed.
  var keptRunningShare: Double? { duration > .zero ? (keptRunning.total + keptIdle.total) / duration : nil }
}

extension Duration {
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}

extension Double {
  func rounded(decimals: Int) -> Double {
    let factor = pow(10, Double(decimals))
    return (self * factor).rounded() / factor
  }
}
