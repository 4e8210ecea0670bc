import Foundation
import LocoKit
import LocoKitTrips

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The format of an upload.
enum UploadFormat: String, CaseIterable {
  /// A batch of GeoJSON features, as the app Overland sends them.
  case overland
  /// A request for each location with the parameters of OsmAnd, as Traccar receives them.
  case osmand

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
    var request = URLRequest(url: url, timeoutInterval: 30)
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
    let location = entry.location
    var properties: [String: Any] = [
      "timestamp": location.timestamp.formatted(.iso8601), "horizontal_accuracy": location.horizontalAccuracy,
      "device_id": device, "unique_id": "\(entry.position)",
    ]
    properties["altitude"] = location.altitude
    properties["vertical_accuracy"] = location.verticalAccuracy
    properties["speed"] = location.speed
    properties["course"] = location.course
    properties["battery_level"] = entry.circumstances.battery?.level
    properties["battery_state"] = entry.circumstances.battery?.state?.rawValue
    return [
      "type": "Feature", "geometry": ["type": "Point", "coordinates": [location.longitude, location.latitude]],
      "properties": properties,
    ]
  }

  private func parameters(_ entry: LocationHistory.Entry) -> String {
    let location = entry.location
    var parameters = [
      ("id", device), ("lat", "\(location.latitude)"), ("lon", "\(location.longitude)"),
      ("timestamp", "\(Int(location.timestamp.timeIntervalSince1970.rounded()))"),
      ("accuracy", "\(location.horizontalAccuracy)"),
    ]
    if let altitude = location.altitude { parameters.append(("altitude", "\(altitude)")) }
    // Traccar expects knots.
    if let speed = location.speed { parameters.append(("speed", "\(speed * 3_600 / 1_852)")) }
    if let course = location.course { parameters.append(("bearing", "\(course)")) }
    if let level = entry.circumstances.battery?.level { parameters.append(("batt", "\(level * 100)")) }
    let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
    return parameters.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")" }.joined(
      separator: "&")
  }
}

/// Refuses redirects: a redirected request would lose its body, and send the token to another host.
final class NoRedirects: NSObject, URLSessionTaskDelegate {
  /// Returns a function that sends a request without redirects, cookies and a cache, and returns the status of the answer.
  static func transport() -> Upload.Transport {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForResource = 60
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
    return { request in
      let (_, response) = try await session.data(for: request)
      return (response as? HTTPURLResponse)?.statusCode ?? 0
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}

/// Sends the locations of a history to a server, at least once and in order.
///
/// A failed request is repeated after a back-off of 5 s to 15 min. A request that the server can't take (413, 422) is halved. A location is
/// removed from the history when the server has accepted it, or has refused it alone five times.
@MainActor
final class Upload {
  private let history: LocationHistory
  private let server: Server
  private let log: (String) -> Void
  /// Sends a request, and returns the status of its answer.
  private let transport: Transport
  private let clock: any Clock<Duration>
  private let (locations, news) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private var size: Int
  private var failures = 0
  /// The number of times that the server has refused the first location, alone.
  private var refusals = 0
  private var lastFailure = ""
  private(set) var sent = 0
  /// Why the last request failed; `nil` after a success.
  private(set) var problem: String?

  private static let shortestWait = 5.0, longestWait = 900.0
  /// Server errors that concern a request's contents.
  private static let unacceptable = [413, 422]
  private static let mostRefusals = 5

  typealias Transport = (URLRequest) async throws -> Int

  init(
    _ history: LocationHistory, to server: Server, transport: @escaping Transport = NoRedirects.transport(),
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
      let batch = try await history.batch(upTo: size)
      if batch.isEmpty { return false }
      if batch.dropped > 0 {
        log("\(batch.dropped) locations were dropped, because the queue is full or they are too old")
      }
      if refusals == Self.mostRefusals {
        log("a location is dropped, because the server has refused it \(refusals) times")
      } else if !batch.entries.isEmpty {
        try await send(batch.entries)
        sent += batch.entries.count
      }
      try await history.acknowledge(through: batch.end)
      refusals = 0
      if failures > 0 { log("the server accepts locations again") }
      (failures, lastFailure, problem) = (0, "", nil)
      size = min(server.format.most, size * 2)
      return true
    } catch {
      if Task.isCancelled { return false }
      await wait(after: error)
      return true
    }
  }

  private struct Refusal: Error, CustomStringConvertible {
    let status: Int
    let description: String
  }

  private func send(_ entries: [LocationHistory.Entry]) async throws {
    let status = try await transport(server.request(for: entries))
    switch status {
    case 200..<300: return
    case 401, 403:
      throw Refusal(status: status, description: "the server refuses the token (\(status)); check SERVER_TOKEN_FILE")
    case 300..<400:
      throw Refusal(
        status: status, description: "the server answers \(status), a redirect; set SERVER_URL to the final URL")
    case _ where Self.unacceptable.contains(status):
      throw Refusal(
        status: status, description: "the server takes no request of \(entries.count) locations (\(status))")
    default: throw Refusal(status: status, description: "the server answers \(status)")
    }
  }

  /// Logs a failure once while it lasts, and waits.
  private func wait(after error: any Error) async {
    let words = (error as? URLError).map { "the server can't be reached: \($0.localizedDescription)" } ?? "\(error)"
    if words != lastFailure { log("locations wait: \(words)") }
    (lastFailure, problem) = (words, words)
    if let refusal = error as? Refusal, Self.unacceptable.contains(refusal.status) {
      if size > 1 {
        size /= 2
        return
      }
      refusals += 1
      if refusals < Self.mostRefusals { try? await clock.sleep(for: .seconds(Self.shortestWait)) }
      return
    }
    failures += 1
    let longest = min(Self.longestWait, Self.shortestWait * pow(2, Double(min(failures, 16) - 1)))
    try? await clock.sleep(for: .seconds(longest * Double.random(in: 0.5...1)))
  }
}
