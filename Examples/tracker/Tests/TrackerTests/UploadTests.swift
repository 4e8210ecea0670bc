import Foundation
import LocoKit
import LocoKitTrips
import Synchronization
import Testing

@testable import locokit_tracker

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A clock whose sleeps end immediately, and set its time: the upload is the only one that sleeps.
final class SkippingClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Swift.Duration.zero
    func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
    static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
  }

  private let time = Mutex(Instant())
  var now: Instant { time.withLock { $0 } }
  let minimumResolution = Swift.Duration.zero

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    time.withLock { $0 = max($0, deadline) }
  }
}

/// Uploads in virtual time, to a server that is down, slow or refuses.
@MainActor @Suite("The upload", .timeLimit(.minutes(2)))
struct UploadTests {
  /// The server's answers, by the clock's time, and what it has accepted.
  @MainActor final class FakeServer {
    let clock: SkippingClock
    /// Returns the status at a time; `nil` while the server can't be reached.
    let status: (Duration) -> Int?
    /// The locations that the server refuses.
    var refused: Set<String> = []
    /// The most locations that arrive in time, and the error of a larger request.
    var (most, tooLarge) = (Int.max, URLError.Code.timedOut)
    /// The number of first requests that don't arrive in time, whatever their size.
    var lost = 0
    /// The number of times that each location was refused alone.
    private(set) var refusals: [String: Int] = [:]
    /// Whether the answer to the first request is lost, and the server refuses locations that it has already.
    var losesAnswer = false
    /// The number of the only request that the server accepts while it refuses all others; `nil` for none.
    var taken: Int?
    var body = #"{"result":"ok"}"#
    var retryAfter: Double?
    private(set) var requests: [Duration] = []
    private(set) var accepted: [String] = []
    /// The time when the server had all locations.
    private(set) var doneAt: Duration?
    private let (ends, end) = AsyncStream.makeStream(of: Void.self)
    private let wanted: Int

    /// - Parameter wanted: The number of locations that end the test.
    init(_ clock: SkippingClock, wanted: Int, status: @escaping (Duration) -> Int?) {
      (self.clock, self.wanted, self.status) = (clock, wanted, status)
    }

    /// Waits until the locations are accepted.
    func awaitAll() async { for await _ in ends {} }

    func receive(_ request: URLRequest) throws -> Answer {
      requests.append(clock.now.offset)
      guard let status = requests.count == taken ? 200 : status(clock.now.offset) else {
        // curl names the time of each attempt.
        throw URLError(.cannotConnectToHost, userInfo: [NSLocalizedDescriptionKey: "failed at \(clock.now.offset)"])
      }
      let sent = try JSONSerialization.jsonObject(with: request.httpBody ?? Data()) as? [String: [[String: Any]]]
      let locations = (sent?["locations"] ?? []).compactMap {
        $0["id"] as? String
      }
      if locations.count > most || requests.count <= lost { throw URLError(tooLarge) }
      if status == 200, !refused.isDisjoint(with: locations) {
        if locations.count == 1 { refusals[locations[0], default: 0] += 1 }
        return Answer(status: 422, retryAfter: retryAfter)
      }
      if status == 200 { accepted += locations }
      if losesAnswer {
        refused.formUnion(locations)
        if requests.count == 1 { throw URLError(.networkConnectionLost) }
      }
      if accepted.count >= wanted {
        doneAt = doneAt ?? clock.now.offset
        end.finish()
      }
      return Answer(status: status, body: Data(body.utf8), retryAfter: retryAfter)
    }
  }

  @Test(
    "a server that can't be reached for a day loses nothing, is asked every minute, and gets everything in order")
  func outage() async throws {
    let day = Duration.seconds(86_400)
    let clock = SkippingClock()
    let server = FakeServer(clock, wanted: 250) { $0 < day ? nil : 200 }
    let (history, folder) = try Self.history(locations: 250)
    defer { try? FileManager.default.removeItem(at: folder) }
    let positions = try await history.batch(upTo: 1_000).entries.map { "\($0.position)" }
    var log: [String] = []
    let upload = Upload(history, to: Self.server, transport: server.receive, clock: clock, log: { log.append($0) })
    try await Self.run(upload, to: server, of: history)
    #expect(upload.sent == 250)
    #expect(positions.count == 250 && server.accepted == positions)
    #expect(upload.problem == nil)
    // The waits grow to a minute.
    let during = server.requests.filter { $0 < day }
    #expect((1_440...1_450).contains(during.count), "\(during.count) requests")
    #expect(zip(during, during.dropFirst()).allSatisfy { $1 - $0 <= .seconds(60) })
    #expect(server.requests.first { $0 >= day }.map { $0 - day <= .seconds(60) } == true)
    #expect(log.count == 2 && log[0].hasPrefix("locations wait") && log[1] == "locations are sent again")
  }

