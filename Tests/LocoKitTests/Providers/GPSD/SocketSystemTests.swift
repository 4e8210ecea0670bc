#if os(Linux)
  import Foundation
  import Testing

  @testable import LocoKit

  @MainActor
  @Suite("Sockets to gpsd")
  struct SocketSystemTests {
    /// Listens, and does with what it accepts what a test says.
    private final class Server: Sendable {
      let descriptor: Int32
      let port: Int

      init() {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        withUnsafeMutablePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            precondition(bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0)
            precondition(getsockname(descriptor, $0, &length) == 0)
          }
        }
        port = Int(address.sin_port.bigEndian)
      }

      deinit { close(descriptor) }

      /// A connection.
      func connection() -> Int32 {
        let connection = accept(descriptor, nil, nil)
        SocketSystemTests.limit(connection)
        return connection
      }
    }

    /// Nothing is waited for longer than ten seconds.
    private nonisolated static func limit(_ descriptor: Int32) {
      var limit = timeval(tv_sec: 10, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// How many threads read from gpsd.
    private static func readers() -> Int {
      let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      return tasks.count {
        (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8))?.hasPrefix("LocoKit.gpsd") == true
      }
    }

    private static func readersEnd() async {
      for _ in 0..<2_000 where readers() > 0 { await Task.yield() }
      #expect(readers() == 0)
    }

    @Test("one that is closed while it connects is closed on the other side too, and its thread ends")
    func whileConnecting() async {
      await #expect(processExitsWith: .success) { @MainActor in
        let server = Server()
        let system = SocketSystem(host: "127.0.0.1", port: server.port, controlSocket: nil)
        let running = Task {
          await system.run { event in
            guard event == .began else { return }
            system.connect()
            system.close()
          }
        }
        let ended = await Task.detached {
          let connection = server.connection()
          send(connection, "{}\n", 3, 0)
          var byte: UInt8 = 0
          return recv(connection, &byte, 1, 0)
        }.value
        #expect(ended == 0)
        await Self.readersEnd()
        running.cancel()
        await running.value
      }
    }

    @Test("one that is closed while its owner was busy ends its thread, whatever waits to be read")
    func whileBusy() async {
      await #expect(processExitsWith: .success) { @MainActor in
        let server = Server()
        let system = SocketSystem(host: "127.0.0.1", port: server.port, controlSocket: nil)
        var hasClosed = false
        let isFull = DispatchSemaphore(value: 0)
        let sender = Task.detached {
          let connection = server.connection()
          let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 16_384)
          // Until nothing can be sent for long: then the reader has read what it may read ahead.
          var refusals = 0
          while refusals < 2_000 {
            let isSent = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) > 0
            refusals = isSent ? 0 : refusals + 1
            if !isSent { sched_yield() }
          }
          isFull.signal()
        }
        let running = Task {
          await system.run { event in
            if event == .began { system.connect() }
            guard case .bytes = event, !hasClosed else { return }
            hasClosed = true
            isFull.wait()
            system.close()
          }
        }
        await sender.value
        await Self.readersEnd()
        running.cancel()
        await running.value
      }
    }

    @Test("a gpsd that does not answer in time on its control socket is given its receiver back all the same")
    func unanswered() async throws {
      let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString.prefix(8)).sock").path
      defer { unlink(path) }
      let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(listening) }
      Self.limit(listening)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      let isBound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listening, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      try #require(isBound && listen(listening, 8) == 0)
      // Both commands wait in the backlog, as in that of a daemon that is busy.
      let system = SocketSystem(host: "127.0.0.1", port: 1, controlSocket: path)
      #expect(system.closeReceiversNow(["/dev/ttyUSB0"]) == .receiversClosed(error: "gpsd did not answer"))
      let commands = (0..<2).map { _ in
        let connection = accept(listening, nil, nil)
        defer { close(connection) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = recv(connection, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      }
      #expect(commands == ["-/dev/ttyUSB0\r\n", "+/dev/ttyUSB0\r\n"])
    }
  }
#endif
