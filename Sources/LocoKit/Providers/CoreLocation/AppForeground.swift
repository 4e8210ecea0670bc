#if canImport(CoreLocation) && canImport(ObjectiveC)
  import LocoFoundation
  #if os(iOS) || os(tvOS) || os(visionOS)
    import UIKit
  #elseif os(watchOS)
    import WatchKit
  #endif

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
#endif
