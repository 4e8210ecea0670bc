import LocoFoundation
import LocoKit

/// The trip that is recorded, and the beginnings of the latest trips.
struct TripLog: Equatable, Sendable {
  /// The trip that is recorded, or the last one.
  var trip: Trip?
  private(set) var resumedTrip: Trip?
  /// Whether the next fix ends a gap.
  var isAfterGap = false
  /// The beginnings of the latest trips, in milliseconds.
  var beginnings: [Int64] = []

  /// The maximum age of the last fix of a trip that is resumed.
  static let longestGap = Duration.seconds(86_400)
  /// The maximum capacity of a store.
  private static let maximumBeginnings = 10_000

  /// The trip's last fix; `nil` if the next one begins a segment.
  var lastOfSegment: Location? { trip.flatMap { $0.endsSegment ? nil : $0.fixes.last } }

  /// Forgets the trip, but not the beginnings of the stored trips.
  mutating func forgetTrip() { (trip, resumedTrip, isAfterGap) = (nil, nil, false) }

  /// Creates a trip that begins at a date. If another trip began at that date, for example because the clock was set back, the new trip
  /// begins milliseconds later.
  mutating func makeTrip(began: Date) -> Trip {
    var milliseconds = (began.timeIntervalSince1970 * 1_000).rounded(.down)
    if Self.date(milliseconds) > began { milliseconds -= 1 }
    var trip: Trip { Trip(began: Self.date(milliseconds)) }
    for _ in beginnings where beginnings.contains(trip.milliseconds) { milliseconds += 1 }
    beginnings = beginnings.suffix(Self.maximumBeginnings - 1) + [trip.milliseconds]
    return trip
  }

  /// Returns a date of milliseconds since 1970. A text of the date has the same milliseconds, also if the formatter truncates them.
  private static func date(_ milliseconds: Double) -> Date {
    var date = Date(timeIntervalSince1970: milliseconds / 1_000)
    let fraction = milliseconds - (milliseconds / 1_000).rounded(.down) * 1_000
    // The nearest date may be a little earlier, in seconds since 1970 or since 2001.
    for _ in 0..<4 {
      let seconds = [date.timeIntervalSince1970, date.timeIntervalSinceReferenceDate]
      guard seconds.contains(where: { ($0 - $0.rounded(.down)) * 1_000 < fraction }) else { break }
      date += max(seconds[0].ulp, seconds[1].ulp)
    }
    return date
  }

  /// Adds a fix to the trip. Returns the record to store; `nil` if the trip must be stored whole.
  mutating func append(_ fix: Location, metres: Double) -> TripRecord? {
    guard var trip else { preconditionFailure("Only a trip has fixes.") }
    // With a second reference, adding a fix would copy all fixes.
    self.trip = nil
    let (beginsSegment, count) = (trip.endsSegment, trip.fixes.count)
    trip.add(fix, metres: metres)
    self.trip = trip
    return trip.fixes.count == count + 1 ? .fix(trip.record(of: fix, beginsSegment: beginsSegment)) : nil
  }

  /// Whether a fix is from before the gap, such as one that Core Location had stored.
  func isBeforeGap(_ fix: Location) -> Bool {
    isAfterGap && fix.timestamp <= trip?.lastFix?.timestamp ?? .distantPast
  }

  /// Ends the gap since an earlier launch. Returns the gap, or `nil` if no gap is listed.
  mutating func endGap(with fix: Location) -> Trip.Gap? {
    guard isAfterGap else { return nil }
    isAfterGap = false
    return trip?.addGap(to: fix)
  }

  /// Resumes the trip of an earlier launch. Returns `false` if its last fix is more than a day old, or more than a day in the future
  /// because the clock was set back.
  mutating func resume(_ trip: Trip, at date: Date) -> Bool {
    let last = trip.lastFix?.timestamp ?? trip.began
    guard abs(date.timeIntervalSince(last)) <= Self.longestGap.inSeconds else { return false }
    (self.trip, resumedTrip) = (trip, trip)
    isAfterGap = !trip.fixes.isEmpty
    return true
  }
}

extension Trip {
  /// Returns the record of a trip that isn't resumed and therefore ended at its last fix.
  func forgotten(_ kind: Kind?) -> TripRecord {
    var trip = self
    trip.endAtLastFix(kind)
    return .ended(trip, .nothing)
  }
}
