import Foundation
import LocoKit
import LocoKitTrips

/// A message to a server, like those that OwnTracks, Overland and Home Assistant send.
struct Message: Codable, Hashable, Sendable {
  var key: String?
  var text: String
  var location: Location?
  var circumstances: LocationManager.Circumstances?
}

/// Overland's queue: sends the next batch of locations, with their battery, motion and trigger. Deletes the batch after the server has
/// received it.
@MainActor
func uploadNext(of history: LocationHistory, _ send: ([Message]) async throws -> Void) async throws {
  let batch = try await history.batch(upTo: 100)
  guard !batch.isEmpty else { return }
  let messages = batch.entries.map { entry in
    Message(
      key: entry.position.description, text: entry.circumstances.cause?.rawValue ?? "unknown",
      location: entry.location, circumstances: entry.circumstances)
  }
  // A batch of dropped locations is empty, and some servers refuse an empty request.
  if !messages.isEmpty { try await send(messages) }
  try await history.acknowledge(through: batch.end)
}

/// Home Assistant's and Overland's limits: a history whose locations, within a launch, are at least 30 s apart, and at least 50 m or an
/// hour apart.
func thinned(in file: URL) -> LocationHistory {
  LocationHistory(
    file: file, distanceFilter: 50, maximumInterval: .seconds(3_600), minimumInterval: .seconds(30))
}

/// A family app's "still here", without a heartbeat: sends a message when a presence begins, changes or ends.
final class PresencePublisher: LocationManagerListener {
  private let send: (Message) -> Void
  init(_ send: @escaping (Message) -> Void) { self.send = send }

  func locationManager(_ manager: LocationManager, didChangePresence presence: LocationManager.Presence?) {
    guard let presence else { return send(Message(text: "under way")) }
    let hours = Int(presence.until.timeIntervalSince(presence.place.timestamp) / 3_600)
    send(Message(text: "within \(Int(presence.radius)) m for \(hours) h", location: presence.place))
  }
}

/// Sends advice about the problems that stop or delay locations, whenever the problems change. Without advice, a user may notice
/// such a problem days later.
final class HealthPublisher: LocationManagerListener {
  private let send: (Message) -> Void
  init(_ send: @escaping (Message) -> Void) { self.send = send }

  func locationManager(_ manager: LocationManager, didChangeHealth health: LocationManager.Health) {
    send(Message(text: health.problems.map(\.advice).joined(separator: " ")))
  }
}

/// OwnTracks' and Overland's visits, on every platform: sends the place and the length of each stay when the next trip begins.
final class VisitPublisher: TripRecorderListener {
  private let send: (Message) -> Void
  init(_ send: @escaping (Message) -> Void) { self.send = send }

  func tripRecorder(_ recorder: TripRecorder, didBegin trip: Trip) {
    guard let visit = trip.visit, let departure = visit.departure else { return }
    let minutes = Int(departure.timeIntervalSince(visit.arrival) / 60)
    send(Message(text: "stayed \(minutes) min", location: visit.place))
  }
}
