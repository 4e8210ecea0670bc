import LocoKit

/// A change that a trip recorder stores.
enum TripRecord: Equatable, Sendable {
  /// A snapshot that replaces the contents of the file.
  case whole(TripSnapshot)
  /// A snapshot without the trip's fixes, which is appended to the file.
  case state(TripSnapshot)
  /// A fix that was added to the trip.
  case fix(Fix)
  /// The last fix of a device that stands, which isn't added to the trip.
  case standing(Fix)
  /// A trip that has ended, and the snapshot that replaces the contents of the file.
  case ended(Trip, TripSnapshot)

  /// A fix, with the distance and the duration of the trip when the fix was stored.
  struct Fix: Equatable, Codable, Sendable {
    let location: Location
    let distance: Double
    let seconds: Double
    let beginsSegment: Bool

    /// Whether the values are in the range that a recorder stores.
    var isValid: Bool {
      location.canBeInTrip && (0...Trip.maximumDistance).contains(distance)
        && (0...Trip.maximumSeconds).contains(seconds)
    }
  }
}

extension Trip {
  /// Returns the record of a fix, with the trip's current distance and duration.
  func record(of location: Location, beginsSegment: Bool = false) -> TripRecord.Fix {
    TripRecord.Fix(location: location, distance: distance, seconds: duration.inSeconds, beginsSegment: beginsSegment)
  }
}
