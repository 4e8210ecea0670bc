#if canImport(ObjectiveC)
  import Foundation

  /// Whether the device was unlocked since it started.
  ///
  /// The system's own `isProtectedDataAvailable` is false while the device is locked later, too.
  enum FirstUnlock {
    #if os(iOS)
      /// Reads a file that is protected until the first unlock, or creates it: before the first unlock both fail.
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
      static let isOver = true
    #endif
  }
#endif
