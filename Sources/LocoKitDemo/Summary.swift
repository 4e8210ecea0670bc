#if os(Linux) || os(macOS)
  import Foundation
  @_spi(Benchmarks) import LocoKit

  /// What a drive came to.
  struct Summary: Encodable {
    struct Acquisitions: Encodable {
      /// The desired accuracy was met.
      var met = 0
      /// The time was over, and the best fix was acceptable.
      var timedOut = 0
      /// No acceptable fix.
      var failed = 0
    }

    var durationSeconds: Double
    var gpsOnSeconds: Double
    var wakes: Int
    var acquisitions: Acquisitions
    var locations: Int
    var rejections: [String: Int]
    /// What made the GPS go on.
    var looks: [String: Int]
    @OrNull var boundMeters: Double? = nil
    /// What came of the wakes.
    @OrNull var wakeOutcomes: WakeMonitor.Outcomes? = nil
    /// The share of the time with a last location, 0…1.
    @OrNull var coverage: Double? = nil
    /// The share of the time while dwelling with the GPS on, 0…1.
    @OrNull var dwellGPSOnShare: Double? = nil
    /// How far off the last location was, over all the time.
    @OrNull var medianErrorMeters: Double? = nil
    @OrNull var p95ErrorMeters: Double? = nil
    /// The same over the time under way.
    @OrNull var p95ErrorUnderWayMeters: Double? = nil
    /// How far off the estimate was under way.
    @OrNull var estimateP95ErrorMeters: Double? = nil
    /// The least time with the GPS on in which all errors could have been as small as 95 % of them under way were.
    @OrNull var oracleGPSOnSeconds: Double? = nil
    /// The share of the time that the app was kept running with the GPS off, 0…1.
    @OrNull var keptRunningShare: Double? = nil
    /// The device whose power this is.
    @OrNull var energyProfile: String? = nil
    /// The power that the app took, above that of the device without the app.
    @OrNull var milliwatts: Double? = nil
    /// The same in hundredths of a new battery an hour.
    @OrNull var percentPerHour: Double? = nil
    @OrNull var seed: UInt64? = nil

    /// - Parameter truth: Where the device was, for as long as it was driven.
    init(_ trip: Trip, along truth: GroundTruth) {
      let provider = trip.provider
      self.init(
        duration: provider.uptime, gpsOn: provider.energy.gpsOn, bound: trip.setup.bound, trip.events)
      // All of the device's: a manager that is off, or in its cool-down, hears of none.
      wakes = provider.energy.wakes
      wakeOutcomes = trip.wakes.outcomes
      let profile = trip.setup.configuration.energyProfile
      keptRunningShare = provider.energy.keptRunningShare.map(Self.share)
      energyProfile = profile.name
      milliwatts = provider.energy.milliwatts(profile).map(Self.rounded)
      percentPerHour = provider.energy.percentPerHour(profile).map(Self.share)
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

    /// With a real receiver: nobody knows how far off it is.
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

    private static func rounded(_ value: Double) -> Double {
      (value * 10).rounded() / 10
    }

    /// With four digits after the point.
    private static func share(_ value: Double) -> Double {
      (value * 10_000).rounded() / 10_000
    }

    var json: String { jsonLine }

    var text: String {
      let share = durationSeconds > 0 ? gpsOnSeconds / durationSeconds : 0
      var rows = [("time", durationSeconds.clock)]
      if let boundMeters { rows.append(("bound", "the last location at most \(boundMeters.oneDecimal) m off")) }
      rows.append(("GPS on", "\(gpsOnSeconds) s, \(share.percent) of the time"))
      if let dwellGPSOnShare { rows.append(("", "\(dwellGPSOnShare.percent) of the time while dwelling")) }
      if let oracleGPSOnSeconds, let p95ErrorUnderWayMeters {
        rows.append(
          ("", "\(oracleGPSOnSeconds) s at least to be never more than \(p95ErrorUnderWayMeters) m off, the way known"))
      }
      if let energyProfile, let milliwatts {
        let battery = percentPerHour.map { ", \($0.twoDecimals) of a new battery an hour" } ?? ""
        rows.append(("power", "\(milliwatts) mW beyond what an \(energyProfile) takes anyway" + battery))
      }
      if let keptRunningShare, keptRunningShare > 0 {
        rows.append(("", "kept running for \(keptRunningShare.percent) of the time"))
      }
      rows.append(("wakes", "\(wakes)" + (wakeReasons.map { ": \($0)" } ?? "")))
      rows.append(("looks", Self.list(looks)))
      rows.append(
        (
          "acquisitions",
          "\(acquisitions.met) met, \(acquisitions.timedOut) timed out with the best fix, \(acquisitions.failed) failed"
        ))
      rows.append(
        ("locations", "\(locations)" + (coverage.map { ", one was known for \($0.percent) of the time" } ?? "")))
      if let medianErrorMeters, let p95ErrorMeters {
        rows.append(("error", "median \(medianErrorMeters) m, 95 % under \(p95ErrorMeters) m, over time"))
      }
      if let p95ErrorUnderWayMeters {
        let estimate = estimateP95ErrorMeters.map { ", of the estimate under \($0) m" } ?? ""
        rows.append(("", "95 % under \(p95ErrorUnderWayMeters) m while under way" + estimate))
      }
      rows.append(("rejections", Self.list(rejections)))
      if let seed { rows.append(("seed", "\(seed)")) }
      return rows.map { $0.padding(toLength: 15, withPad: " ", startingAt: 0) + $1 + "\n" }.joined()
    }

    /// Why so many wakes gave so few acquisitions.
    private var wakeReasons: String? {
      guard let wakeOutcomes, wakes > 0 else { return nil }
      return [
        (wakeOutcomes.acquisition, "began an acquisition"),
        (wakeOutcomes.coolDown, "came too soon after one"),
        (wakeOutcomes.withinBound, "needed none within the bound"),
        (wakeOutcomes.off, "came while it was off"),
        (wakeOutcomes.gpsOn, "more while the GPS was on"),
      ].filter { $0.0 > 0 }.map { "\($0) \($1)" }.joined(separator: ", ")
    }

    /// Those of which there are any.
    private static func list(_ counts: [String: Int]) -> String {
      let some = counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      return some.isEmpty ? "none" : some.joined(separator: ", ")
    }
  }

  extension SimulatedProvider.EnergyUse {
    /// The share of the time that the app was kept running with the GPS off, 0…1; `nil` where no time has passed.
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
    /// A share in hundredths: `4.3 %`.
    var percent: String { (self * 100).oneDecimal + " %" }
    var fiveDecimals: String { String(format: "%.5f", self) }

    /// `0:12:34.5`, hours, minutes and seconds.
    var clock: String {
      let tenths = Int((self * 10).rounded())
      return String(format: "%d:%02d:%02d.%d", tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60, tenths % 10)
    }
  }
#endif
