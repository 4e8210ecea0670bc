import Foundation
import LocoKit
import LocoKitTrips

/// The trips that an automatic recorder detected on outings, compared with the journeys that the people with the phones marked.
public struct TripTally: Sendable {
  /// The number of journeys.
  public var journeys = 0
  /// The number of journeys with at least one trip.
  public var found = 0
  /// The number of further trips in journeys. A long wait ends a trip.
  public var parts = 0
  /// The number of trips at rest.
  public var invented = 0
  /// The hours at rest.
  public var restHours = 0.0
  /// The errors of the trips' starts, in seconds. A person pressed a button at a journey's start, and left the place some time later.
  /// A start between these two times has the error 0.
  public var starts: [Double] = []
  /// The seconds from the button at a journey's start to the trip's start.
  public var startsFromButton: [Double] = []
  /// The seconds from the button at a journey's end to the trip's end.
  public var ends: [Double] = []
  /// The seconds from the button at a journey's start to the notification of the listeners.
  public var delays: [Double] = []
  /// The relative errors of the distances, each for all trips in a journey together, and the true lengths of the journeys. Contains only
  /// journeys with at least one trip and with a known truth for three quarters of the time.
  public var distances: [(error: Double, length: Double)] = []
  /// The phone's activity.
  public var counts = Counts()

  /// Creates a tally of no runs.
  public init() {}

  /// Adds the results of another run.
  public static func += (sum: inout TripTally, other: TripTally) {
    sum.journeys += other.journeys
    sum.found += other.found
    sum.parts += other.parts
    sum.invented += other.invented
    sum.restHours += other.restHours
    sum.starts += other.starts
    sum.startsFromButton += other.startsFromButton
    sum.ends += other.ends
    sum.delays += other.delays
    sum.distances += other.distances
    sum.counts += other.counts
  }

  /// The percentage of a new battery per hour, on a day of 22 hours at rest and 2 moving.
  public var dayPercentPerHour: Double? {
    guard let rest = Power.milliwatts(counts, moving: false), let moving = Power.milliwatts(counts, moving: true) else {
      return nil
    }
    return Power.dayPercentPerHour(rest: rest, moving: moving)
  }
}

// MARK: - As a table

extension TripTally {
  /// The figures as a Markdown table.
  public var table: String {
    let errors = distances.map(\.error)
    let long = distances.filter { $0.length >= Self.longJourney }.map(\.error)
    let total = distances.reduce((found: 0.0, true: 0.0)) {
      ($0.found + ($1.error + 1) * $1.length, $0.true + $1.length)
    }
    let rows: [(String, String)] = [
      ("journeys found", "\(found) of \(journeys)"),
      ("trips invented", "\(invented) in \(number(restHours, 0)) hours of rest"),
      ("start within 60 s", "\(starts.count { abs($0) <= 60 }) of \(found)"),
      ("start, off by", "\(Self.seconds(starts, 0.5)), 90 % within \(Self.seconds(starts, 0.9))"),
      (
        "start, difference from the button",
        "\(Self.seconds(startsFromButton, 0.5)), 90 % within \(Self.seconds(startsFromButton, 0.9))"
      ),
      ("start reported, after the button", Self.seconds(delays, 0.5)),
      ("end, difference from the button", "\(Self.seconds(ends, 0.5)), 90 % within \(Self.seconds(ends, 0.9))"),
      ("further trips, because of a wait", "\(parts)"),
      ("distance of journeys of 3 km and more, off by", "\(Self.percent(long, 0.5)), \(Self.within(long)) within 5 %"),
      ("distance of all journeys, off by", "\(Self.percent(errors, 0.5)), \(Self.within(errors)) within 5 %"),
      ("sum of the distances", total.true > 0 ? "\(number((total.found / total.true - 1) * 100, 1)) %" : "–"),
      ("battery, of a day", dayPercentPerHour.map { "\(number($0, 2)) %/h" } ?? "–"),
    ]
    return "| automatic trips | |\n|---|---|\n" + rows.map { "| \($0.0) | \($0.1) |" }.joined(separator: "\n")
  }

  /// The minimum length of a long journey, in metres.
  public static let longJourney = 3_000.0

  private static func quantile(_ values: [Double], _ share: Double) -> Double? {
    let sorted = values.map(abs).sorted()
    return sorted.isEmpty ? nil : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
  }

  private static func seconds(_ values: [Double], _ share: Double) -> String {
    quantile(values, share).map { "\(number($0, 0)) s" } ?? "–"
  }

  private static func percent(_ values: [Double], _ share: Double) -> String {
    quantile(values, share).map { "\(number($0 * 100, 1)) %" } ?? "–"
  }

  private static func within(_ errors: [Double]) -> String { "\(errors.count { abs($0) <= 0.05 }) of \(errors.count)" }
}