  @Test("each failure is repeated until the server accepts", arguments: [301, 400, 401, 403, 404, 500, 503] as [Int])
  func refusals(status: Int) async throws {
    let hour = Duration.seconds(3_600)
    let clock = SkippingClock()
    let server = FakeServer(clock, wanted: 5) { $0 < hour ? status : 200 }
    let (history, folder) = try Self.history(locations: 5)
    defer { try? FileManager.default.removeItem(at: folder) }
    let upload = Upload(history, to: Self.server, transport: server.receive, clock: clock, log: { _ in })
    try await Self.run(upload, to: server, of: history)
    #expect(upload.sent == 5)
    #expect(server.accepted.count == 5 && Set(server.accepted).count == 5)
    #expect((8...25).contains(server.requests.count), "\(server.requests.count) requests in an hour")
  }

  @Test(
    "the upload waits 5 s or longer, as long as the server asks for, and 15 minutes at most",
    arguments: [nil, 0, 120, 1e9, .nan, -5])
  func waits(retryAfter: Double?) async throws {
    let clock = SkippingClock()
    let server = FakeServer(clock, wanted: 5) { $0 < .seconds(6_000) ? 429 : 200 }
    server.retryAfter = retryAfter
    let (history, folder) = try Self.history(locations: 5)
    defer { try? FileManager.default.removeItem(at: folder) }
    let upload = Upload(history, to: Self.server, transport: server.receive, clock: clock, log: { _ in })
    try await Self.run(upload, to: server, of: history)
    let waits = zip(server.requests, server.requests.dropFirst()).map { $1 - $0 }
    let least = retryAfter.map { $0 > 5 ? min(900, $0) : 5 } ?? 5
    #expect(waits.allSatisfy { (.seconds(least)...Duration.seconds(900)).contains($0) }, "\(waits)")
  }

  @Test("a server that takes no location for a day loses none, however it refuses them", arguments: [413, 422])
  func refusesAll(status: Int) async throws {
    let day = Duration.seconds(86_400)
    let clock = SkippingClock()
    let server = FakeServer(clock, wanted: 50) { $0 < day ? status : 200 }
    let (history, folder) = try Self.history(locations: 50)
    defer { try? FileManager.default.removeItem(at: folder) }
    var log: [String] = []
    let upload = Upload(history, to: Self.server, transport: server.receive, clock: clock, log: { log.append($0) })
    try await Self.run(upload, to: server, of: history)
    #expect(upload.sent == 50 && Set(server.accepted).count == 50)
    #expect(server.requests.filter { $0 < day }.count < 450)
    #expect(!log.contains { $0.contains("dropped") } && log.count < 10, "\(log)")
  }

  @Test(
    "requests that don't arrive in time become smaller until they do, and arrive once", arguments: [1, 30],
    [URLError.Code.timedOut, .networkConnectionLost])
  func slow(most: Int, code: URLError.Code) async throws {
    let clock = SkippingClock()
    let server = FakeServer(clock, wanted: 250) { _ in 200 }
    (server.most, server.tooLarge) = (most, code)
    let (history, folder) = try Self.history(locations: 250)
    defer { try? FileManager.default.removeItem(at: folder) }
    var log: [String] = []
    let upload = Upload(history, to: Self.server, transport: server.receive, clock: clock, log: { log.append($0) })
    try await Self.run(upload, to: server, of: history)
    #expect(upload.sent == 250 && server.accepted.count == 250 && Set(server.accepted).count == 250)
    let problem = code == .timedOut ? "the server doesn't answer within a minute" : "the server can't be reached"
    #expect(log.first?.hasPrefix("locations wait: \(problem)") == true)
    // After a request that was late, a few of the next ones may be.
    #expect(server.requests.count < 250 / most * 2 + 20, "\(server.requests.count) requests")
  }

