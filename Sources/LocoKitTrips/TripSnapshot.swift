/// The state of a trip recorder for the next launch.
struct TripSnapshot: Equatable, Codable, Sendable {
  /// Whether the app has started a trip and not stopped it; `false` for an automatic recorder.
  var isRecording: Bool
  var trip: Trip?
  var detector: TripDetector?

  static let nothing = TripSnapshot(isRecording: false, trip: nil, detector: nil)

  init(isRecording: Bool, trip: Trip?, detector: TripDetector?) {
    self.isRecording = isRecording
    self.trip = isRecording || detector?.isOnTrip == true ? trip : nil
    self.detector = detector
  }

  /// Decodes the snapshot of an earlier launch. Throws an error if no recorder stores such values.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      isRecording: try values.decode(Bool.self, forKey: .isRecording),
      trip: try values.decodeIfPresent(Trip.self, forKey: .trip),
      detector: try values.decodeIfPresent(TripDetector.self, forKey: .detector))
    guard detector?.isValid ?? true else {
      throw DecodingError.dataCorruptedError(
        forKey: .detector, in: values, debugDescription: "No recorder stores such values.")
    }
  }

  /// Returns the snapshot after the end of the trip.
  func afterEnd(of trip: Trip) -> TripSnapshot {
    var detector = detector
    detector?.settle(since: trip.ended ?? trip.began, at: trip.lastFix)
    return TripSnapshot(isRecording: false, trip: nil, detector: detector)
  }

  var withoutFixes: TripSnapshot {
    var snapshot = self
    snapshot.trip = trip?.withFixes(of: nil)
    return snapshot
  }

  /// Applies a later snapshot without fixes. The trip keeps its fixes.
  mutating func update(_ other: TripSnapshot) {
    var other = other
    if let header = other.trip, let trip, trip.began == header.began { other.trip = header.withFixes(of: trip) }
    self = other
  }

  mutating func stand(_ fix: TripRecord.Fix) {
    trip?.stand(at: fix.location)
    trip?.setDuration(.seconds(fix.seconds))
  }

  mutating func add(_ fix: TripRecord.Fix) {
    guard var trip else { return }
    self.trip = nil
    if fix.beginsSegment { trip.endSegment() }
    trip.add(fix.location, metres: max(0, fix.distance - trip.distance))
    trip.setDuration(.seconds(fix.seconds))
    self.trip = trip
  }
}
