import Foundation
import LocoKitGPSD

/// The settings of the tracker, from its environment. systemd reads them from `/etc/default/locokit-tracker`.
struct Settings {
  var gpsd = (host: "localhost", port: 2947, controlSocket: String?.none)
  var errorBound: Double?
  /// Whether the receiver's time replaces the machine's.
  var usesReceiverTime = true
  var journal: URL?
  /// A file for locations, or `-` for standard output.
  var locations: String?
  var server: Server?
  /// The folder of the last location and the queue.
  var state: URL
  /// The path of the socket for `status`.
  var socket: String

  static let help = """
    GPSD_HOST, GPSD_PORT      the host and the port of gpsd (default: localhost, 2947)
    GPSD_CONTROL_SOCKET       the path of gpsd's option -F, to close the receiver immediately
    RECEIVER_TIME             yes (default): use the receiver's time while this machine's clock is wrong; no: reject fixes then, with
                              a receiver whose date may be wrong
    ERROR_BOUND               the error of the last location that is allowed, in metres, 100 or more; without it, the GPS turns on
                              when the modem's cell changes, at most every five minutes
    SERVER_URL                where locations are sent, with https; http only to this machine
    SERVER_FORMAT             overland (default) or osmand
    SERVER_TOKEN_FILE         a file of this user with a bearer token
    DEVICE_ID                 the device's name for the server (default: the host name)
    LOCATION_FILE             a file to which each location is appended as a line of JSON; - is standard output
    JOURNAL                   a folder for a journal, with places disguised
    STATE_DIRECTORY           the folder of the queue; systemd sets it (default: ~/.local/state/locokit-tracker)
    RUNTIME_DIRECTORY         the folder of the socket for status; systemd sets it (default: $XDG_RUNTIME_DIR or STATE_DIRECTORY)
    """

  /// - Throws: A ``Problem``.
  init(_ environment: [String: String]) throws {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    for name in ["LOCATION_FILE", "JOURNAL", "SERVER_TOKEN_FILE"] {
      guard let path = value(name), !path.hasPrefix("/"), name != "LOCATION_FILE" || path != "-" else { continue }
      throw Problem("\(name) is a path that begins with /, not \(path)")
    }
    gpsd.host = value("GPSD_HOST") ?? gpsd.host
    if let text = value("GPSD_PORT") {
      guard let port = Int(text), (1...65_535).contains(port) else {
        throw Problem("GPSD_PORT is a number from 1 to 65535, not \(text)")
      }
      gpsd.port = port
    }
    gpsd.controlSocket = value("GPSD_CONTROL_SOCKET")
    if let text = value("ERROR_BOUND") {
      guard let bound = Double(text), bound >= 100, bound.isFinite else {
        throw Problem("ERROR_BOUND is a number of metres, 100 or more, not \(text)")
      }
      errorBound = bound
    }
    if let text = value("RECEIVER_TIME") {
      guard ["yes", "no"].contains(text) else { throw Problem("RECEIVER_TIME is yes or no, not \(text)") }
      usesReceiverTime = text != "no"
    }
    journal = value("JOURNAL").map { URL(filePath: $0) }
    locations = value("LOCATION_FILE")
    let home = value("HOME") ?? "/"
    let states = value("XDG_STATE_HOME") ?? "\(home)/.local/state"
    state = URL(filePath: value("STATE_DIRECTORY") ?? "\(states)/locokit-tracker")
    let runtime = value("RUNTIME_DIRECTORY") ?? value("XDG_RUNTIME_DIR") ?? state.path(percentEncoded: false)
    socket = "\(runtime)/locokit-tracker.sock"
    if let text = value("SERVER_URL") {
      server = try Self.server(text, value)
    } else if let name = ["SERVER_FORMAT", "SERVER_TOKEN_FILE"].first(where: { value($0) != nil }) {
      throw Problem("\(name) is set, but SERVER_URL is not")
    }
  }

  @MainActor
  func provider() -> GPSDProvider {
    GPSDProvider(
      host: gpsd.host, port: gpsd.port, controlSocket: gpsd.controlSocket, usesReceiverTime: usesReceiverTime)
  }

  private static func server(_ text: String, _ value: (String) -> String?) throws -> Server {
    // A URL's parser would encode them.
    guard !text.contains(where: \.isWhitespace) else {
      throw Problem("SERVER_URL has a space or a line break: a comment needs its own line, and a quotation its end")
    }
    var parts = URLComponents(string: text)
    let scheme = parts?.scheme?.lowercased() ?? ""
    // Foundation on Linux knows the schemes in lower case only.
    if ["http", "https"].contains(scheme) { parts?.scheme = scheme }
    guard let url = parts?.url, let host = url.host()?.lowercased(), ["http", "https"].contains(scheme),
      (1...65_535).contains(parts?.port ?? 443), parts?.fragment == nil
    else {
      throw Problem("SERVER_URL is a URL such as https://example.com/locations")
    }
    guard !host.contains(":") else {
      throw Problem(
        "SERVER_URL has an IPv6 address, which Foundation can't use on Linux: use a name, such as localhost")
    }
    guard scheme == "https" || ["localhost", "127.0.0.1"].contains(host) else {
      throw Problem("SERVER_URL uses http, which others can read: use https")
    }
    let format = value("SERVER_FORMAT") ?? "overland"
    guard let format = UploadFormat(rawValue: format) else {
      throw Problem(
        "SERVER_FORMAT is \(UploadFormat.allCases.map(\.rawValue).joined(separator: " or ")), not \(format)")
    }
    // Traccar reads only the parameters of a URL that has some, and would answer 200.
    if format == .osmand, parts?.query != nil {
      throw Problem(
        "SERVER_URL has parameters: with SERVER_FORMAT=osmand, the tracker sends all of them; DEVICE_ID is the id")
    }
    let token = try value("SERVER_TOKEN_FILE").map { try Self.token($0) }
    let device = value("DEVICE_ID") ?? ProcessInfo.processInfo.hostName
    return Server(url: url, format: format, token: token, device: device)
  }

  /// Reads a token of at most 4 kB from a file that only its owner can read.
  private static func token(_ path: String) throws -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      let error = errno
      throw Problem(
        "SERVER_TOKEN_FILE: \(path) can't be read; the service sees no file in /home, /root and /tmp", error,
        mayPass: ![EACCES, EPERM, ENOTDIR, ELOOP].contains(error))
    }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Problem("SERVER_TOKEN_FILE: \(path) is not a file")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw Problem("SERVER_TOKEN_FILE: \(path) can be read by others; run chmod 600 \(path)")
    }
    guard let data = try? handle.read(upToCount: 4_097) ?? Data() else {
      throw Problem("SERVER_TOKEN_FILE: \(path) can't be read", EIO, mayPass: true)
    }
    let token = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard data.count <= 4_096, !token.isEmpty, token.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw Problem(
        "SERVER_TOKEN_FILE: \(path) must be one line of at most 4096 printable ASCII characters, and have no byte-order mark"
      )
    }
    return token
  }
}
