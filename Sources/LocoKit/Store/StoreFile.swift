#if !os(Windows) && !os(WASI)
  import Foundation

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif

  /// A store's contents in a file.
  struct StoreFile: StoreBacking {
    private let file: PrivateFile
    /// Returns the location that an earlier library stored elsewhere. It counts until the file exists.
    private let carriedOver: @Sendable () -> Location?
    private let lockTimeout: Duration
    private static let readerTimeout = Duration.milliseconds(100)

    init(
      path: String, carriedOver: @escaping @Sendable () -> Location? = { nil }, lockTimeout: Duration = .seconds(2)
    ) {
      (file, self.carriedOver, self.lockTimeout) = (PrivateFile(path: path), carriedOver, lockTimeout)
    }

    func read() throws -> (StoreContents, problem: String?) {
      do {
        return (try stored(), nil)
      } catch is StoreContents.Unreadable {
        var contents = StoreContents.unreadable
        let problem = try change(within: Self.readerTimeout) { contents = $0 }
        return (contents, problem)
      }
    }

    func change(_ change: (inout StoreContents) -> Void) throws -> String? {
      try self.change(within: lockTimeout, change)
    }

    private func change(within limit: Duration, _ change: (inout StoreContents) -> Void) throws -> String? {
      try file.makeFolder()
      return try file.locked(within: limit) { new in
        var contents = StoreContents.unreadable
        var problem: String?
        do {
          contents = try stored()
          let before = contents
          change(&contents)
          if contents == before { return nil }
        } catch let error as StoreContents.Unreadable {
          problem = "\(file.path) was renamed to \(try file.setAside()) and counts as a pause: \(error)."
          change(&contents)
        }
        try file.replace(with: contents.data(), in: new)
        return problem
      }
    }

    private func stored() throws -> StoreContents {
      let data = try file.contents(atMost: StoreContents.maximumSize + 1)
      return try data.map { try StoreContents($0) } ?? StoreContents(location: carriedOver())
    }
  }

  /// A file with read permission for its owner only, which is replaced atomically.
  ///
  /// A writer writes a new file next to it and renames that. All writers use the same name for the new file and lock it. So they
  /// wait for each other, up to a timeout, and the next writer reuses the file that a killed one leaves.
  struct PrivateFile {
    let path: String
    private var newPath: String { path + ".new" }

    /// Replaces the contents, using the new file that ``locked(within:_:)`` passes.
    func replace(with data: Data, in new: Int32) throws {
      try write(data, to: new)
      guard rename(newPath, path) == 0 else { throw StoreError.failure("replace \(path)") }
      // The rename survives a power loss once the folder is flushed.
      let name = (path as NSString).deletingLastPathComponent
      let folder = open(name.isEmpty ? "." : name, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
      guard folder >= 0 else { throw StoreError.failure("open the folder of \(path)") }
      defer { close(folder) }
      guard fsync(folder) == 0 || errno == EINVAL else { throw StoreError.failure("write the folder of \(path)") }
    }

    /// Renames the file without overwriting an earlier one, and returns its new name.
    func setAside() throws -> String {
      for number in 1...9 {
        let aside = path + ".unreadable-\(number)"
        // Unlike a rename, a link fails if the name is taken.
        if link(path, aside) == 0 {
          guard unlink(path) == 0 else { throw StoreError.failure("rename \(path)") }
          return aside
        }
        guard errno == EEXIST else { throw StoreError.failure("rename \(path)") }
      }
      throw StoreError("\(path) is unreadable, and nine earlier unreadable files exist; remove those you don't need")
    }

    /// Returns the first bytes of the file, or `nil` if there is no file.
    ///
    /// - Parameter mustBeOwn: Whether to reject a symbolic link and a file of another user.
    func contents(atMost limit: Int, mustBeOwn: Bool = false) throws -> Data? {
      guard let file = try opened(O_RDONLY, mustBeOwn: mustBeOwn) else { return nil }
      return try file.bytes(from: 0, to: min(limit, Int(file.status().st_size)))
    }

    /// Opens the file, or returns `nil` if there is no file.
    func opened(_ flags: Int32, mustBeOwn: Bool) throws -> Descriptor? {
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
    func remove() throws {
      guard unlink(path) == 0 || errno == ENOENT else { throw StoreError.failure("remove \(path)") }
    }

    /// Runs `body` with the new file, which is locked meanwhile.
    func locked<Result>(within limit: Duration, _ body: (_ new: Int32) throws -> Result) throws -> Result {
      let end = ContinuousClock.now + limit
      // If another writer renamed the file before this one got the lock, the next pass opens the new one.
      repeat {
        let new = open(newPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard new >= 0 else { throw StoreError.failure("create \(newPath)") }
        defer { close(new) }
        var ours = stat()
        guard fstat(new, &ours) == 0 else { throw StoreError.failure("examine \(newPath)") }
        guard ours.st_mode & S_IFMT == S_IFREG, ours.st_uid == geteuid(), ours.st_nlink <= 1 else {
          throw StoreError("\(newPath) belongs to another user or is a hard link; remove it")
        }
        guard try lock(new, until: end), ours.isFile(at: newPath) else { continue }
        // Without a change, or after an error, the new file was not renamed.
        defer { if ours.isFile(at: newPath) { unlink(newPath) } }
        return try body(new)
      } while ContinuousClock.now < end
      throw StoreError("another program has locked \(newPath); end it if it hangs")
    }

    /// Locks a file, and returns whether it got the lock in time.
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
      #if os(iOS) || os(watchOS) || os(visionOS)
        // The system may launch an app before the first unlock, and the app must then read the file.
        try? FileManager.default.setAttributes([.protectionKey: FileProtectionType.none], ofItemAtPath: newPath)
      #endif
      do {
        try FileHandle(fileDescriptor: new, closeOnDealloc: false).write(contentsOf: data)
      } catch {
        throw StoreError("\(newPath) cannot be written; the disk may be full")
      }
      guard fsync(new) == 0 else { throw StoreError.failure("write \(newPath)") }
    }

    func makeFolder() throws {
      let folder = (path as NSString).deletingLastPathComponent
      guard !folder.isEmpty, access(folder, F_OK) != 0 else { return }
      do {
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        #if os(iOS) || os(watchOS) || os(visionOS)
          attributes[.protectionKey] = FileProtectionType.none
        #endif
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true, attributes: attributes)
      } catch {
        throw StoreError("the folder \(folder) cannot be created")
      }
    }
  }

  /// An open file. It's closed with its last reference.
  final class Descriptor: Sendable {
    let number: Int32
    private let path: String

    init(_ number: Int32, _ path: String) { (self.number, self.path) = (number, path) }
    deinit { close(number) }

    func status() throws -> stat {
      var status = stat()
      guard fstat(number, &status) == 0 else { throw StoreError.failure("examine \(path)") }
      return status
    }

    func bytes(from start: Int, to end: Int) throws -> Data {
      var bytes = Data(count: max(0, end - start))
      var length = 0
      while length < bytes.count {
        let count = bytes.withUnsafeMutableBytes {
          pread(number, $0.baseAddress?.advanced(by: length), $0.count - length, off_t(start + length))
        }
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw StoreError.failure("read \(path)") }
        if count == 0 { break }
        length += count
      }
      return bytes.prefix(length)
    }

    /// Writes bytes in a single call, and returns how many were written, or -1.
    func append(_ bytes: Data) -> Int {
      bytes.withUnsafeBytes { bytes in
        while true {
          let count = write(number, bytes.baseAddress, bytes.count)
          if count >= 0 || errno != EINTR { return count }
        }
      }
    }
  }

  extension stat {
    /// Whether the file with this status is at a path.
    func isFile(at path: String) -> Bool {
      var current = stat()
      return lstat(path, &current) == 0 && current.st_ino == st_ino && current.st_dev == st_dev
    }
  }

  extension StoreError: LocalizedError {
    var errorDescription: String? { description }

    /// An error with the reason of the last failed system call.
    static func failure(_ action: String) -> StoreError {
      StoreError("cannot \(action): \(String(cString: strerror(errno)))")
    }
  }
#endif
