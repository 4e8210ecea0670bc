#if canImport(CoreLocation)
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
#endif
