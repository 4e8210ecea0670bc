import Foundation

/// A change that a trip recorder stores.
enum TripRecord: Hashable, Sendable {
  /// A snapshot that replaces the file.
  case whole(TripSnapshot)
  /// A snapshot that is appended, without the trip's fixes.
  case state(TripSnapshot)
  /// A fix that was added to the trip.
  case fix(Fix)
  /// A trip that has ended, and the snapshot that replaces the file.
  case ended(Trip, TripSnapshot)

  /// A fix, with the distance and the duration of the trip up to it.
  struct Fix: Hashable, Codable, Sendable {
    let location: Location
    let distance: Double
    let seconds: Double
    let beginsSegment: Bool
  }
}

/// The state of a trip recorder for the next launch.
struct TripSnapshot: Hashable, Codable, Sendable {
  /// Whether the app has started a trip and not stopped it.
  var isRecording: Bool
  /// The trip that is recorded.
  var trip: Trip?
  /// The detector of an automatic recorder.
  var detector: TripDetector?

  static let nothing = TripSnapshot(isRecording: false, trip: nil, detector: nil)

  init(isRecording: Bool, trip: Trip?, detector: TripDetector?) {
    self.isRecording = isRecording
    self.trip = isRecording || detector?.isOnTrip == true ? trip : nil
    self.detector = detector
  }

  private enum CodingKeys: CodingKey { case isRecording, trip, detector }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      isRecording: try values.decode(Bool.self, forKey: .isRecording),
      trip: try values.decodeIfPresent(Trip.self, forKey: .trip),
      detector: try values.decodeIfPresent(TripDetector.self, forKey: .detector))
  }

  /// The snapshot after the end of the trip.
  func afterEnd(of trip: Trip) -> TripSnapshot {
    var detector = detector
    detector?.settle(since: trip.ended ?? trip.began, at: trip.fixes.last)
    return TripSnapshot(isRecording: false, trip: nil, detector: detector)
  }

  var withoutFixes: TripSnapshot {
    var snapshot = self
    snapshot.trip = trip?.header
    return snapshot
  }

  /// Applies a later snapshot without fixes. The trip keeps its fixes.
  mutating func update(_ other: TripSnapshot) {
    var other = other
    if let header = other.trip, let trip, trip.began == header.began { other.trip = trip.updated(with: header) }
    self = other
  }

  /// Adds a fix to the trip.
  mutating func add(_ fix: TripRecord.Fix) {
    guard var trip else { return }
    self.trip = nil
    if fix.beginsSegment { trip.endSegment() }
    trip.add(fix.location, metres: max(0, fix.distance - trip.distance))
    trip.setDuration(.seconds(fix.seconds))
    self.trip = trip
  }
}
