import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitTrips
@testable import TestSupport

/// The core, in each state and on each event. The expected actions are written by hand.
@Suite("Trip recorders: the core", .covers(TripMachine.self), .covers(TripDetectionMachine.self))
struct TripCoreTests {
  typealias Event = TripMachine.Event
  typealias Action = TripCore.Action

  /// A core, its clocks, and a device that drives north at 15 m/s.
  struct Scene {
    private(set) var core = TripCore(TripRecorder.Configuration())
    private(set) var now = Duration.zero
    /// The stored records.
    private(set) var saved: [TripRecord] = []
    /// The number of trips that the listeners know.
    private(set) var began = 0
    private var north = 0.0

    /// Creates a recorder in a state: with a distance if recording or stopped, and with a strong signal if it uses the GPS.
    init(_ state: TripState) {
      switch state {
      case .idle: break
      case .prepared:
        take(.command(.prepare))
        fix(8)
      case .recording:
        take(.command(.start))
        for _ in 0..<60 { drive() }
      case .stopped:
        take(.command(.start))
        for _ in 0..<60 { drive() }
        take(.command(.stop))
      }
    }

    /// Returns the actions of a turn, without callbacks, stored records, and beginnings and ends of trips.
    @discardableResult
    mutating func take(_ input: TripCore.Input) -> [Action] {
      var actions: [Action] = []
      let now = TripCore.Now(uptime: now, date: Date(timeIntervalSinceReferenceDate: 800_000_000 + now.inSeconds))
      core.handle(input, at: now, into: &actions)
      while core.settle(at: now, into: &actions) {}
      return actions.filter { action in
        switch action {
        case .callBack, .ended: return false
        case .began:
          began += 1
          return false
        case .save(let record):
          saved.append(record)
          return false
        default: return true
        }
      }
    }

    mutating func wait(_ seconds: Double) { now += .seconds(seconds) }

    /// Kills the app, and launches it after some seconds with the stored trip.
    mutating func relaunch(after seconds: Double) {
      let trip = core.trip
      wait(seconds)
      core = TripCore(TripRecorder.Configuration())
      if let trip { take(.launch(TripSnapshot(isRecording: true, trip: trip, detector: nil))) }
    }

    @discardableResult
    mutating func drive(_ accuracy: Double = 8, metres: Double = 15) -> [Action] {
      wait(1)
      north += metres
      return fix(accuracy)
    }

    @discardableResult
    mutating func fix(_ accuracy: Double) -> [Action] {
      let fix = Location(
        latitude: 34 + north / 111_195, longitude: -118, horizontalAccuracy: accuracy,
        timestamp: Date(timeIntervalSinceReferenceDate: 800_000_000 + now.inSeconds))
      return take(.fix(LocationManager.JudgedFix(fix: fix, verdict: .candidate)))
    }

    mutating func raise(_ event: Event) -> [Action] {
      switch event {
      case .prepare, .start, .stop, .reset: return take(.command(event))
      case .fix: return (0..<3).flatMap { _ in drive() }
      case .signalChanged: return fix(40)
      case .weakForLong:
        fix(40)
        var actions: [Action] = []
        for _ in 0..<2 {
          wait(7.5)
          actions += fix(40)
        }
        return actions
      case .silence:
        wait(10)
        return take(.due)
      }
    }
  }

  /// The actions and the next state of each event in each state, except a fix while recording.
  static let expected: [TripState: [Event: (actions: [Action], next: TripState)]] = [
    .idle: [
      .prepare: ([.begin(desiredAccuracy: 70)], .prepared), .start: ([.begin(desiredAccuracy: 70)], .recording),
      .stop: ([], .idle), .reset: ([.distanceChanged(0)], .idle), .fix: ([], .idle), .signalChanged: ([], .idle),
      .weakForLong: ([], .idle), .silence: ([], .idle),
    ],
    .prepared: [
      .prepare: ([], .prepared), .start: ([], .recording), .stop: ([.end], .stopped),
      .reset: ([.distanceChanged(0)], .prepared), .fix: ([], .prepared),
      .signalChanged: ([.signalChanged(.weak)], .prepared), .weakForLong: ([.signalIsWeakForLong], .prepared),
      .silence: ([.restartReceiver, .signalChanged(.invalid)], .prepared),
    ],
    .recording: [
      .prepare: ([], .recording), .start: ([], .recording), .stop: ([.end], .stopped),
      .reset: ([.distanceChanged(0)], .recording), .signalChanged: ([.signalChanged(.weak)], .recording),
      .weakForLong: ([.signalIsWeakForLong], .recording),
      .silence: ([.restartReceiver, .signalChanged(.invalid)], .recording),
    ],
    .stopped: [
      .prepare: ([.begin(desiredAccuracy: 70)], .prepared), .start: ([.begin(desiredAccuracy: 70)], .recording),
      .stop: ([], .stopped), .reset: ([.distanceChanged(0)], .idle), .fix: ([], .stopped),
      .signalChanged: ([], .stopped), .weakForLong: ([], .stopped), .silence: ([], .stopped),
    ],
  ]

