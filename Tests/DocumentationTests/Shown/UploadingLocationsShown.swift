import Foundation
import LocoKit
import LocoKitSimulation
import LocoKitTrips
import LocoMachine
import Testing

@testable import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Uploads the locations that a history keeps, in order, each at least once.
// shown: UploadingLocations: actor Outbox {

// shown: UploadingLocations: final class Uploads {

// shown: UploadingLocations: func thinned(

// shown: UploadingLocations: func body(

// shown: UploadingLocations: final class BackgroundUpload

#if canImport(Darwin)
  func backgroundSession(_ upload: BackgroundUpload) -> URLSession {
    URLSession(configuration: .background(withIdentifier: "locations"), delegate: upload, delegateQueue: nil)
  }
#endif

#if canImport(FoundationNetworking)
  extension URLSession {
    fileprivate var allTasks: [URLSessionTask] {
      get async { await withCheckedContinuation { tasks in getAllTasks { tasks.resume(returning: $0) } } }
    }
  }

  /// A URL protocol that answers a session's uploads.
  private final class Answers: URLProtocol {
    /// The status codes of the next responses.
    static let codes = Locked([Int]())

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
      let code = Self.codes.change { $0.isEmpty ? 200 : $0.removeFirst() }
      guard let url = request.url,
        let response = HTTPURLResponse(url: url, statusCode: code, httpVersion: nil, headerFields: nil)
      else { return }
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocolDidFinishLoading(self)
    }
  }
#endif

@MainActor
@Suite("Uploading locations")
final class UploadingLocationsTests {
  /// A server that keeps each location once, by its key. The given faults apply to the first requests, in order.
  actor Server {
    enum Fault: CaseIterable { case offline, lostReply, killed }
    struct Failure: Error {}

    private(set) var keys: Set<String> = []
    private(set) var altitudes: [Int] = []
    private(set) var requests = 0
    private(set) var dropped = 0
    private var faults: [Fault?]

    init(_ faults: [Fault?]) { self.faults = faults }

    func receive(_ batch: LocationHistory.Batch) throws {
      requests += 1
      let fault = faults.isEmpty ? nil : faults.removeFirst()
      if fault == .offline { throw Failure() }
      for entry in batch.entries where keys.insert(entry.position.description).inserted {
        altitudes.append(Int(entry.location.altitude ?? -1))
      }
      dropped = max(dropped, batch.dropped)
      if fault == .lostReply { throw Failure() }
      // After a kill, nothing runs: no acknowledgement and no retry.
      if fault == .killed { withUnsafeCurrentTask { $0?.cancel() } }
      try Task.checkCancellation()
    }
  }

  /// A clock whose sleeps end immediately. An upload also reads and writes files in real time, so a virtual clock is not enough.
  struct Impatient: Clock {
    actor Sleeps {
      private(set) var durations: [Duration] = []
      func add(_ duration: Duration) { durations.append(duration) }
    }

