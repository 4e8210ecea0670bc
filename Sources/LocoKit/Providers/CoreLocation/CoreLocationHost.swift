#if canImport(CoreLocation)
  import Foundation

  /// What the provider needs of the system beside Core Location: the system itself, or a test's.
  protocol CoreLocationHost: AnyObject {
    /// Counts on through sleep, and never goes back.
    var uptime: Duration { get }
    /// What the clock on the wall says.
    var date: Date { get }
    /// An entry of the `Info.plist` of the running bundle: an app or an app extension.
    func info(_ key: String) -> Any?
    /// Reads an entry of the app's `Info.plist`; in an app extension, of the containing app's. `nil` where that file cannot
    /// be read.
    var appInfo: ((_ key: String) -> Any?)? { get }
    /// Calls `fire` once after `delay`. There is one timer; `nil` removes it. The time for which the device sleeps need not
    /// count.
    func setTimer(after delay: Duration?, _ fire: @escaping () -> Void)
    /// Whether the app is in the foreground, where the system does not suspend it.
    var isInForeground: Bool { get }
    /// Called after ``isInForeground`` has changed.
    var onForegroundChange: (() -> Void)? { get set }
    /// Whether the device was unlocked since it started: before, protected files of the app cannot be read.
    var hasBeenUnlocked: Bool { get }
    /// Keeps an app in the background from being suspended, while the system allows it. Where that time is over before the
    /// activity ends, calls `onExpiry`; the system suspends the app soon after it has returned.
    func beginActivity(onExpiry: @escaping () -> Void)
    /// Lets it be suspended again.
    func endActivity()
    /// Runs an action on the thread that made the host. May be called on any thread.
    var onThread: @Sendable (_ action: @escaping @Sendable () -> Void) -> Void { get }
    /// Writes a line to the system's log. Holds no location.
    func log(_ message: String)
  }

  extension URL {
    /// The app that a bundle belongs to: the containing app of an app extension, and any other bundle itself. `nil` for an
    /// extension outside an app.
    var appBundle: URL? {
      guard pathExtension == "appex" else { return self }
      var parents = pathComponents
      while let name = parents.popLast() {
        if name.hasSuffix(".app") { return URL(fileURLWithPath: NSString.path(withComponents: parents + [name])) }
      }
      return nil
    }
  }
#endif

#if canImport(CoreLocation) && canImport(ObjectiveC)
  import CoreLocation
  import os

  /// The system, with a timer on the run loop of the thread that makes it: where Core Location calls back.
  final class SystemHost: NSObject, CoreLocationHost {
    private let began = ContinuousClock.now
    private var fire: (() -> Void)?
    private var activity: BackgroundActivity?
    private var onExpiry: (() -> Void)?
    private let runner = ThreadRunner()
    private let logger = Logger(subsystem: "LocoKit", category: "CoreLocation")
    private var wasUnlocked = false
    private(set) var isInForeground = AppForeground.isNow
    var onForegroundChange: (() -> Void)?

    override init() {
      super.init()
      for name in AppForeground.begins { observe(name, #selector(foregroundBegan)) }
      for name in AppForeground.ends { observe(name, #selector(foregroundEnded)) }
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
      // The extension of an older watch app has entries of its own.
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

    // The system posts on the main thread, and a provider may be on another one.
    @objc private func foregroundBegan() { setForeground(true) }
    @objc private func foregroundEnded() { setForeground(false) }

    private func setForeground(_ isInForeground: Bool) {
      let host = ThreadBound(self)
      runner.run { host.object?.foregroundChanged(to: isInForeground) }
    }

    private func foregroundChanged(to isInForeground: Bool) {
      guard isInForeground != self.isInForeground else { return }
      self.isInForeground = isInForeground
      onForegroundChange?()
    }

    var hasBeenUnlocked: Bool {
      if !wasUnlocked { wasUnlocked = FirstUnlock.isOver }
      return wasUnlocked
    }
  }

  /// Runs actions on the thread that made it, by its run loop.
  ///
  /// `@unchecked`, because `Thread` isn't `Sendable` on every platform. The thread is set once, and `perform(_:on:with:)` may be called on
  /// any thread.
  final class ThreadRunner: NSObject, @unchecked Sendable {
    private final class Action: NSObject, Sendable {
      let run: @Sendable () -> Void
      init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let thread = Thread.current

    /// Runs an action: synchronously on that thread, and asynchronously from other ones.
    func run(_ action: @escaping @Sendable () -> Void) {
      perform(
        #selector(call), on: thread, with: Action(action), waitUntilDone: thread == Thread.current,
        modes: [RunLoop.Mode.common.rawValue])
    }

    @objc private func call(_ action: Any) { (action as? Action)?.run() }
  }

  extension CoreLocationProvider {
    /// A provider that asks for and uses locations as `configuration` says.
    ///
    /// - Precondition: `Info.plist` has what the configuration needs: see ``CoreLocationProvider``.
    public convenience init(configuration: Configuration = Configuration()) {
      self.init(
        configuration: configuration, makeManager: { CLLocationManager() }, host: SystemHost(),
        conditions: Thread.isMainThread ? RegionConditions.shared : nil)
    }
  }
#endif
