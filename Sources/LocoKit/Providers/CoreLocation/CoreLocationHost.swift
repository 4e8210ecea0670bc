#if canImport(CoreLocation)
  import LocoDurable
  package import LocoFoundation

  /// The services that the provider needs in addition to Core Location, from the system or a test.
  package protocol CoreLocationHost: AnyObject {
    /// The time since a fixed moment. It includes sleep, and never decreases.
    var uptime: Duration { get }
    var date: Date { get }
    /// Returns an entry of the `Info.plist` of the running bundle, such as an app or an app extension.
    func info(_ key: String) -> Any?
    /// Reads an entry of the app's `Info.plist`; in an app extension, of the containing app's. The closure is `nil` if the file can't be
    /// read.
    var appInfo: ((_ key: String) -> Any?)? { get }
    /// Sets the only timer; `nil` removes it. The timer may stop counting while the device sleeps.
    func setTimer(after delay: Duration?, _ fire: @escaping () -> Void)
    var isInForeground: Bool { get }
    var isLowPowerMode: Bool { get }
    /// Whether the system may launch the app in the background.
    var refresh: BackgroundRefresh { get }
    /// Called after a change of ``isInForeground``, ``isLowPowerMode``, ``refresh`` or ``hasBeenUnlocked``.
    var onAppChange: (() -> Void)? { get set }
    /// Whether the device has been unlocked since it started. Until then, the app's protected files can't be read.
    var hasBeenUnlocked: Bool { get }
    /// Delays the suspension of an app in the background. If the system's limit expires before ``endActivity()``, calls `onExpiry`;
    /// the system may suspend the app soon after.
    func beginActivity(onExpiry: @escaping () -> Void)
    func endActivity()
    /// Runs an action on the host's thread. May be called on any thread.
    var onThread: @Sendable (_ action: @escaping @Sendable () -> Void) -> Void { get }
    /// Writes a line to the system's log. The line must not contain a location.
    func log(_ message: String)
  }

  extension URL {
    /// For an app extension, the containing app, or `nil` if there is none; for any other bundle, the bundle itself.
    var appBundle: URL? {
      guard pathExtension == "appex" else { return self }
      var parents = pathComponents
      while let name = parents.popLast() {
        if name.hasSuffix(".app") { return URL(fileURLWithPath: NSString.path(withComponents: parents + [name])) }
      }
      return nil
    }
  }

  /// A weak reference to an object that is used on a single thread. Other threads only pass the reference on.
  ///
  /// `@unchecked`, because the compiler can't check the thread: a provider may be created on any thread with a run loop.
  struct ThreadBound<Object: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Object?

    init(_ object: Object) { self.object = object }
  }
#endif

