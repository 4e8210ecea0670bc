import Foundation

/// The destination of locations besides the store: none, a file readable only by its owner, or standard output.
enum LocationOutput {
  case nowhere
  case file(path: String)
  case standardOutput

  /// Creates an output.
  ///
  /// - Parameter setting: A path, or `-` for standard output. `nil` or an empty string is ``nowhere``.
  init(_ setting: String?) {
    switch setting ?? "" {
    case "": self = .nowhere
    case "-": self = .standardOutput
    case let path: self = .file(path: path)
    }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ what: String) { description = what }

    init(_ what: String, _ error: Int32) {
      description = "\(what): \(String(cString: strerror(error)))"
    }
  }

  func write(_ line: Data) throws {
    switch self {
    case .nowhere: break
    case .standardOutput:
      let error = writeAll(line, to: STDOUT_FILENO)
      if error != 0 { throw Failure("standard output cannot be written", error) }
    case .file(let path): try append(line, to: path)
    }
  }

  /// Appends a line. Reopens the file each time, so it can be moved away while the program runs.
  private func append(_ line: Data, to path: String) throws {
    // Without O_NONBLOCK, opening a pipe without a reader blocks.
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard file >= 0 else { throw Failure("\(path) cannot be opened", errno) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw Failure("\(path) cannot be examined", errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Failure("\(path) is not a file") }
    guard fchmod(file, 0o600) == 0 else { throw Failure("\(path) cannot be made readable by its owner alone", errno) }
    let error = writeAll(line, to: file)
    guard error == 0 else {
      // A partial line would corrupt the next one.
      ftruncate(file, status.st_size)
      throw Failure("\(path) cannot be written", error)
    }
  }
}

/// Writes all data. Returns the error number, or 0 for success.
private func writeAll(_ data: Data, to descriptor: Int32) -> Int32 {
  var rest = data
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count > 0 {
      rest = rest.dropFirst(count)
    } else if count == 0 || errno != EINTR {
      return count == 0 ? EIO : errno
    }
  }
  return 0
}