extension Replay {
  /// Replays one outing with an automatic trip recorder.
  ///
  /// - Parameter line: Receives a line about each journey and about each trip at rest.
  /// - Throws: An error if the manager sets timers in an endless loop.
  public static func trips(
    _ recording: Recording, seed: UInt64, line: ((String) -> Void)? = nil
  ) throws -> TripTally {
    let provider = ReplayProvider(recording, options: ReplayProvider.Options(), seed: seed)
    let manager = LocationManager(provider: provider)
    let recorder = TripRecorder.automatic(manager)
    let log = TripLog(provider)
    recorder.listeners.add(log)
    manager.tryPromptAuthorization()
    for second in 0...recording.seconds { try provider.advance(toSecond: second) }
    recorder.stop()
    var tally = judge(log.trips, recording, line: line)
    tally.counts = provider.counts
    tally.restHours = provider.counts.seconds(moving: false) / 3_600
    return tally
  }

  private static func judge(_ trips: [TripLog.Entry], _ recording: Recording, line: ((String) -> Void)?) -> TripTally {
    var tally = TripTally()
    var judged: Set<Int> = []
    for journey in recording.outing.journeys where journey.to <= Double(recording.seconds) {
      tally.journeys += 1
      let parts = trips.indices.filter { trips[$0].from < journey.to && trips[$0].to > journey.from }
      judged.formUnion(parts)
      guard let first = parts.min(by: { trips[$0].from < trips[$1].from }),
        let last = parts.max(by: { trips[$0].to < trips[$1].to })
      else {
        line?("\(recording.outing.name): missed \(journey.name)")
        continue
      }
      tally.found += 1
      tally.parts += parts.count - 1
      let left = recording.outing.truth.departure(from: journey)
      let start = trips[first].from
      let error = start < journey.from ? start - journey.from : max(0, start - left)
      let length = recording.outing.truth.length(from: journey.from, to: journey.to)
      let distance = parts.reduce(0) { $0 + trips[$1].distance }
      tally.starts.append(error)
      tally.startsFromButton.append(start - journey.from)
      tally.ends.append(trips[last].to - journey.to)
      tally.delays.append(trips[first].told - journey.from)
      if recording.outing.truth.isKnown(from: journey.from, to: journey.to) {
        tally.distances.append((distance / length - 1, length))
      }
      line?(
        "\(recording.outing.name): \(journey.name), start \(number(error, 0)) s (\(number(start - journey.from, 0)) s), "
          + "end \(number(trips[last].to - journey.to, 0)) s, reported after \(number(trips[first].told - journey.from, 0)) s, "
          + "\(parts.count) parts, \(number(distance, 0)) of \(number(length, 0)) m "
          + "(\(number((distance / length - 1) * 100, 1)) %), \(parts.map { trips[$0].kind }.joined(separator: ", "))")
    }
    for index in trips.indices where !judged.contains(index) {
      tally.invented += 1
      line?("\(recording.outing.name): a trip at rest, from \(number(trips[index].from, 0)) s")
    }
    return tally
  }
}

/// A listener that collects a recorder's trips.
private final class TripLog: TripRecorderListener {
  struct Entry {
    var from: Double
    var to: Double
    var told: Double
    var distance: Double
    var kind: String
  }

  private(set) var trips: [Entry] = []
  private let provider: ReplayProvider
  private var told = 0.0

  init(_ provider: ReplayProvider) { self.provider = provider }

  private func seconds(_ date: Date) -> Double { date.timeIntervalSince(provider.start) }

  func tripRecorder(_ recorder: TripRecorder, didBegin trip: Trip) { told = seconds(provider.date) }

  func tripRecorder(_ recorder: TripRecorder, didEnd trip: Trip) {
    trips.append(
      Entry(
        from: seconds(trip.began), to: seconds(trip.ended ?? trip.began), told: told, distance: trip.distance,
        kind: trip.kind?.rawValue ?? "–"))
  }
}

extension Truth {
  /// Returns the first second of a journey when the place is more than 50 m from the journey's first known place, or the journey's
  /// start if there is none.
  fileprivate func departure(from journey: Outing.Leg) -> Double {
    let seconds = max(0, Int(journey.from))...max(0, Int(journey.to))
    guard let start = seconds.lazy.compactMap({ self[$0] }).first else { return journey.from }
    return Double(seconds.first { self[$0].map { $0.distance(to: start) > 50 } ?? false } ?? Int(journey.from))
  }

  /// Returns whether the place is known in at least three quarters of the seconds. Otherwise the length is too uncertain for a comparison.
  fileprivate func isKnown(from: Double, to: Double) -> Bool {
    let seconds = max(0, Int(from))...max(0, Int(to))
    return seconds.count { self[$0] != nil } * 4 >= seconds.count * 3
  }

  /// Returns the length of the route in metres, in steps of at least 20 m, since shorter steps are noise. A section underground counts as a
  /// straight line.
  fileprivate func length(from: Double, to: Double) -> Double {
    var length = 0.0
    var last: Place?
    for second in max(0, Int(from))...max(0, Int(to)) {
      guard let place = self[second] else { continue }
      guard let before = last else {
        last = place
        continue
      }
      let metres = before.distance(to: place)
      guard metres >= 20 else { continue }
      length += metres
      last = place
    }
    return max(length, 1)
  }
}
