#if os(Linux) || os(macOS)
  import Dispatch
  import LocoFoundation
  import LocoKit

  /// The sockets and clocks of the system.
  ///
  /// The class belongs to the provider, and isn't `Sendable`. Each connection has a thread that connects and reads, with access only
  /// to its socket, its credit and the stream of signals. The thread reads one chunk for each unit of credit, and the system adds credit
  /// as it consumes chunks. So a server that floods the connection can't exhaust memory.
  final class SocketSystem: GPSDSystem {
    /// A signal from a thread or a queue.
    private enum Signal: Sendable {
      case connected(attempt: Int, Socket, credit: DispatchSemaphore)
      case bytes(attempt: Int, [UInt8], credit: DispatchSemaphore)
      case closed(attempt: Int, reason: String)
      case timer(Int)
      case input(GPSDCore.Input)
    }

    private struct Refusal: Error {
      let description: String
      init(_ description: String) { self.description = description }
      init(_ error: Int32) { description = String(cString: strerror(error)) }
    }

    private static let chunk = 16_384
    private static let chunksAhead = 8

    private let host: String
    private let port: Int
    private let controlSocket: String?
    private let began = ContinuousClock.now
    private let timerQueue = DispatchQueue(label: "LocoKit.gpsd.timer")
    private let controlQueue = DispatchQueue(label: "LocoKit.gpsd.control")
    private var signals: AsyncStream<Signal>.Continuation?

    private var attempt = 0
    private var socket: Socket?
    /// The connection's credit. Only the system, the connection's thread and pending signals retain it.
    private(set) var credit: DispatchSemaphore?
    private var timers = 0
    private var timer: Duration?

    init(host: String, port: Int, controlSocket: String?) {
      self.host = host
      self.port = port
      self.controlSocket = controlSocket
    }

    deinit { close() }

    var uptime: Duration { began.duration(to: .now) }
    var date: Date { Date() }
    func chance() -> Double { Double.random(in: 0..<1) }

    func run(handle: (GPSDCore.Input) -> Void, read: ([UInt8]) -> Void) async {
      let (stream, continuation) = AsyncStream<Signal>.makeStream()
      signals = continuation
      timer = nil
      handle(.began)
      for await signal in stream {
        if Task.isCancelled {
          // The signals that are left are drained, so that each connection's thread gets credit, and ends.
          switch signal {
          case .connected(_, let socket, let credit):
            socket.end()
            credit.signal()
          case .bytes(_, _, let credit): credit.signal()
          case .closed, .timer, .input: break
          }
          continue
        }
        switch signal {
        case .connected(attempt, let socket, let credit):
          self.socket = socket
          for _ in 0..<Self.chunksAhead { credit.signal() }
          handle(.connected)
        case .connected(_, let socket, _): socket.end()
        case .bytes(let number, let bytes, let credit):
          // An old connection's thread needs credit too: it reads to the end of the stream, and exits.
          credit.signal()
          guard number == attempt else { break }
          read(bytes)
          // Without this, the loop wouldn't suspend while signals are pending, and would block the actor.
          await Task.yield()
        case .closed(attempt, let reason): handle(.lost(reason: reason))
        case .timer(timers):
          timer = nil
          handle(.timer)
        case .closed, .timer: break
        case .input(let input): handle(input)
        }
      }
      signals = nil
    }

    func setTimer(_ deadline: Duration?) {
      // A timer that fires early does no harm: the core compares its deadlines with the uptime. Dispatch doesn't count the time while the
      // machine sleeps, so a timer fires at least once a minute.
      guard let deadline, let signals, deadline < timer ?? .seconds(Int64.max) else { return }
      timers += 1
      timer = deadline
      let number = timers
      let wait = min(max(0, (deadline - uptime).inSeconds), 60)
      timerQueue.asyncAfter(deadline: .now() + wait) { signals.yield(.timer(number)) }
    }

    func file(at path: String) -> GPSDFile? {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      return status.st_mode & S_IFMT == S_IFCHR ? .device : .other
    }

    // MARK: - The connection

    func connect() {
      close()
      guard let signals else { return }
      attempt += 1
      let (attempt, host, port) = (attempt, host, port)
      let credit = DispatchSemaphore(value: 0)
      self.credit = credit
      let isStarted = startThread {
        do {
          let socket = try Self.connection(to: host, port)
          if case .terminated = signals.yield(.connected(attempt: attempt, socket, credit: credit)) { return }
          while true {
            credit.wait()
            let bytes = socket.receive(Self.chunk)
            if bytes.isEmpty { throw Refusal("gpsd at \(host):\(port) has closed the connection") }
            if case .terminated = signals.yield(.bytes(attempt: attempt, bytes, credit: credit)) { return }
          }
        } catch {
          signals.yield(.closed(attempt: attempt, reason: (error as? Refusal)?.description ?? "\(error)"))
        }
      }
      if !isStarted { signals.yield(.closed(attempt: attempt, reason: "the system cannot start another thread")) }
    }

    func close() {
      // The connection's thread ends, whether it waits for bytes, for credit or for the connection.
      attempt += 1
      socket?.end()
      socket = nil
      credit?.signal()
      credit = nil
    }

    func send(_ bytes: [UInt8]) {
      guard let socket, !socket.write(bytes) else { return }
      signals?.yield(.closed(attempt: attempt, reason: "gpsd at \(host):\(port) does not read what is sent"))
    }

    /// Resolves the host, and tries its addresses one after the other.
    private static func connection(to host: String, _ port: Int) throws(Refusal) -> Socket {
      var hints = addrinfo()
      hints.ai_socktype = Socket.streamType
      var list: UnsafeMutablePointer<addrinfo>?
      let code = getaddrinfo(host, String(port), &hints, &list)
      guard code == 0 else { throw Refusal("the host \(host) is not found: \(String(cString: gai_strerror(code)))") }
      defer { freeaddrinfo(list) }
      let addresses = list.map { sequence(first: $0) { $0.pointee.ai_next }.prefix(50).map(\.pointee) } ?? []
      // The machine waits for half a minute in all.
      let limit = Int32(min(4_000, 25_000 / max(1, addresses.count)))
      // The error of the last address that was tried, and of the last socket that couldn't be opened.
      var (error, socketError): (Int32?, Int32) = (nil, ECONNREFUSED)
      for address in addresses {
        guard let name = address.ai_addr else { continue }
        guard let socket = Socket(address.ai_family) else {
          socketError = errno
          continue
        }
        error = socket.open(name, address.ai_addrlen, within: limit)
        if error == 0 { return socket }
      }
      guard let error else { throw Refusal("the system cannot open a socket: \(Refusal(socketError).description)") }
      throw Refusal(
        "there is no gpsd at \(host):\(port) (\(Refusal(error).description)); start it: gpsd -N and the path of "
          + "the receiver")
    }

    // MARK: - The control socket

    private enum Answer {
      case done, refused, none
    }

    func closeReceivers(_ paths: [String]) {
      guard let controlSocket, let signals else { return }
      // gpsd needs two seconds to open a serial receiver, and doesn't answer during that time.
      controlQueue.async {
        let error = Self.close(paths, through: controlSocket, within: .seconds(3))
        signals.yield(.input(.receiversClosed(error: error)))
      }
    }

    func closeReceiversNow(_ paths: [String]) -> String? {
      guard let controlSocket else { return "there is none" }
      // Not on the queue, where earlier commands wait for answers: the order doesn't matter.
      return Self.close(paths, through: controlSocket, within: .milliseconds(300))
    }

    func reopenReceivers(_ paths: [String], closing: Bool) {
      guard let controlSocket, let signals else { return }
      controlQueue.async {
        if closing {
          _ = Self.close(paths, through: controlSocket, within: .seconds(1))
        } else {
          let deadline = ContinuousClock.now + .seconds(1)
          for path in paths { _ = try? Self.answers(to: ["+\(path)"], controlSocket, by: deadline) }
        }
        signals.yield(.input(.receiversReopened))
      }
    }

    /// Removes each receiver from gpsd, which closes it, and adds it back, which opens it only if a client watches.
    ///
    /// - Returns: The reason why a receiver may still be open, or wasn't added back; `nil` on success.
    static func close(_ paths: [String], through controlSocket: String, within limit: Duration) -> String? {
      let deadline = ContinuousClock.now + limit
      var problem: String?
      for path in paths {
        do throws(Refusal) {
          let answers = try answers(to: ["-\(path)", "+\(path)"], controlSocket, by: deadline)
          // gpsd refuses to remove a receiver that it has dropped, and to add one that another client has added.
          if answers.contains(.none) {
            problem = "gpsd did not answer"
          } else if answers == [.done, .refused] {
            problem = "gpsd did not take \(path) back; run gpsdctl add \(path)"
          }
        } catch {
          problem = error.description
        }
      }
      return problem
    }

    /// Sends commands, each on its own connection: gpsd reads only the first command of a connection.
    ///
    /// All commands are sent before any answer is awaited. gpsd handles them in the order of the connections, even if the program exits
    /// first. If a connection can't be made, no command is sent, because a receiver might otherwise be removed and not added back.
    private static func answers(
      to commands: [String], _ controlSocket: String, by deadline: ContinuousClock.Instant
    ) throws(Refusal) -> [Answer] {
      var sockets: [Socket] = []
      for _ in commands { sockets.append(try connection(toControlSocket: controlSocket)) }
      for (socket, command) in zip(sockets, commands) {
        guard socket.write(Array("\(command)\r\n".utf8)) else { throw Refusal("it does not read") }
        // gpsd blocks until the end of the command.
        socket.endWriting()
      }
      return sockets.map { answer(on: $0, by: deadline) }
    }

    private static func answer(on socket: Socket, by deadline: ContinuousClock.Instant) -> Answer {
      let wait = ContinuousClock.now.duration(to: deadline).inSeconds
      guard wait > 0.001 else { return .none }
      var limit = timeval()
      limit.tv_sec = .init(wait)
      limit.tv_usec = .init(wait.truncatingRemainder(dividingBy: 1) * 1e6)
      setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      let text = String(decoding: socket.receive(64), as: UTF8.self)
      return text.isEmpty ? .none : text.hasPrefix("OK") ? .done : .refused
    }

    private static func connection(toControlSocket path: String) throws(Refusal) -> Socket {
      guard let socket = Socket(AF_UNIX) else { throw Refusal(errno) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Refusal("its path is too long") }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let error = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          socket.open($0, socklen_t(MemoryLayout<sockaddr_un>.size), within: 100)
        }
      }
      if error != 0 { throw Refusal(error) }
      return socket
    }
  }

  // MARK: - Sockets

  /// A stream socket, which is closed with its last reference. No method has the name of a C function that it calls.
  private final class Socket: Sendable {
    let descriptor: Int32

    #if canImport(Glibc)
      static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
      static let streamType = SOCK_STREAM
    #endif
    #if canImport(Darwin)
      private static let flags = MSG_DONTWAIT
    #else
      private static let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    #endif

    init?(_ family: Int32) {
      let descriptor = socket(family, Self.streamType, 0)
      guard descriptor >= 0 else { return nil }
      self.descriptor = descriptor
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      #if canImport(Darwin)
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
      #endif
    }

    deinit { _ = close(descriptor) }

    /// Ends both directions, and any wait for bytes.
    func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    func endWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Writes without waiting, and returns whether everything was written.
    func write(_ bytes: [UInt8]) -> Bool { send(descriptor, bytes, bytes.count, Self.flags) == bytes.count }

    /// Waits for bytes, and returns them; an empty array at the end of the stream or after an error.
    func receive(_ count: Int) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        var result = -1
        repeat { result = recv(descriptor, buffer.baseAddress, count, 0) } while result < 0 && errno == EINTR
        initialized = max(0, result)
      }
    }

    /// Connects, and returns the error number or 0.
    func open(_ address: UnsafePointer<sockaddr>, _ length: socklen_t, within milliseconds: Int32) -> Int32 {
      let flags = fcntl(descriptor, F_GETFL)
      _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
      defer { _ = fcntl(descriptor, F_SETFL, flags) }
      if connect(descriptor, address, length) == 0 { return 0 }
      guard errno == EINPROGRESS else { return errno }
      var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      var ready: Int32
      repeat { ready = poll(&wait, 1, milliseconds) } while ready < 0 && errno == EINTR
      guard ready == 1 else { return ready < 0 ? errno : ETIMEDOUT }
      var error: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
      return error
    }
  }

  /// Runs `body` on a new thread, because `body` may block for hours, and dispatch queues have few threads. Returns whether the thread was
  /// started.
  private func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    #if canImport(Darwin)
      let thread = Thread(block: body)
      thread.name = "LocoKit.gpsd"
      thread.start()
      return true
    #else
      // Foundation's Thread would add 46 MB to a static program.
      final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
      }
      let work = Unmanaged.passRetained(Work(body))
      let error = withUnsafeTemporaryAllocation(of: (thread: pthread_t, attributes: pthread_attr_t).self, capacity: 1) {
        // The buffer has an element, so it has an address.
        let new = $0.baseAddress.unsafelyUnwrapped
        pthread_attr_init(&new.pointee.attributes)
        defer { pthread_attr_destroy(&new.pointee.attributes) }
        pthread_attr_setdetachstate(&new.pointee.attributes, Int32(PTHREAD_CREATE_DETACHED))
        // Musl's default stack of 128 kB may be too small.
        pthread_attr_setstacksize(&new.pointee.attributes, 1 << 20)
        return pthread_create(
          &new.pointee.thread, &new.pointee.attributes,
          { work in
            if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
            return nil
          }, work.toOpaque())
      }
      if error != 0 { work.release() }
      return error == 0
    #endif
  }
#endif
