#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// Stands between a simulated device and its manager: counts what wakes the app and what comes of it, and, where asked to, suspends
  /// the app while the device is still.
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

    private let suspendsAtRest: Bool
    private let sources: WakeSources
    private var isSuspended = false
    private var motion: Motion?
    private var stillSince: Duration?
    private var waitsSince = Duration.zero

    /// What wakes an app that the system has suspended.
    private static let sourcesWhileSuspended: WakeSources = [.significantChanges, .regionExit]
    /// How long a device is still before its app stops what keeps it running: no sooner than the manager takes it to rest.
    private static let stillness = Duration.seconds(181)

    init(suspendsAtRest: Bool, sources: WakeSources) {
      self.suspendsAtRest = suspendsAtRest
      self.sources = sources
    }

    /// Tells a manager what its device reports.
    func tell(_ report: ProviderReport, to manager: LocationManager, at uptime: Duration, by receive: Receive) {
      if case .motion(let motion) = report {
        self.motion = motion
        stillSince = motion == .still ? stillSince ?? uptime : nil
      }
      guard isSuspended else { return count(report, manager, uptime, receive) }
      switch report {
      case .significantChange, .regionExited, .arrival, .departure:
        isSuspended = false
        receive(.wakeSources(sources))
        if let motion { receive(.motion(motion)) }
        stillSince = motion == .still ? uptime : nil
        count(report, manager, uptime, receive)
      case .cell, .motion, .timer:
        break
      case .promptShown, .authorization, .fixes, .wakeSources, .failure, .replaced:
        receive(report)
      }
    }

    /// The app woke by itself.
    func appWoke() { count += 1 }

    typealias Receive = (ProviderReport) -> Void

    /// Suspends the app where it is time.
    func suspendIfStill(_ manager: LocationManager, at uptime: Duration, by receive: Receive?) {
      guard suspendsAtRest, !isSuspended, manager.state == .waitingSignificantChange, let stillSince,
        uptime - stillSince >= Self.stillness
      else { return }
      receive?(.wakeSources(Self.sourcesWhileSuspended))
      isSuspended = true
    }

    private func count(_ report: ProviderReport, _ manager: LocationManager, _ uptime: Duration, _ receive: Receive) {
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
      case .promptShown, .authorization, .fixes, .wakeSources, .failure, .replaced:
        break
      }
    }
  }
#endif