  @Test("a server that is reached again after hours, and refuses at first, is asked again within a minute")
  func deadZone() async throws {
    let clock = SkippingClock()
    let server = FakeServer(clock, wanted: 5) { $0 < .seconds(7_200) ? nil : $0 < .seconds(7_290) ? 503 : 200 }
    let (history, folder) = try Self.history(locations: 5)
    defer { try? FileManager.default.removeItem(at: folder) }
    let upload = Upload(history, to: Self.server, transport: server.receive, clock: clock, log: { _ in })
    try await Self.run(upload, to: server, of: history)
    #expect(try #require(server.doneAt) < .seconds(7_400))
  }

  @Test("a request of one location that doesn't arrive in time doesn't make the next ones smaller")
  func slowOne() async throws {
    let clock = SkippingClock()
    let server = FakeServer(clock, wanted: 250) { _ in 200 }
    server.lost = 1
    let (history, folder) = try Self.history(locations: 1)
    defer { try? FileManager.default.removeItem(at: folder) }
    let upload = Upload(
      history, to: Self.server, transport: server.receive, clock: clock,
      log: {
        if $0.hasPrefix("locations wait") { Self.append(249, to: history) }
      })
    try await Self.run(upload, to: server, of: history)
    // One that is lost, one of 200 and one of 50.
    #expect(server.requests.count == 3, "\(server.requests.count) requests")
  }

  @Test("after a lost answer, a server that refuses what it has already gets the other locations")
  func lostAnswer() async throws {
    let clock = SkippingClock()
    let server = FakeServer(clock, wanted: 250) { _ in 200 }
    server.losesAnswer = true
    let (history, folder) = try Self.history(locations: 250)
    defer { try? FileManager.default.removeItem(at: folder) }
    let positions = try await history.batch(upTo: 1_000).entries.map { "\($0.position)" }
    var log: [String] = []
    let upload = Upload(history, to: Self.server, transport: server.receive, clock: clock, log: { log.append($0) })
    try await Self.run(upload, to: server, of: history)
    #expect(Set(server.accepted) == Set(positions) && server.accepted.count == 250)
    // The newest ones were accepted out of turn, and are refused in their turn.
    let left = try await history.batch(upTo: 250).entries.map { "\($0.position)" }
    #expect(left.count < 10 && left == positions.suffix(left.count))
    #expect(log.filter { $0.contains("a location is dropped") }.count == 200)
    #expect(server.doneAt.map { $0 < .seconds(600) } == true, "\(String(describing: server.doneAt))")
  }

  @Test("a server that takes one location, and then refuses all again, doesn't empty the queue", arguments: [10, 25])
  func takesOne(number: Int) async throws {
    let day = Duration.seconds(86_400)
    let clock = SkippingClock()
    let server = FakeServer(clock, wanted: 49) { $0 < day ? 422 : 200 }
    server.taken = number
    let (history, folder) = try Self.history(locations: 50)
    defer { try? FileManager.default.removeItem(at: folder) }
    var log: [String] = []
    let upload = Upload(history, to: Self.server, transport: server.receive, clock: clock, log: { log.append($0) })
    try await Self.run(upload, to: server, of: history)
    #expect(log.filter { $0.contains("dropped") }.count <= 1, "\(log)")
    #expect(Set(server.accepted).count >= 49)
  }

