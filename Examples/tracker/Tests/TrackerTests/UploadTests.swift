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
    private(set) var requests: [Duration] = []
    private(set) var accepted: [String] = []
    private let (ends, end) = AsyncStream.makeStream(of: Void.self)
    private let wanted: Int

    /// - Parameter wanted: The number of locations that end the test.
    init(_ clock: SkippingClock, wanted: Int, status: @escaping (Duration) -> Int?) {
      (self.clock, self.wanted, self.status) = (clock, wanted, status)
    }

    /// Waits until the locations are accepted.
    func awaitAll() async { for await _ in ends {} }

    func receive(_ request: URLRequest) throws -> Int {
      requests.append(clock.now.offset)
      guard let status = status(clock.now.offset) else { throw URLError(.cannotConnectToHost) }
      let body = try JSONSerialization.jsonObject(with: request.httpBody ?? Data()) as? [String: [[String: Any]]]
      if status == 200 {
        accepted += (body?["locations"] ?? []).compactMap {
          ($0["properties"] as? [String: Any])?["unique_id"] as? String
        }
      }
      if accepted.count >= wanted { end.finish() }
      return status
    }
  }

  @Test(
    "a server that is down for a day loses nothing, is asked every 15 minutes at most, and gets everything in order")
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
    // The waits grow to 15 minutes, and each is at least half of its maximum.
    let during = server.requests.filter { $0 < day }
    #expect((96...230).contains(during.count), "\(during.count) requests")
    #expect(zip(during, during.dropFirst()).allSatisfy { $1 - $0 <= .seconds(901) })
    #expect(server.requests.first { $0 >= day }.map { $0 - day <= .seconds(901) } == true)
    #expect(log.count == 2 && log[0].hasPrefix("locations wait") && log[1] == "the server accepts locations again")
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

  private static let server = Server(
    url: URL(filePath: "/"), format: .overland, token: nil, device: "a machine")

  /// Returns a history with locations, and its folder.
  private static func history(locations: Int) throws -> (LocationHistory, URL) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let history = LocationHistory(file: folder.appending(path: "queue.jsonl"), report: { Issue.record("\($0)") })
    for number in 0..<locations {
      history.append(
        Location(latitude: 34 + Double(number) / 1_000, longitude: -118, horizontalAccuracy: 10, timestamp: .now))
    }
    return (history, folder)
  }

  /// Runs an upload until its history is empty.
  private static func run(_ upload: Upload, to server: FakeServer, of history: LocationHistory) async throws {
    let sending = Task { await upload.run() }
    defer { sending.cancel() }
    await server.awaitAll()
    for _ in 0..<1_000 where try await !history.batch(upTo: 1).isEmpty { await Task.yield() }
  }
}
