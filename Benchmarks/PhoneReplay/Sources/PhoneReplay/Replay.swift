import LocoKit
import LocoKitSimulation

/// The errors of the last location, one per second.
public struct Errors: Hashable, Sendable {
  /// The number of errors for each whole metre. The number at ``farthest`` includes all larger errors.
  private var counts: [Int32] = []
  /// The number of seconds with a known error.
  public private(set) var total = 0
  /// The number of seconds with an error beyond the bound.
  public private(set) var beyond = 0

  /// The largest resolved error, in metres. Larger errors share one count.
  static let farthest = 100_000

  /// Creates an empty collection.
  public init() {}

  mutating func add(_ error: Double, bound: Double?) {
    let metres = error < Double(Self.farthest) ? Int(error) : Self.farthest
    if metres >= counts.count { counts += repeatElement(0, count: metres + 1 - counts.count) }
    counts[metres] += 1
    total += 1
    if let bound, error > bound { beyond += 1 }
  }

  /// Adds the errors of another run.
  static func += (sum: inout Errors, other: Errors) {
    if sum.counts.count < other.counts.count {
      sum.counts += repeatElement(0, count: other.counts.count - sum.counts.count)
    }
    for (metres, count) in other.counts.enumerated() { sum.counts[metres] += count }
    sum.total += other.total
    sum.beyond += other.beyond
  }

  /// Returns the error that isn't exceeded in a share of the seconds, in metres rounded up, or `nil` without seconds.
  public func quantile(_ share: Double) -> Double? {
    guard total > 0 else { return nil }
    var left = Int((share * Double(total)).rounded(.up))
    for (metres, count) in counts.enumerated() {
      left -= Int(count)
      if left <= 0 { return Double(min(metres + 1, Self.farthest)) }
    }
    return Double(Self.farthest)
  }

  /// The share of the seconds beyond the bound, or `nil` without seconds.
  public var beyondShare: Double? { total > 0 ? Double(beyond) / Double(total) : nil }
}

/// The result of a policy on outings: the phone's activity and the errors of the last location.
public struct Tally: Hashable, Sendable {
  /// The phone's activity.
  public var counts = Counts()
  /// The errors while moving, except on rails.
  public var surface = Errors()
  /// The errors while moving on rails.
  public var rails = Errors()
  /// The errors while moving.
  public var moving = Errors()
  /// The errors at rest.
  public var rest = Errors()
  /// The errors in the first ten minutes after a journey's start.
  public var leaving = Errors()
  /// The number of journeys in all replays.
  public var journeys = 0
  /// The seconds with a known truth, with or without a last location.
  public var known = 0
  /// The seconds with a known truth and without a last location.
  public var without = 0
  /// The seconds with a known truth and a presence, and those of them with the phone outside the presence's circle.
  public var (present, elsewhere) = (0, 0)

  /// Creates a tally of no runs.
  public init() {}

  mutating func add(_ location: Place?, truth: Place, classes: SecondClass, bound: Double?) {
    known += 1
    guard let location else {
      without += 1
      return
    }
    let error = location.distance(to: truth)
    if classes.contains(.moving) {
      moving.add(error, bound: bound)
      if classes.contains(.rails) { rails.add(error, bound: bound) } else { surface.add(error, bound: bound) }
      if classes.contains(.leaving) { leaving.add(error, bound: bound) }
    } else {
      rest.add(error, bound: bound)
    }
  }

  /// Adds the results of another run.
  public static func += (sum: inout Tally, other: Tally) {
    sum.counts += other.counts
    sum.surface += other.surface
    sum.rails += other.rails
    sum.moving += other.moving
    sum.rest += other.rest
    sum.leaving += other.leaving
    sum.journeys += other.journeys
    sum.known += other.known
    sum.without += other.without
    sum.present += other.present
    sum.elsewhere += other.elsewhere
  }
}

/// An error that ends a replay.
struct ReplayFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem and its remedy.
  var problem: String

  var description: String { problem }
}