  @Test("locations whose acknowledgement can't be written aren't sent again")
  func fullDisk() async throws {
    let clock = SkippingClock()
    let server = FakeServer(clock, wanted: 5) { _ in 200 }
    // The failures of the disk are expected.
    let (history, folder) = try Self.history(locations: 5, report: { _ in })
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, away) = (folder.appending(path: "queue.jsonl"), folder.appending(path: "away.jsonl"))
    #expect(history.synchronize())
    var isFull = true
    let upload = Upload(
      history, to: Self.server,
      transport: {
        // A folder takes the file's place while the server answers.
        if isFull {
          try FileManager.default.moveItem(at: file, to: away)
          try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        }
        isFull = false
        return try server.receive($0)
      }, clock: clock, log: { _ in })
    let sending = Task { await upload.run() }
    defer { sending.cancel() }
    for _ in 0..<1_000_000 where clock.now.offset < .seconds(3_600) { await Task.yield() }
    #expect(clock.now.offset >= .seconds(3_600) && upload.sent == 0)
    try FileManager.default.removeItem(at: file)
    try FileManager.default.moveItem(at: away, to: file)
    for _ in 0..<100_000 where upload.sent < 5 { await Task.yield() }
    #expect(server.requests.count == 1 && upload.sent == 5)
  }

  @Test("a refused token is reported at once, although the server asks for a password", .timeLimit(.minutes(1)))
  func basicAuthentication() async throws {
    let answer = try await Self.exchange(
      "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"", within: .seconds(20))
    #expect(answer.status == 401)
  }

  @Test("a refusal with a time to wait for delays the smaller request too", arguments: [nil, 300.0])
  func refusalWithAWait(retryAfter: Double?) async throws {
    let clock = SkippingClock()
    let server = FakeServer(clock, wanted: 49) { _ in 200 }
    let (history, folder) = try Self.history(locations: 50)
    defer { try? FileManager.default.removeItem(at: folder) }
    server.refused = ["\(try await history.batch(upTo: 1).end)"]
    server.retryAfter = retryAfter
    let upload = Upload(history, to: Self.server, transport: server.receive, clock: clock, log: { _ in })
    try await Self.run(upload, to: server, of: history)
    let wait = server.requests[1] - server.requests[0]
    #expect(retryAfter == nil ? wait == .zero : wait >= .seconds(300), "\(wait)")
    #expect(Array(server.refusals.values) == [5])
  }

  @Test("the time to wait for is a number of seconds or a date")
  func retryAfter() {
    let now = Date(timeIntervalSince1970: 784_111_777)
    #expect(Answer.seconds(ofRetryAfter: "120", at: now) == 120)
    #expect(Answer.seconds(ofRetryAfter: "Sun, 06 Nov 1994 08:51:37 GMT", at: now) == 120)
    #expect(Answer.seconds(ofRetryAfter: "soon", at: now) == nil)
  }

  @Test(
    "locations that the server refuses are dropped, each with a line, and the others arrive once",
    arguments: [0, 7, 47, 48], [1, 2])
  func refusesSome(first: Int, distance: Int) async throws {
    let clock = SkippingClock()
    let server = FakeServer(clock, wanted: 48) { _ in 200 }
    let (history, folder) = try Self.history(locations: 50)
    defer { try? FileManager.default.removeItem(at: folder) }
    let positions = try await history.batch(upTo: 1_000).entries.map { "\($0.position)" }
    let second = first + distance
    server.refused = [positions[first], positions[second > 48 ? 40 : second]]
    var log: [String] = []
    let upload = Upload(history, to: Self.server, transport: server.receive, clock: clock, log: { log.append($0) })
    try await Self.run(upload, to: server, of: history)
    // If two in a row are refused, the newest one is sent out of turn, and again in its turn.
    var accepted = positions.filter { !server.refused.contains($0) }
    if distance == 1, second <= 48 { accepted.insert(positions[49], at: first) }
    #expect(server.accepted == accepted)
    #expect(log.filter { $0.contains("a location is dropped") }.count == 2, "\(log)")
    #expect(upload.sent == 48 && upload.problem == nil)
    // A later location that the server has taken already decides on the second one in a row.
    #expect(server.refusals[positions[first]] == 5)
    #expect(server.refusals.values.sorted() == (distance == 1 && second <= 48 ? [2, 5] : [5, 5]))
  }

  @Test(
    "an answer of another page isn't one of Overland's servers", arguments: ["", "<html></html>", #"{"result":"no"}"#])
  func anotherPage(body: String) async throws {
    let hour = Duration.seconds(3_600)
    let clock = SkippingClock()
    let server = FakeServer(clock, wanted: 1_000) { _ in 200 }
    server.body = body
    let (history, folder) = try Self.history(locations: 5)
    defer { try? FileManager.default.removeItem(at: folder) }
    let upload = Upload(history, to: Self.server, transport: server.receive, clock: clock, log: { _ in })
    let sending = Task { await upload.run() }
    while clock.now.offset < hour { await Task.yield() }
    sending.cancel()
    #expect(try await history.batch(upTo: 10).entries.count == 5)
    #expect(upload.sent == 0 && upload.problem?.contains("Overland") == true)
  }

  @Test("an answer that never ends is cut off after its time or its size", arguments: [false, true])
  func endless(isFast: Bool) async throws {
    let (listener, port) = try Self.listen()
    defer { close(listener) }
    Thread.detachNewThread {
      let client = accept(listener, nil, nil)
      var text = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
      let chunk = isFast ? "4000\r\n" + String(repeating: " ", count: 0x4000) + "\r\n" : "1\r\n \r\n"
      // At most 64 MB, so that a busy machine doesn't read for minutes what it throws away.
      for _ in 0...4_096 {
        guard send(client, text, text.count, Int32(MSG_NOSIGNAL)) == text.count else { break }
        text = Array(chunk.utf8)
        if !isFast { usleep(20_000) }
      }
      close(client)
    }
    let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/")))
    do {
      let answer = try await Sender.send(request, within: isFast ? .seconds(60) : .milliseconds(500))
      #expect(isFast && answer.status == 200 && answer.body.count == 65_536)
    } catch let error as URLError {
      #expect(!isFast && error.code == .timedOut)
    }
  }

  @Test("the answer has the seconds of its Retry-After")
  func retryAfterHeader() async throws {
    let answer = try await Self.exchange("503 Busy\r\nRetry-After: 7", within: .seconds(60))
    #expect(answer.status == 503 && answer.retryAfter == 7)
  }

  /// Sends a request to a server that answers with a status and headers, and returns the answer.
  private static func exchange(_ head: String, within limit: Duration) async throws -> Answer {
    let (listener, port) = try listen()
    defer { close(listener) }
    Thread.detachNewThread {
      let client = accept(listener, nil, nil)
      let text = Array("HTTP/1.1 \(head)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
      _ = send(client, text, text.count, Int32(MSG_NOSIGNAL))
      close(client)
    }
    return try await Sender.send(
      URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/"))), within: limit)
  }

  /// Returns a socket that listens on a free port.
  private static func listen() throws -> (Int32, port: UInt16) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    (address.sin_family, address.sin_addr.s_addr) = (sa_family_t(AF_INET), UInt32(0x7F00_0001).bigEndian)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) | Glibc.listen(listener, 1) | getsockname(listener, $0, &size)
      }
    }
    try #require(code == 0)
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  private static let server = Server(
    url: URL(filePath: "/"), format: .overland, token: nil, device: "a machine")

  /// Returns a history with locations, and its folder.
  private static func history(
    locations: Int, report: @escaping @Sendable (String) -> Void = { Issue.record("\($0)") }
  ) throws -> (LocationHistory, URL) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let history = LocationHistory(file: folder.appending(path: "queue.jsonl"), report: report)
    append(locations, to: history)
    return (history, folder)
  }

  private static func append(_ count: Int, to history: LocationHistory) {
    for number in 0..<count {
      history.append(
        Location(latitude: 34 + Double(number) / 1_000, longitude: -118, horizontalAccuracy: 10, timestamp: .now))
    }
  }

  /// Runs an upload until its history is empty.
  private static func run(_ upload: Upload, to server: FakeServer, of history: LocationHistory) async throws {
    let sending = Task { await upload.run() }
    defer { sending.cancel() }
    await server.awaitAll()
    for _ in 0..<1_000 where try await !history.batch(upTo: 1).isEmpty { await Task.yield() }
    // The upload counts the last locations after the history has removed them.
    sending.cancel()
    await sending.value
  }
}

