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

/// Contents in a file that only its owner may read, and that is replaced as a whole.
///
/// A new file is written beside it and renamed over it. The new file's name is always the same, and whoever writes it holds
/// a lock on it: so writers wait for each other, and one that is killed leaves nothing that the next one does not reuse.
struct StoreFile: StoreBacking {
  let path: String
  private var newPath: String { path + ".new" }

  func read() throws -> (StoreContents, problem: String?) {
    guard let data = try contents() else { return (StoreContents(), nil) }
    do {
      return (try StoreContents(data), nil)
    } catch {
      return try locked { _ in try readOrSetAside() }
    }
  }

  func change(_ change: (inout StoreContents) -> Void) throws -> String? {
    try makeFolder()
    return try locked { new in
      var (contents, problem) = try readOrSetAside()
      let before = contents
      change(&contents)
      if contents == before { return problem }
      try write(contents.data(), to: new)
      guard rename(newPath, path) == 0 else { throw failure("replace \(path)") }
      return problem
    }
  }

  /// What is in the file; a file that cannot be read is renamed.
  private func readOrSetAside() throws -> (StoreContents, problem: String?) {
    guard let data = try contents() else { return (StoreContents(), nil) }
    do {
      return (try StoreContents(data), nil)
    } catch {
      let aside = try setAside()
      return (StoreContents(), "\(path) is kept aside as \(aside), for \(error).")
    }
  }

  private func setAside() throws -> String {
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

  /// `nil` where there is no file. At most one byte more than can be right.
  private func contents() throws -> Data? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("open \(path)")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure("examine \(path)") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw StoreError("\(path) is no file") }
    var bytes = [UInt8](repeating: 0, count: StoreContents.maximumSize + 1)
    var length = 0
    while length < bytes.count {
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
  private func locked<Result>(_ body: (_ new: Int32) throws -> Result) throws -> Result {
    // A file that was renamed while its lock was awaited is not the new file any more; then once more.
    for _ in 0..<1_000 {
      let new = open(newPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard new >= 0 else { throw failure("create \(newPath)") }
      defer { close(new) }
      while flock(new, LOCK_EX) != 0 {
        guard errno == EINTR else { throw failure("lock \(newPath)") }
      }
      var (ours, present) = (stat(), stat())
      guard fstat(new, &ours) == 0 else { throw failure("examine \(newPath)") }
      guard lstat(newPath, &present) == 0, ours.st_ino == present.st_ino, ours.st_dev == present.st_dev else {
        continue
      }
      defer { removeUnused(ours) }
      return try body(new)
    }
    throw StoreError("too many others write \(path)")
  }

  /// A new file that was not renamed: there was nothing to change, or no room.
  private func removeUnused(_ ours: stat) {
    var present = stat()
    if lstat(newPath, &present) == 0, ours.st_ino == present.st_ino, ours.st_dev == present.st_dev { unlink(newPath) }
  }

  private func write(_ data: Data, to new: Int32) throws {
    guard ftruncate(new, 0) == 0, lseek(new, 0, SEEK_SET) == 0 else { throw failure("empty \(newPath)") }
    guard fchmod(new, 0o600) == 0 else { throw failure("protect \(newPath)") }
    do {
      try FileHandle(fileDescriptor: new, closeOnDealloc: false).write(contentsOf: data)
    } catch {
      throw StoreError("\(newPath) cannot be written, for want of space perhaps")
    }
    guard fsync(new) == 0 else { throw failure("write \(newPath)") }
  }

  private func makeFolder() throws {
    let folder = (path as NSString).deletingLastPathComponent
    guard !folder.isEmpty, access(folder, F_OK) != 0 else { return }
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StoreError("the folder \(folder) cannot be made")
    }
  }

  private func failure(_ what: String) -> StoreError {
    StoreError("cannot \(what): \(String(cString: strerror(errno)))")
  }
}
