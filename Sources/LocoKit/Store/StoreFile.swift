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
    private var path: String { file.path }
    /// A location that an older library kept elsewhere, for where there is no file yet.
    private let carriedOver: @Sendable () -> Location?

    /// How long to wait for another writer: on the store's queue, and where somebody reads.
    private let writerWaits: Duration
    private static let readerWaits = Duration.milliseconds(100)

    init(
      path: String, carriedOver: @escaping @Sendable () -> Location? = { nil }, writerWaits: Duration = .seconds(2)
    ) {
      (file, self.carriedOver, self.writerWaits) = (PrivateFile(path: path), carriedOver, writerWaits)
    }

    func read() throws -> (StoreContents, problem: String?) {
      do {
        return (try whole(), nil)
      } catch is StoreContents.Unreadable {
        return try file.locked(within: Self.readerWaits) { try readOrSetAside($0) }
      }
    }

    func change(_ change: (inout StoreContents) -> Void) throws -> String? {
      try file.makeFolder()
      return try file.locked(within: writerWaits) { new in
        var contents: StoreContents
        var problem: String?
        do {
          contents = try whole()
          let before = contents
          change(&contents)
          if contents == before { return nil }
        } catch let error as StoreContents.Unreadable {
          problem = try setAside(for: error)
          contents = .unreadable
          change(&contents)
        }
        try file.replace(with: contents.data(), in: new)
        return problem
      }
    }

    /// What is in the file, or would be if there were one.
    private func whole() throws -> StoreContents {
      if let data = try file.contents(atMost: StoreContents.maximumSize + 1) { return try StoreContents(data) }
      var contents = StoreContents()
      contents.location = carriedOver()
      return contents
    }

    /// What is in the file; one that cannot be read is renamed, and a pause takes its place.
    private func readOrSetAside(_ new: Int32) throws -> (StoreContents, problem: String?) {
      do {
        return (try whole(), nil)
      } catch let error as StoreContents.Unreadable {
        let problem = try setAside(for: error)
        try file.replace(with: StoreContents.unreadable.data(), in: new)
        return (.unreadable, problem)
      }
    }

    /// Renames the file, and says so.
    private func setAside(for error: StoreContents.Unreadable) throws -> String {
      "\(path) is kept aside as \(try file.setAside()), and counts as a pause: \(error)."
    }
  }

  /// A file that only its owner may read, and that is replaced as a whole.
  ///
  /// A new file is written beside it and renamed over it. The new file's name is always the same, and whoever writes it holds a
  /// lock on it: so writers wait for each other, for a bounded time, and one that is killed leaves nothing that the next one
  /// does not reuse.
  struct PrivateFile {
    let path: String
    private var newPath: String { path + ".new" }

    /// Replaces the contents, with the new file that ``locked(within:_:)`` passes to its closure.
    func replace(with data: Data, in new: Int32) throws {
      try write(data, to: new)
      guard rename(newPath, path) == 0 else { throw failure("replace \(path)") }
      // A rename outlives a loss of power when its folder is written.
      let folder = open(
        (path as NSString).deletingLastPathComponent.ifNotEmpty ?? ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY)
      guard folder >= 0 else { throw failure("open the folder of \(path)") }
      defer { close(folder) }
      guard fsync(folder) == 0 || errno == EINVAL else { throw failure("write the folder of \(path)") }
    }

    /// Renames the file, and returns its new name. An earlier file that was set aside is not overwritten.
    func setAside() throws -> String {
      for number in 1...9 {
        let aside = path + ".unreadable-\(number)"
        // A link fails where the name is taken, so nothing is overwritten.
        if link(path, aside) == 0 {
          guard unlink(path) == 0 else { throw failure("rename \(path)") }
          return aside
        }
        guard errno == EEXIST else { throw failure("rename \(path)") }
      }
      throw StoreError("\(path) is unreadable, and so are nine that were kept aside before; remove those not needed")
    }

    /// The first bytes of the file; `nil` where there is no file.
    ///
    /// - Parameter mustBeOwn: Whether to reject a symbolic link and a file of another user.
    func contents(atMost limit: Int, mustBeOwn: Bool = false) throws -> Data? {
      guard let file = try descriptor(O_RDONLY, mustBeOwn: mustBeOwn) else { return nil }
      defer { close(file) }
      var bytes: [UInt8] = []
      var length = 0
      while length < limit {
        // No more memory than the file needs.
        if length == bytes.count { bytes += [UInt8](repeating: 0, count: min(limit - length, max(length, 1 << 16))) }
        let count = bytes.withUnsafeMutableBytes { Self.read(file, $0[length...]) }
        if count < 0 {
          if errno == EINTR { continue }
          throw failure("read \(path)")
        }
        if count == 0 { break }
        length += count
      }
      return Data(bytes[..<length])
    }

    /// The file, opened; `nil` where there is no file. The caller closes it.
    ///
    /// - Parameter mustBeOwn: Whether to reject a symbolic link and a file of another user.
    func descriptor(_ flags: Int32, mustBeOwn: Bool) throws -> Int32? {
      let file = open(path, flags | O_CLOEXEC | O_NONBLOCK | (mustBeOwn ? O_NOFOLLOW : 0))
      guard file >= 0 else {
        if errno == ENOENT { return nil }
        if errno == ELOOP { throw StoreError("\(path) is a link; remove it") }
        if errno == EISDIR { throw StoreError("\(path) is no file") }
        throw failure("open \(path)")
      }
      do {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure("examine \(path)") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw StoreError("\(path) is no file") }
        guard !mustBeOwn || status.st_uid == geteuid() else {
          throw StoreError("\(path) is another user's; remove it")
        }
      } catch {
        close(file)
        throw error
      }
      return file
    }

    /// Removes the file. A folder in its place stays.
    func remove() throws {
      guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove \(path)") }
    }

    private static func read(_ file: Int32, _ buffer: Slice<UnsafeMutableRawBufferPointer>) -> Int {
      let buffer = UnsafeMutableRawBufferPointer(rebasing: buffer)
      #if canImport(Darwin)
        return Darwin.read(file, buffer.baseAddress, buffer.count)
      #elseif canImport(Glibc)
        return Glibc.read(file, buffer.baseAddress, buffer.count)
      #elseif canImport(Musl)
        return Musl.read(file, buffer.baseAddress, buffer.count)
      #elseif canImport(Android)
        return Android.read(file, buffer.baseAddress, buffer.count)
      #endif
    }

    /// Runs `body` with the new file, which nobody else has while it runs.
    func locked<Result>(within limit: Duration, _ body: (_ new: Int32) throws -> Result) throws -> Result {
      let end = ContinuousClock.now + limit
      // A file that was renamed while its lock was awaited is not the new file any more; then once more.
      repeat {
        let new = open(newPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard new >= 0 else { throw failure("create \(newPath)") }
        defer { close(new) }
        var (ours, present) = (stat(), stat())
        guard fstat(new, &ours) == 0 else { throw failure("examine \(newPath)") }
        guard ours.st_mode & S_IFMT == S_IFREG, ours.st_uid == geteuid(), ours.st_nlink <= 1 else {
          throw StoreError("\(newPath) is another user's, or another name of some other file; remove it")
        }
        guard try lock(new, until: end) else { continue }
        guard lstat(newPath, &present) == 0, ours.st_ino == present.st_ino, ours.st_dev == present.st_dev else {
          continue
        }
        defer { removeUnused(ours) }
        return try body(new)
      } while ContinuousClock.now < end
      throw StoreError("another program holds \(newPath); end it if it hangs")
    }

    /// Whether the lock was had in time.
    private func lock(_ file: Int32, until end: ContinuousClock.Instant) throws -> Bool {
      while flock(file, LOCK_EX | LOCK_NB) != 0 {
        guard errno == EWOULDBLOCK || errno == EINTR else { throw failure("lock \(newPath)") }
        guard ContinuousClock.now < end else { return false }
        usleep(5_000)
      }
      return true
    }

    /// A new file that was not renamed: there was nothing to change, or no room.
    private func removeUnused(_ ours: stat) {
      var present = stat()
      if lstat(newPath, &present) == 0, ours.st_ino == present.st_ino, ours.st_dev == present.st_dev { unlink(newPath) }
    }

    private func write(_ data: Data, to new: Int32) throws {
      guard ftruncate(new, 0) == 0, lseek(new, 0, SEEK_SET) == 0 else { throw failure("empty \(newPath)") }
      guard fchmod(new, 0o600) == 0 else { throw failure("protect \(newPath)") }
      #if os(iOS) || os(watchOS) || os(visionOS)
        // Readable before the first unlock, when the system may launch an app already: its pause must be known then.
        try? FileManager.default.setAttributes([.protectionKey: FileProtectionType.none], ofItemAtPath: newPath)
      #endif
      do {
        try FileHandle(fileDescriptor: new, closeOnDealloc: false).write(contentsOf: data)
      } catch {
        throw StoreError("\(newPath) cannot be written, for want of space perhaps")
      }
      guard fsync(new) == 0 else { throw failure("write \(newPath)") }
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
        throw StoreError("the folder \(folder) cannot be made")
      }
    }

    private func failure(_ what: String) -> StoreError { .failure(what) }
  }

  extension StoreError: LocalizedError {
    var errorDescription: String? { description }

    /// What the last call of the system could not do.
    static func failure(_ what: String) -> StoreError {
      StoreError("cannot \(what): \(String(cString: strerror(errno)))")
    }
  }

  extension String {
    fileprivate var ifNotEmpty: String? { isEmpty ? nil : self }
  }
#endif
