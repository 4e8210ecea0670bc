import Dispatch
import Foundation
import Glibc

/// The state of the running tracker, without locations.
struct Status: Codable {
  var state: String
  /// The last transition, such as why the receiver is off; `nil` if there was none.
  var lastTransition: String?
  var connection: String
  var lastFixSecondsAgo: Double?
  var lastFixAccuracyMeters: Double?
  var receiverOnSeconds: Double
  var cell: Bool
  var batteryPercent: Double?
  /// `nil` if the queue can't be read or written, and without a server.
  var queued: Int?
  /// `nil` without a server.
  var sent: Int?
  var uploadProblem: String?

  /// The lines that `status` prints.
  var text: String {
    var lines = ["state      \(state), \(connection)"]
    if let lastTransition { lines.append("last step  \(lastTransition)") }
    let age = lastFixSecondsAgo.map { "\(Int($0)) s ago, accurate to \(Int(lastFixAccuracyMeters ?? 0)) m" }
    lines.append("last fix   \(age ?? "none yet")")
    lines.append("receiver   on for \(Int(receiverOnSeconds)) s since the start")
    lines.append("cells      \(cell ? "from a modem" : "none")")
    if let batteryPercent { lines.append("battery    \(Int(batteryPercent)) %") }
    if let sent {
      let rest = queued.map { "\($0) queued" } ?? "the queue can't be used"
      lines.append("upload     \(sent) sent, \(rest)\(uploadProblem.map { "; \($0)" } ?? "")")
    } else {
      lines.append("upload     none: SERVER_URL is not set")
    }
    return lines.joined(separator: "\n")
  }
}

/// A socket that answers each connection with the status as a line of JSON. Only the tracker's own user can connect.
@MainActor
final class StatusSocket {
  private let lock: Int32
  private let listener: Int32
  private let path: String
  private let source: any DispatchSourceRead

  private nonisolated static let largest = 65_536

  /// - Throws: An error if the socket can't be created.
  init(path: String, status: @escaping @MainActor (@escaping @MainActor (Status) -> Void) -> Void) throws {
    self.path = path
    lock = try Self.lock("\(path).lock")
    unlink(path)
    listener = try Self.open(path) { bind($0, $1, $2) }
    guard chmod(path, 0o600) == 0, listen(listener, 8) == 0 else {
      throw Problem(path, errno)
    }
    source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: .main)
    source.setEventHandler { [listener] in
      MainActor.assumeIsolated {
        let client = accept(listener, nil, nil)
        if client >= 0 { status { Self.answer($0, to: client) } }
      }
    }
    source.resume()
  }

  /// Locks a file until its descriptor is closed. The system unlocks the file of a tracker that was killed.
  static func lock(_ path: String) throws -> Int32 {
    var file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    // A lock needs no space.
    if file < 0, errno == EROFS { file = Glibc.open(path, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else { throw Problem(path, errno) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      throw Problem("\(path): another tracker uses it; stop it first, because both would send the queue")
    }
    return file
  }

  private static func answer(_ status: Status, to client: Int32) {
    var line = (try? JSONEncoder().encode(status)) ?? Data()
    line.append(UInt8(ascii: "\n"))
    // The answer fits into the socket's buffer, so a client that doesn't read doesn't block the tracker.
    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    _ = line.withUnsafeBytes { send(client, $0.baseAddress, $0.count, flags) }
    close(client)
  }

  func end() {
    source.cancel()
    close(listener)
    unlink(path)
    close(lock)
  }

  /// Asks a running tracker for its status.
  nonisolated static func ask(_ path: String) throws -> Status {
    let file: Int32
    do { file = try open(path) { connect($0, $1, $2) } } catch {
      throw Problem("no tracker of this user answers: \(error); start it, or run this command as its user")
    }
    defer { close(file) }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while data.count < largest, case let count = recv(file, &buffer, buffer.count, 0), count > 0 {
      data += buffer[..<count]
    }
    do {
      return try decode(Status.self, from: data)
    } catch {
      throw Problem("the tracker gave no answer within five seconds; look at its log")
    }
  }

  /// Opens a socket, and binds or connects it to a path. A connection and each reception take at most five seconds.
  nonisolated static func open(
    _ path: String, _ attach: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw Problem("the path \(path) is too long")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
      setsockopt(file, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    let code = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        attach(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard code == 0 else {
      let error = errno
      close(file)
      throw Problem(path, error)
    }
    return file
  }
}

/// Decodes JSON that another process may have damaged. `JSONDecoder` stops the program on text whose last character is its 513th open bracket
/// (Swift 6.3).
func decode<Value: Decodable>(_ type: Value.Type, from text: Data) throws -> Value {
  let brackets = text.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
  guard brackets <= 512 else { throw Problem("the text has \(brackets) open brackets") }
  return try JSONDecoder().decode(type, from: text)
}
