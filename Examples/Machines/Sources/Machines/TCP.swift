import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Local TCP connections.
enum TCP {
  /// Connects to a port of 127.0.0.1.
  ///
  /// - Returns: A stream of `opened` for a connection, and `closed` for a failed attempt or the end of the connection. The socket is closed
  ///   when the stream ends or its consumer is cancelled.
  static func dial(_ port: UInt16) -> AsyncStream<Connection.Event> {
    AsyncStream { events in
      let socket = makeSocket()
      guard socket >= 0, fcntl(socket, F_SETFL, O_NONBLOCK) == 0,
        withAddress(port, { connect(socket, $0, $1) }) == 0 || errno == EINPROGRESS
      else {
        if socket >= 0 { close(socket) }
        events.yield(.closed)
        return events.finish()
      }
      let sources = Sources(of: socket)
      sources.attempt.setEventHandler {
        sources.attempt.cancel()
        if error(of: socket) == 0 {
          events.yield(.opened)
          sources.input.activate()
        } else {
          events.yield(.closed)
          events.finish()
        }
      }
      sources.input.setEventHandler {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(socket, &buffer, buffer.count)
        if count > 0 || count < 0 && [EAGAIN, EINTR].contains(errno) { return }
        events.yield(.closed)
        events.finish()
      }
      sources.input.setCancelHandler { close(socket) }
      events.onTermination = { _ in sources.cancel() }
      sources.attempt.activate()
    }
  }

  /// The event sources of a socket: one for the end of the attempt, and one for input and the end of the connection.
  ///
  /// Dispatch declares its sources as `Sendable` only on some platforms. After the setup, only the queue uses them.
  private struct Sources: @unchecked Sendable {
    let queue = DispatchQueue(label: "TCP.dial")
    let attempt: any DispatchSourceWrite
    let input: any DispatchSourceRead

    init(of socket: Int32) {
      attempt = DispatchSource.makeWriteSource(fileDescriptor: socket, queue: queue)
      input = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
    }

    func cancel() {
      queue.async {
        attempt.cancel()
        // An inactive source doesn't call its cancel handler.
        input.activate()
        input.cancel()
      }
    }
  }

  static func makeSocket() -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  /// Calls `body` with the address of a port of 127.0.0.1.
  static func withAddress<Result>(
    _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  private static func error(of socket: Int32) -> Int32 {
    var error: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno
  }
}