/// Replays one outing with one policy and one seed.
public enum Replay {
  /// Returns the result of the replay.
  ///
  /// - Throws: An error if the manager sets timers in an endless loop.
  public static func run(_ recording: Recording, _ candidate: Candidate, seed: UInt64) throws -> Tally {
    var tally =
      switch candidate.policy {
      case .default, .pessimistic, .dutyCycled, .dutyCycledPessimistic, .briefly, .always, .never, .coarseIgnored,
        .significantChanges:
        try runManager(recording, candidate, seed: seed)
      case .tracking100m: trackCoarse(recording)
      case .trackingBest: trackBest(recording, seed: seed)
      case .oracle: look(recording, within: candidate.bound ?? .infinity)
      }
    tally.journeys = recording.outing.journeys.count
    return tally
  }

  /// Reports the phone's activity as lines of text. A line has the seconds from the outing's start, the class of the second, the error of
  /// the last location, and a command, a report, or a note that the error now exceeds the bound or no longer does.
  ///
  /// - Throws: An error if the manager sets timers in an endless loop.
  public static func trace(
    _ recording: Recording, _ candidate: Candidate, seed: UInt64, line: @escaping (String) -> Void
  ) throws {
    _ = try runManager(recording, candidate, seed: seed) { provider, manager, words in
      let parts = provider.uptime.components
      let time = Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
      let classes = recording.classes[min(Int(time), recording.classes.count - 1)]
      let error = manager?.location.flatMap { location in
        recording.outing.truth.place(at: time).map {
          $0.distance(to: Place(latitude: location.latitude, longitude: location.longitude))
        }
      }
      line(
        "\(number(time, 1)) \(classes.contains(.rails) ? "rails" : classes.contains(.moving) ? "moving" : "rest") "
          + "\(error.map { "\(number($0, 0)) m" } ?? "–") \(words)")
    }
  }

  private static func runManager(
    _ recording: Recording, _ candidate: Candidate, seed: UInt64,
    trace: ((ReplayProvider, LocationManager?, String) -> Void)? = nil
  ) throws -> Tally {
    let provider = ReplayProvider(recording, options: candidate.policy.options, seed: seed)
    let manager = LocationManager(provider: provider)
    if let trace {
      provider.onTrace = { [unowned provider, weak manager] words in trace(provider, manager, words) }
    }
    let looks = LookCounter { [unowned provider] in
      let second = Int(provider.uptime.components.seconds)
      return recording.classes[min(second, recording.classes.count - 1)].contains(.moving)
    }
    manager.listeners.add(looks)
    manager.errorBound = candidate.bound
    manager.tryPromptAuthorization()
    var tally = Tally()
    var wasBeyond = false
    for second in 0..<recording.seconds {
      try provider.advance(toSecond: second)
      guard let truth = recording.outing.truth[second] else { continue }
      let place = manager.location.map { Place(latitude: $0.latitude, longitude: $0.longitude) }
      tally.add(place, truth: truth, classes: recording.classes[second], bound: candidate.bound)
      if let presence = manager.presence {
        tally.present += 1
        let centre = Place(latitude: presence.place.latitude, longitude: presence.place.longitude)
        if centre.distance(to: truth) > presence.radius { tally.elsewhere += 1 }
      }
      guard let trace, let bound = candidate.bound, let place else { continue }
      let isBeyond = place.distance(to: truth) > bound
      if isBeyond != wasBeyond { trace(provider, manager, isBeyond ? "BEYOND" : "within again") }
      wasBeyond = isBeyond
    }
    try provider.advance(toSecond: recording.seconds)
    tally.counts = provider.counts
    tally.counts.causes = looks.causes
    return tally
  }

  /// Counts the looks that a manager begins.
  private final class LookCounter: LocationManagerListener {
    private(set) var causes: [LocationManager.Cause: Counts.Split] = [:]
    private let isMoving: () -> Bool

    init(isMoving: @escaping () -> Bool) { self.isMoving = isMoving }

