package import LocoFoundation

/// An append-only file of lines, private to its owner, that several processes read and append to.
///
/// A process that is killed during a write, or runs out of disk space, may leave a torn last line. Reading ignores it, and the next
/// append truncates it. A damaged line in the middle doesn't affect the others. Compaction replaces the whole file atomically.
///
/// The last file read stays open, so its inode can't be reused for another file. If the inode is the same and the size isn't
/// smaller, lines were only appended, and reading continues after the last known line.
package struct RecordFile: Sendable {
  private let file: PrivateFile
  private let maximumSize: Int
  private let maximumLine: Int
  private var opened: Descriptor?
  /// The end of the last whole line read or appended.
  private var end = 0
  /// The end of the lines that are known to be on the storage device.
  private var durableEnd = 0
  /// The descriptor that ``PrivateFile/locked(within:_:)`` passes. Replacing the file ends the lock and sets this to `nil`.
  private var new: Int32?

  package var path: String { file.path }

  package struct Lines {
    /// Whether these are all lines of the file, because it's read for the first time or was replaced.
    package let isWholeFile: Bool
    /// The lines in order, without newlines. An empty line replaces an overlong line.
    package let lines: [Data]
  }

  /// - Parameters:
  ///   - maximumSize: The maximum size in bytes. A larger file is unreadable, and a write that would exceed the size fails.
  ///   - maximumLine: The maximum length of a line, in bytes.
  ///   - flush: Flushes a file to the storage device. Returns 0, or another number after an error.
  package init(
    path: String, maximumSize: Int, maximumLine: Int,
    flush: @escaping @Sendable (Int32) -> Int32 = Self.flushToDevice
  ) {
    file = PrivateFile(path: path, flush: flush)
    (self.maximumSize, self.maximumLine) = (maximumSize, maximumLine)
  }

  /// Runs `body` while no other process writes the file. `body` must call ``read()`` first. After ``replace(with:)``, `body` can't write
  /// again; after ``setAside()``, the next write creates a new file.
  package mutating func locked<Result>(
    within limit: Duration, _ body: (inout RecordFile) throws -> Result
  ) throws -> Result {
    try file.locked(within: limit) { new in
      self.new = new
      defer { self.new = nil }
      return try body(&self)
    }
  }

  /// Returns the lines appended since the last read, or all lines if the file was replaced. No lines if there is no file.
  package mutating func read() throws -> Lines {
    let isWholeFile = !isUnchanged
    if isWholeFile { (opened, end, durableEnd) = (nil, 0, 0) }
    guard let descriptor = try opened ?? file.opened(O_RDWR | O_APPEND, mustBeOwn: true) else {
      return Lines(isWholeFile: true, lines: [])
    }
    // After an error, the next read returns the whole file.
    opened = nil
    let size = Int(try descriptor.status().st_size)
    guard size <= maximumSize else { throw Unreadable("it is larger than \(maximumSize) bytes") }
    let bytes = try descriptor.bytes(from: end, to: size)
    let last = bytes.lastIndex(of: Self.newline)
    if last == nil, isWholeFile, !bytes.isEmpty { throw Unreadable("it contains no complete line") }
    opened = descriptor
    guard let last else { return Lines(isWholeFile: isWholeFile, lines: []) }
    end += last + 1
    let lines = bytes[..<last].split(separator: Self.newline, omittingEmptySubsequences: false)
    return Lines(isWholeFile: isWholeFile, lines: lines.map { $0.count <= maximumLine ? $0 : Data() })
  }

  /// Appends lines after the last whole line, in a single write.
  package mutating func append(_ lines: [Data]) throws {
    precondition(new != nil, "Lock a record file before appending to it.")
    guard let opened else { return try replace(with: lines) }
    let bytes = joined(lines)
    let status = try opened.status()
    guard status.st_nlink <= 1 else { throw StoreError("\(path) is a hard link; remove it") }
    try checkSize(end + bytes.count)
    guard status.st_mode & 0o077 == 0 || fchmod(opened.number, 0o600) == 0 else {
      throw StoreError.failure("protect \(path)")
    }
    guard status.st_size >= end else {
      throw StoreError("another program has shortened \(path) without its lock; end that program")
    }
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

  /// Returns whether the file has room for lines. Otherwise ``append(_:)`` throws an error.
  package func hasRoom(for lines: [Data]) -> Bool { end + lines.reduce(0) { $0 + $1.count + 1 } <= maximumSize }

  /// Replaces the file atomically and durably. The next read returns the whole file.
  package mutating func replace(with lines: [Data]) throws {
    guard let new else { preconditionFailure("Lock a record file before replacing it.") }
    let bytes = joined(lines)
    try checkSize(bytes.count)
    (self.new, opened) = (nil, nil)
    try file.replace(with: bytes, in: new)
  }

  private func checkSize(_ size: Int) throws {
    guard size <= maximumSize else { throw StoreError("\(path) would exceed \(maximumSize) bytes") }
  }

  /// Renames an unreadable file, and returns its new name.
  package mutating func setAside() throws -> String {
    opened = nil
    return try file.setAside(file.remove)
  }

  /// Removes the files that ``setAside()`` has renamed.
  package func removeSetAside() throws { try file.removeSetAside() }

  /// Flushes to the storage device the lines that were read or appended.
  package mutating func synchronize() throws {
    guard let opened, durableEnd != end else { return }
    // A writer may have replaced the file and failed, or been killed, before it flushed the folder.
    if durableEnd == 0 { try file.flushFolder() }
    guard file.flush(opened.number) == 0 else { throw StoreError.failure("write \(path)") }
    durableEnd = end
  }

  #if canImport(Darwin)
    // fsync leaves the contents in the cache of the storage device. Some file systems lack the other commands.
    package static let flushToDevice: @Sendable (Int32) -> Int32 = { fcntl($0, F_FULLFSYNC) == 0 ? 0 : fsync($0) }
    /// Orders the contents before later writes, such as a rename. After a power loss, a file has its old or its new contents. The device
    /// doesn't have to write its cache, which costs energy.
    package static let orderOnDevice: @Sendable (Int32) -> Int32 = { fcntl($0, F_BARRIERFSYNC) == 0 ? 0 : fsync($0) }
  #else
    package static let flushToDevice: @Sendable (Int32) -> Int32 = { fsync($0) }
    package static let orderOnDevice = flushToDevice
  #endif

  /// The byte that ends a record.
  package static let newline = UInt8(ascii: "\n")

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
