#if canImport(CoreLocation) && canImport(ObjectiveC)
  import LocoFoundation
  #if os(iOS) || os(visionOS)
    import UIKit
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
#endif
