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

  /// An append-only file of lines, private to its owner, that several processes read and append to.
  ///
  /// A process that is killed in a write, or runs out of disk space, leaves a torn last line. Reading ignores it, and the next
  /// append truncates it. A damaged line in the middle doesn't affect the others. Compaction replaces the whole file atomically.
  ///
  /// The file that was read last stays open, so that its inode isn't reused for another file. Then an inode that is the same and
  /// a size that is not smaller mean that lines were appended, and reading continues behind the last known line.
  struct RecordFile: Sendable {
    private let file: PrivateFile
    private let maximumSize: Int
    private let maximumLine: Int
    private let flush: @Sendable (Int32) -> Int32
    /// The file that was read last.
    private var opened: Descriptor?
    /// Where the last whole line that was read ends.
    private var end = 0
    /// The descriptor that ``PrivateFile/locked(within:_:)`` passes, until the file is replaced: then another process has the lock.
    private var new: Int32?

    var path: String { file.path }

    /// Why a file can't be read, although the system permits it.
    struct Unreadable: Error, CustomStringConvertible {
      let description: String
    }

    /// The lines that a read returns.
    struct Lines {
      /// Whether this is the whole file, because it is read for the first time or was replaced.
      let isWholeFile: Bool
      /// The lines in order, without newlines. An overlong line is empty.
      let lines: [Data]
    }

    /// - Parameters:
    ///   - maximumSize: A larger file is unreadable, and appending fails beyond it; bytes.
    ///   - maximumLine: The maximum length of a line, bytes.
    ///   - flush: Writes a file's contents to the device.
    init(
      path: String, maximumSize: Int, maximumLine: Int,
      flush: @escaping @Sendable (Int32) -> Int32 = Self.flushToDevice
    ) {
      (file, self.maximumSize, self.maximumLine) = (PrivateFile(path: path), maximumSize, maximumLine)
      self.flush = flush
    }

    /// Runs `body` while no other process writes the file. `body` calls ``read()`` first; ``replace(with:)`` and ``setAside()`` end its
    /// right to write.
    mutating func locked<Result>(
      within limit: Duration, _ body: (inout RecordFile) throws -> Result
    ) throws -> Result {
      try file.makeFolder()
      return try file.locked(within: limit) { new in
        self.new = new
        defer { self.new = nil }
        return try body(&self)
      }
    }

    /// The lines that were appended since the last read, or all lines if the file was replaced. No lines if there is no file.
    mutating func read() throws -> Lines {
      do {
        return try readOpened()
      } catch {
        opened = nil
        throw error
      }
    }

    private mutating func readOpened() throws -> Lines {
      let isWholeFile = !isUnchanged
      if isWholeFile {
        (opened, end) = (nil, 0)
        opened = try file.descriptor(O_RDWR | O_APPEND, mustBeOwn: true).map(Descriptor.init)
      }
      guard let opened else { return Lines(isWholeFile: true, lines: []) }
      let size = Int(try opened.status(path).st_size)
      guard size <= maximumSize else { throw Unreadable(description: "it is larger than \(maximumSize) bytes") }
      let bytes = try opened.bytes(from: end, to: size, path)
      guard let last = bytes.lastIndex(of: Self.newline) else {
        if isWholeFile, !bytes.isEmpty { throw Unreadable(description: "it has no whole line") }
        return Lines(isWholeFile: isWholeFile, lines: [])
      }
      end += last + 1
      let lines = bytes[..<last].split(separator: Self.newline, omittingEmptySubsequences: false)
      return Lines(isWholeFile: isWholeFile, lines: lines.map { $0.count <= maximumLine ? $0 : Data() })
    }

    /// Appends lines in a single write, behind the last whole line.
    mutating func append(_ lines: [Data]) throws {
      precondition(new != nil, "A record file is appended to under its lock.")
      guard let opened else { return try replace(with: lines) }
      let bytes = joined(lines)
      let status = try opened.status(path)
      guard status.st_nlink <= 1 else { throw StoreError("\(path) is another name of some other file; remove it") }
      guard end + bytes.count <= maximumSize else { throw StoreError("\(path) would exceed \(maximumSize) bytes") }
      guard status.st_mode & 0o077 == 0 || fchmod(opened.number, 0o600) == 0 else {
        throw StoreError.failure("protect \(path)")
      }
      guard status.st_size >= end else { throw StoreError("\(path) is being changed by another program") }
      guard status.st_size == end || ftruncate(opened.number, off_t(end)) == 0 else {
        throw StoreError.failure("truncate \(path)")
      }
      let written = opened.write(bytes)
      guard written == bytes.count else {
        let error =
          written < 0 ? StoreError.failure("write \(path)") : StoreError("\(path) cannot be written, for want of space")
        // If this fails too, the next append truncates the file.
        _ = ftruncate(opened.number, off_t(end))
        throw error
      }
      end += bytes.count
    }

    /// Replaces the file atomically and durably. The next read returns the whole file.
    mutating func replace(with lines: [Data]) throws {
      guard let new else { preconditionFailure("A record file is replaced under its lock.") }
      (self.new, opened) = (nil, nil)
      try file.replace(with: joined(lines), in: new)
    }

    /// Renames an unreadable file, and returns its new name.
    mutating func setAside() throws -> String {
      opened = nil
      return try file.setAside()
    }

    /// Makes what was read and appended durable.
    func synchronize() throws {
      guard let opened else { return }
      guard flush(opened.number) == 0 else { throw StoreError.failure("write \(path)") }
    }

    static let flushToDevice: @Sendable (Int32) -> Int32 = { file in
      #if canImport(Darwin)
        // fsync leaves the contents in the device's own cache. Not every file system has this command.
        if fcntl(file, F_FULLFSYNC) == 0 { return 0 }
      #endif
      return fsync(file)
    }

    private static let newline = UInt8(ascii: "\n")

    private var isUnchanged: Bool {
      guard let opened, let known = try? opened.status(path) else { return false }
      var present = stat()
      return lstat(path, &present) == 0 && present.st_ino == known.st_ino && present.st_dev == known.st_dev
        && present.st_size >= end
    }

    private func joined(_ lines: [Data]) -> Data {
      var bytes = Data()
      for line in lines {
        precondition(
          line.count <= maximumLine && !line.contains(Self.newline), "A record is one line of bounded length.")
        bytes += line
        bytes.append(Self.newline)
      }
      return bytes
    }
  }

  /// An open file, which is closed with its last reference.
  private final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }
    deinit { close(number) }

    func status(_ path: String) throws -> stat {
      var status = stat()
      guard fstat(number, &status) == 0 else { throw StoreError.failure("examine \(path)") }
      return status
    }

    func bytes(from start: Int, to end: Int, _ path: String) throws -> Data {
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

    /// How many bytes were written in a single call, or -1.
    func write(_ bytes: Data) -> Int {
      bytes.withUnsafeBytes { bytes in
        while true {
          let count = systemWrite(number, bytes)
          if count >= 0 || errno != EINTR { return count }
        }
      }
    }
  }

  private func systemWrite(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
  }
#endif
