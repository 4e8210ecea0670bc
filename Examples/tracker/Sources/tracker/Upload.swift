import Foundation
import LocoKit
import LocoKitTrips
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The format of an upload.
enum UploadFormat: String, CaseIterable {
  /// A batch of GeoJSON features, as the app Overland sends them.
  case overland
  /// A request for each location with the parameters of OsmAnd, as Traccar receives them.
  case osmand

  /// The answer of a server, in words that follow "isn't".
  var answer: String {
    self == .overland ? #"Overland's {"result":"ok"}"# : "that of a server for OsmAnd, but a web page"
  }

  /// The most locations of a request.
  var most: Int { self == .overland ? 200 : 1 }
}

/// A server that receives locations.
struct Server {
  let url: URL
  let format: UploadFormat
  let token: String?
  let device: String

  /// Returns the request for locations in order of delivery.
  func request(for entries: [LocationHistory.Entry]) throws -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    switch format {
    case .overland:
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = try JSONSerialization.data(
        withJSONObject: ["locations": entries.map(feature)], options: [.sortedKeys])
    case .osmand:
      request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
      // In the body, because servers and proxies log URLs.
      request.httpBody = Data(entries.map(parameters).joined(separator: "&").utf8)
    }
    return request
  }

  private func feature(_ entry: LocationHistory.Entry) -> [String: Any] {
    let (location, battery) = (entry.location, entry.circumstances.battery)
    let properties: [String: Any?] = [
      "timestamp": location.timestamp.formatted(.iso8601), "horizontal_accuracy": location.horizontalAccuracy,
      "device_id": device, "altitude": location.altitude,
      "vertical_accuracy": location.verticalAccuracy, "speed": location.speed, "course": location.course,
      "battery_level": battery?.level, "battery_state": battery?.state?.rawValue,
    ]
    return [
      "type": "Feature", "id": "\(entry.position)",
      "geometry": ["type": "Point", "coordinates": [location.longitude, location.latitude]],
      "properties": properties.compactMapValues { $0 },
    ]
  }

  private func parameters(_ entry: LocationHistory.Entry) -> String {
    let location = entry.location
    // Traccar expects knots.
    let parameters: KeyValuePairs<String, Any?> = [
      "id": device, "lat": location.latitude, "lon": location.longitude,
      "timestamp": Int(location.timestamp.timeIntervalSince1970.rounded()), "accuracy": location.horizontalAccuracy,
      "altitude": location.altitude, "speed": location.speed.map { $0 * 3_600 / 1_852 }, "bearing": location.course,
      "batt": entry.circumstances.battery?.level.map { $0 * 100 },
    ]
    let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
    return parameters.compactMap { name, value in
      value.map { "\(name)=\("\($0)".addingPercentEncoding(withAllowedCharacters: allowed) ?? "")" }
    }.joined(separator: "&")
  }

  /// Whether an answer says that the server has the locations. Another page, such as one for every address, may have nothing to do with
  /// locations.
  func accepts(_ answer: Answer) -> Bool {
    guard (200..<300).contains(answer.status) else { return false }
    switch format {
    case .overland:
      let values = try? JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
      return values?["result"] as? String == "ok"
    // Traccar's answer is empty, or a command for the device.
    case .osmand: return !answer.isPage
    }
  }

  /// Returns a sentence about an answer that isn't accepted.
  func words(for answer: Answer, locations count: Int) -> String {
    let status = answer.status
    return switch status {
    case 200..<300: "the server's answer isn't \(format.answer); check SERVER_URL and SERVER_FORMAT"
    case 300..<400: "the server answers \(status), a redirect; set SERVER_URL to the final URL"
    case 400 where format == .osmand && !answer.isPage: "the server answers 400; does it know the device \(device)?"
    case 401, 403: "the server refuses the token (\(status)); check SERVER_TOKEN_FILE, and restart the tracker"
    case 413, 422: "the server takes no request of \(count) locations (\(status))"
    case 400..<429, 430..<500: "the server answers \(status); check SERVER_URL"
    default: "the server answers \(status)"
    }
  }
}

