import Foundation
import LocoKit

extension ProviderReport {
  /// The kind of the event that can wake an app; `nil` for other reports.
  var wakeKind: WakeKind? { if case .wake(let event) = self { event.kind } else { nil } }
}

/// A proxy between a simulated device and its manager that counts the app's wake-ups and their outcomes.
final class WakeMonitor {
  /// The outcome of an event that launches an app: a significant change, a region exit or a visit.
  enum Outcome: String, CaseIterable {
    /// The event started an acquisition.
    case acquisition
    /// The event came in the cool-down after an acquisition.
    case coolDown
    /// The event started no look, usually because the last location was within the error bound.
    case withinBound
    /// The manager was paused or had no permission.
    case off
    /// The app was running or the manager was acquiring, so the event usually woke nothing.
    case running
  }

  /// The number of events with each outcome, by its name.
  private(set) var outcomes = Dictionary(uniqueKeysWithValues: Outcome.allCases.map { ($0.rawValue, 0) })

  /// Called with each report to a waiting manager, before the manager receives the report.
  var onWake: ((ProviderReport) -> Void)?

  private var waitsSince = Duration.zero
  private var deviceWakes = 0

  /// Passes a report to a manager, and counts its outcome.
  ///
  /// - Parameter wakes: The number of times that the device has woken the app.
  func notify(
    _ report: ProviderReport, to manager: LocationManager, at uptime: Duration, wakes: Int,
    by receive: ProviderReport.Handler
  ) {
    let before = manager.state
    if before == .waitingSignificantChange { onWake?(report) }
    receive(report)
    let after = manager.state
    if before == .acquiring, after == .waitingSignificantChange { waitsSince = uptime }
    guard let kind = report.wakeKind else { return }
    guard kind.launchesApp else { return }
    let isWake = wakes > deviceWakes
    deviceWakes = wakes
    let outcome: Outcome =
      switch before {
      case _ where !isWake: .running
      case .waitingSignificantChange where after == .acquiring: .acquisition
      case .waitingSignificantChange: uptime - waitsSince < manager.policy.cooldown ? .coolDown : .withinBound
      case .acquiring: .running
      case .initial, .prompted, .denied, .paused: .off
      }
    outcomes[outcome.rawValue, default: 0] += 1
  }
}
