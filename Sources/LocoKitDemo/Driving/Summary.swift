#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  @_spi(Benchmarks) import LocoKitSimulation
  import LocoKitTrips

  /// The figures of a drive.
  struct Summary: Encodable {
    struct Acquisitions: Encodable {
      /// Those that met the desired accuracy.
      var met = 0
      /// Those that timed out with an acceptable fix.
      var timedOut = 0
      /// Those without an acceptable fix.
      var failed = 0
    }

    var durationSeconds: Double
    var gpsOnSeconds: Double
    var wakes: Int
    var acquisitions: Acquisitions
    var locations: Int
    var rejections: [String: Int]
    /// The starts of the GPS, by cause.
    var looks: [String: Int]
    @OrNull var boundMeters: Double? = nil
    /// The way in which the app runs.
    @OrNull var phone: Phone? = nil
    /// The outcomes of the wake-ups.
    @OrNull var wakeOutcomes: WakeMonitor.Outcomes? = nil
    /// The share of the time with a last location, 0…1.
    @OrNull var coverage: Double? = nil
    /// The share of the dwelling time with the GPS on, 0…1.
    @OrNull var dwellGPSOnShare: Double? = nil
    /// The error of the last location, dwelling or under way.
    @OrNull var medianErrorMeters: Double? = nil
    @OrNull var p95ErrorMeters: Double? = nil
    /// The same while under way.
    @OrNull var p95ErrorUnderWayMeters: Double? = nil
    /// The error of the estimate while under way.
    @OrNull var estimateP95ErrorMeters: Double? = nil
    /// The least possible time with the GPS on that keeps all errors within the 95th percentile of those under way.
    @OrNull var oracleGPSOnSeconds: Double? = nil
    /// The share of the time with the app kept running and the GPS off, 0…1.
    @OrNull var keptRunningShare: Double? = nil
    /// The device of the power figures.
    @OrNull var energyProfile: String? = nil
    /// The power that the app adds to that of the device.
    @OrNull var milliwatts: Double? = nil
    /// The same as a percentage of a new battery per hour.
    @OrNull var percentPerHour: Double? = nil
    /// The same on an iPhone 13 Pro Max: the least and the most, since not all of its powers were measured.
    @OrNull var percentPerHour13ProMax: [Double]? = nil
    @OrNull var seed: UInt64? = nil

    /// - Parameter truth: The positions of the device during the drive.
    init(_ trip: Trip, along truth: GroundTruth) {
      let provider = trip.provider
      self.init(
        duration: provider.uptime, gpsOn: provider.energy.gpsOn, bound: trip.setup.bound, trip.events)
      // From the device: a manager that is off, or in its cool-down, isn't notified.
      wakes = provider.energy.wakes
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
      estimateP95ErrorMeters = score.estimateError.map { Self.rounded($0.p95) }
      oracleGPSOnSeconds = score.errorUnderWay.map { Double(truth.oracle.secondsOn(within: $0.p95)) }
    }

    /// The summary of a real receiver, whose error is unknown.
    init(duration: Duration, gpsOn: Duration, bound: Double?, _ events: EventLog) {
      boundMeters = bound
      looks = events.looks
      durationSeconds = Self.rounded(duration.seconds)
      gpsOnSeconds = Self.rounded(gpsOn.seconds)
      wakes = events.wakes
      acquisitions = events.acquisitions
      locations = events.locations
      rejections = events.rejections
    }

    private static func rounded(_ value: Double) -> Double { value.rounded(decimals: 1) }
    private static func share(_ value: Double) -> Double { value.rounded(decimals: 4) }

    var json: String { jsonLine }

    var text: String {
      var rows: [(String, String)] = []
      func add(_ label: String, _ text: String?) { if let text { rows.append((label, text)) } }
      let share = durationSeconds > 0 ? gpsOnSeconds / durationSeconds : 0
      add("device", phone?.title)
      add("time", durationSeconds.clock)
      add("bound", boundMeters.map { "the last location at most \($0.oneDecimal) m off" })
      add("GPS on", "\(gpsOnSeconds) s, \(share.percent) of the time")
      add("", dwellGPSOnShare.map { "\($0.percent) of the time while dwelling" })
      if let oracleGPSOnSeconds, let p95ErrorUnderWayMeters {
        add(
          "", "at least \(oracleGPSOnSeconds) s for errors of at most \(p95ErrorUnderWayMeters) m, with the route known"
        )
      }
      if let energyProfile, let milliwatts {
        let battery = percentPerHour.map { ", \($0.twoDecimals) of a new battery per hour" } ?? ""
        add("power", "\(milliwatts) mW added on an \(energyProfile)" + battery)
      }
      if let range = percentPerHour13ProMax, range.count == 2 {
        add("", "\(range[0].twoDecimals) to \(range[1].twoDecimals) per hour on an iPhone 13 Pro Max")
      }
      if let keptRunningShare, keptRunningShare > 0 {
        add("", "kept running for \(keptRunningShare.percent) of the time")
      }
      add("wake-ups", "\(wakes)" + (wakeReasons.map { ": \($0)" } ?? ""))
      add("looks", Self.list(looks))
      let (met, timedOut, failed) = (acquisitions.met, acquisitions.timedOut, acquisitions.failed)
      add("acquisitions", "\(met) met, \(timedOut) timed out with the best fix, \(failed) failed")
      let known = coverage.map { "; the last location was known for \($0.percent) of the time" } ?? ""
      add("locations", "\(locations)" + known)
      if let medianErrorMeters, let p95ErrorMeters {
        add("error", "median \(medianErrorMeters) m, 95 % under \(p95ErrorMeters) m, over time")
      }
      if let p95ErrorUnderWayMeters {
        let estimate = estimateP95ErrorMeters.map { ", of the estimate under \($0) m" } ?? ""
        add("", "95 % under \(p95ErrorUnderWayMeters) m while under way" + estimate)
      }
      add("rejections", Self.list(rejections))
      add("seed", seed.map { "\($0)" })
      return table(rows)
    }

    /// The outcomes of the wake-ups.
    private var wakeReasons: String? {
      guard let wakeOutcomes, wakes > 0 else { return nil }
      return [
        (wakeOutcomes.acquisition, "started a look"), (wakeOutcomes.coolDown, "in the cool-down after a look"),
        (wakeOutcomes.withinBound, "not needed within the bound"), (wakeOutcomes.off, "while the manager was off"),
        (wakeOutcomes.running, "more while the app was running"),
      ].filter { $0.0 > 0 }.map { "\($0) \($1)" }.joined(separator: ", ")
    }

    /// Lists the counts that aren't zero.
    private static func list(_ counts: [String: Int]) -> String {
      let some = counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      return some.isEmpty ? "none" : some.joined(separator: ", ")
    }
  }

  extension SimulatedProvider.EnergyUse {
    /// The battery use of an iPhone 13 Pro Max, whose powers were measured in part: the least and the most.
    var percentPerHour13ProMax: [Double]? {
      let profiles = SimulatedProvider.EnergyProfile.phone13ProMax
      let ends = [profiles.least, profiles.most].compactMap(percentPerHour)
      return ends.count == 2 ? ends.map { $0.rounded(decimals: 4) } : nil
    }

    /// The share of the time with the app kept running and the GPS off, 0…1; `nil` if no time has passed.
    var keptRunningShare: Double? { duration > .zero ? keptRunning.total / duration : nil }
  }

  extension Location {
    /// `34.15873, -118.63269 ±9.6 m`.
    var short: String {
      "\(latitude.fiveDecimals), \(longitude.fiveDecimals) ±\(horizontalAccuracy.oneDecimal) m"
    }
  }

  extension Duration {
    var seconds: Double {
      Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
  }

  extension Double {
    var oneDecimal: String { String(format: "%.1f", self) }
    /// A share as a percentage: `4.3 %`.
    var percent: String { (self * 100).oneDecimal + " %" }
    func rounded(decimals: Int) -> Double {
      let factor = pow(10, Double(decimals))
      return (self * factor).rounded() / factor
    }

    var fiveDecimals: String { String(format: "%.5f", self) }

    /// `0:12:34.5`, hours, minutes and seconds.
    var clock: String {
      let tenths = Int((self * 10).rounded())
      return String(format: "%d:%02d:%02d.%d", tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60, tenths % 10)
    }
  }
#endif