    func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.Cause) {
      causes[cause, default: Counts.Split()].add(1, moving: isMoving())
    }
  }

  /// Replays a policy that knows the whole route, and keeps the last location within a bound with the fewest looks. A look takes the mean
  /// duration of the phones' looks, and its location has no error.
  private static func look(_ recording: Recording, within bound: Double) -> Tally {
    var tally = Tally()
    let places = (0..<recording.seconds).map { recording.outing.truth[$0] }
    let ends = ends(of: places, within: bound)
    var (second, end) = (0, 0)
    var onUntil = Int64.min
    var place: Place?
    while second < places.count {
      // Of all seconds until the location expires, the look is at the second whose location holds longest. After a section underground, the
      // look is at the first second with a known place.
      let best = (second..<max(second + 1, min(end, places.count))).max { ends[$0] < ends[$1] } ?? second
      let isLater = place != nil && ends[best] > end
      guard let look = isLater ? best : (max(second, end)..<max(end, places.count)).first(where: { places[$0] != nil })
      else { break }
      let isMoving = recording.classes[look].contains(.moving)
      // If the next look begins before the GPS's power draw ends, the GPS stays on.
      let (now, off) = (Int64(look) * 1_000, Int64(look) * 1_000 + oracleLook + ReplayProvider.tail)
      tally.counts.add(milliseconds: off - max(now, onUntil), .gps, moving: isMoving)
      if now > onUntil {
        tally.counts.looks.add(1, moving: isMoving)
        tally.counts.wakes.add(1, moving: isMoving)
      }
      onUntil = off
      for second in second..<look { add(place, second, bound, recording, &tally) }
      (second, end, place) = (look, max(look + 1, ends[look]), places[look])
    }
    for second in min(second, places.count)..<places.count { add(place, second, bound, recording, &tally) }
    for isMoving in [false, true] {
      let seconds = recording.classes.count { $0.contains(.moving) == isMoving }
      let rest = Int64(seconds) * 1_000 - Int64(tally.counts.seconds(.gps, moving: isMoving) * 1_000)
      tally.counts.add(milliseconds: max(0, rest), .suspended, moving: isMoving)
    }
    return tally
  }

  /// The duration of the oracle's looks, in milliseconds.
  private static let oracleLook: Int64 = 3_600

  /// Returns, for each second, the first later second when the place is farther than the bound from the second's own place. Without
  /// such a second, it's the number of seconds; for an unknown place, it's 0.
  private static func ends(of places: [Place?], within bound: Double) -> [Int] {
    // The highest speed of a phone in the recordings, in metres per second.
    let fastest = 50.0
    var ends = Array(repeating: 0, count: places.count)
    for second in places.indices.reversed() {
      guard let place = places[second] else { continue }
      if second + 1 < places.count, places[second + 1] == place {
        ends[second] = ends[second + 1]
        continue
      }
      var next = second + 1
      while next < places.count {
        guard let other = places[next] else {
          next += 1
          continue
        }
        let left = bound - place.distance(to: other)
        if left < 0 { break }
        next += max(1, Int(left / fastest))
      }
      ends[second] = min(next, places.count)
    }
    return ends
  }

  /// Replays without a manager: each coarse fix is the last location.
  private static func trackCoarse(_ recording: Recording) -> Tally {
    var tally = Tally()
    var next = Recording.index(after: -1, in: recording.coarse)
    var place: Place?
    for second in 0..<recording.seconds {
      while next < recording.coarse.count, recording.coarse[next].delivered <= Int64(second) * 1_000 {
        place = recording.coarse[next].fix.place
        next += 1
      }
      add(place, second, .coarse, recording, &tally)
    }
    return tally
  }

  /// Replays without a manager: each fix of the receiver is the last location.
  private static func trackBest(_ recording: Recording, seed: UInt64) -> Tally {
    var tally = Tally()
    var receiver = Receiver(recording, seed: seed)
    receiver.start(at: 0)
    var place: Place?
    for second in 0..<recording.seconds {
      let now = Int64(second) * 1_000
      if let at = receiver.networkAt, at <= now, let fix = receiver.networkFix(at: at) {
        place = Place(latitude: fix.latitude, longitude: fix.longitude)
      }
      while let at = receiver.satelliteAt, at <= now {
        if let fix = receiver.satelliteFix(at: at) { place = Place(latitude: fix.latitude, longitude: fix.longitude) }
      }
      add(place, second, .gps, recording, &tally)
    }
    return tally
  }

  private static func add(
    _ place: Place?, _ second: Int, _ power: Counts.Power, _ recording: Recording, _ tally: inout Tally
  ) {
    tally.counts.add(milliseconds: 1_000, power, moving: recording.classes[second].contains(.moving))
    add(place, second, nil, recording, &tally)
  }

  private static func add(
    _ place: Place?, _ second: Int, _ bound: Double?, _ recording: Recording, _ tally: inout Tally
  ) {
    let classes = recording.classes[second]
    guard let truth = recording.outing.truth[second] else { return }
    tally.add(place, truth: truth, classes: classes, bound: bound)
  }
}
