package import LocoFoundation

/// An open file, which is closed on deinitialization.
package final class Descriptor: Sendable {
  package let number: Int32
  private let path: String

  package init(_ number: Int32, _ path: String) { (self.number, self.path) = (number, path) }
  deinit { close(number) }

  package func status() throws -> stat {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw StoreError.failure("examine \(path)") }
    return status
  }

  package func bytes(from start: Int, to end: Int) throws -> Data {
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

  /// Writes bytes in a single call, which is repeated if a signal interrupts it. Returns how many were written, or -1 after an error.
  package func append(_ bytes: some ContiguousBytes) -> Int {
    bytes.withUnsafeBytes { Self.put($0, in: number) }
  }

  /// Writes bytes in as many calls as needed, and returns how many were written.
  static func put(_ bytes: Data, in file: Int32) -> Int {
    bytes.withUnsafeBytes { bytes in
      var length = 0
      while length < bytes.count {
        let count = put(UnsafeRawBufferPointer(rebasing: bytes[length...]), in: file)
        if count == 0 { errno = ENOSPC }
        guard count > 0 else { break }
        length += count
      }
      return length
    }
  }

  private static func put(_ bytes: UnsafeRawBufferPointer, in file: Int32) -> Int {
    while true {
      let count = write(file, bytes.baseAddress, bytes.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }
}

extension stat {
  /// Returns whether the file with this status is at a path.
  package func isFile(at path: String) -> Bool {
    var current = stat()
    return lstat(path, &current) == 0 && current.st_ino == st_ino && current.st_dev == st_dev
  }
}
