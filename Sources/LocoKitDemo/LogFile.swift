#if os(Linux) || os(macOS)
  import Foundation
  import LocoDurable
  import LocoKitJournal

  /// A text file that only its owner can read, or a pipe or a device. Lines are buffered, unless `isLive` is true. The file keeps its
  /// earlier contents until the first lines are written, or until ``replace(with:)`` has written all of the text.
  final class LogFile {
    private let handle: FileHandle
    private let name: String
    private let isLive: Bool
    private var buffer: [UInt8] = []
    /// The error number of the first failed write, or 0. Nothing is written after a failure.
    private var error: Int32 = 0
    /// The path without links, if another file can replace this one: it is neither a pipe nor a device, its owner stays the same, and its
    /// folder can be written.
    private var replaceable: String?
    /// Whether the file has earlier contents.
    private var isOld = false
    /// Whether this object has created the file.
    private var isNew = false

    /// - Parameter others: Files and folders that the program reads or also writes, which the file must not replace.
    init(_ file: URL, isLive: Bool, isNot others: [URL?] = []) throws {
      name = file.path
      self.isLive = isLive
      func failure(_ what: String) -> Failure {
        Failure(code: .cannotCreate, message: "\(file.path) cannot be \(what): \(errorText())")
      }
      let isThere = access(file.path, F_OK) == 0
      let descriptor = open(file.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw failure("written") }
      handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw failure("examined") }
      // A pipe or a device has no content to protect, and a device belongs to the system.
      guard status.st_mode & S_IFMT == S_IFREG else { return }
      do { try Self.check(file, status, isNot: others) } catch {
        // An empty file in the place of a journal's secret would be a damaged one.
        if !isThere { unlink(file.path) }
        throw error
      }
      guard fchmod(descriptor, 0o600) == 0 else { throw failure("restricted to its owner") }
      (isOld, isNew) = (status.st_size > 0, !isThere)
      let target = file.resolvingSymlinksInPath()
      let folder = target.deletingLastPathComponent().path
      var other = stat()
      // A file on another file system than its folder is mounted, and keeps its name.
      if status.st_uid == geteuid(), access(folder, W_OK) == 0, stat(folder, &other) == 0, other.st_dev == status.st_dev
      {
        replaceable = target.path
      }
    }

    /// Throws if an output file is one of the others, or is in one of them.
    static func check(_ file: URL, isNot others: [URL?]) throws {
      var status = stat()
      if stat(file.path, &status) == 0 { try check(file, status, isNot: others) }
    }

    private static func check(_ file: URL, _ status: stat, isNot others: [URL?]) throws {
      for case let other? in others {
        // A journal may be given as its folder.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: other.path)) ?? []
        for path in [other.path] + names.map({ "\(other.path)/\($0)" }) {
          var used = stat()
          if stat(path, &used) == 0, (used.st_dev, used.st_ino) == (status.st_dev, status.st_ino) {
            throw Failure.usage("\(file.path) is also \(path): choose another file for the output.")
          }
        }
      }
    }

    func write(_ line: String) {
      buffer += Array((line + "\n").utf8)
      if isLive || buffer.count > 1 << 16 { flush() }
    }

    func close() throws {
      flush()
      guard error == 0 else {
        throw Failure(code: .ioError, message: "\(name) cannot be written: \(errorText(error))")
      }
    }

    /// Replaces the contents. If the disk is full, the earlier contents remain, or there is no file.
    func replace(with text: String) throws {
      guard let replaceable else {
        buffer = Array(text.utf8)
        return try close()
      }
      let file = PrivateFile(path: replaceable)
      do { try file.locked(within: .seconds(5)) { try file.replace(with: Data(text.utf8), in: $0) } } catch {
        // The empty file would be in the way of the next attempt.
        var status = stat()
        if isNew, fstat(handle.fileDescriptor, &status) == 0, status.st_size == 0, status.isFile(at: replaceable) {
          unlink(replaceable)
        }
        throw Failure(code: .ioError, message: "\(error).")
      }
    }

    /// Writes the rest of a log and of a journal. If both fail, throws the journal's error.
    static func close(_ log: LogFile?, finishing journal: Journal?) throws {
      let closed = Result { try log?.close() }
      try journal?.finish()
      try closed.get()
    }

    private func flush() {
      if isOld, error == 0, ftruncate(handle.fileDescriptor, 0) != 0 { error = errno }
      isOld = false
      if error == 0 { error = writeAll(buffer, to: handle.fileDescriptor) }
      buffer = []
    }
  }
#endif
