#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// A proxy between a simulated device and its manager that counts the app's wakes and their outcomes.
  final class WakeMonitor {
    /// What came of significant changes and of exits from regions.
    struct Outcomes: Codable, Equatable {
      /// An acquisition began.
      var acquisition = 0
      /// It came in the cool-down after an acquisition.
      var coolDown = 0
      /// Under an error bound, no look was due.
      var withinBound = 0
      /// The manager was paused, or had no permission.
      var off = 0
      /// The GPS was on already: these woke nobody.
      var gpsOn = 0
    }

    /// What came of significant changes and of exits from regions.
    private(set) var outcomes = Outcomes()
    /// How often anything woke the app while the GPS was off: significant changes, cells, regions, motion,
    /// timers, and the app itself.
    private(set) var count = 0

    /// Called before a manager hears of what wakes the app.
    var onWake: ((ProviderReport) -> Void)?

    private var waitsSince = Duration.zero

    /// The app woke by itself.
    func appWoke() { count += 1 }

    typealias Receive = (ProviderReport) -> Void

    /// Tells a manager what its device reports.
    func tell(_ report: ProviderReport, to manager: LocationManager, at uptime: Duration, by receive: Receive) {
      let before = manager.state
      if before == .waitingSignificantChange { onWake?(report) }
      receive(report)
      let after = manager.state
      if before == .acquiring, after == .waitingSignificantChange { waitsSince = uptime }
      switch report {
      case .significantChange, .regionExited, .arrival, .departure:
        if before == .waitingSignificantChange { count += 1 }
        switch (before, after) {
        case (.waitingSignificantChange, .acquiring): outcomes.acquisition += 1
        case (.waitingSignificantChange, _):
          if uptime - waitsSince < manager.policy.cooldown { outcomes.coolDown += 1 } else { outcomes.withinBound += 1 }
        case (.acquiring, _): outcomes.gpsOn += 1
        case (.initial, _), (.prompted, _), (.denied, _), (.paused, _): outcomes.off += 1
        }
      case .cell, .motion, .timer:
        if before == .waitingSignificantChange { count += 1 }
      case .promptShown, .authorization, .pastMotion, .fixes, .wakeSources, .battery, .failure, .replaced:
        break
      }
    }
  }
#endif
