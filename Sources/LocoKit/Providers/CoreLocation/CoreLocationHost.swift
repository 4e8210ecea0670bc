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
    /// Keeps an app in the background from being suspended, for as long as the system allows.
    func beginActivity()
    /// Lets it be suspended again.
    func endActivity()
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

  /// The system, with a timer on the run loop of the thread that sets it: where Core Location calls back.
  final class SystemHost: NSObject, CoreLocationHost {
    private let began = ContinuousClock.now
    private var fire: (() -> Void)?
    private var activity: BackgroundActivity?

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

    func beginActivity() {
      activity?.end()
      activity = BackgroundActivity("Acquiring a location")
    }

    func endActivity() {
      activity?.end()
      activity = nil
    }
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
