#if os(Linux) || os(macOS)
  import Dispatch
  import Foundation

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The sockets and clocks of the system.
  ///
  /// It belongs to the provider and is not `Sendable`. Each connection has a thread that makes it and reads from it, and that
  /// knows nothing but its socket and where to put its signals. It reads no more than it has credit for, and the provider
  /// gives credit as it uses what was read: so a server that floods fills no memory.
  final class SocketSystem: GPSDSystem {
    /// What comes from elsewhere, to be turned into an event where the provider is.
    private enum Signal: Sendable {
      /// Each unit of credit lets the connection's thread read one chunk more.
      case connected(attempt: Int, Socket, credit: DispatchSemaphore)
      case bytes(attempt: Int, [UInt8], credit: DispatchSemaphore)
      case closed(attempt: Int, reason: String)
      case receiversClosed(error: String?)
      case receiversReopened
      case timer(Int)
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
    private var credit: DispatchSemaphore?
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

    func run(_ take: (GPSDEvent) -> Void) async {
      let (stream, continuation) = AsyncStream<Signal>.makeStream()
      signals = continuation
      timer = nil
      take(.began)
      for await signal in stream {
        // What has come is of no use any more.
        if Task.isCancelled { break }
        guard let event = event(of: signal) else { continue }
        take(event)
        // A stream that always has more does not suspend, and others on this actor have something to do too.
        if case .bytes = event { await Task.yield() }
      }
      signals = nil
    }

    /// `nil` where the signal is of a connection or a timer that is not wanted any more.
    private func event(of signal: Signal) -> GPSDEvent? {
      switch signal {
      case .connected(let number, let socket, let credit):
        guard number == attempt else {
          socket.end()
          return nil
        }
        self.socket = socket
        for _ in 0..<Self.chunksAhead { credit.signal() }
        return .connected
      case .bytes(let number, let bytes, let credit):
        // Of an old connection too: its thread reads on to the end, and ends.
        credit.signal()
        return number == attempt ? .bytes(bytes) : nil
      case .closed(attempt, let reason):
        return .closed(reason: reason)
      case .receiversClosed(let error):
        return .receiversClosed(error: error)
      case .receiversReopened:
        return .receiversReopened
      case .timer(timers):
        timer = nil
        return .timer
      case .closed, .timer:
        return nil
      }
    }

    func setTimer(_ deadline: Duration?) {
      // One that fires earlier than is asked for does no harm: whether a time has come is read.
      guard let deadline, let signals, deadline < timer ?? .seconds(Int64.max) else { return }
      timers += 1
      timer = deadline
      let number = timers
      let wait = min(max(0, (deadline - uptime).inSeconds), 86_400)
      timerQueue.asyncAfter(deadline: .now() + wait) { signals.yield(.timer(number)) }
    }
  }

  /// A descriptor that is closed when nobody has it any more.
  final class Socket: Sendable {
    let descriptor: Int32

    init?(_ descriptor: Int32) {
      guard descriptor >= 0 else { return nil }
      self.descriptor = descriptor
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      #if canImport(Darwin)
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
      #endif
    }

    deinit {
      #if canImport(Darwin)
        _ = Darwin.close(descriptor)
      #elseif canImport(Glibc)
        _ = Glibc.close(descriptor)
      #elseif canImport(Musl)
        _ = Musl.close(descriptor)
      #endif
    }

    /// Ends both directions; whoever waits for bytes gets an end.
    func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Ends what is sent; answers can still be read.
    func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Whether all was sent without waiting.
    func send(_ bytes: [UInt8]) -> Bool {
      #if canImport(Darwin)
        return Darwin.send(descriptor, bytes, bytes.count, MSG_DONTWAIT) == bytes.count
      #elseif canImport(Glibc)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
          == bytes.count
      #elseif canImport(Musl)
        return Musl.send(descriptor, bytes, bytes.count, MSG_DONTWAIT | MSG_NOSIGNAL) == bytes.count
      #endif
    }

    /// Waits for bytes; none are the end.
    func receive(_ count: Int) -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        var got = -1
        repeat { got = recv(descriptor, buffer.baseAddress, count, 0) } while got < 0 && errno == EINTR
        initialized = max(0, got)
      }
    }

    /// Connects, waiting so long at most; the error number, 0 where it is connected.
    func connect(_ address: UnsafePointer<sockaddr>, _ length: socklen_t, within milliseconds: Int32) -> Int32 {
      let flags = fcntl(descriptor, F_GETFL)
      _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
      defer { _ = fcntl(descriptor, F_SETFL, flags) }
      #if canImport(Darwin)
        let result = Darwin.connect(descriptor, address, length)
      #elseif canImport(Glibc)
        let result = Glibc.connect(descriptor, address, length)
      #elseif canImport(Musl)
        let result = Musl.connect(descriptor, address, length)
      #endif
      if result == 0 { return 0 }
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

    static func stream(_ family: Int32) -> Socket? {
      #if canImport(Glibc)
        Socket(Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0))
      #else
        Socket(Foundation.socket(family, SOCK_STREAM, 0))
      #endif
    }
  }

  // MARK: - The connection

  extension SocketSystem {
    func connect() {
      close()
      guard let signals else { return }
      attempt += 1
      let (attempt, host, port) = (attempt, host, port)
      let credit = DispatchSemaphore(value: 0)
      self.credit = credit
      let thread = Thread {
        // On Linux only a thread that runs has a name.
        Thread.current.name = "LocoKit.gpsd"
        let socket: Socket
        switch Self.connection(to: host, port) {
        case .success(let made): socket = made
        case .failure(let error):
          signals.yield(.closed(attempt: attempt, reason: error.description))
          return
        }
        if case .terminated = signals.yield(.connected(attempt: attempt, socket, credit: credit)) { return }
        while true {
          credit.wait()
          let bytes = socket.receive(Self.chunk)
          guard !bytes.isEmpty else { break }
          if case .terminated = signals.yield(.bytes(attempt: attempt, bytes, credit: credit)) { return }
        }
        signals.yield(.closed(attempt: attempt, reason: "gpsd at \(host):\(port) has closed the connection"))
      }
      thread.start()
    }

    func close() {
      // The thread is let go whether it waits for bytes, for credit, or still for a connection.
      attempt += 1
      socket?.end()
      socket = nil
      credit?.signal()
      credit = nil
    }

    func send(_ bytes: [UInt8]) {
      guard let socket else { return }
      if !socket.send(bytes) {
        signals?.yield(.closed(attempt: attempt, reason: "gpsd at \(host):\(port) does not read what is sent"))
      }
    }

    private struct Refusal: Error {
      let description: String
    }

    /// Looks the host up and tries its addresses, one after the other.
    private static func connection(to host: String, _ port: Int) -> Result<Socket, Refusal> {
      var hints = addrinfo()
      #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
      #else
        hints.ai_socktype = SOCK_STREAM
      #endif
      var list: UnsafeMutablePointer<addrinfo>?
      let code = getaddrinfo(host, String(port), &hints, &list)
      guard code == 0 else {
        return .failure(Refusal(description: "the host \(host) is not found: \(String(cString: gai_strerror(code)))"))
      }
      defer { freeaddrinfo(list) }
      var error: Int32 = ECONNREFUSED
      var next = list
      while let address = next?.pointee {
        next = address.ai_next
        guard let socket = Socket.stream(address.ai_family), let name = address.ai_addr else { continue }
        error = socket.connect(name, address.ai_addrlen, within: 4_000)
        if error == 0 { return .success(socket) }
      }
      return .failure(
        Refusal(
          description:
            "there is no gpsd at \(host):\(port) (\(String(cString: strerror(error)))); start it: gpsd -N and the path of "
            + "the receiver"
        ))
    }
  }

  // MARK: - The control socket

  extension SocketSystem {
    func closeReceivers(_ paths: [String]) {
      guard let controlSocket, let signals else { return }
      // gpsd takes two seconds to open a serial receiver, and hears nothing meanwhile.
      controlQueue.async {
        signals.yield(.receiversClosed(error: Self.close(paths, through: controlSocket, within: .seconds(3))))
      }
    }

    func closeReceiversNow(_ paths: [String]) -> GPSDEvent {
      guard let controlSocket else { return .receiversClosed(error: "there is none") }
      // Not behind what waits for an answer: each receiver is taken and given back at once, whatever the order.
      return .receiversClosed(error: Self.close(paths, through: controlSocket, within: .milliseconds(300)))
    }

    func reopenReceivers(_ paths: [String], closing: Bool) {
      guard let controlSocket, let signals else { return }
      controlQueue.async {
        if closing {
          _ = Self.close(paths, through: controlSocket, within: .seconds(1))
        } else {
          let deadline = ContinuousClock.now + .seconds(1)
          for path in paths { _ = Self.answers(to: ["+\(path)"], controlSocket, by: deadline) }
        }
        signals.yield(.receiversReopened)
      }
    }

    func file(at path: String) -> GPSDFile? {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      return status.st_mode & S_IFMT == S_IFCHR ? .device : .other
    }

    /// Takes each receiver away from gpsd, which closes it, and gives it back, which opens it only if somebody watches.
    ///
    /// - Returns: Why that is not known to have happened to all of them.
    static func close(_ paths: [String], through controlSocket: String, within limit: Duration) -> String? {
      let deadline = ContinuousClock.now + limit
      var error: String?
      for path in paths {
        switch answers(to: ["-\(path)", "+\(path)"], controlSocket, by: deadline) {
        case .failure(let refusal): error = refusal.description
        case .success(let answers):
          // It refuses to take away one that it has dropped, and to give back one that somebody else gave back.
          if answers.contains(.none) {
            error = "gpsd did not answer"
          } else if answers == [.done, .refused] {
            error = "gpsd did not take \(path) back: gpsdctl add \(path)"
          }
        }
      }
      return error
    }

    private enum Answer {
      case done, refused, none
    }

    /// Sends commands, each on a connection of its own, as gpsd reads only the first of those that come together.
    ///
    /// All are sent before any answer is awaited: gpsd does them in the order of the connections, even if the program ends
    /// meanwhile. If one cannot be sent, none is, so that no receiver is taken away and not given back.
    private static func answers(
      to commands: [String], _ controlSocket: String, by deadline: ContinuousClock.Instant
    ) -> Result<[Answer], Refusal> {
      var sockets: [Socket] = []
      for _ in commands {
        switch connection(toControlSocket: controlSocket) {
        case .success(let socket): sockets.append(socket)
        case .failure(let refusal): return .failure(refusal)
        }
      }
      for (socket, command) in zip(sockets, commands) {
        guard socket.send(Array("\(command)\r\n".utf8)) else {
          return .failure(Refusal(description: "it does not read"))
        }
        // gpsd reads on until the end, and does nothing else meanwhile.
        socket.endSending()
      }
      return .success(sockets.map { answer(on: $0, by: deadline) })
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

    private static func connection(toControlSocket path: String) -> Result<Socket, Refusal> {
      guard let socket = Socket.stream(AF_UNIX) else {
        return .failure(Refusal(description: String(cString: strerror(errno))))
      }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
        return .failure(Refusal(description: "its path is too long"))
      }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      // One whose connections wait to be accepted refuses more of them at once.
      let error = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          socket.connect($0, socklen_t(MemoryLayout<sockaddr_un>.size), within: 100)
        }
      }
      return error == 0 ? .success(socket) : .failure(Refusal(description: String(cString: strerror(error))))
    }
  }
#endif