@Suite("The settings")
struct SettingsTests {
  @Test(
    "the receiver's time is used unless a setting refuses it",
    arguments: [(nil, true), ("yes", true), ("no", false)] as [(String?, Bool)])
  func receiverTime(setting: String?, isUsed: Bool) throws {
    #expect(try Settings(["RECEIVER_TIME": setting ?? ""]).usesReceiverTime == isUsed)
  }

  @Test("an empty variable counts as unset, and a URL's scheme and host have any case")
  func empty() throws {
    let names = [
      "GPSD_PORT", "ERROR_BOUND", "RECEIVER_TIME", "SERVER_FORMAT", "SERVER_TOKEN_FILE", "DEVICE_ID", "JOURNAL",
    ]
    let empty = Dictionary(uniqueKeysWithValues: names.map { ($0, "") })
    for url in ["HTTPS://Example.com/x", "http://LOCALHOST:9/x"] {
      let settings = try Settings(empty.merging(["SERVER_URL": url]) { $1 })
      #expect(["http", "https"].contains(settings.server?.url.scheme), "Foundation knows no other case")
      #expect(settings.server?.format == .overland && settings.server?.token == nil && settings.errorBound == nil)
    }
    for url in ["http://example.com", "http://[::1]:8080/x", "https://[2001:db8::1]/x"] {
      #expect(throws: Problem.self) { try Settings(["SERVER_URL": url]) }
    }
  }

