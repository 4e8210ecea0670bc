import LocoFoundation

#if canImport(os)
  import os
#endif

/// A failure of a store, as a phrase or a sentence that doesn't contain the device's location.
package struct StoreError: Error, CustomStringConvertible, LocalizedError {
  package let description: String
  package var errorDescription: String? { description }

  package init(_ description: String) { self.description = description }

  /// Returns an error with the reason of the last failed system call.
  package static func failure(_ action: String) -> StoreError {
    StoreError("cannot \(action): \(String(cString: strerror(errno)))")
  }
}

/// Writes a sentence about a problem to the system's log: the subsystem `LocoKit` and the category `Store` on Apple's platforms, elsewhere
/// standard error. A closed standard error, or a pipe that is full or has no reader, loses the sentence.
@Sendable
package func reportProblem(_ problem: String) {
  #if canImport(os)
    // The sentence has no location.
    Logger(subsystem: "LocoKit", category: "Store").error("\(problem, privacy: .public)")
  #else
    var wanted = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    // Without a reader, writing would raise SIGPIPE, which ends a program that doesn't ignore it.
    guard poll(&wanted, 1, 0) > 0, wanted.revents & Int16(POLLERR | POLLHUP | POLLNVAL) == 0 else { return }
    let line = Array("LocoKit: \(problem)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  #endif
}
