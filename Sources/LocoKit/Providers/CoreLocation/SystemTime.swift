#if canImport(CoreLocation)
  import Foundation

  /// The clocks and the timer of the system, or a test's.
  protocol SystemTime: AnyObject {
    var uptime: Duration { get }
    var date: Date { get }
    /// Calls `fire` once when ``uptime`` has reached `deadline`. There is one timer; `nil` removes it.
    func setTimer(_ deadline: Duration?, _ fire: @escaping () -> Void)
  }
#endif

#if canImport(CoreLocation) && canImport(ObjectiveC)
  import CoreLocation

  /// The system's clocks, and a timer on the run loop of the thread that sets it: where Core Location calls back.
  final class RunLoopTime: NSObject, SystemTime {
    private let began = ContinuousClock.now
    private var fire: (() -> Void)?

    var uptime: Duration { began.duration(to: .now) }
    var date: Date { Date() }

    func setTimer(_ deadline: Duration?, _ fire: @escaping () -> Void) {
      NSObject.cancelPreviousPerformRequests(withTarget: self, selector: #selector(timerFired), object: nil)
      self.fire = deadline == nil ? nil : fire
      guard let deadline else { return }
      perform(
        #selector(timerFired), with: nil, afterDelay: max(0, (deadline - uptime).inSeconds), inModes: [.common])
    }

    @objc private func timerFired() { fire?() }
  }

  extension CoreLocationProvider {
    /// A provider that asks for and uses locations as `configuration` says.
    ///
    /// - Precondition: `Info.plist` has what the configuration needs: see ``CoreLocationProvider``.
    public convenience init(configuration: Configuration = Configuration()) {
      self.init(
        configuration: configuration, core: CLLocationManager(), time: RunLoopTime(),
        info: { Bundle.main.object(forInfoDictionaryKey: $0) })
    }
  }

  extension LocationManager {
    /// A manager on the main actor over Core Location, which asks for the permission while the app is in use.
    ///
    /// For anything else make one of your own, once, from a ``CoreLocationProvider`` with your configuration.
    @MainActor public static let shared = LocationManager(provider: CoreLocationProvider())
  }
#endif