  @Test(
    "a setting that would send locations elsewhere or nowhere is refused, and the problem names it",
    arguments: [
      ["SERVER_URL": "https://example.com/ # mine"], ["SERVER_URL": "https://example.com/\nDEVICE_ID=van"],
      ["SERVER_URL": "https://example.com/#part"], ["SERVER_URL": "https://example.com:99999/"],
      ["SERVER_FORMAT": "osmand"], ["SERVER_TOKEN_FILE": "/token"], ["LOCATION_FILE": "locations"],
      ["JOURNAL": "journal"], ["JOURNAL": "-"],
    ])
  func refused(environment: [String: String]) throws {
    let name = try #require(environment.keys.first)
    let problem = try #require(throws: Problem.self) { try Settings(environment) }
    #expect(problem.description.hasPrefix(name) && !problem.mayPass)
  }

  @Test(
    "a token is one line of printable ASCII characters",
    arguments: ["a b~", "\u{FEFF}a", "a\u{0}b", "a\tb", "a\nb", "é", ""])
  func token(_ text: String) throws {
    let file = URL.temporaryDirectory.appending(path: "\(UUID())")
    #expect(
      FileManager.default.createFile(
        atPath: file.path, contents: Data((text + "\n").utf8), attributes: [.posixPermissions: 0o600]))
    defer { try? FileManager.default.removeItem(at: file) }
    let settings = try? Settings(["SERVER_URL": "https://example.com", "SERVER_TOKEN_FILE": file.path])
    #expect(settings?.server?.token == (text == "a b~" ? text : nil) && (settings == nil) == (text != "a b~"))
  }

  @Test("a URL with parameters is refused for OsmAnd, whose servers would read only those", arguments: ["?id=1", "?"])
  func parameters(_ query: String) throws {
    let url = "https://example.com:5055/\(query)"
    #expect(throws: Problem.self) { try Settings(["SERVER_URL": url, "SERVER_FORMAT": "osmand"]) }
    #expect(try Settings(["SERVER_URL": url]).server?.url.query() == (query == "?" ? "" : "id=1"))
    #expect(try Settings(["SERVER_URL": "https://example.com:5055/", "SERVER_FORMAT": "osmand"]).server != nil)
  }

  @Test("a damaged file with as many open brackets as stop Foundation's decoder is an error", arguments: [1, 512, 513])
  func brackets(count: Int) {
    let text = Data(String(repeating: "[", count: count).utf8)
    #expect(throws: (any Error).self) { try decode([String].self, from: text) }
  }

  @Test(
    "a web page isn't the answer of a server for locations",
    arguments: [
      ("", UploadFormat.osmand, true), ("*CMD", .osmand, true), ("<!doctype html>", .osmand, false),
      ("\n  <html>", .osmand, false), ("", .overland, false), (#"{"result":"ok"}"#, .overland, true),
      (#"{"result":"no"}"#, .overland, false), (String(repeating: "[", count: 512), .overland, false),
      (String(repeating: "[", count: 513), .overland, false),
    ])
  func answers(_ body: String, _ format: UploadFormat, _ isAccepted: Bool) throws {
    let server = Server(url: try #require(URL(string: "https://example.com")), format: format, token: nil, device: "a")
    #expect(server.accepts(Answer(status: 204, body: Data(body.utf8))) == isAccepted)
    #expect(!server.accepts(Answer(status: 302, body: Data(body.utf8))))
    for (status, words) in [
      (302, "SERVER_URL"), (401, "SERVER_TOKEN_FILE"), (200, "SERVER_FORMAT"), (413, "3 loc"), (404, "SERVER_URL"),
    ] {
      #expect(server.words(for: Answer(status: status), locations: 3).contains(words))
    }
    let bad = Answer(status: 400, body: Data(body.utf8))
    #expect(server.words(for: bad, locations: 1).contains("device a") == (format == .osmand && isAccepted))
  }
}

@Suite("The status")
struct StatusTests {
  @Test("the status says how much is queued, that the queue can't be used, or that there is no server")
  func upload() {
    var status = Status(
      state: "acquiring", connection: "connected", receiverOnSeconds: 3, cell: true, queued: 2, sent: 7)
    #expect(status.text.hasSuffix("upload     7 sent, 2 queued"))
    (status.queued, status.uploadProblem) = (nil, "it is down")
    #expect(status.text.hasSuffix("upload     7 sent, the queue can't be used; it is down"))
    status.sent = nil
    #expect(status.text.hasSuffix("upload     none: SERVER_URL is not set"))
  }
}
