package import Foundation
package import LocoKit

/// A provider that reports, and whose time advances, only on request.
package final class PuppetProvider: LocationProvider {
  package var uptime: Duration = .zero
  package var date = Date(timeIntervalSince1970: 1_777_834_800)
  package var authorization = Authorization.always
  package var recommendedPolicy = AcquisitionPolicy.loco
  package var onReport: ProviderReport.Handler?

  package init() {}

  package func apply(_ plan: ReceiverPlan) {}
  package func perform(_ request: ReceiverRequest) {
    if request == .authorization { onReport?(.authorization(authorization)) }
  }

  /// Reports to the manager.
  package func say(_ report: ProviderReport) { onReport?(report) }

  /// A current fix that is accurate enough for the recommended policy.
  package var fix: Location {
    Location(latitude: 34.05, longitude: -118.24, horizontalAccuracy: 5, timestamp: date)
  }
}

/// A listener that counts updates and rejections.
package final class CountingListener: LocationManagerListener {
  package private(set) var updates = 0
  package private(set) var rejections = 0

  package init() {}

  package func locationManager(_ manager: LocationManager, didUpdate location: Location) { updates += 1 }

  package func locationManager(
    _ manager: LocationManager, didReject location: Location, because reason: RejectionReason
  ) {
    rejections += 1
  }
}

/// A manager and its listeners, for repeated notifications about a fix that is rejected because nothing needs it.
package struct Audience {
  package let manager: LocationManager
  package let listeners: [CountingListener]
  private let provider = PuppetProvider()
  private let report: ProviderReport
  private let fix: Location
  private let strong: [any LocationManagerListener]

  package init(_ count: Int) {
    manager = LocationManager(provider: provider)
    listeners = (0..<count).map { _ in CountingListener() }
    for listener in listeners { manager.listeners.add(listener) }
    fix = provider.fix
    report = .fixes([fix])
    // Separate objects, because an object that was ever referenced weakly has slower retains and releases.
    strong = (0..<count).map { _ in CountingListener() }
  }

  /// Notifies the listeners through the manager.
  package func notify(_ times: Int) {
    for _ in 0..<times { provider.say(report) }
  }

  /// Notifies the same number of other listeners through an array of strong references.
  package func tellStrongly(_ times: Int) {
    for _ in 0..<times {
      for listener in strong { listener.locationManager(manager, didReject: fix, because: .notListening) }
    }
  }
}