#if canImport(CoreLocation) && canImport(ObjectiveC)
  import CoreLocation
  import os
  #if os(iOS) || os(tvOS) || os(visionOS)
    import UIKit
  #elseif os(watchOS)
    import WatchKit
  #endif

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

  /// Runs actions on the run loop of the thread that created the runner.
  ///
  /// `@unchecked`, because `Thread` isn't `Sendable` on every platform. `perform(_:on:with:)` may be called on any thread.
  final class ThreadRunner: NSObject, @unchecked Sendable {
    private final class Action: NSObject, Sendable {
      let run: @Sendable () -> Void
      init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let thread = Thread.current

    /// Runs an action: synchronously if called on that thread, otherwise asynchronously.
    func run(_ action: @escaping @Sendable () -> Void) {
      perform(
        #selector(call), on: thread, with: Action(action), waitUntilDone: thread == Thread.current,
        modes: [RunLoop.Mode.common.rawValue])
    }

    @objc private func call(_ action: Any) { (action as? Action)?.run() }
  }

  #if !os(macOS)
    #if os(watchOS)
      private typealias Application = WKApplication
    #else
      private typealias Application = UIApplication
    #endif

    /// Returns a numeric property of the app; `nil` in an extension, on a thread other than the main one, and before the app exists. The
    /// behavior before the app exists is known for `UIApplication` only.
    private func applicationNumber(_ property: String) -> Int? {
      // Accesses the app by name: the compiler doesn't allow `shared` in an extension, and it isn't optional.
      guard Thread.isMainThread, Bundle.main.bundleURL.pathExtension != "appex",
        let application = Application.value(forKey: "sharedApplication") as? NSObject
      else { return nil }
      return application.value(forKey: property) as? Int
    }
  #endif

  /// The user's setting *Background App Refresh*, on the platforms whose UIKit reports it.
  enum AppRefresh {
    #if os(iOS) || os(visionOS)
      static var changes: [Notification.Name] { [UIApplication.backgroundRefreshStatusDidChangeNotification] }

      /// Available in an extension, and on a thread other than the main one.
      static var status: BackgroundRefresh {
        applicationNumber("backgroundRefreshStatus").flatMap { .init(rawValue: $0) } ?? .available
      }
    #else
      static var changes: [Notification.Name] { [] }
      static let status = BackgroundRefresh.available
    #endif
  }

  // MARK: - The foreground and the first unlock

  /// The foreground of the app, as each platform reports it.
  enum AppForeground {
    #if os(iOS) || os(tvOS) || os(visionOS)
      // The system ignores prompts and sessions of an app that is about to enter the foreground.
      static var begins: [Notification.Name] { [UIApplication.didBecomeActiveNotification] }
      static var ends: [Notification.Name] { [UIApplication.didEnterBackgroundNotification] }
    #elseif os(watchOS)
      static var begins: [Notification.Name] { onMainThread { [WKApplication.didBecomeActiveNotification] } }
      static var ends: [Notification.Name] { onMainThread { [WKApplication.didEnterBackgroundNotification] } }

      /// The names of the notifications are isolated to the main actor. For a provider on another thread, the app counts as in the
      /// background.
      private static func onMainThread(_ names: @MainActor () -> [Notification.Name]) -> [Notification.Name] {
        Thread.isMainThread ? MainActor.assumeIsolated(names) : []
      }
    #else
      static let begins: [Notification.Name] = []
      static let ends: [Notification.Name] = []
    #endif

    #if !os(macOS)
      /// Whether the app is in the foreground. `false` in an extension, on a thread other than the main one, and while a scene-based app
      /// launches. In an app, the system's notifications later report the foreground.
      static var isNow: Bool { applicationNumber("applicationState").map { $0 != background } ?? false }

      /// `UIApplication.State.background` and `WKApplicationState.background`.
      private static let background = 2
    #else
      /// A Mac doesn't suspend apps.
      static let isNow = true
    #endif
  }

  /// Whether the device has been unlocked since it started. UIKit's `isProtectedDataAvailable` isn't enough: it's also `false` when the
  /// device is locked again later.
  enum FirstUnlock {
    #if os(iOS)
      /// The notification of each unlock. The provider then opens its monitor, which can't be read before the first one.
      static var ends: [Notification.Name] { [UIApplication.protectedDataDidBecomeAvailableNotification] }

      /// Whether a file that is protected until the first unlock can be read or created. Before the first unlock, both fail.
      static var isOver: Bool {
        let files = FileManager.default
        let folders = files.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        guard let support = folders.first else { return false }
        let folder = support.appending(path: "LocoKit", directoryHint: .isDirectory)
        let file = folder.appending(path: "FirstUnlock", directoryHint: .notDirectory)
        if (try? Data(contentsOf: file)) != nil { return true }
        guard !files.fileExists(atPath: file.path) else { return false }
        do {
          try files.createDirectory(at: folder, withIntermediateDirectories: true)
          try Data([1]).write(to: file, options: .completeFileProtectionUntilFirstUserAuthentication)
          return true
        } catch {
          return false
        }
      }
    #else
      static let ends: [Notification.Name] = []
      static let isOver = true
    #endif
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
