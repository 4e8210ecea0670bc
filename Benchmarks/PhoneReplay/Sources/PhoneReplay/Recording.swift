import LocoKit

/// An outing, prepared for many replays.
public final class Recording: Sendable {
  /// The outing.
  public let outing: Outing
  /// The number of replayed seconds, from the outing's start.
  public let seconds: Int
  /// The classes of each second.
  public let classes: [SecondClass]

  /// The fixes of a phone in 100 m mode, in the order of their delivery.
  let coarse: [TimedFix]
  /// The fixes of a phone in Best mode, in the order of their delivery. Empty if the data set has none.
  let best: [TimedFix]
  /// The reports of the motion sensor, with their times in milliseconds. A report without information has the motion `nil`.
  let motions: [(time: Int64, motion: LocationManager.Motion?)]
  /// The times of the exit reports to the coarse phone, in milliseconds.
  let exits: [Int64]
  /// The times of the reports of a visit's start or end, in milliseconds.
  let visits: [(time: Int64, hasEnded: Bool)]
  /// The significant changes by Apple's rule, with their times in milliseconds.
  let changes: [(time: Int64, place: Place)]
  /// A hash of the outing's name, which is mixed into each seed.
  let hash: UInt64

  /// A fix of a phone and its error.
  struct TimedFix: Sendable {
    /// The time of delivery, in milliseconds.
    var delivered: Int64
    var fix: Phone.Fix
    /// The error in metres north and east of the truth, or `nil` if the truth is unknown.
    var error: (north: Double, east: Double)?
  }

  /// Whether the coarse fixes were recorded with a distance filter.
  public let isFiltered: Bool

  /// Prepares an outing. Returns `nil` if it has no fixes of a phone in 100 m mode with a data connection.
  public init?(_ outing: Outing) {
    guard let phone = outing.coarsePhone else { return nil }
    self.outing = outing
    isFiltered = !phone.isCoarse
    seconds = max(1, Int(min(phone.to, outing.end).rounded(.down)))
    classes = outing.classes(until: seconds)
    coarse = Self.timed(phone.fixes, outing)
    best = Self.timed(outing.bestPhone?.fixes ?? [], outing)
    let activities =
      phone.activities.isEmpty ? outing.phones.first { !$0.activities.isEmpty }?.activities ?? [] : phone.activities
    motions = activities.map { (Self.milliseconds($0.time), Self.motion($0)) }
    exits = phone.events.filter { $0.event == "EXITED_GEOFENCE" && $0.state == "WAITING_FOR_TRIP_START" }
      .map { Self.milliseconds($0.time) }
    visits = phone.events.filter { $0.event == "VISIT_ENDED" || $0.event == "VISIT_STARTED" }
      .map { (Self.milliseconds($0.time), $0.event == "VISIT_ENDED") }
    changes = Self.changes(outing.truth, until: seconds)
    hash = outing.name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  static func milliseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1_000).rounded()) }

  /// Returns the motion of an activity, or `nil` for no flag, only the flag unknown, or low confidence.
  static func motion(_ activity: Phone.Activity) -> LocationManager.Motion? {
    if activity.isUnsure { return nil }
    let flags = activity.flags
    if flags.contains("A") { return flags.contains("S") ? .standing : .vehicle }
    if flags.contains("S") { return .still }
    return flags.contains { "WRC".contains($0) } ? .walking : nil
  }

  private static func timed(_ fixes: [Phone.Fix], _ outing: Outing) -> [TimedFix] {
    fixes.map { fix in
      TimedFix(
        delivered: milliseconds(fix.delivered), fix: fix,
        error: outing.truth.place(at: max(0, fix.measured)).map { $0.way(to: fix.place) })
    }
  }

  private static func changes(_ truth: Truth, until end: Int) -> [(time: Int64, place: Place)] {
    var changes: [(Int64, Place)] = []
    var last: (second: Int, place: Place)?
    for second in 0..<end {
      guard let place = truth[second] else { continue }
      guard let before = last else {
        last = (second, place)
        continue
      }
      guard second - before.second >= Measured.change.seconds,
        place.distance(to: before.place) >= Measured.change.metres
      else { continue }
      changes.append((Int64(second) * 1_000, place))
      last = (second, place)
    }
    return changes
  }

  /// Returns the index of the first fix delivered after a time.
  static func index(after time: Int64, in fixes: [TimedFix]) -> Int {
    var (low, high) = (0, fixes.count)
    while low < high {
      let middle = (low + high) / 2
      if fixes[middle].delivered <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
