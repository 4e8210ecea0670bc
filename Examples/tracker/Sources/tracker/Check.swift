import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tests what the tracker depends on, and prints a line for each part with what to do.
@MainActor
struct Check {
  private let settings: Settings

  init(_ settings: Settings) { self.settings = settings }

  /// Returns whether all required parts work. A modem is optional.
  func run() async -> Bool {
    let gpsd = report(
      "gpsd", reaches(settings.gpsd.host, settings.gpsd.port), "install gpsd, or set GPSD_HOST and GPSD_PORT")
    let control = settings.gpsd.controlSocket.map { path in
      let isWritable = access(path, W_OK) == 0
      return report(
        "control socket", isWritable ? nil : "\(path): \(String(cString: strerror(errno)))",
        "give this user's group access to it")
    }
    if control == nil {
      print(
        "–   control socket: not set, so gpsd keeps the receiver on for 60 s after each fix; set GPSD_CONTROL_SOCKET")
    }
    let cell = await modem()
    print(
      cell.map { "–   modem: \($0); the GPS checks for movement every five minutes" }
        ?? "ok  modem: it reports its cell")
    guard let server = settings.server else {
      print("–   server: SERVER_URL is not set, so locations stay on this machine")
      return gpsd && control != false
    }
    let answer = report("server", await answers(server), "check SERVER_URL, SERVER_TOKEN_FILE and the network")
    return gpsd && control != false && answer
  }

  private func report(_ part: String, _ problem: String?, _ remedy: String) -> Bool {
    print(problem.map { "no  \(part): \($0); \(remedy)" } ?? "ok  \(part)")
    return problem == nil
  }

  /// Returns why gpsd can't be reached.
  private func reaches(_ host: String, _ port: Int) -> String? {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, "\(port)", &hints, &found)
    defer { if found != nil { freeaddrinfo(found) } }
    guard code == 0 else { return "\(host): \(String(cString: gai_strerror(code)))" }
    var problem = "no address"
    for address in sequence(first: found, next: { $0?.pointee.ai_next }).prefix(16) {
      guard let address = address?.pointee else { break }
      let file = socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
      defer { close(file) }
      var limit = timeval(tv_sec: 3, tv_usec: 0)
      setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      if connect(file, address.ai_addr, address.ai_addrlen) == 0 { return nil }
      problem = "\(host):\(port): \(String(cString: strerror(errno)))"
    }
    return problem
  }

  /// Waits three seconds for a cell, and returns why there is none.
  private func modem() async -> String? {
    var problem = "no modem reports a cell"
    do {
      let bus = try SystemBus()
      defer { bus.close() }
      var cell: String?
      let modem = ModemCells(bus, log: { problem = $0 }) { cell = $0 }
      try modem.start()
      for _ in 0..<30 where cell == nil { try await Task.sleep(for: .milliseconds(100)) }
      await modem.end()
      return cell == nil ? problem : nil
    } catch {
      return "\(error)"
    }
  }

  /// Sends a batch without locations, and returns why the server doesn't accept it.
  private func answers(_ server: Server) async -> String? {
    do {
      let answer = try await Sender.send(server.request(for: []))
      // A server for single locations refuses a request without one.
      if server.accepts(answer) || answer.status == 400 && server.format == .osmand { return nil }
      return (200..<300).contains(answer.status)
        ? #"its answer isn't Overland's {"result":"ok"}"# : "it answers \(answer.status)"
    } catch {
      return "it can't be reached: \((error as? URLError)?.localizedDescription ?? "\(error)")"
    }
  }
}
