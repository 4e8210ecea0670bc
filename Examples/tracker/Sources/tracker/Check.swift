import Foundation
import LocoKit
import LocoKitGPSD

/// Tests what the tracker depends on, prints a line for each part with what to do, and returns whether all required parts work. A modem and a
/// control socket are optional.
@MainActor
func check(_ settings: Settings) async -> Bool {
  var works = true
  func report(_ part: String, _ problem: String?, _ remedy: String? = nil) {
    print(problem.map { "no  \(part): \($0)\(remedy.map { "; \($0)" } ?? "")" } ?? "ok  \(part)")
    works = works && problem == nil
  }
  var unused: String?
  let problem = await problemOfGPSD(settings) { if $0.contains("is not used") { unused = $0 } }
  report("gpsd", problem, "install gpsd, or set GPSD_HOST and GPSD_PORT")
  if let path = settings.gpsd.controlSocket {
    var status = stat()
    if let unused {
      report("control socket", unused)
    } else if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
      let remedy = "set GPSD_CONTROL_SOCKET to the file that gpsd's option -F names"
      report("control socket", "\(path) is no socket", remedy)
    } else {
      var problem: String?
      do { close(try StatusSocket.open(path) { connect($0, $1, $2) }) } catch { problem = "\(error)" }
      report("control socket", problem, "start gpsd with its option -F, and give this user's group access to the file")
    }
  } else {
    print("–   control socket: not set, so gpsd keeps the receiver on for 60 s after each fix; set GPSD_CONTROL_SOCKET")
  }
  print(
    await problemOfModem().map { "–   modem: \($0)" } ?? "ok  modem: it reports its cell")
  if let server = settings.server {
    let problem = await problemOf(server)
    report("server", problem)
    // Traccar refuses each location of an unknown device, and a request without a location in any case.
    if problem == nil, server.format == .osmand {
      print("–   server: whether it knows the device \(server.device) is seen only when a location is sent")
    }
  } else {
    print("–   server: SERVER_URL is not set, so locations stay on this machine")
  }
  return works
}

/// Turns the receiver on for a moment, and returns why gpsd doesn't watch it after five seconds.
@MainActor
private func problemOfGPSD(_ settings: Settings, log: @escaping (String) -> Void) async -> String? {
  let gpsd = settings.provider()
  gpsd.log = log
  let manager = LocationManager(provider: gpsd)
  manager.tryPromptAuthorization()
  manager.forceAcquireLocation()
  let serving = Task { try await gpsd.run() }
  let undecided: Set<GPSDProvider.Connection> = [.closed, .connecting, .open]
  for _ in 0..<50 where undecided.contains(gpsd.connection) { try? await Task.sleep(for: .milliseconds(100)) }
  let connection = gpsd.connection
  serving.cancel()
  _ = await serving.result
  return connection == .watching ? nil : connection.description
}

/// Waits three seconds for a cell, and returns why the modem reports none.
@MainActor
private func problemOfModem() async -> String? {
  var problem: String? = "no modem reports a cell"
  do {
    let bus = try SystemBus()
    defer { bus.close() }
    var hasCell = false
    let modem = ModemCells(bus, file: nil, log: { problem = $0 }) { hasCell = $0 != nil }
    try modem.start()
    for _ in 0..<30 where !hasCell { try await Task.sleep(for: .milliseconds(100)) }
    await modem.end()
    return hasCell ? nil : problem
  } catch {
    return "\(error)"
  }
}

/// Sends a batch without locations, and returns why the server doesn't accept it.
@MainActor
private func problemOf(_ server: Server) async -> String? {
  do {
    let answer = try await Sender.send(server.request(for: []))
    // A server for single locations refuses a request without one.
    if server.accepts(answer) || answer.status == 400 && server.format == .osmand && !answer.isPage { return nil }
    return server.words(for: answer, locations: 0)
  } catch {
    return ((error as? URLError)?.words ?? "\(error)") + "; check SERVER_URL and the network"
  }
}
