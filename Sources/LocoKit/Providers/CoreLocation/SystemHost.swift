#if canImport(CoreLocation) && canImport(ObjectiveC)
  import CoreLocation
  import LocoDurable
  import LocoFoundation
  import os

  /// The system's services. The timer is on the run loop of the thread that creates the host, where Core Location also calls back.
  final class SystemHost: NSObject, CoreLocationHost {
    private let began = ContinuousClock.now
    private var fire: (() -> Void)?
    private var activity: BackgroundActivity?
    private var onExpiry: (() -> Void)?
    private let runner = ThreadRunner()
    private let logger = Logger(subsystem: "LocoKit", category: "CoreLocation")
    private(set) var isInForeground = AppForeground.isNow
    private(set) var refresh = AppRefresh.status
    var isLowPowerMode: Bool { ProcessInfo.processInfo.isLowPowerModeEnabled }
    var onAppChange: (() -> Void)?

    override init() {
      super.init()
      for name in AppForeground.begins { observe(name, #selector(foregroundBegan)) }
      for name in AppForeground.ends { observe(name, #selector(foregroundEnded)) }
      for name in AppRefresh.changes { observe(name, #selector(refreshChanged)) }
      observe(.NSProcessInfoPowerStateDidChange, #selector(refreshChanged))
      // The provider then reads whether the device has been unlocked.
      for name in FirstUnlock.ends { observe(name, #selector(refreshChanged)) }
      // In the initializer of a SwiftUI app, there is no `UIApplication` yet, and other threads can't read it.
      refreshChanged()
      // Another thread isn't notified of the end of a watch app's foreground, so it doesn't learn of the beginning either.
      if Thread.isMainThread || AppForeground.ends.isEmpty { return }
      let (host, runner) = (ThreadBound(self), runner)
      DispatchQueue.main.async {
        if AppForeground.isNow { runner.run { host.object?.foregroundChanged(to: true) } }
      }
    }

    private func observe(_ name: Notification.Name, _ selector: Selector) {
      NotificationCenter.default.addObserver(self, selector: selector, name: name, object: nil)
    }

    var uptime: Duration { began.duration(to: .now) }
    var date: Date { Date() }

    func info(_ key: String) -> Any? { Bundle.main.object(forInfoDictionaryKey: key) }

    var appInfo: ((_ key: String) -> Any?)? {
      guard let url = Bundle.main.bundleURL.appBundle else { return nil }
      guard url != Bundle.main.bundleURL else { return info }
      guard let app = Bundle(url: url), app.infoDictionary?.isEmpty == false else { return nil }
      // In an older watch app, the entries are in the extension's own `Info.plist`.
      return { app.object(forInfoDictionaryKey: $0) ?? Bundle.main.object(forInfoDictionaryKey: $0) }
    }

    func setTimer(after delay: Duration?, _ fire: @escaping () -> Void) {
      NSObject.cancelPreviousPerformRequests(withTarget: self, selector: #selector(timerFired), object: nil)
      self.fire = delay == nil ? nil : fire
      guard let delay else { return }
      perform(#selector(timerFired), with: nil, afterDelay: max(0, delay.inSeconds), inModes: [.common])
    }

    @objc private func timerFired() { fire?() }

    func beginActivity(onExpiry: @escaping () -> Void) {
      activity?.end()
      self.onExpiry = onExpiry
      let (host, runner) = (ThreadBound(self), runner)
      activity = BackgroundActivity("Acquiring a location") { runner.run { host.object?.activityExpired() } }
    }

    func endActivity() {
      activity?.end()
      (activity, onExpiry) = (nil, nil)
    }

    private func activityExpired() {
      onExpiry?()
      endActivity()
    }

    var onThread: @Sendable (_ action: @escaping @Sendable () -> Void) -> Void {
      { [runner] in runner.run($0) }
    }

    func log(_ message: String) { logger.notice("\(message, privacy: .public)") }

    // MARK: - The foreground

    // The system posts on the main thread, but the provider may use another thread.
    @objc private func foregroundBegan() {
      setForeground(true)
      refreshChanged()
    }

    @objc private func foregroundEnded() { setForeground(false) }

    private func setForeground(_ isInForeground: Bool) {
      let host = ThreadBound(self)
      runner.run { host.object?.foregroundChanged(to: isInForeground) }
    }

    private func foregroundChanged(to isInForeground: Bool) {
      guard isInForeground != self.isInForeground else { return }
      self.isInForeground = isInForeground
      onAppChange?()
    }

    /// Reads on the main thread whether the system may launch the app. The system posts on any thread. The low-power mode also turns
    /// *Background App Refresh* off and on, so both are read afterwards.
    @objc private func refreshChanged() {
      let (host, runner) = (ThreadBound(self), runner)
      DispatchQueue.main.async {
        let status = AppRefresh.status
        runner.run {
          host.object?.refresh = status
          host.object?.onAppChange?()
        }
      }
    }

    var hasBeenUnlocked: Bool { FirstUnlock.isOver }
  }

  extension CoreLocationProvider {
    /// Creates a provider.
    ///
    /// - Precondition: `Info.plist` has the configuration's entries: see ``CoreLocationProvider``.
    public convenience init(configuration: Configuration = Configuration()) {
      self.init(
        configuration: configuration, makeManager: { CLLocationManager() }, host: SystemHost(),
        conditions: Thread.isMainThread ? RegionConditions.shared : nil)
    }
  }
#endif
