package import LocoFoundation

/// A file with read permission for its owner only, which is replaced atomically.
///
/// A writer writes a new file in the same folder, and renames it. All writers use the same name for the new file and lock it. So writers
/// wait for each other, up to a timeout, and the next writer reuses the file that a killed writer leaves.
package struct PrivateFile {
  package let path: String
  /// Whether backups on Apple's platforms contain the file.
  let isBackedUp: Bool
  /// Flushes a file or folder to the storage device, or orders its contents before later writes. Returns 0, or another number after an
  /// error.
  let flush: @Sendable (Int32) -> Int32
  private var newPath: String { path + ".new" }

  package init(
    path: String, isBackedUp: Bool = false, flush: @escaping @Sendable (Int32) -> Int32 = RecordFile.flushToDevice
  ) {
    (self.path, self.isBackedUp, self.flush) = (path, isBackedUp, flush)
  }

  /// Replaces the contents, using the new file that ``locked(within:_:)`` passes.
  ///
  /// - Throws: An error if the contents aren't replaced, or if the replacement may not survive a power loss. The new file is then used up.
  package func replace(with data: Data, in new: Int32) throws {
    var status = stat()
    guard fstat(new, &status) == 0, status.isFile(at: newPath) else {
      throw StoreError("\(newPath) has been used or removed, so \(path) can't be replaced with it")
    }
    try write(data, to: new)
    guard rename(newPath, path) == 0 else { throw StoreError.failure("replace \(path)") }
    try flushFolder()
  }

  /// Flushes the file's folder, so that the file's name survives a power loss.
  package func flushFolder() throws { try flushFolder(of: path) }

  /// Flushes the folder of a file or folder, whose name then survives a power loss.
  private func flushFolder(of path: String) throws {
    let folder = open(Self.folder(of: path), O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    guard folder >= 0 else { throw StoreError.failure("open the folder of \(path)") }
    defer { close(folder) }
    guard flush(folder) == 0 || errno == EINVAL else { throw StoreError.failure("write the folder of \(path)") }
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private var asideNames: [String] { (1...9).map { path + ".unreadable-\($0)" } }

  /// Removes the files that ``setAside(_:)`` has renamed.
  package func removeSetAside() throws {
    for aside in asideNames { try PrivateFile(path: aside).remove() }
  }

  /// Renames the file without overwriting a file that was renamed earlier, and returns the new name.
  ///
  /// - Parameter replace: Replaces or removes the file. After an error, the file keeps its name.
  package func setAside(_ replace: () throws -> Void) throws -> String {
    for aside in asideNames {
      // Unlike a rename, a link fails if the name is taken. Unlike `link` on Apple's platforms, this call doesn't follow a symbolic link.
      if linkat(AT_FDCWD, path, AT_FDCWD, aside, 0) == 0 {
        let file = try? PrivateFile(path: aside).opened(O_RDONLY, mustBeOwn: true)
        if let file { fchmod(file.number, 0o600) }
        do { try replace() } catch {
          var status = stat()
          if lstat(path, &status) == 0, status.isFile(at: aside) { unlink(aside) }
          throw error
        }
        return aside
      }
      switch errno {
      case EEXIST: continue
      // The file system has no hard links, or the file has too many.
      case EPERM, ENOTSUP, EMLINK: throw StoreError("\(StoreError.failure("rename \(path)")); remove it")
      default: throw StoreError.failure("rename \(path)")
      }
    }
    throw StoreError("\(path) is unreadable, and nine earlier unreadable files exist; remove those you don't need")
  }

  /// Renames the file, and replaces an earlier file of that name. This also works on a full disk.
  package func move(to other: String) throws {
    guard rename(path, other) == 0 else { throw StoreError.failure("rename \(path)") }
  }

  /// Returns the first bytes of the file, or `nil` if there is no file.
  ///
  /// - Parameter mustBeOwn: Whether to reject a symbolic link and a file of another user.
  package func contents(atMost limit: Int, mustBeOwn: Bool = false) throws -> Data? {
    guard let file = try opened(O_RDONLY, mustBeOwn: mustBeOwn) else { return nil }
    return try file.bytes(from: 0, to: min(limit, Int(file.status().st_size)))
  }

  /// Opens the file, or returns `nil` if there is no file.
  package func opened(_ flags: Int32, mustBeOwn: Bool) throws -> Descriptor? {
    let number = open(path, flags | O_CLOEXEC | O_NONBLOCK | (mustBeOwn ? O_NOFOLLOW : 0))
    guard number >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw StoreError("\(path) is a symbolic link; remove it")
      case EISDIR: throw StoreError("\(path) is not a regular file")
      default: throw StoreError.failure("open \(path)")
      }
    }
    let file = Descriptor(number, path)
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG else { throw StoreError("\(path) is not a regular file") }
    guard !mustBeOwn || status.st_uid == geteuid() else {
      throw StoreError("\(path) belongs to another user; remove it")
    }
    return file
  }

  /// Removes the file, but not a folder in its place.
  package func remove() throws {
    guard unlink(path) == 0 || errno == ENOENT else { throw StoreError.failure("remove \(path)") }
  }

  /// Runs `body` with the new file, which is locked until `body` ends. Creates the folder if it doesn't exist.
  package func locked<Result>(within limit: Duration, _ body: (_ new: Int32) throws -> Result) throws -> Result {
    try makeFolder()
    let end = ContinuousClock.now + limit
    // If another writer renamed or removed the new file before this writer got the lock, the next pass creates another new file.
    repeat {
      #if os(iOS) || os(watchOS) || os(visionOS)
        // The system may launch an app before the first unlock. The app can then read, or create, only files without data protection. The
        // folder keeps its class, because the app may have other files in it.
        try? Data().write(to: URL(filePath: newPath), options: [.noFileProtection, .withoutOverwriting])
      #endif
      let new = open(newPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
      guard new >= 0 else { throw StoreError.failure("create \(newPath)") }
      defer { close(new) }
      var ours = stat()
      guard fstat(new, &ours) == 0 else { throw StoreError.failure("examine \(newPath)") }
      guard ours.st_mode & S_IFMT == S_IFREG, ours.st_uid == geteuid(), ours.st_nlink <= 1 else {
        throw StoreError("\(newPath) is not a regular file, belongs to another user, or is a hard link; remove it")
      }
      guard try lock(new, until: end), ours.isFile(at: newPath) else { continue }
      // If `body` hasn't renamed the new file, because nothing changed or after an error, it's removed.
      defer { if ours.isFile(at: newPath) { unlink(newPath) } }
      return try body(new)
    } while ContinuousClock.now < end
    throw StoreError("another program has locked \(newPath); end it if it hangs")
  }

  /// Locks a file, and returns whether the lock was acquired in time.
  private func lock(_ file: Int32, until end: ContinuousClock.Instant) throws -> Bool {
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw StoreError.failure("lock \(newPath)") }
      guard ContinuousClock.now < end else { return false }
      usleep(5_000)
    }
    return true
  }

  private func write(_ data: Data, to new: Int32) throws {
    guard ftruncate(new, 0) == 0, lseek(new, 0, SEEK_SET) == 0 else { throw StoreError.failure("empty \(newPath)") }
    guard fchmod(new, 0o600) == 0 else { throw StoreError.failure("protect \(newPath)") }
    #if canImport(Darwin)
      URL(filePath: newPath).setBackup(isBackedUp)
    #endif
    guard Descriptor.put(data, in: new) == data.count, flush(new) == 0 else {
      throw StoreError.failure("write \(newPath)")
    }
  }

  /// Creates a folder and its parents with access for their owner only. Returns the new ones, the innermost first.
  @discardableResult
  package static func makeFolders(_ folder: String) throws(StoreError) -> [String] {
    let new = Array(sequence(first: folder, next: Self.folder).prefix { $0 != "." && access($0, F_OK) != 0 })
    for folder in new.reversed() {
      // Another program may have created it since.
      guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
        throw StoreError.failure("create the folder \(folder)")
      }
    }
    return new
  }

  private func makeFolder() throws {
    let new = try Self.makeFolders(Self.folder(of: path))
    do { try new.forEach(flushFolder) } catch {
      // The next write creates and flushes them again.
      for folder in new { rmdir(folder) }
      throw error
    }
  }
}

#if canImport(Darwin)
  extension URL {
    /// Sets whether backups contain the file or folder.
    package func setBackup(_ isBackedUp: Bool) {
      var (url, values) = (self, URLResourceValues())
      values.isExcludedFromBackup = !isBackedUp
      try? url.setResourceValues(values)
    }
  }
#endif
