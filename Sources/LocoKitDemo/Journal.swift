#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// Receives a manager's events, counts them, and passes them on as lines: to read, and to process.
  final class Journal: LocationManagerListener {
    /// Called with each listener call, in words.
    var onCall: ((_ time: TimeInterval, _ state: LocationState, _ call: String) -> Void)?
    /// Called with each entry of the log, a line of JSON.
    var onEntry: ((String) -> Void)?

    private(set) var acquisitions = Summary.Acquisitions()
    private(set) var locations = 0
    private(set) var wakes = 0
    /// What made the GPS go on, by name: each name is there.
    private(set) var looks = Dictionary(
      uniqueKeysWithValues: (LookCause.allCases.map(\.rawValue) + ["significantChange", "forced", "resumed", "first"])
        .map { ($0, 0) })
    private(set) var rejections: [String: Int] = [:]
    private(set) var location: Location?

    /// The manager's error bound, metres: its looks stop at a third of it.
    var bound: Double?
    private let provider: any LocationProvider
    private let elapsed: () -> TimeInterval
    private var mode = ReceiverMode.off
    private let encoder = JSONEncoder()

    /// - Parameter elapsed: The time in seconds; the provider's uptime from now on unless given.
    init(_ provider: any LocationProvider, bound: Double?, elapsed: (() -> TimeInterval)? = nil) {
      let began = provider.uptime
      self.provider = provider
      self.bound = bound
      self.elapsed = elapsed ?? { (provider.uptime - began).seconds }
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
      encoder.dateEncodingStrategy = .custom { date, encoder in
        var container = encoder.singleValueContainer()
        try container.encode((date.timeIntervalSince1970 * 1_000).rounded() / 1_000)
      }
    }

    func call(_ manager: LocationManager, _ call: @autoclosure () -> String) {
      onCall?(time, manager.state, call())
    }

    private var time: TimeInterval { (elapsed() * 1_000).rounded() / 1_000 }

    private var desiredAccuracy: Double {
      bound.map { max(10, $0 / 3) } ?? provider.recommendedPolicy.desiredAccuracy
    }

    private struct Entry: Encodable {
      var t: TimeInterval
      var type: String
      var from: String?
      var event: String?
      var to: String?
      var mode: String?
      var reason: String?
      var location: Location?
    }

    private func log(_ entry: Entry) {
      guard let onEntry, let data = try? encoder.encode(entry) else { return }
      onEntry(String(decoding: data, as: UTF8.self))
    }

    func locationManager(_ manager: LocationManager, didTransition transition: Transition) {
      call(
        manager, "didTransition: \(transition.from.rawValue) → \(transition.to.rawValue) (\(transition.event.rawValue))"
      )
      log(
        Entry(
          t: time, type: "transition", from: transition.from.rawValue, event: transition.event.rawValue,
          to: transition.to.rawValue))
      if transition.to == .acquiring {
        switch transition.event {
        case .significantChange: looks["significantChange", default: 0] += 1
        case .forceAcquire: looks["forced", default: 0] += 1
        case .resume: looks["resumed", default: 0] += 1
        case .authorized: looks["first", default: 0] += 1
        default: break  // told with its cause, or somebody tracks
        }
      }
      // The hardware is commanded before a listener hears of it.
      if transition.to.mode != mode {
        mode = transition.to.mode
        log(Entry(t: time, type: "mode", mode: mode.rawValue))
      }
    }

    func locationManager(_ manager: LocationManager, didUpdate location: Location) {
      locations += 1
      self.location = location
      if location.horizontalAccuracy <= desiredAccuracy { acquisitions.met += 1 } else { acquisitions.timedOut += 1 }
      call(manager, "didUpdate: \(location.short)")
      log(Entry(t: time, type: "location", location: location))
    }

    func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
      acquisitions.failed += 1
      call(manager, "didFailToAcquire: \(failure)")
    }

    func locationManager(_ manager: LocationManager, didReject location: Location, because reason: RejectionReason) {
      rejections[reason.rawValue, default: 0] += 1
      call(manager, "didReject: \(reason.rawValue), \(location.short)")
      log(Entry(t: time, type: "rejection", reason: reason.rawValue, location: location))
    }

    func locationManager(_ manager: LocationManager, didDetectSignificantChange location: Location?) {
      wakes += 1
      call(manager, "didDetectSignificantChange" + (location.map { ": \($0.short)" } ?? ""))
    }

    func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LookCause) {
      looks[cause.rawValue, default: 0] += 1
      call(manager, "didBeginLookBecauseOf: \(cause.rawValue)")
    }

    func locationManager(_ manager: LocationManager, didChangeAuthorization authorization: Authorization) {
      call(manager, "didChangeAuthorization: \(authorization.rawValue)")
    }

    func locationManager(
      _ manager: LocationManager, didIgnore command: LocationMachine.Event, because reason: String
    ) {
      call(manager, "didIgnore: \(command.rawValue). \(reason)")
    }

    func locationManagerDidPromptAccess(_ manager: LocationManager) { call(manager, "didPromptAccess") }
    func locationManagerDidGrantAccess(_ manager: LocationManager) { call(manager, "didGrantAccess") }
    func locationManagerDidDenyAccess(_ manager: LocationManager) { call(manager, "didDenyAccess") }
    func locationManagerPromptDidExpire(_ manager: LocationManager) { call(manager, "promptDidExpire") }
    func locationManagerDidForceAcquire(_ manager: LocationManager) { call(manager, "didForceAcquire") }
    func locationManagerDidPause(_ manager: LocationManager) { call(manager, "didPause") }
    func locationManagerDidResume(_ manager: LocationManager) { call(manager, "didResume") }
  }

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
    @OrNull var seed: UInt64? = nil

    /// - Parameter truth: Where the device was, for as long as it was driven.
    init(_ trip: Trip, along truth: GroundTruth) {
      let (provider, journal) = (trip.provider, trip.journal)
      durationSeconds = Self.rounded(provider.uptime.seconds)
      gpsOnSeconds = Self.rounded(provider.energy.gpsOn.seconds)
      wakes = provider.energy.wakes
      wakeOutcomes = trip.wakes.outcomes
      acquisitions = journal.acquisitions
      locations = journal.locations
      rejections = journal.rejections
      looks = journal.looks
      boundMeters = trip.setup.bound
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
    init(duration: Duration, gpsOn: Duration, bound: Double?, _ journal: Journal) {
      boundMeters = bound
      looks = journal.looks
      durationSeconds = Self.rounded(duration.seconds)
      gpsOnSeconds = Self.rounded(gpsOn.seconds)
      wakes = journal.wakes
      acquisitions = journal.acquisitions
      locations = journal.locations
      rejections = journal.rejections
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