  @Test("A resumed trip that is stopped before its first fix has the duration of its last launch")
  func stoppedBeforeAFix() throws {
    let trip = try #require(Scene(.recording).core.trip)
    var (core, actions) = (TripCore(TripRecorder.Configuration()), [Action]())
    let snapshot = TripSnapshot(isRecording: true, trip: trip, detector: nil)
    for (seconds, input) in [(1_200.0, TripCore.Input.launch(snapshot)), (2_400, .command(.stop))] {
      let now = TripCore.Now(
        uptime: .seconds(seconds - 1_195), date: Date(timeIntervalSinceReferenceDate: 800_000_000 + seconds))
      core.handle(input, at: now, into: &actions)
      while core.settle(at: now, into: &actions) {}
    }
    #expect(core.state == .stopped && core.trip?.duration == trip.duration && trip.duration > .seconds(50))
  }

  @Test("Each event leads to the listed actions in each state", arguments: TripState.allCases, Event.allCases)
  func cell(_ state: TripState, _ event: Event) throws {
    var scene = Scene(state)
    let distance = scene.core.distance
    #expect(scene.core.state == state && (distance > 500) == (state == .recording || state == .stopped))
    let actions = scene.raise(event)
    let isOnTrip = [.recording, .stopped].contains(state) || scene.core.state == .recording
    let isNew = state == .recording && event == .reset
    #expect(scene.began == (isNew ? 2 : isOnTrip ? 1 : 0), "a trip that goes on after a stop doesn't begin again")
    if state == .recording, event == .fix {
      #expect(actions == [.distanceChanged(scene.core.distance)])
      #expect(abs(scene.core.distance - distance - 45) < 1 && scene.core.state == .recording)
      return
    }
    let expected = try #require(Self.expected[state]?[event])
    #expect(actions == expected.actions && scene.core.state == expected.next)
    #expect(scene.core.distance == (event == .reset ? 0 : distance))
    #expect(scene.core.usesWeakFixes == (event == .weakForLong && state.wantsReceiver))
  }

  @Test("The trip of a device that stands is stored once a minute")
  func standing() {
    var scene = Scene(.recording)
    for _ in 0..<30 { scene.drive(metres: 0) }
    let before = scene.saved.count
    for _ in 0..<600 { scene.drive(metres: 0) }
    let states = scene.saved.dropFirst(before).filter { if case .standing = $0 { true } else { false } }
    #expect(states.count == 10 && scene.saved.count == before + 10)
  }

  @Test("A text in ISO 8601 identifies a trip")
  func milliseconds() throws {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    var log = TripLog()
    for number in 0..<500 {
      // From 2000, 2001 and 2026 on.
      let start = [946_684_800_000.0, 978_307_200_000, 1_778_307_200_000][number % 3]
      let date = Date(timeIntervalSince1970: (start + Double(number) * 777) / 1_000)
      let trip = log.makeTrip(began: date)
      #expect(trip.began <= date && date.timeIntervalSince(trip.began) < 0.002)
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      let texts = [
        formatter.date(from: formatter.string(from: trip.began)), try style.parse(trip.began.formatted(style)),
      ]
      for copy in texts { #expect(Trip(began: try #require(copy)).milliseconds == trip.milliseconds, "\(trip.began)") }
    }
  }

  @Test("The distance between a stop and the next start doesn't count", arguments: [Event.start, .prepare])
  func segments(_ event: Event) {
    var scene = Scene(.stopped)
    let distance = scene.core.distance
    scene.drive(metres: 90)
    scene.take(.command(event))
    scene.take(.command(.start))
    for _ in 0..<6 { scene.drive(metres: 0) }
    #expect(scene.core.distance == distance && scene.core.trip?.segments.count == 2)
  }

  @Test("A jump that several fixes confirm begins a segment of the trip, as do jumps back and forth")
  func jumps() throws {
    var scene = Scene(.recording)
    for _ in 0..<3 {
      scene.drive(metres: 90_000)
      for _ in 0..<30 { scene.drive() }
      scene.drive(metres: -90_000)
      for _ in 0..<30 { scene.drive() }
    }
    let trip = try #require(scene.core.trip)
    let drawn = trip.segments.map { zip($0, $0.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) } }
    #expect(trip.segments.count == 7)
    // The first two fixes of a segment aren't counted.
    #expect(abs(drawn.reduce(0, +) - trip.distance) < 7 * 35, "\(drawn), \(trip.distance)")
  }

  @Test("The wait after a relaunch is part of the gap, also if it is interrupted", arguments: [0, 1, 3])
  func interruptedGap(interruptions: Int) throws {
    var scene = Scene(.recording)
    let before = try #require(scene.core.trip)
    scene.relaunch(after: 100)
    for _ in 0..<interruptions {
      scene.wait(90)
      scene.take(.paused)
      scene.wait(10)
      scene.take(.interrupted)
    }
    scene.wait(100)
    for _ in 0..<21 { scene.drive() }
    scene.take(.command(.stop))
    let trip = try #require(scene.core.trip)
    #expect(trip.gaps.count == 1)
    #expect(abs((trip.duration - before.duration).inSeconds - 20) < 2, "\(trip.duration), \(before.duration)")
  }

  @Test("A strong signal ends the use of weak fixes")
  func strongAgain() {
    var scene = Scene(.recording)
    _ = scene.raise(.weakForLong)
    #expect(scene.core.usesWeakFixes)
    scene.fix(8)
    #expect(!scene.core.usesWeakFixes)
  }
}

extension TripCore {
  fileprivate var usesWeakFixes: Bool {
    if case .commanded(let trips) = recorder { trips.meter.usesWeakFixes } else { false }
  }
}
