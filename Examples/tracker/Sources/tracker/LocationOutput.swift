import Foundation

/// Appends a line to a file that only its owner can read, or writes it to standard output (`-`). Reopens the file each time, so it can be moved
/// away while the program runs. A full pipe loses the line, because a wait for its reader would stop the program.
func append(_ line: Data, to path: String) throws {
  if path == "-" {
    guard line.isEmpty || takesLine(STDOUT_FILENO) else {
      throw Problem("standard output is a full pipe that nobody reads")
    }
    return try put(line, in: STDOUT_FILENO, "standard output")
  }
  // Without O_NONBLOCK, opening a pipe without a reader blocks.
  let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
  guard file >= 0 else { throw Problem("\(path) cannot be opened", errno) }
  defer { close(file) }
  var status = stat()
  guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw Problem("\(path) is not a file") }
  guard fchmod(file, 0o600) == 0 else { throw Problem("\(path) cannot be made readable by its owner alone", errno) }
  do { try put(line, in: file, path) } catch {
    // A partial line would corrupt the next one.
    ftruncate(file, status.st_size)
    throw error
  }
}

/// Whether a line can be written without waiting: lines are shorter than PIPE_BUF.
func takesLine(_ file: Int32) -> Bool {
  var file = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
  return poll(&file, 1, 0) != 0
}

private func put(_ data: Data, in file: Int32, _ name: String) throws {
  var rest = data
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    guard count > 0 || count < 0 && errno == EINTR else {
      throw Problem("\(name) cannot be written", count == 0 ? EIO : errno)
    }
    rest = rest.dropFirst(max(count, 0))
  }
}