    let sleeps = Sleeps()
    let now = ManualClock().now
    let minimumResolution = Duration.zero

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
      try Task.checkCancellation()
      await sleeps.add(deadline.offset)
    }
  }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "outbox-\(UUID().uuidString)")
  private var history: LocationHistory { LocationHistory(file: folder.appending(path: "history.jsonl")) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func append(_ numbers: Range<Int>, to history: LocationHistory) {
    for number in numbers {
      history.append(
        Location(latitude: 1, longitude: 2, horizontalAccuracy: 3, altitude: Double(number), timestamp: .now))
    }
  }

  @Test(
    "A server stores each location once and in order despite failed uploads and kills",
    arguments: [
      [], [.offline], [.lostReply], [.killed], [.offline, .offline, .offline, .lostReply], [nil, .killed, .killed],
      [.lostReply, nil, .killed, .offline, nil, .lostReply],
    ] as [[Server.Fault?]])
  func outbox(_ faults: [Server.Fault?]) async throws {
    let (server, clock) = (Server(faults), Impatient())
    let first = history
    append(0..<250, to: first)
    #expect(first.synchronize(within: .seconds(60)))
    // Each launch creates new objects. A kill ends the launch.
    for launch in 0...faults.count {
      let history = history
      append(250 + launch * 10..<260 + launch * 10, to: history)
      let outbox = Outbox(history, clock: clock) { try await server.receive($0) }
      try? await Task { try await outbox.upload() }.value
    }
    #expect(await server.altitudes == Array(0..<260 + faults.count * 10))
    #expect(await server.requests >= 3 + faults.compactMap { $0 }.count)
    #expect(await server.dropped == 0)
    #expect(try await history.batch(upTo: 1).isEmpty)
  }

  @Test("An outbox doubles its back-off after each failure and resets it after a success")
  func backOff() async throws {
    let (server, clock) = (Server([.offline, .offline, .offline, nil, .lostReply, nil]), Impatient())
    let history = history
    append(0..<150, to: history)
    let outbox = Outbox(history, clock: clock) { try await server.receive($0) }
    try await outbox.upload()
    #expect(await clock.sleeps.durations == [1, 2, 4, 1].map { .seconds($0) })
  }

  @Test("The locations of a manager and those already in its history are uploaded")
  func uploads() async throws {
    let (history, server) = (history, Server([]))
    append(1..<2, to: history)
    let outbox = Outbox(history) { try await server.receive($0) }
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: device)
    let uploads = Uploads(manager, history, outbox)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(30))
    while await server.altitudes.count < 2 { await Task.yield() }
    #expect(manager.location != nil)
    withExtendedLifetime(uploads) {}
  }

  #if canImport(FoundationNetworking)
    @Test("A background upload acknowledges the batch in the task's description, then uploads the next one")
    func background() async throws {
      let history = history
      append(0..<1_200, to: history)
      var request = URLRequest(url: try #require(URL(string: "http://localhost/")))
      request.httpMethod = "POST"
      let upload = BackgroundUpload(history, request, in: folder)
      let configuration = URLSessionConfiguration.ephemeral
      configuration.protocolClasses = [Answers.self]
      let session = URLSession(configuration: configuration, delegate: upload, delegateQueue: nil)
      Answers.codes.change { $0 = [500, 200, 503] }
      while try await !history.batch(upTo: 1).isEmpty {
        try await upload.uploadNext(in: session)
        await Task.yield()
      }
      #expect(Answers.codes.change { $0.isEmpty })
      session.invalidateAndCancel()
    }
  #endif

  @Test("A history with limits stores at most one location every 30 s")
  func thin() async throws {
    let history = thinned(in: folder.appending(path: "thin.jsonl"))
    append(1..<3, to: history)
    #expect(try await history.batch(upTo: 9).entries.count == 1)
  }

  private func example(
    _ manager: LocationManager, _ history: LocationHistory, _ upload: ([LocationHistory.Entry]) async throws -> Void
  )
    async throws
  {
    // shown: LocationHistory.swift: manager.listeners.add(
  }

  @Test("A request body has each location's key and ISO 8601 date, and an acknowledged batch isn't returned again")
  func body() async throws {
    let history = history
    append(1..<3, to: history)
    let manager = LocationManager(provider: SimulatedProvider(route: .losAngeles, seed: 1))
    let batch = try await history.batch(upTo: 9)
    let items = try JSONSerialization.jsonObject(with: DocumentationTests.body(of: batch)) as? [[String: Any]]
    #expect(items?.compactMap { $0["key"] as? String } == batch.entries.map(\.position.description))
    let dates = items?.compactMap { ($0["location"] as? [String: Any])?["timestamp"] as? String }
    #expect(dates == batch.entries.map(\.location).map { $0.timestamp.formatted(.iso8601) })
    try await example(manager, history) { #expect($0 == batch.entries) }
    #expect(try await history.batch(upTo: 9).isEmpty)
  }
}
