#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// A listener that forwards most of a manager's calls as text, and some as JSON.
  final class EventLog: LocationManagerListener {
    /// Called with each forwarded call, and with other events of a drive or a replay, as text.
    var onCall: ((_ time: TimeInterval, _ state: LocationMachine.State, _ call: String) -> Void)?
    /// Called with each entry of the log, a line of JSON.
    var onEntry: ((String) -> Void)?

    private let elapsed: () -> TimeInterval
    private var mode = ReceiverMode.off
    private let encoder = JSONEncoder()

    /// - Parameter elapsed: Returns the time in seconds; by default the provider's uptime since this call.
    init(_ provider: any LocationProvider, elapsed: (() -> TimeInterval)? = nil) {
      let began = provider.uptime
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

    func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
      call(
        manager, "didTransition: \(transition.from.rawValue) → \(transition.to.rawValue) (\(transition.event.rawValue))"
      )
      log(
        Entry(
          t: time, type: "transition", from: transition.from.rawValue, event: transition.event.rawValue,
          to: transition.to.rawValue))
      // The receiver's mode is set before a listener is notified.
      if transition.to.mode != mode {
        mode = transition.to.mode
        log(Entry(t: time, type: "mode", mode: mode.rawValue))
      }
    }

    func locationManager(_ manager: LocationManager, didUpdate location: Location) {
      call(manager, "didUpdate: \(location.short)")
      log(Entry(t: time, type: "location", location: location))
    }

    func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
      call(manager, "didFailToAcquire: \(failure)")
    }

    func locationManager(
      _ manager: LocationManager, didReject location: Location, because reason: RejectionReason
    ) {
      call(manager, "didReject: \(reason.rawValue), \(location.short)")
      log(Entry(t: time, type: "rejection", reason: reason.rawValue, location: location))
    }

    func locationManager(_ manager: LocationManager, didDetectSignificantChange location: Location?) {
      call(manager, "didDetectSignificantChange" + (location.map { ": \($0.short)" } ?? ""))
    }

    func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.Cause) {
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
#endif
