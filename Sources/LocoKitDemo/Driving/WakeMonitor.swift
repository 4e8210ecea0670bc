import Foundation
import LocoKit

/// The sources of wake-ups.
enum WakeSource: String, CaseIterable {
  case significantChange, regionExit, arrival, departure, cell, motion, timer
}

extension ProviderReport {
  var wakeSource: WakeSource? {
    switch self {
    case .significantChange: .significantChange
    case .regionExited: .regionExit
    case .visit(let visit): visit.departure == nil ? .arrival : .departure
    case .cell: .cell
    case .motion: .motion
    case .timer: .timer
    case .promptShown, .authorization, .pastMotion, .fixes, .wakeSources, .battery, .app, .failure, .replaced: nil
    }
  }
}

/// A proxy between a simulated device and its manager that counts the app's wake-ups and their outcomes.
final class WakeMonitor {
  /// The outcomes of significant changes, region exits and visits.
  struct Outcomes: Codable, Equatable {
    /// Events that started an acquisition.
    var acquisition = 0
    /// Events in the cool-down after an acquisition.
    var coolDown = 0
    /// Other events that started no look, usually because the last location was within the error bound.
    var withinBound = 0
    /// Events while the manager was paused or had no permission.
    var off = 0
    /// Events while the app was running or the manager was acquiring. These usually aren't wake-ups.
    var running = 0
  }

  private(set) var outcomes = Outcomes()
  /// The number of reports to the waiting manager that can wake an app: significant changes, region exits, visits, cells, motion and
  /// timers. Looks that the app forces count too.
  private(set) var count = 0

  /// Called with each report to a waiting manager, before the manager receives the report.
  var onWake: ((ProviderReport) -> Void)?

  private var waitsSince = Duration.zero
  private var deviceWakes = 0

  /// Counts a wake-up that the app scheduled.
  func appWoke() { count += 1 }

  typealias Receive = (ProviderReport) -> Void

  /// Passes a report to a manager, and counts its outcome.
  ///
  /// - Parameter wakes: The number of times that the device has woken the app.
  func tell(
    _ report: ProviderReport, to manager: LocationManager, at uptime: Duration, wakes: Int, by receive: Receive
  ) {
    let before = manager.state
    if before == .waitingSignificantChange { onWake?(report) }
    receive(report)
    let after = manager.state
    if before == .acquiring, after == .waitingSignificantChange { waitsSince = uptime }
    guard let source = report.wakeSource else { return }
    if before == .waitingSignificantChange { count += 1 }
    guard ![.cell, .motion, .timer].contains(source) else { return }
    let isWake = wakes > deviceWakes
    deviceWakes = wakes
    switch before {
    case _ where !isWake: outcomes.running += 1
    case .waitingSignificantChange where after == .acquiring: outcomes.acquisition += 1
    case .waitingSignificantChange:
      if uptime - waitsSince < manager.policy.cooldown { outcomes.coolDown += 1 } else { outcomes.withinBound += 1 }
    case .acquiring: outcomes.running += 1
    case .initial, .prompted, .denied, .paused: outcomes.off += 1
    }
  }
}
