import Testing

@testable import Machines

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A TCP server on a free local port. Each wait for a connection or input times out after 10 s.
final class Server {
  let port: UInt16
  private let socket: Int32

  /// Reserves a port. Connections to it are refused before ``listen()``.
  init() throws {
    let socket = TCP.makeSocket()
    self.socket = socket
    let bound = TCP.withAddress(0) { bind(socket, $0, $1) }
    try #require(bound == 0)
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let named = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    try #require(named == 0)
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(socket) }

  func listen() throws {
    #if canImport(Glibc)
      try #require(Glibc.listen(socket, 5) == 0)
    #else
      try #require(Darwin.listen(socket, 5) == 0)
    #endif
  }

  /// Waits for a connection and accepts it.
  func accept() throws -> Peer {
    try Self.wait(for: socket)
    #if canImport(Glibc)
      return Peer(socket: Glibc.accept(socket, nil, nil))
    #else
      return Peer(socket: Darwin.accept(socket, nil, nil))
    #endif
  }

  /// Waits until a socket is readable.
  fileprivate static func wait(for socket: Int32) throws {
    var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    try #require(poll(&request, 1, 10_000) == 1, "Nothing arrived for 10 s.")
  }

  /// The server's end of a connection.
  struct Peer {
    let socket: Int32

    func hangUp() { close(socket) }

    /// Waits until the client sends input or ends the connection, and returns whether it ended the connection.
    func isEnded() throws -> Bool {
      try Server.wait(for: socket)
      var byte: UInt8 = 0
      return read(socket, &byte, 1) == 0
    }
  }
}