/// A server's answer. The body has its beginning, at most 64 kB.
struct Answer: Sendable {
  var status: Int
  var body = Data()
  /// The seconds of a `Retry-After`.
  var retryAfter: Double?
  /// Whether the body is a web page.
  var isPage: Bool { String(decoding: body.prefix(1_024), as: UTF8.self).first { !$0.isWhitespace } == "<" }

  /// Returns the seconds of a `Retry-After`, which has a number or a date; `nil` if it has neither.
  static func seconds(ofRetryAfter text: String, at now: Date = .now) -> Double? {
    if let seconds = Double(text) { return seconds }
    let dates = DateFormatter()
    (dates.locale, dates.dateFormat) = (Locale(identifier: "en_US_POSIX"), "EEE, dd MMM yyyy HH:mm:ss zzz")
    return dates.date(from: text)?.timeIntervalSince(now)
  }
}

/// Sends requests without redirects, cookies and a cache. A redirected request would lose its body, and send the token to another host. An answer
/// that isn't complete after 60 s or 64 kB ends there. But Foundation keeps in memory what arrives until it has ended the request, hundreds of
/// megabytes from a fast server, and receives the whole body of a redirect, also after 60 s: the service's memory limit ends the tracker then.
final class Sender: NSObject, URLSessionDataDelegate {
  private struct Exchange {
    var answer = Answer(status: 0)
    /// Whether the server asks for a password. The answer is complete then, although the task ends with an error.
    var isRefused = false
    let result: CheckedContinuation<Answer, any Error>
  }

  /// The exchanges that haven't ended, by the numbers of their tasks.
  private let exchanges = Mutex<[Int: Exchange]>([:])
  private static let largest = 65_536
  private static let sender = Sender()
  // One session, so that requests share a connection.
  private static let session = {
    let configuration = URLSessionConfiguration.ephemeral
    (configuration.httpCookieStorage, configuration.urlCache) = (nil, nil)
    return URLSession(configuration: configuration, delegate: sender, delegateQueue: nil)
  }()

  /// Sends a request, and returns the answer.
  static func send(_ request: URLRequest) async throws -> Answer { try await send(request, within: .seconds(60)) }

  static func send(_ request: URLRequest, within limit: Duration) async throws -> Answer {
    let task = session.dataTask(with: request)
    // Foundation's own limit restarts with each byte of the answer.
    let timeout = Task {
      try await Task.sleep(for: limit)
      task.cancel()
    }
    defer { timeout.cancel() }
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { result in
          sender.exchanges.withLock { $0[task.taskIdentifier] = Exchange(result: result) }
          task.resume()
        }
      } onCancel: {
        task.cancel()
      }
    } catch let error as URLError where error.code == .cancelled && !Task.isCancelled {
      throw URLError(.timedOut)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    // The tracker has a token and no password. With the default handling, Foundation on Linux waits for a password until the timeout.
    exchanges.withLock { $0[task.taskIdentifier]?.isRefused = true }
    completionHandler(.cancelAuthenticationChallenge, nil)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let size = exchanges.withLock {
      let missing = Self.largest - ($0[dataTask.taskIdentifier]?.answer.body.count ?? Self.largest)
      $0[dataTask.taskIdentifier]?.answer.body += data.prefix(missing)
      return $0[dataTask.taskIdentifier]?.answer.body.count
    }
    if size == Self.largest { dataTask.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard var exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    let response = task.response as? HTTPURLResponse
    exchange.answer.status = response?.statusCode ?? 0
    exchange.answer.retryAfter = response?.value(forHTTPHeaderField: "Retry-After").flatMap {
      Answer.seconds(ofRetryAfter: $0)
    }
    // An answer that is cut off for its size is one.
    let isWhole = error == nil || exchange.isRefused || exchange.answer.body.count == Self.largest
    exchange.result.resume(with: isWhole ? .success(exchange.answer) : .failure(error ?? URLError(.unknown)))
  }
}

extension URLError {
  /// Whether the server was reached, but the request or its answer didn't arrive in time.
  fileprivate var isOfASlowServer: Bool { code == .timedOut || code == .networkConnectionLost }

