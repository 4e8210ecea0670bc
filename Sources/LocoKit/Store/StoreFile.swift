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
    let path: String
    /// Returns the location that an earlier library stored elsewhere. It counts until the file exists.
    var carriedOver: @Sendable () -> Location? = { nil }
    var lockTimeout = Duration.seconds(2)
    private static let readerTimeout = Duration.milliseconds(100)
    // A restored app remains paused.
    private var file: PrivateFile { PrivateFile(path: path, isBackedUp: true) }

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
      try file.locked(within: limit) { new in
        var contents = StoreContents.unreadable
        do {
          contents = try stored()
        } catch let error as StoreContents.Unreadable {
          change(&contents)
          let aside = try file.setAside { try file.replace(with: contents.data(), in: new) }
          return "\(file.path) was renamed to \(aside) and counts as a pause: \(error)."
        }
        let before = contents
        change(&contents)
        if contents == before { return nil }
        do { try file.replace(with: contents.data(), in: new) } catch {
          // An empty file counts as a pause, and needs no space.
          guard contents.isPaused, !before.isPaused, (try? file.replace(with: Data(), in: new)) != nil else {
            throw error
          }
          throw StoreError("\(error); until then the file is empty, which counts as a pause")
        }
        return nil
      }
    }

    private func stored() throws -> StoreContents {
      guard let data = try file.contents(atMost: StoreContents.maximumSize + 1) else {
        return StoreContents(location: carriedOver())
      }
      return data.isEmpty ? .unreadable : try StoreContents(data)
    }
  }

  /// A file with read permission for its owner only, which is replaced atomically.
  ///
  /// A writer writes a new file next to it and renames that. All writers use the same name for the new file and lock it. So they
  /// wait for each other, up to a timeout, and the next writer reuses the file that a killed one leaves.
  struct PrivateFile {
    let path: String
    /// Whether backups on Apple's platforms contain the file.
    var isBackedUp = false
    /// Writes the contents of a file or folder to the device.
    var flush = RecordFile.flushToDevice
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
      guard flush(folder) == 0 || errno == EINVAL else { throw StoreError.failure("write the folder of \(path)") }
    }

    /// Renames the file without overwriting an earlier one, and returns its new name.
    ///
    /// - Parameter replace: Replaces or removes the file. After an error, the file keeps its name.
    func setAside(_ replace: () throws -> Void) throws -> String {
      for number in 1...9 {
        let aside = path + ".unreadable-\(number)"
        // Unlike a rename, a link fails if the name is taken.
        if link(path, aside) == 0 {
          do { try replace() } catch {
            var status = stat()
            if lstat(path, &status) == 0, status.isFile(at: aside) { unlink(aside) }
            throw error
          }
          return aside
        }
        guard errno == EEXIST else { throw StoreError.failure("rename \(path)") }
      }
      throw StoreError("\(path) is unreadable, and nine earlier unreadable files exist; remove those you don't need")
    }

    /// Renames the file, and replaces an earlier file of that name. A full disk permits it.
    func move(to other: String) throws {
      guard rename(path, other) == 0 else { throw StoreError.failure("rename \(path)") }
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

    /// Runs `body` with the new file, which is locked meanwhile. Creates the folder if there is none.
    func locked<Result>(within limit: Duration, _ body: (_ new: Int32) throws -> Result) throws -> Result {
      try makeFolder()
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
      #if canImport(Darwin)
        var values = URLResourceValues()
        values.isExcludedFromBackup = !isBackedUp
        var url = URL(filePath: newPath)
        try? url.setResourceValues(values)
      #endif
      do {
        try FileHandle(fileDescriptor: new, closeOnDealloc: false).write(contentsOf: data)
      } catch {
        throw StoreError("\(newPath) cannot be written; the disk may be full")
      }
      guard flush(new) == 0 else { throw StoreError.failure("write \(newPath)") }
    }

    private func makeFolder() throws {
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

  /// An append-only file of lines, private to its owner, that several processes read and append to.
  ///
  /// A process that is killed during a write, or runs out of disk space, leaves a torn last line. Reading ignores it, and the next
  /// append truncates it. A damaged line in the middle doesn't affect the others. Compaction replaces the whole file atomically.
  ///
  /// The last file read stays open, so its inode can't be reused for another file. If the inode is the same and the size isn't
  /// smaller, lines were only appended, and reading continues after the last known line.
  struct RecordFile: Sendable {
    typealias Unreadable = StoreContents.Unreadable

    private let file: PrivateFile
    private let maximumSize: Int
    private let maximumLine: Int
    private var opened: Descriptor?
    /// The end of the last whole line read.
    private var end = 0
    /// The end of the lines that are known to be on the device.
    private var durableEnd = 0
    /// The descriptor that ``PrivateFile/locked(within:_:)`` passes. Replacing the file ends the lock.
    private var new: Int32?

    var path: String { file.path }

    struct Lines {
      /// Whether this is the whole file, because it's read for the first time or was replaced.
      let isWholeFile: Bool
      /// The lines in order, without newlines. An overlong line is empty.
      let lines: [Data]
    }

    /// - Parameters:
    ///   - maximumSize: A larger file is unreadable, and an append beyond it fails; in bytes.
    ///   - maximumLine: The maximum length of a line, in bytes.
    ///   - flush: Writes a file's contents to the device.
    init(
      path: String, maximumSize: Int, maximumLine: Int,
      flush: @escaping @Sendable (Int32) -> Int32 = Self.flushToDevice
    ) {
      file = PrivateFile(path: path, flush: flush)
      (self.maximumSize, self.maximumLine) = (maximumSize, maximumLine)
    }

    /// Runs `body` while no other process writes the file. `body` calls ``read()`` first. It can't write after ``replace(with:)``; after
    /// ``setAside()`` it writes a new file.
    mutating func locked<Result>(
      within limit: Duration, _ body: (inout RecordFile) throws -> Result
    ) throws -> Result {
      try file.locked(within: limit) { new in
        self.new = new
        defer { self.new = nil }
        return try body(&self)
      }
    }

    /// Returns the lines appended since the last read, or all lines if the file was replaced. No lines if there is no file.
    mutating func read() throws -> Lines {
      let isWholeFile = !isUnchanged
      if isWholeFile { (opened, end, durableEnd) = (nil, 0, 0) }
      guard let descriptor = try opened ?? file.opened(O_RDWR | O_APPEND, mustBeOwn: true) else {
        return Lines(isWholeFile: true, lines: [])
      }
      // After an error, the next read returns the whole file.
      opened = nil
      let size = Int(try descriptor.status().st_size)
      guard size <= maximumSize else { throw Unreadable(description: "it is larger than \(maximumSize) bytes") }
      let bytes = try descriptor.bytes(from: end, to: size)
      let last = bytes.lastIndex(of: Self.newline)
      if last == nil, isWholeFile, !bytes.isEmpty { throw Unreadable(description: "it contains no complete line") }
      opened = descriptor
      guard let last else { return Lines(isWholeFile: isWholeFile, lines: []) }
      end += last + 1
      let lines = bytes[..<last].split(separator: Self.newline, omittingEmptySubsequences: false)
      return Lines(isWholeFile: isWholeFile, lines: lines.map { $0.count <= maximumLine ? $0 : Data() })
    }

    /// Appends lines after the last whole line, in a single write.
    mutating func append(_ lines: [Data]) throws {
      precondition(new != nil, "Lock a record file before appending to it.")
      guard let opened else { return try replace(with: lines) }
      let bytes = joined(lines)
      let status = try opened.status()
      guard status.st_nlink <= 1 else { throw StoreError("\(path) is a hard link; remove it") }
      guard end + bytes.count <= maximumSize else { throw StoreError("\(path) would exceed \(maximumSize) bytes") }
      guard status.st_mode & 0o077 == 0 || fchmod(opened.number, 0o600) == 0 else {
        throw StoreError.failure("protect \(path)")
      }
      guard status.st_size >= end else { throw StoreError("another program is changing \(path)") }
      guard status.st_size == end || ftruncate(opened.number, off_t(end)) == 0 else {
        throw StoreError.failure("truncate \(path)")
      }
      let written = opened.append(bytes)
      guard written == bytes.count else {
        let error =
          written < 0
          ? StoreError.failure("write \(path)") : StoreError("\(path) cannot be written; the disk may be full")
        // If this fails too, the next append truncates the file.
        _ = ftruncate(opened.number, off_t(end))
        throw error
      }
      end += bytes.count
    }

    /// Replaces the file atomically and durably. The next read returns the whole file.
    mutating func replace(with lines: [Data]) throws {
      guard let new else { preconditionFailure("Lock a record file before replacing it.") }
      (self.new, opened) = (nil, nil)
      try file.replace(with: joined(lines), in: new)
    }

    /// Renames an unreadable file, and returns its new name.
    mutating func setAside() throws -> String {
      opened = nil
      return try file.setAside(file.remove)
    }

    /// Flushes the lines read and appended to the device.
    mutating func synchronize() throws {
      guard let opened, durableEnd != end else { return }
      guard file.flush(opened.number) == 0 else { throw StoreError.failure("write \(path)") }
      durableEnd = end
    }

    static let flushToDevice: @Sendable (Int32) -> Int32 = { file in
      #if canImport(Darwin)
        // fsync leaves the contents in the device's cache. Some file systems lack F_FULLFSYNC.
        if fcntl(file, F_FULLFSYNC) == 0 { return 0 }
      #endif
      return fsync(file)
    }

    private static let newline = UInt8(ascii: "\n")

    private var isUnchanged: Bool {
      guard let status = try? opened?.status() else { return false }
      return status.isFile(at: path) && status.st_size >= end
    }

    private func joined(_ lines: [Data]) -> Data {
      var bytes = Data()
      for line in lines {
        precondition(
          line.count <= maximumLine && !line.contains(Self.newline),
          "A record is a single line of at most \(maximumLine) bytes.")
        bytes += line
        bytes.append(Self.newline)
      }
      return bytes
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
