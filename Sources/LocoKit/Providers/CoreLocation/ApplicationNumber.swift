#if canImport(CoreLocation) && canImport(ObjectiveC) && !os(macOS)
  import LocoFoundation
  #if os(watchOS)
    import WatchKit
    private typealias Application = WKApplication
  #else
    import UIKit
    private typealias Application = UIApplication
  #endif

  /// Returns a numeric property of the app; `nil` in an extension, on a thread other than the main one, and before the app exists. The
  /// behavior before the app exists is known for `UIApplication` only.
  func applicationNumber(_ property: String) -> Int? {
    // Accesses the app by name: the compiler doesn't allow `shared` in an extension, and it isn't optional.
    guard Thread.isMainThread, Bundle.main.bundleURL.pathExtension != "appex",
      let application = Application.value(forKey: "sharedApplication") as? NSObject
    else { return nil }
    return application.value(forKey: property) as? Int
  }
#endif