  /// The error as a sentence about the server.
  var words: String {
    code == .timedOut
      ? "the server doesn't answer within a minute" : "the server can't be reached: \(localizedDescription)"
  }
}

/// Sends the locations of a history to a server, at least once and in order.
///
/// A failed request is repeated after a back-off of 5 s to 15 min, at most a minute without an answer, and not before the server's
/// `Retry-After`. A request that the server can't take (413, 422), or doesn't answer in time, is halved. A location is removed from the
/// history when the server has accepted it, or has refused it alone five times, or once right after such a location, and accepts a later
/// one alone.
@MainActor
final class Upload {
  private let history: LocationHistory
  private let server: Server
  private let log: (String) -> Void
  /// Sends a request, and returns its answer.
  private let transport: Transport
  private let clock: any Clock<Duration>
  private let (locations, news) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private var size: Int
  private var failures = 0
  /// The error of the last request, if it had no answer.
  private var lastLoss: URLError?
  /// The number of locations in the last request.
  private var attempted = 0
  /// A location that the server has refused alone, and the number of times.
  private var refused: (position: LocationHistory.Position, count: Int)?
  /// The locations that the server has accepted out of turn since it last accepted the first one.
  private var probes: [LocationHistory.Position] = []
  /// The number of refused locations that may be dropped before the server must accept another one out of turn: 1 after the first of
  /// ``probes``, 2 after the second, 4 after the third, and at most 64.
  private var droppable = 0
  /// The end of a batch that the server has accepted, until the history has it.
  private var accepted: (end: LocationHistory.Position, count: Int)?
  /// The requests that the server has accepted since it refused a larger one.
  private var successes = 0
  /// The number of dropped locations that the log has named.
  private var dropped = 0
  private(set) var sent = 0
  /// Why the last request failed; `nil` after a success. The words of one reason may differ, such as in a time.
  private var failure: (reason: String, words: String)?
  /// Why the last request failed, in words; `nil` after a success.
  var problem: String? { failure?.words }

  private static let shortestWait = 5.0, longestWait = 900.0
  /// The longest wait after a request without an answer. A vehicle may have a network for minutes only.
  private static let longestWaitForNetwork = 60.0
  private static let mostRefusals = 5
  /// The capacity of the history.
  static let mostQueued = 10_000
  /// The accepted requests after which a larger one is tried.
  private static let successesBeforeGrowth = 10

  typealias Transport = @MainActor (URLRequest) async throws -> Answer

  init(
    _ history: LocationHistory, to server: Server, transport: @escaping Transport = Sender.send,
    clock: any Clock<Duration> = ContinuousClock(), log: @escaping (String) -> Void
  ) {
    (self.history, self.server, self.log) = (history, server, log)
    (self.transport, self.clock) = (transport, clock)
    size = server.format.most
  }

  /// Sends what the history has, soon.
  func noteLocation() { news.yield() }

  /// Sends until the task is cancelled.
  func run() async {
    news.yield()
    for await _ in locations {
      while !Task.isCancelled, await sendNext() {}
      if Task.isCancelled { return }
    }
  }

  /// Sends a batch, or waits after a failure. Returns whether there may be more.
  private func sendNext() async -> Bool {
    do {
      if let accepted { try await acknowledge(through: accepted.end, sent: accepted.count) }
      let batch = try await history.batch(upTo: size)
      if batch.isEmpty { return false }
      if batch.dropped > dropped {
        log("\(batch.dropped - dropped) locations were dropped, because the queue is full or they are too old")
      }
      dropped = batch.dropped
      if !batch.entries.isEmpty { try await send(batch.entries) }
      try await acknowledge(through: batch.end, sent: batch.entries.count)
    } catch {
      if Task.isCancelled { return false }
      if await !dropsFirst(after: error) { await wait(after: error) }
    }
    return true
  }

  /// Removes locations from the history. If the disk is full, they aren't sent again before this succeeds.
  private func acknowledge(through end: LocationHistory.Position, sent count: Int) async throws {
    accepted = (end, count)
    try await history.acknowledge(through: end)
    accepted = nil
    if failure != nil { log("locations are sent again") }
    (failures, refused, probes, droppable, dropped, failure) = (0, nil, [], 0, 0, nil)
    (sent, successes) = (sent + count, successes + 1)
    if successes >= Self.successesBeforeGrowth { (size, successes) = (min(server.format.most, size * 2), 0) }
  }

