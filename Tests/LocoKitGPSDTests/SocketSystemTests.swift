#if os(Linux)
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import LocoKitGPSD
  @testable import LocoMachine
  @testable import TestSupport

  @MainActor
  @Suite("SocketSystem")
  struct SocketSystemTests {
    /// A listening TCP socket.
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
        SocketSystemTests.limit(descriptor)
      }

      deinit { close(descriptor) }

      /// Accepts a connection.
      func connection() -> Int32 {
        let connection = accept(descriptor, nil, nil)
        precondition(connection >= 0, "No connection within a minute.")
        SocketSystemTests.limit(connection)
        return connection
      }
    }

    /// Limits each wait to a minute.
    private nonisolated static func limit(_ descriptor: Int32) {
      var limit = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// The credit of a connection, which the connection's thread retains until it ends.
    private final class Credit {
      weak var value: DispatchSemaphore?

      func threadEnds() async {
        let limit = ContinuousClock.now + .seconds(60)
        while value != nil, .now < limit { await Task.yield() }
        #expect(value == nil, "the connection's thread has not ended within a minute")
      }
    }

    @Test("devices, other files and missing files are distinguished")
    func files() throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let (file, link) = (folder.appending(path: "file").path, folder.appending(path: "link").path)
      try Data().write(to: URL(filePath: file))
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
      let system = SocketSystem(host: "localhost", port: 2947, controlSocket: nil)
      #expect(system.file(at: "/dev/null") == .device && system.file(at: link) == .device)
      #expect(system.file(at: file) == .other && system.file(at: folder.path) == .other)
      #expect(system.file(at: folder.path + "/none") == nil)
    }

    @Test("closing a connection while it connects ends it on both sides, and ends its thread")
    func whileConnecting() async {
      await #expect(processExitsWith: .success) { @MainActor in
        let server = Server()
        let (system, credit) = (SocketSystem(host: "127.0.0.1", port: server.port, controlSocket: nil), Credit())
        let running = Task {
          await system.run(
            handle: { input in
              guard input == .began else { return }
              system.connect()
              credit.value = system.credit
              #expect(credit.value != nil)
              system.close()
            }, read: { _ in })
        }
        let ended = try await awaited("the end of the connection") {
          let connection = server.connection()
          send(connection, "{}\n", 3, 0)
          var byte: UInt8 = 0
          return recv(connection, &byte, 1, 0)
        }
        #expect(ended == 0)
        await credit.threadEnds()
        running.cancel()
        try await awaited("the end of the run") { await running.value }
      }
    }

    @Test(
      "closing a connection with unread bytes ends its thread, also if the run ends at once", arguments: [false, true])
    func whileBusy(endsRun: Bool) async {
      await #expect(processExitsWith: .success) { @MainActor [endsRun] in
        let server = Server()
        let (system, credit) = (SocketSystem(host: "127.0.0.1", port: server.port, controlSocket: nil), Credit())
        var hasClosed = false
        let isFull = DispatchSemaphore(value: 0)
        let sender = Task.detached {
          let connection = server.connection()
          let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 16_384)
          // Sends until the buffers are full, when the reader has used its credit.
          var (refusals, sent) = (0, 0)
          while refusals < 2_000 {
            let isSent = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) > 0
            refusals = isSent ? 0 : refusals + 1
            sent += isSent ? 1 : 0
            precondition(sent < 8_192, "The reader exceeds its credit.")
            if !isSent { sched_yield() }
          }
          isFull.signal()
        }
        let running = Task {
          await system.run(
            handle: { if $0 == .began { system.connect() } },
            read: { _ in
              precondition(!hasClosed, "Bytes of a closed connection are read.")
              hasClosed = true
              credit.value = system.credit
              #expect(credit.value != nil)
              #expect(isFull.wait(timeout: .now() + 60) == .success, "the buffers weren't filled within a minute")
              system.close()
              if endsRun { withUnsafeCurrentTask { $0?.cancel() } }
            })
        }
        try await awaited("the server's last byte") { await sender.value }
        await credit.threadEnds()
        running.cancel()
        try await awaited("the end of the run") { await running.value }
      }
    }

    @Test("a timer fires in each run, also after a run that ended before its timer")
    func timers() async {
      await #expect(processExitsWith: .success) { @MainActor in
        let system = SocketSystem(host: "127.0.0.1", port: 1, controlSocket: nil)
        for input in [GPSDCore.Input.began, .timer] {
          let running = Task {
            await system.run(
              handle: {
                if $0 == .began { system.setTimer(system.uptime + .milliseconds(50)) }
                if $0 == input { withUnsafeCurrentTask { $0?.cancel() } }
              }, read: { _ in })
          }
          try await awaited("\(input)") { await running.value }
        }
      }
    }

    /// A listening control socket.
    private final class Control: Sendable {
      let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString.prefix(8)).sock").path
      private let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)

      init() {
        SocketSystemTests.limit(descriptor)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let isBound = withUnsafePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
          }
        }
        precondition(isBound && listen(descriptor, 8) == 0)
      }

      deinit {
        close(descriptor)
        unlink(path)
      }

      /// Accepts connections with one command each, answers the commands, and returns them.
      func commands(_ count: Int, answer: (String) -> String? = { _ in nil }) -> [String] {
        (0..<count).map { _ in
          let connection = accept(descriptor, nil, nil)
          guard connection >= 0 else { return "nothing within a minute" }
          defer { close(connection) }
          SocketSystemTests.limit(connection)
          var bytes = [UInt8](repeating: 0, count: 64)
          let count = recv(connection, &bytes, bytes.count, 0)
          let command = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
          if let text = answer(command) { send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }
          return command
        }
      }
    }

    @Test("a receiver is added back even if gpsd doesn't answer on the control socket in time")
    func unanswered() {
      // Both commands wait in the backlog, as with a busy daemon.
      let control = Control()
      let system = SocketSystem(host: "127.0.0.1", port: 1, controlSocket: control.path)
      #expect(system.closeReceiversNow(["/dev/ttyUSB0"]) == "gpsd did not answer")
      #expect(control.commands(2) == ["-/dev/ttyUSB0\r\n", "+/dev/ttyUSB0\r\n"])
    }

    /// Closes receivers through a control socket that answers, and returns the commands and the error.
    private nonisolated static func closing(
      _ paths: [String], answer: @escaping @Sendable (String) -> String
    ) -> (commands: [String], error: String?) {
      let control = Control()
      let commands = Locked<[String]>([])
      let isDone = DispatchSemaphore(value: 0)
      // This uses a new thread, because other tests may block the threads of the pool.
      let thread = Thread {
        let said = control.commands(2 * paths.count, answer: answer)
        commands.change { $0 = said }
        isDone.signal()
      }
      thread.start()
      let error = SocketSystem.close(paths, through: control.path, within: .seconds(60))
      #expect(isDone.wait(timeout: .now() + 300) == .success, "no commands within five minutes")
      return (commands.change { $0 }, error)
    }

    @Test("the other receivers are closed even if gpsd has dropped one")
    func dropped() {
      let (commands, error) = Self.closing(["/dev/a", "/dev/b"]) { $0 == "-/dev/a\r\n" ? "ERROR\n" : "OK\n" }
      #expect(commands == ["-/dev/a\r\n", "+/dev/a\r\n", "-/dev/b\r\n", "+/dev/b\r\n"])
      #expect(error == nil)
    }

    @Test("a receiver that gpsd doesn't take back is an error")
    func notTakenBack() {
      let (_, error) = Self.closing(["/dev/a"]) { $0.hasPrefix("-") ? "OK\n" : "ERROR\n" }
      #expect(error == "gpsd did not take /dev/a back; run gpsdctl add /dev/a")
    }

    @Test("receivers are added through the control socket, and removed first if closing", arguments: [false, true])
    func reopened(_ closing: Bool) async {
      await #expect(processExitsWith: .success) { @MainActor [closing] in
        let control = Control()
        let system = SocketSystem(host: "127.0.0.1", port: 1, controlSocket: control.path)
        let (events, event) = AsyncStream<GPSDCore.Input>.makeStream()
        let running = Task {
          await system.run(
            handle: {
              if $0 == .began {
                system.reopenReceivers(["/dev/a", "/dev/b"], closing: closing)
              } else {
                event.yield($0)
              }
            }, read: { _ in })
        }
        let expected = closing ? ["-/dev/a", "+/dev/a", "-/dev/b", "+/dev/b"] : ["+/dev/a", "+/dev/b"]
        let commands = try await awaited("the commands") { control.commands(expected.count) { _ in "OK\n" } }
        #expect(commands == expected.map { $0 + "\r\n" })
        let first = try await awaited("the event") {
          for await event in events { return GPSDCore.Input?.some(event) }
          return nil
        }
        #expect(first == .receiversReopened)
        running.cancel()
        try await awaited("the end of the run") { await running.value }
      }
    }
  }
#endif
