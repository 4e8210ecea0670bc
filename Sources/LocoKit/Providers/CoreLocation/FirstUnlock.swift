#if canImport(CoreLocation) && canImport(ObjectiveC)
  import LocoFoundation
  #if os(iOS)
    import UIKit
  #endif

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
#endif