  /// Drops the first location if the server has refused it often enough, and takes a later one. A server that refuses every location must not
  /// empty the queue. Returns whether it was dropped.
  private func dropsFirst(after error: any Error) async -> Bool {
    guard let refusal = error as? Refusal, refusal.concernsContents, refusal.count == 1 else { return false }
    let count = (refused?.position == refusal.first ? refused?.count ?? 0 : 0) + 1
    refused = (refusal.first, count)
    guard count >= Self.mostRefusals else { return false }
    if refusal.retryAfter != nil { await wait(after: error) }
    guard let queue = try? await history.batch(upTo: Self.mostQueued).entries, queue.count > 1,
      queue[0].position == refusal.first
    else { return false }
    do {
      // The server may refuse many in a row, such as those that it has already.
      let mustTake = droppable == 0
      let sent = if mustTake { try await takes(queue[1]) ? 1 : 0 } else { 0 }
      if mustTake, sent == 0 {
        let newest = queue.dropFirst(2).last { !probes.contains($0.position) }
        guard let newest, try await takes(newest) else { return false }
        droppable = 1 << min(probes.count, 6)
        probes.append(newest.position)
      }
      log("a location is dropped: the server has refused it, and takes a later one")
      let (taken, left) = (probes, droppable - 1)
      // Not the end of another batch: the queue may have dropped locations in the meantime.
      try await acknowledge(through: queue[sent].position, sent: sent)
      if sent == 0 {
        (probes, droppable, refused) = (taken, left, (queue[1].position, Self.mostRefusals - 1))
      }
      return true
    } catch { return false }
  }

  private func takes(_ entry: LocationHistory.Entry) async throws -> Bool {
    do { try await send([entry]) } catch is Refusal { return false }
    return true
  }

  private struct Refusal: Error, CustomStringConvertible {
    let status, count: Int
    let description: String
    let first: LocationHistory.Position
    let retryAfter: Double?

    /// Whether the server can't take the contents. After 413, a server that says when to try again may take them then.
    var concernsContents: Bool { status == 413 && retryAfter == nil || status == 422 }
  }

  private func send(_ entries: [LocationHistory.Entry]) async throws {
    attempted = entries.count
    let answer = try await transport(server.request(for: entries))
    if !server.accepts(answer) {
      throw Refusal(
        status: answer.status, count: entries.count,
        description: server.words(for: answer, locations: entries.count), first: entries[0].position,
        retryAfter: answer.retryAfter)
    }
  }

  /// Logs a failure once while it lasts, and waits.
  private func wait(after error: any Error) async {
    let (refusal, loss) = (error as? Refusal, error as? URLError)
    let concernsContents = refusal?.concernsContents == true
    // On a slow connection, a smaller request may arrive in time.
    if concernsContents || refusal?.status == 413 || attempted > 1 && loss?.isOfASlowServer == true {
      (size, successes) = (max(1, attempted / 2), 0)
      if concernsContents, attempted > 1, refusal?.retryAfter == nil { return }
    }
    let words = loss.map(\.words) ?? "\(error)"
    let reason = loss.map { "\($0.code.rawValue)" } ?? words
    if reason != failure?.reason { log("locations wait: \(words)") }
    // A server that is reached again after a dead zone is asked again soon, although it refuses.
    if refusal != nil, lastLoss?.isOfASlowServer == false { failures = 0 }
    lastLoss = loss
    failure = (reason, words)
    if !concernsContents || refused?.count ?? 0 >= Self.mostRefusals { failures += 1 }
    let wait = Self.shortestWait * pow(2, Double(min(max(failures, 1), 16) - 1)) * Double.random(in: 1...1.5)
    let longest = loss == nil ? Self.longestWait : Self.longestWaitForNetwork
    try? await clock.sleep(for: .seconds(min(longest, max(wait, refusal?.retryAfter ?? 0))))
  }
}
