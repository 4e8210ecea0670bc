#if canImport(ObjectiveC)
  import Foundation
  #if os(iOS) || os(tvOS) || os(visionOS)
    import UIKit
  #elseif os(watchOS)
    import WatchKit
  #endif

  /// When the app is in the foreground, as its platform says.
  enum AppForeground {
    #if os(iOS) || os(tvOS) || os(visionOS)
      static var begins: [Notification.Name] {
        [UIApplication.willEnterForegroundNotification, UIApplication.didBecomeActiveNotification]
      }
      static var ends: [Notification.Name] { [UIApplication.didEnterBackgroundNotification] }

      /// Whether the app is in the foreground now. An app that is being launched, an extension, and a thread that must not ask count
      /// as in the background until the system posts otherwise.
      static var isNow: Bool {
        // The shared application is not there for an extension, whose compiler refuses its name.
        guard Thread.isMainThread, Bundle.main.bundleURL.pathExtension != "appex",
          let application = UIApplication.value(forKey: "sharedApplication") as? NSObject,
          let state = application.value(forKey: "applicationState") as? Int
        else { return false }
        return state != background
      }

      /// `UIApplication.State.background`, as a number.
      private static let background = 2
    #elseif os(watchOS)
      static var begins: [Notification.Name] { onMainThread { [WKApplication.didBecomeActiveNotification] } }
      static var ends: [Notification.Name] { onMainThread { [WKApplication.didEnterBackgroundNotification] } }
      static var isNow: Bool { false }

      /// The names belong to the main actor. A provider of another thread counts as in the background.
      private static func onMainThread(_ names: @MainActor () -> [Notification.Name]) -> [Notification.Name] {
        Thread.isMainThread ? MainActor.assumeIsolated(names) : []
      }
    #else
      static let begins: [Notification.Name] = []
      static let ends: [Notification.Name] = []
      /// A Mac suspends no app.
      static let isNow = true
    #endif
  }
#endif
