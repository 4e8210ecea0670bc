public import Foundation
public import LocoKit

extension SimulatedProvider.GPXTrack {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - speed: The speed in metres per second if most points have no times, as in a planned route; `nil` for 50 km/h. More than 0.
  /// - Complexity: O(n log n) in the size of the file, and O(n) in memory.
  /// - Throws: `FileFailure` with the file, the line and the reason.
  public init(contentsOf url: URL, speedWithoutTimes speed: Double? = nil) throws(FileFailure) {
    try self.init(contentsOf: url, limits: Limits(), speedWithoutTimes: speed)
  }

  init(contentsOf url: URL, limits: Limits, speedWithoutTimes speed: Double? = nil) throws(FileFailure) {
    let file = url.relativePath
    // Opening a pipe or a device could block.
    var status = stat()
    guard stat(url.path(percentEncoded: false), &status) == 0 else {
      let isAbsent = errno == ENOENT || errno == ENOTDIR
      throw FileFailure(file, 0, isAbsent ? "no such file" : "cannot be opened", isMissing: true)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw FileFailure(file, 0, "is a folder, not a file", isMissing: true)
    default: throw FileFailure(file, 0, "is a pipe or a device: write it to a file first", isMissing: true)
    }
    guard let handle = try? FileHandle(forReadingFrom: url),
      let data = try? handle.read(upToCount: limits.bytes + 1) ?? Data()
    else { throw FileFailure(file, 0, "cannot be opened", isMissing: true) }
    try self.init(bytes: Array(data), file: file, limits: limits, speedWithoutTimes: speed)
  }

  /// Reads the contents of a file.
  ///
  /// - Parameters:
  ///   - data: The contents.
  ///   - name: The file's name in errors.
  ///   - speed: The speed in metres per second if most points have no times, as in a planned route; `nil` for 50 km/h. More than 0.
  /// - Complexity: O(n log n) in the size of the data, and O(n) in memory.
  /// - Throws: `FileFailure` with the name, the line and the reason.
  public init(data: Data, name: String = "GPX", speedWithoutTimes speed: Double? = nil) throws(FileFailure) {
    try self.init(bytes: Array(data), file: name, speedWithoutTimes: speed)
  }
}
