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
    private(set) var rejections: [String: Int] = [:]
    private(set) var location: Location?

    private let provider: any LocationProvider
    private let desiredAccuracy: Double
    private let began: Duration
    private var mode = ReceiverMode.off
    private let encoder = JSONEncoder()

    init(_ provider: any LocationProvider) {
      self.provider = provider
      began = provider.uptime
      desiredAccuracy = provider.recommendedPolicy.desiredAccuracy
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
      encoder.dateEncodingStrategy = .custom { date, encoder in
        var container = encoder.singleValueContainer()
        try container.encode((date.timeIntervalSince1970 * 1_000).rounded() / 1_000)
      }
    }

    func call(_ manager: LocationManager, _ call: String) {
      onCall?(time, manager.state, call)
    }

    private var time: TimeInterval {
      ((provider.uptime - began).seconds * 1_000).rounded() / 1_000
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
    var medianErrorMeters: Double?
    var p95ErrorMeters: Double?
    var seed: UInt64?

    /// - Parameter errors: How far the last location was from the device, once a second, in metres.
    init(_ provider: SimulatedProvider, _ journal: Journal, errors: [Float]) {
      durationSeconds = Self.rounded(provider.uptime.seconds)
      gpsOnSeconds = Self.rounded(provider.energy.gpsOn.seconds)
      wakes = provider.energy.wakes
      acquisitions = journal.acquisitions
      locations = journal.locations
      rejections = journal.rejections
      seed = provider.seed
      let sorted = errors.sorted()
      medianErrorMeters = sorted.isEmpty ? nil : Self.rounded(Double(sorted[sorted.count / 2]))
      p95ErrorMeters =
        sorted.isEmpty ? nil : Self.rounded(Double(sorted[min(sorted.count - 1, sorted.count * 95 / 100)]))
    }

    /// With a real receiver: nobody knows how far off it is.
    init(duration: Duration, gpsOn: Duration, _ journal: Journal) {
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

    private enum Key: String, CodingKey {
      case durationSeconds, gpsOnSeconds, wakes, acquisitions, locations, rejections, medianErrorMeters, p95ErrorMeters,
        seed
    }

    /// Every key is there; what is unknown is `null`.
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(durationSeconds, forKey: .durationSeconds)
      try container.encode(gpsOnSeconds, forKey: .gpsOnSeconds)
      try container.encode(wakes, forKey: .wakes)
      try container.encode(acquisitions, forKey: .acquisitions)
      try container.encode(locations, forKey: .locations)
      try container.encode(rejections, forKey: .rejections)
      try container.encode(medianErrorMeters, forKey: .medianErrorMeters)
      try container.encode(p95ErrorMeters, forKey: .p95ErrorMeters)
      try container.encode(seed, forKey: .seed)
    }

    var json: String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? "{}\n"
    }

    var text: String {
      let share = durationSeconds > 0 ? gpsOnSeconds / durationSeconds * 100 : 0
      var lines = [
        "time           \(durationSeconds.clock)",
        "GPS on         \(gpsOnSeconds) s, \(share.oneDecimal) % of the time",
        "wakes          \(wakes)",
        "acquisitions   \(acquisitions.met) met, \(acquisitions.timedOut) timed out with the best fix, "
          + "\(acquisitions.failed) failed",
        "locations      \(locations)",
      ]
      if let medianErrorMeters, let p95ErrorMeters {
        lines.append("error          median \(medianErrorMeters) m, 95 % under \(p95ErrorMeters) m, over time")
      }
      let refused = rejections.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      lines.append("rejections     " + (refused.isEmpty ? "none" : refused.joined(separator: ", ")))
      if let seed { lines.append("seed           \(seed)") }
      return lines.joined(separator: "\n") + "\n"
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
    var fiveDecimals: String { String(format: "%.5f", self) }

    /// `0:12:34.5`, hours, minutes and seconds.
    var clock: String {
      let tenths = Int((self * 10).rounded())
      return String(format: "%d:%02d:%02d.%d", tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60, tenths % 10)
    }
  }
#endif
