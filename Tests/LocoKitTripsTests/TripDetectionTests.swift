import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoKitTrips
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("The machine of trip detection")
struct TripDetectionMachineTests {
  typealias Event = TripDetectionMachine.Event

  @Test("Each trip ends before the next one begins")
  func trips() {
    for walk in 0..<100 {
      var isOnTrip = false
      var state = TripDetectionMachine.initialState
      var random = SeededGenerator(seed: UInt64(walk))
      for _ in 0..<200 {
        let event = Event.allCases[Int(random.next() % UInt64(Event.allCases.count))]
        switch TripDetectionMachine.reaction(in: state, to: event) {
        case .go(let next, let effects):
          state = next
          for effect in effects where effect != .measure {
            #expect(isOnTrip == (effect == .endTrip), "walk \(walk)")
            isOnTrip = effect == .beginTrip
          }
        case .stay, .ignore, .never: break
        }
        #expect(isOnTrip == (state == .moving || state == .stopping))
      }
    }
  }
}

/// The core of an automatic recorder, its clocks, its store, and a device that moves north, or on the equator to the east.
struct AutomaticScene {
  private(set) var core: TripCore
  private(set) var now = TripCore.Now(uptime: .zero, date: Date(timeIntervalSinceReferenceDate: 800_000_000))
  private(set) var actions: [TripCore.Action] = []
  /// The contents of a store.
  private(set) var stored = TripSnapshot.nothing
  private(set) var north = 0.0
  /// The time of the core's callback.
  private var callback: Duration?
  let kinds: Set<Trip.Kind>
  /// The longitude at which a device that moves east starts; `nil` if it moves north.
  let eastFrom: Double?

  static let start = Date(timeIntervalSinceReferenceDate: 800_000_000)

  init(kinds: Set<Trip.Kind> = Set(Trip.Kind.allCases), eastFrom: Double? = nil) {
    (self.kinds, self.eastFrom) = (kinds, eastFrom)
    core = Self.core(kinds)
    take(.launch(nil))
  }

  private static func core(_ kinds: Set<Trip.Kind>) -> TripCore {
    TripCore(AutomaticTrips(kinds: kinds, minimumStay: .seconds(300)))
  }

  var seconds: Double { now.date.timeIntervalSince(Self.start) }
  var ended: [Trip] { actions.compactMap { if case .ended(let trip) = $0 { trip } else { nil } } }
  /// The trips that are stored, including those that no listener is notified of.
  var kept: [Trip] { actions.compactMap { if case .save(.ended(let trip, _)) = $0 { trip } else { nil } } }
  var began: [Trip] { actions.compactMap { if case .began(let trip) = $0 { trip } else { nil } } }
  var missed: [Trip.Gap] { actions.compactMap { if case .missed(let gap) = $0 { gap } else { nil } } }
  /// Whether the app is kept running, according to the last `follow` action.
  var isKept: Bool {
    actions.reduce(false) { if case .follow(let keepsRunning) = $1 { keepsRunning } else { $0 } }
  }

  mutating func take(_ input: TripCore.Input) {
    var new: [TripCore.Action] = []
    let distance = core.distance
    if input == .due { callback = nil }
    core.handle(input, at: now, into: &new)
    while core.settle(at: now, into: &new) {}
    if case .launch = input {
    } else {
      let announced = new.reduce(distance) { if case .distanceChanged(let metres) = $1 { metres } else { $0 } }
      #expect(announced == core.distance, "the listeners know another distance")
    }
    for case .callBack(let time) in new {
      if let time, let callback { #expect(abs((time - callback).inSeconds) > 0.001, "the callback is set again") }
      callback = time
    }
    if let deadline = core.automatic?.detector.deadline(minimumStay: .seconds(300))?.date {
      let wait = deadline.timeIntervalSince(now.date + core.clock.offset)
      #expect(callback.map { $0 - now.uptime <= .seconds(wait + 0.001) } ?? false, "no callback at the deadline")
    }
    stored.save(new)
    actions += new
  }

  mutating func wait(_ seconds: Double) {
    now.uptime += .seconds(seconds)
    now.date += seconds
  }

  /// Changes the machine's clock.
  mutating func setClock(by seconds: Double) { now.date += seconds }

  /// A fix at the device, or `off` metres ahead of it.
  mutating func fix(_ accuracy: Double = 20, off: Double = 0, speed: Double? = nil) {
    let degrees = (north + off) / 111_195
    let location = Location(
      latitude: eastFrom == nil ? 34 + degrees : 0,
      longitude: eastFrom.map { ($0 + degrees).remainder(dividingBy: 360) } ?? -118, horizontalAccuracy: accuracy,
      speed: speed, timestamp: now.date)
    take(.fix(LocationManager.JudgedFix(fix: location, verdict: .candidate)))
  }

  /// Moves, with a fix every ten seconds.
  mutating func move(_ seconds: Int, speed: Double, accuracy: Double = 20) {
    for _ in 0..<(seconds / 10) {
      wait(10)
      north += 10 * speed
      fix(accuracy)
    }
  }

  /// Rests, with a fix every thirty seconds.
  mutating func rest(_ seconds: Int, accuracy: Double = 20) {
    for _ in 0..<(seconds / 30) {
      wait(30)
      fix(accuracy)
    }
  }

  /// Moves the device without a wait or a fix.
  mutating func advance(_ metres: Double) { north += metres }

  /// Moves the device without a fix, as while the app is suspended.
  mutating func moveUnseen(_ seconds: Double, speed: Double) {
    wait(seconds)
    north += seconds * speed
  }

  /// Ends the app, and relaunches it with the stored bytes.
  mutating func relaunch(after seconds: Double = 0) throws {
    let bytes = try JSONEncoder().encode(stored)
    wait(seconds)
    // The uptime of another launch has another origin.
    now.uptime = .seconds(5)
    callback = nil
    core = Self.core(kinds)
    take(.launch(try JSONDecoder().decode(TripSnapshot.self, from: bytes)))
  }
}

@Suite("Automatic trip recorders", .covers(TripDetectionMachine.self))
struct AutomaticTripTests {
  @Test("After the end of a stored trip, the device rests at its last place since then")
  func afterEnd() throws {
    var scene = AutomaticScene()
    scene.rest(3_600)
    scene.move(600, speed: 10)
    scene.take(.motion(.walking))
    scene.move(600, speed: 1.3)
    let trip = try #require(scene.core.trip)
    var ended = trip
    ended.ended = trip.fixes.last?.timestamp
    let snapshot = TripSnapshot(isRecording: true, trip: trip, detector: try #require(scene.core.automatic).detector)
    let after = try #require(snapshot.afterEnd(of: ended).detector)
    #expect(!after.isOnTrip && after.restingSince == ended.ended && after.place != nil)
    #expect(after.departure.isEmpty && after.stop == nil)
  }

  @Test("A trip begins at the place of rest, in hindsight, and ends at the start of the stay")
  func trip() throws {
    var scene = AutomaticScene()
    scene.rest(3_600)
    #expect(!scene.isKept && scene.core.state == .idle)
    let left = scene.seconds
    scene.moveUnseen(180, speed: 1.3)
    scene.move(30, speed: 1.3)
    scene.move(600, speed: 10)
    #expect(scene.isKept && scene.core.state == .recording && scene.began.count == 1)
    let stood = scene.seconds
    scene.rest(330)
    let trip = try #require(scene.ended.first)
    #expect(scene.ended.count == 1 && !scene.isKept && scene.core.state == .idle)
    #expect(abs(trip.began.timeIntervalSince(AutomaticScene.start) - left) < 60)
    #expect(abs(try #require(trip.ended).timeIntervalSince(AutomaticScene.start) - stood) < 30)
    #expect(abs(trip.distance / (210 * 1.3 + 6_000) - 1) < 0.03, "\(trip.distance)")
    #expect(trip.kind == .automotive && trip.gaps.isEmpty && trip.segments.count == 1)
    #expect(trip.duration == .seconds(try #require(trip.ended).timeIntervalSince(trip.began)))
  }

  @Test("A trip contains the stay before it, and the recorder shows the current stay, also after a relaunch")
  func visits() throws {
    var scene = AutomaticScene()
    scene.rest(3_600)
    let home = try #require(scene.core.visit)
    #expect(home.departure == nil && home.arrival.timeIntervalSince(AutomaticScene.start) < 60)
    for stay in 0..<3 {
      let place = try #require(scene.core.visit).place
      let arrival = try #require(scene.core.visit).arrival
      if stay == 1 { try scene.relaunch(after: 100) }
      scene.move(600, speed: 10)
      #expect(scene.core.visit == nil)
      scene.rest(900)
      let trip = try #require(scene.ended.last)
      #expect(scene.ended.count == stay + 1 && trip.visit?.departure == trip.began)
      #expect(trip.visit?.place == place && trip.visit?.arrival == arrival)
      let next = try #require(scene.core.visit)
      #expect(next.place.distance(to: place) > 4_000 && next.arrival == trip.ended)
    }
  }

  /// The stored motion, the distance from the place of rest to the first fix, the distance from that fix to the second one, and the
  /// expected start. Times are in seconds relative to the first of these fixes.
  static let starts: [(motion: [(Double, LocationManager.Motion?)], metres: Double, then: Double, start: Double)] = [
    // A walk without a sensor: at 1.3 m/s.
    ([], 260, 20, -200),
    // A drive without a sensor: at the speed between both fixes, less both accuracies: 160 m in 16 s.
    ([], 260, 200, -26),
    // The latest walk that suffices.
    ([(-900, .walking), (-840, .still), (-220, .walking)], 260, 20, -220),
    // A walk in the house before, with a pause of a minute and a half.
    ([(-400, .walking), (-310, .still), (-220, .walking)], 260, 20, -220),
    // Traffic lights: short pauses belong to the walk.
    ([(-240, .walking), (-150, .still), (-120, .walking)], 260, 20, -240),
    // Unknown motion is a pause too.
    ([(-600, .walking), (-500, nil), (-200, .walking)], 260, 20, -200),
    // The last motion doesn't suffice: 260 m in 30 s is too fast for a walk.
    ([(-250, .walking), (-130, .still), (-30, .walking)], 260, 20, -250),
    // The sensor detected a vehicle after it had left.
    ([(-900, .walking), (-800, .still), (-30, .vehicle)], 400, 200, -40),
    // The motion began long before the departure: the trip begins no earlier than a slow walk would have.
    ([(-3_000, .walking)], 240, 20, -300),
    // Motion that ended before that belongs to the stay: a drive at the speed between both fixes.
    ([(-3_000, .walking), (-2_986, .still)], 1_000, 200, -100),
    ([(-400, .walking), (-301, .still)], 240, 200, -24),
    ([(-400, .walking), (-299, .still)], 240, 200, -300),
    // Two parts of one motion: the second one ended later.
    ([(-450, .walking), (-350, .still), (-310, .walking), (-290, .still)], 240, 200, -300),
    // Before a stillness of five minutes, the device hadn't left: a drive at the speed between both fixes.
    ([(-1_900, .walking), (-1_800, .still), (-60, .vehicle)], 1_600, 200, -160),
    ([(-420, .walking), (-360, .still), (-60, .walking)], 440, 20, -338),
    ([(-420, .walking), (-360, .still), (-61, .walking)], 440, 20, -420),
    ([(-420, .walking), (-360, nil), (-60, .walking)], 440, 20, -420),
    ([(-420, .walking), (-360, .still), (-200, nil), (-140, .still), (-60, .walking)], 440, 20, -338),
    ([(-420, .walking), (-360, .still), (-201, nil), (-140, .still), (-60, .walking)], 440, 20, -420),
    ([(-420, .walking), (-360, .still), (-200, .still), (-60, .walking)], 440, 20, -338),
    ([(-420, .walking), (-360, .still), (-200, .walking), (-190, .still), (-60, .walking)], 440, 20, -200),
    ([(-1_100, .walking), (-1_000, .still)], 1_000, 200, -100),
    // A vehicle's motion stays one, although a walk follows.
    ([(-150, .vehicle), (-60, .walking)], 600, 200, -150),
    // The sensor detected the vehicle before it left.
    ([(-150, .standing), (-70, .vehicle)], 600, 200, -150),
  ]

  @Test("The stored motion determines the start", arguments: starts.indices)
  func start(_ index: Int) throws {
    let row = Self.starts[index]
    var scene = AutomaticScene()
    scene.rest(7_200)
    scene.wait(600)
    let first = scene.seconds
    scene.take(
      .pastMotion(
        row.motion.map {
          LocationManager.Motion.Change($0.1, at: AutomaticScene.start.addingTimeInterval(first + $0.0))
        }))
    scene.fix(off: row.metres)
    scene.wait(16)
    scene.fix(off: row.metres + row.then)
    let trip = try #require(scene.began.first)
    let start = trip.began.timeIntervalSince(AutomaticScene.start) - first
    #expect(abs(start - row.start) < 2, "\(start), expected \(row.start)")
  }

  @Test(
    "Neither a stray fix nor a coarse one begins a trip, and the next trip begins when the device leaves",
    arguments: [(20.0, 5_000.0), (150, 200), (500, 5_000)])
  func stray(_ accuracy: Double, _ metres: Double) throws {
    var scene = AutomaticScene()
    scene.rest(3_600)
    for _ in 0..<20 {
      scene.wait(30)
      scene.fix(accuracy, off: metres)
      scene.wait(30)
      scene.fix()
    }
    scene.fix(accuracy, off: metres)
    scene.wait(601)
    scene.take(.due)
    #expect(scene.began.isEmpty && scene.core.state == .idle && !scene.isKept)
    let left = scene.now.date
    scene.moveUnseen(180, speed: 1.3)
    scene.move(60, speed: 1.3)
    #expect(abs(try #require(scene.began.first).began.timeIntervalSince(left)) < 60)
  }

  /// An input for an automatic recorder.
  enum Input: CaseIterable {
    case start, stop, vehicle, fixAway, fixHere, deadline
  }

  /// The state after each input, in each state.
  static let targets: [TripDetectionMachine.State: [Input: TripDetectionMachine.State]] = [
    .resting: [
      .start: .moving, .stop: .resting, .vehicle: .resting, .fixAway: .leaving, .fixHere: .resting, .deadline: .resting,
    ],
    .leaving: [
      .start: .moving, .stop: .resting, .vehicle: .leaving, .fixAway: .moving, .fixHere: .resting, .deadline: .resting,
    ],
    .moving: [
      .start: .moving, .stop: .resting, .vehicle: .moving, .fixAway: .moving, .fixHere: .stopping, .deadline: .resting,
    ],
    .stopping: [
      .start: .stopping, .stop: .resting, .vehicle: .moving, .fixAway: .moving, .fixHere: .stopping,
      .deadline: .resting,
    ],
  ]

  @Test(
    "An input leads to the listed state; a trip begins when `moving` is entered, ends when rest is entered, and measures each fix",
    arguments: TripDetectionMachine.State.allCases, Input.allCases)
  func input(state: TripDetectionMachine.State, input: Input) {
    var scene = AutomaticScene()
    scene.rest(600)
    switch state {
    case .resting: break
    case .leaving:
      scene.advance(500)
      scene.fix()
    case .moving, .stopping: scene.move(600, speed: 10)
    }
    if state == .stopping { scene.rest(150) }
    // At the next fix, the device has been at the place for more than a minute.
    if state == .moving, input == .fixHere {
      scene.rest(30)
      scene.wait(20)
    }
    #expect(scene.core.automatic?.detector.state == state)
    scene.wait(20)
    switch input {
    case .start: scene.take(.command(.start))
    case .stop: scene.take(.command(.stop))
    case .vehicle: scene.take(.motion(.vehicle))
    case .fixAway: scene.fix(off: state == .leaving ? 50 : 500)
    case .fixHere: scene.fix(off: state == .leaving ? -500 : 0)
    case .deadline:
      let deadline = scene.core.automatic?.detector.deadline(minimumStay: .seconds(300))?.date
      scene.wait(deadline.map { $0.timeIntervalSince(scene.now.date) + 1 } ?? 1_800)
      scene.take(.due)
    }
    let target = Self.targets[state]?[input]
    #expect(scene.core.automatic?.detector.state == target)
    let (wasOnTrip, isOnTrip) = (state == .moving || state == .stopping, target == .moving || target == .stopping)
    #expect(scene.began.count == (wasOnTrip || isOnTrip ? 1 : 0))
    #expect(scene.ended.count == (wasOnTrip && !isOnTrip ? 1 : 0))
    if input == .fixAway || input == .fixHere, wasOnTrip {
      #expect(scene.core.automatic?.recent.last?.timestamp == scene.now.date)
    }
  }

  /// A part of a day, in seconds, metres per second and metres.
  enum Part {
    case rest(Int), move(Int, speed: Double), moveUnseen(Double, speed: Double)
    case fix(Double = 20, off: Double)
    case motion(LocationManager.Motion)
    case relaunch
  }

  /// A day that begins at rest, and its trips.
  struct Day: CustomTestStringConvertible {
    let testDescription: String
    var kinds = Set(Trip.Kind.allCases)
    let parts: [Part]
    /// The number of trips that begin.
    let began: Int
    /// The kinds of the trips that end.
    let ended: [Trip.Kind]
    /// The length of the first trip, within 3 %; `nil` for any.
    var metres: Double?
  }

  static let days = [
    Day(
      testDescription: "A stray on the way doesn't count",
      parts: [.move(600, speed: 5), .fix(60, off: 900), .move(600, speed: 5), .rest(600)], began: 1,
      ended: [.onFoot], metres: 6_000),
    Day(
      testDescription: "A stray between fixes that are too far apart for a mean doesn't count",
      parts: (0..<40).flatMap { [.moveUnseen(30, speed: 5), .fix(off: $0 == 20 ? 900 : 0)] } + [.rest(600)], began: 1,
      ended: [.onFoot], metres: 6_000),
    Day(
      testDescription: "The turn after a stray is part of the trip",
      parts: (0..<20).flatMap { [.moveUnseen(30, speed: $0 < 11 ? 10 : -10), .fix(off: $0 == 9 ? 5_000 : 0)] }
        + [.rest(600)], began: 1, ended: [.automotive], metres: 6_000),
    Day(
      testDescription: "Two jumps of the network's fixes, minutes apart, don't turn a walk into a ride",
      parts: [.move(600, speed: 1.3), .moveUnseen(130, speed: 1.3)]
        + (0..<3).flatMap { _ in [.moveUnseen(30, speed: 1.3), .fix(off: 2_000)] }
        + [.moveUnseen(130, speed: 1.3), .move(600, speed: 1.3), .rest(900)], began: 1, ended: [.onFoot]),
    Day(
      testDescription: "A traffic jam doesn't end a trip",
      parts: [.move(600, speed: 10), .motion(.standing), .rest(600)], began: 1, ended: []),
    Day(
      testDescription: "While the sensor reports stillness, wrong fixes in a house begin no trip",
      parts: [.motion(.still)]
        + (0..<20).flatMap { _ in [.rest(60), .fix(5, off: 250), .rest(30), .fix(5, off: 250)] },
      began: 0, ended: []),
    Day(
      testDescription: "A smooth ride, which the sensor reports as stillness, is a trip from its beginning",
      parts: [.motion(.still), .move(600, speed: 10), .rest(900)], began: 1, ended: [.automotive],
      metres: 6_000),
    Day(
      testDescription:
        "A traffic jam doesn't end a trip, although the sensor has reported the vehicle half an hour before",
      parts: [.motion(.vehicle), .move(1_800, speed: 10), .rest(600), .move(600, speed: 10), .rest(1_800)], began: 1,
      ended: [.automotive]),
    Day(
      testDescription: "A report that is repeated doesn't prolong a traffic jam",
      parts: [.move(600, speed: 10), .motion(.standing), .rest(800), .motion(.standing), .rest(400)], began: 1,
      ended: [.automotive]),
    Day(
      testDescription: "A relaunch keeps the kind that only the sensor has shown", kinds: [.automotive],
      parts: [.move(900, speed: 5), .motion(.vehicle), .relaunch, .rest(1_800)], began: 1, ended: [.automotive]),
    Day(
      testDescription: "A vehicle that stands for longer than a traffic jam ends a trip",
      parts: [.move(600, speed: 10), .motion(.standing), .rest(1_800)], began: 1, ended: [.automotive]),
    Day(
      testDescription: "A stay separates two trips",
      parts: [
        .move(600, speed: 10), .motion(.standing), .rest(600), .motion(.vehicle), .move(600, speed: 10),
        .motion(.walking), .rest(600), .move(600, speed: 1.5), .rest(600),
      ], began: 2, ended: [.automotive, .onFoot]),
    Day(
      testDescription: "A vehicle counts even before the departure is confirmed", kinds: [.automotive],
      parts: [.motion(.vehicle), .move(900, speed: 5), .motion(.walking), .rest(900)], began: 1, ended: [.automotive]),
    Day(
      testDescription: "A relaunch keeps the kind of a trip", kinds: [.automotive],
      parts: [.move(1_200, speed: 12), .relaunch, .rest(600)], began: 1, ended: [.automotive]),
    Day(
      testDescription: "A relaunch keeps the kind of a trip if all kinds are recorded",
      parts: [.move(1_200, speed: 12), .relaunch, .rest(600)], began: 1, ended: [.automotive]),
    Day(
      testDescription: "Only trips in a vehicle are recorded", kinds: [.automotive], parts: walkAndDrive, began: 1,
      ended: [.automotive], metres: 9_000),
    Day(
      testDescription: "Only trips on foot are recorded", kinds: [.onFoot], parts: walkAndDrive, began: 1,
      ended: [.onFoot], metres: 1_260),
    Day(
      testDescription: "Trips of both kinds are recorded", kinds: [.onFoot, .automotive], parts: walkAndDrive, began: 2,
      ended: [.onFoot, .automotive], metres: 1_260),
  ]

  private static let walkAndDrive: [Part] = [
    .rest(300), .move(900, speed: 1.4), .rest(900), .move(900, speed: 10), .rest(900),
  ]

  @Test("A recorder learns the motion that was reported before its creation, and during a pause")
  func earlierMotion() {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.provider.report(.motion(.vehicle))
    let recorder = TripRecorder.automatic(fixture.manager)
    func motion() -> LocationManager.Motion? { recorder.driver.core.automatic?.detector.motion?.motion }
    #expect(motion() == .vehicle)
    fixture.manager.pause()
    fixture.provider.report(.motion(.walking))
    fixture.manager.resume()
    fixture.provider.fix(8)
    #expect(motion() == .walking)
    // The sensor is off, so the report doesn't hold.
    fixture.provider.report(.wakeSources([.significantChange], backgroundUpdates: .never))
    fixture.provider.pass(60)
    fixture.manager.forceAcquireLocation()
    fixture.provider.fix(8)
    #expect(fixture.manager.circumstances.motion == nil && motion() == nil)
  }

  @Test("A recorder that is created during a pause forgets the stored place, and a pause stores that")
  func createdInAPause() {
    var scene = AutomaticScene()
    scene.rest(600)
    #expect(scene.stored.detector?.place != nil)
    scene.take(.paused)
    #expect(scene.stored.detector?.place == nil)
    // The app begins a trip before a place is known, and the pause ends it.
    var early = AutomaticScene()
    early.take(.command(.start))
    early.move(300, speed: 10)
    early.take(.paused)
    #expect(early.ended.count == 1 && early.stored.detector?.place == nil)
  }

  @Test(
    "The trips of a day are those of the table, towards north and towards east across the antimeridian",
    arguments: days,
    [nil, 179.99] as [Double?])
  func day(_ day: Day, eastFrom: Double?) throws {
    var scene = AutomaticScene(kinds: day.kinds, eastFrom: eastFrom)
    for part in [.rest(600)] + day.parts {
      switch part {
      case .rest(let seconds): scene.rest(seconds)
      case .move(let seconds, let speed): scene.move(seconds, speed: speed)
      case .moveUnseen(let seconds, let speed): scene.moveUnseen(seconds, speed: speed)
      case .fix(let accuracy, let metres): scene.fix(accuracy, off: metres)
      case .motion(let motion): scene.take(.motion(motion))
      case .relaunch: try scene.relaunch()
      }
    }
    #expect(scene.began.count == day.began && scene.ended.map(\.kind) == day.ended)
    #expect(
      scene.began.allSatisfy { $0.kind.map(day.kinds.contains) == true },
      "a trip begins for the listeners with a kind that is recorded")
    if let metres = day.metres { #expect(abs(try #require(scene.ended.first).distance / metres - 1) < 0.03) }
  }

  @Test("The length of a trip with wrong fixes doesn't depend on the direction")
  func noise() throws {
    let lengths = try [nil, 179.99].map { eastFrom in
      var scene = AutomaticScene(eastFrom: eastFrom)
      scene.rest(600)
      for step in 0..<300 {
        scene.moveUnseen(4, speed: 5)
        scene.fix(step % 2 == 0 ? 20 : 60, off: step % 2 == 0 ? 0 : 90)
      }
      scene.rest(900)
      return try #require(scene.ended.first).distance
    }
    #expect(abs(lengths[0] / 6_000 - 1) < 0.1 && abs(lengths[1] / lengths[0] - 1) < 0.01, "\(lengths)")
  }

  @Test("A trip that is cut after a fix keeps the fix, and the distance to it")
  func cut() throws {
    var scene = AutomaticScene()
    for part in 1...3 {
      scene.rest(600)
      scene.move(600, speed: Double(part) * 5)
    }
    var trip = try #require(scene.ended.first)
    let (last, whole) = (trip.fixes[trip.fixes.count / 2], trip.distance)
    trip.cut(after: last.timestamp)
    #expect(trip.fixes.last == last && abs(trip.distance / whole - 0.5) < 0.1)
  }

  @Test("A device that walks within 50 m hasn't stopped; one at 0.3 m/s has", arguments: [(1.4, false), (0.3, true)])
  func speedInOnePlace(_ speed: Double, _ ends: Bool) {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(600, speed: 1.4)
    for step in 0..<60 {
      scene.wait(10)
      scene.fix(10, off: step % 4 < 2 ? 0 : 30, speed: speed)
    }
    #expect(scene.ended.count == (ends ? 1 : 0))
  }

  @Test("The most accurate fix in a place is the start of the next trip", arguments: [false, true])
  func accuratePlace(_ isAfterTrip: Bool) throws {
    var scene = AutomaticScene()
    if isAfterTrip {
      scene.rest(600)
      scene.move(600, speed: 10)
      scene.advance(200)
    }
    for number in 0..<16 {
      scene.wait(30)
      scene.fix(number == 4 ? 8 : 60, off: number == 4 ? 0 : 45)
    }
    let metres = scene.north
    scene.moveUnseen(180, speed: 2)
    scene.move(60, speed: 2)
    let start = try #require(scene.began.last?.fixes.first)
    #expect(scene.began.count == (isAfterTrip ? 2 : 1) && abs((start.latitude - 34) * 111_195 - metres) < 1)
  }

  @Test("A trip across the 180th meridian is like one elsewhere")
  func meridian() throws {
    func trip(_ longitude: Double) throws -> Trip {
      var scene = AutomaticScene(eastFrom: longitude)
      scene.rest(600)
      scene.move(600, speed: 10)
      scene.rest(600)
      return try #require(scene.ended.first)
    }
    let (trip, other) = (try trip(179.97), try trip(10))
    #expect(abs(trip.distance - other.distance) < 0.01 && trip.fixes.count == other.fixes.count)
    for (fix, otherFix) in zip(trip.fixes, other.fixes) {
      #expect(abs((fix.longitude - 179.97).remainder(dividingBy: 360) - (otherFix.longitude - 10)) < 1e-9)
    }
  }

  @Test("Half an hour without a fix ends the trip")
  func silence() throws {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(600, speed: 10)
    let last = scene.now.date
    scene.wait(1_801)
    scene.take(.due)
    #expect(try #require(scene.ended.first?.ended) == last)
  }

  @Test("A suspended app that misses the end of a trip separates it from the next one")
  func suspension() {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(600, speed: 10)
    let last = scene.now.date
    scene.moveUnseen(3_600, speed: 2)
    scene.move(600, speed: 10)
    #expect(scene.ended.map(\.ended) == [last] && scene.began.count == 2)
  }

  @Test("In a traffic jam, the app is kept running longer than the minimum stay")
  func keptInJam() {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(600, speed: 10)
    scene.take(.motion(.standing))
    for _ in 0..<8 {
      scene.rest(100)
      #expect(scene.isKept && scene.core.state == .recording)
    }
  }

  @Test("A pause ends the trip, and the place is determined again")
  func pause() {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(600, speed: 10)
    scene.take(.paused)
    #expect(scene.ended.count == 1 && !scene.isKept)
    scene.moveUnseen(3_600, speed: 20)
    scene.rest(900)
    #expect(scene.began.count == 1)
  }

  @Test("During a pause and without the permission, the app begins no automatic trip", arguments: [true, false])
  func noStart(pauses: Bool) {
    let provider = ScriptedProvider(.always)
    let manager = LocationManager(provider: provider)
    let recorder = TripRecorder.automatic(manager)
    manager.tryPromptAuthorization()
    if pauses { manager.pause() } else { provider.decide(.denied) }
    recorder.start()
    #expect(recorder.state == .idle && manager.trip == nil)
    if pauses { manager.resume() } else { provider.decide(.always) }
    recorder.start()
    #expect(recorder.state == .recording)
  }

  @Test("The app's commands begin and end a trip")
  func commands() throws {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.take(.command(.start))
    #expect(scene.core.state == .recording && scene.began.count == 1)
    scene.move(100, speed: 1.5)
    scene.take(.command(.stop))
    #expect(scene.core.state == .idle)
    #expect(abs(try #require(scene.ended.first).distance - 150) < 30)
  }

  @Test("A relaunch at any moment keeps the number of trips, and hardly changes them", arguments: 0..<60)
  func relaunch(_ seed: Int) throws {
    func run(_ relaunchAt: Int?) throws -> AutomaticScene {
      var scene = AutomaticScene()
      var random = SeededGenerator(seed: UInt64(seed))
      var step = 0
      func share() -> Double { Double(random.next() >> 11) / 9_007_199_254_740_992 }
      for _ in 0..<3 {
        for (seconds, speed) in [(900 + Int(share() * 900), 0.0), (600 + Int(share() * 1_200), 1.3 + share() * 20)] {
          for _ in 0..<(seconds / 10) {
            let (accuracy, off) = (10 + share() * 60, (share() - 0.5) * 30)
            scene.wait(10)
            if step == relaunchAt { try scene.relaunch() }
            step += 1
            scene.advance(10 * speed)
            scene.fix(accuracy, off: off)
          }
        }
      }
      scene.rest(900)
      return scene
    }
    let whole = try run(nil)
    let cut = try run((seed * 37) % 540)
    #expect(whole.ended.count == cut.ended.count && whole.ended.count >= 3, "seed \(seed)")
    for (one, other) in zip(whole.ended, cut.ended) {
      #expect(abs(one.began.timeIntervalSince(other.began)) < 30, "seed \(seed)")
      #expect(abs(try #require(one.ended).timeIntervalSince(try #require(other.ended))) < 120, "seed \(seed)")
      let missing = other.gaps.reduce(0) { $0 + $1.length }
      #expect(abs(one.distance - other.distance - missing) < max(150, one.distance * 0.06), "seed \(seed)")
    }
  }

  @Test("On random days, trips don't overlap, and the values of each are consistent", arguments: 0..<60)
  func anyDay(_ seed: Int) throws {
    var scene = AutomaticScene()
    var random = SeededGenerator(seed: UInt64(seed))
    func draw(_ range: Range<Int>) -> Int { range.lowerBound + Int(random.next() % UInt64(range.count)) }
    scene.rest(600)
    for _ in 0..<60 {
      switch draw(0..<12) {
      case 0...2: scene.rest(draw(30..<900))
      case 3...6: scene.move(draw(10..<900), speed: Double(draw(1..<20)))
      case 7: scene.moveUnseen(Double(draw(10..<2_500)), speed: Double(draw(0..<20)))
      case 8, 9: try scene.relaunch(after: Double(draw(0..<500)))
      case 10: scene.take(.command(draw(0..<2) == 0 ? .start : .stop))
      default: scene.take(draw(0..<8) == 0 ? .paused : .due)
      }
    }
    scene.take(.command(.stop))
    let distances = scene.actions.compactMap { if case .distanceChanged(let metres) = $0 { metres } else { nil } }
    #expect(zip(distances, distances.dropFirst()).allSatisfy { $0 != $1 }, "seed \(seed)")
    var last = Date.distantPast
    for trip in scene.kept {
      let ended = try #require(trip.ended)
      #expect(trip.began >= last && ended >= trip.began, "seed \(seed)")
      last = ended
      let dates = [trip.began] + trip.fixes.map(\.timestamp) + [ended]
      #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(seed)")
      let ends = [trip.began] + trip.gaps.flatMap { [$0.from.timestamp, $0.to.timestamp] } + [ended]
      #expect(zip(ends, ends.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(seed)")
      let missing = trip.gaps.reduce(0) { $0 + $1.duration.inSeconds }
      #expect(abs(trip.duration.inSeconds + missing - ended.timeIntervalSince(trip.began)) < 0.001, "seed \(seed)")
      let length = trip.segments.reduce(0) { sum, segment in
        sum + zip(segment, segment.dropFirst()).reduce(0) { $0 + $1.0.geodesicDistance(to: $1.1) }
      }
      #expect(abs(trip.distance - length) < 0.001, "seed \(seed)")
    }
    #expect(scene.kept.count > 2, "seed \(seed)")
  }

  @Test(
    "After the clock was set back between two launches, a trip begins when the device leaves",
    arguments: [false, true],
    [3_600, 3e8])
  func clockSetBack(_ isLeaving: Bool, _ seconds: Double) throws {
    var scene = AutomaticScene()
    scene.rest(3_600)
    if isLeaving {
      scene.advance(300)
      scene.fix()
    }
    try scene.relaunch(after: -seconds)
    #expect(scene.core.state == (isLeaving ? .prepared : .idle))
    let left = scene.now.date
    scene.move(180, speed: 10)
    let trip = try #require(scene.began.first)
    #expect((left.addingTimeInterval(-300)...left.addingTimeInterval(60)).contains(trip.began))
    scene.rest(600)
    #expect(scene.ended.count == 1)
  }

  @Test("A relaunch keeps the place of rest, both before and after the first trip", arguments: [false, true])
  func placeAfterARelaunch(_ isFirst: Bool) throws {
    var scene = AutomaticScene()
    scene.rest(3_600)
    if !isFirst {
      scene.move(600, speed: 10)
      scene.rest(3_600)
    }
    try scene.relaunch()
    let (left, north) = (scene.seconds, scene.north)
    scene.moveUnseen(180, speed: 1.3)
    scene.move(30, speed: 1.3)
    scene.move(600, speed: 10)
    scene.rest(600)
    let trip = try #require(scene.ended.last)
    #expect(abs(trip.began.timeIntervalSince(AutomaticScene.start) - left) < 60)
    #expect(abs(try #require(trip.fixes.first).latitude - 34 - north / 111_195) < 0.001)
  }

  @Test("A relaunch doesn't restore a place from before a pause")
  func pauseAndRelaunch() throws {
    var scene = AutomaticScene()
    scene.rest(3_600)
    scene.take(.paused)
    scene.moveUnseen(3_600, speed: 20)
    try scene.relaunch()
    scene.rest(900)
    #expect(scene.began.isEmpty && scene.core.state == .idle)
  }

  @Test("A gap of a relaunch is reported, and excluded from the distance and the duration")
  func gap() throws {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(1_000, speed: 10)
    let before = scene.core.distance
    scene.moveUnseen(120, speed: 10)
    try scene.relaunch()
    #expect(try #require(scene.core.resumedTrip).distance == before)
    scene.move(1_000, speed: 10)
    let gap = try #require(scene.missed.first)
    #expect(abs(gap.length - 1_300) < 200 && abs(gap.duration.inSeconds - 130) < 20)
    scene.rest(600)
    let trip = try #require(scene.ended.first)
    #expect(abs(trip.distance + gap.length - 21_200) < 400 && trip.gaps == [gap] && trip.segments.count == 2)
    let whole = try #require(trip.ended).timeIntervalSince(trip.began)
    #expect(abs(trip.duration.inSeconds + gap.duration.inSeconds - whole) < 0.001)
  }

  @Test("A gap after the trip's end isn't part of the trip")
  func gapAfterTheEnd() throws {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(1_000, speed: 10)
    try scene.relaunch(after: 40_000)
    scene.rest(900)
    let trip = try #require(scene.ended.first)
    #expect(trip.gaps.isEmpty && trip.duration > .seconds(900))
  }

  @Test("A gap of a relaunch during the final stay isn't part of the trip")
  func gapInTheStay() throws {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(600, speed: 10)
    let stood = scene.now.date
    scene.rest(120)
    try scene.relaunch(after: 60)
    scene.rest(600)
    let trip = try #require(scene.ended.first)
    #expect(trip.gaps.isEmpty && trip.ended == stood && trip.duration == .seconds(stood.timeIntervalSince(trip.began)))
  }

  @Test(
    "If a trip ends before the first fix after a relaunch, the gap isn't added to the next trip",
    arguments: [false, true])
  func gapOfAnotherTrip(_ isPaused: Bool) throws {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(1_000, speed: 10)
    try scene.relaunch(after: 60)
    if isPaused {
      scene.take(.command(.stop))
    } else {
      scene.wait(1_801)
      scene.take(.due)
    }
    #expect(scene.ended.count == 1)
    scene.rest(600)
    scene.move(1_000, speed: 10)
    scene.rest(600)
    let trip = try #require(scene.ended.last)
    #expect(scene.ended.count == 2 && trip.gaps.isEmpty && scene.missed.isEmpty && abs(trip.distance - 10_000) < 400)
  }

  @Test("A trip that the app begins at rest isn't ended by the age of the last fix")
  func startAtRest() {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.wait(10_800)
    scene.take(.command(.start))
    scene.wait(20)
    scene.fix()
    #expect(scene.core.state == .recording && scene.ended.isEmpty)
    scene.move(600, speed: 10)
    scene.rest(600)
    #expect(scene.ended.count == 1 && abs(scene.ended[0].distance - 6_000) < 300)
  }

  @Test(
    "At rest, a fix is at the place, away from it, or neither",
    arguments: [
      (0, 0, .here), (45, 0, .here), (45, 0.9, .here), (45, 1, nil), (45, 5, nil), (70, 0, nil), (75, 5, nil),
      (77, 0, .away), (77, 5, .away), (500, 0, .away),
    ] as [(Double, Double, TripDetectionMachine.Event?)])
  func judged(_ metres: Double, _ speed: Double, _ expected: TripDetectionMachine.Event?) {
    var detector = TripDetector()
    func judge(_ second: Double, _ metres: Double, _ speed: Double) -> TripDetectionMachine.Event? {
      var fix = TripMeterTests.fix(second, north: metres, accuracy: 8)
      fix.speed = speed
      return detector.judge(fix)
    }
    #expect(
      [judge(0, 0, 0), judge(100, metres, speed), judge(200, 0, 0)] == [.here, expected, .here])
  }

  @Test("A distance of more than 20 km from the place of rest to the first fix isn't part of the trip")
  func farAway() throws {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.moveUnseen(100_000, speed: 5)
    scene.move(1_000, speed: 10)
    scene.rest(600)
    let trip = try #require(scene.ended.first)
    #expect(abs(trip.distance - 10_000) < 400 && trip.duration < .seconds(1_200))
    #expect(trip.visit == nil, "the time of the departure is unknown")
  }

  @Test("A trip that the app begins more than 20 km from the last place of rest doesn't count the way from there")
  func startFarAway() throws {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.wait(7_200)
    scene.advance(100_000)
    scene.take(.command(.start))
    scene.move(600, speed: 10)
    scene.rest(600)
    let trip = try #require(scene.ended.first)
    #expect(abs(trip.distance - 6_000) < 300 && trip.visit == nil)
    #expect(scene.kept.first == trip)
  }

  @Test("A resumed trip that is stopped before its first fix ends at its last fix")
  func stoppedBeforeAFix() throws {
    var scene = AutomaticScene()
    scene.rest(600)
    scene.move(600, speed: 10)
    let last = try #require(scene.stored.trip?.fixes.last)
    try scene.relaunch(after: 1_500)
    scene.wait(5)
    scene.take(.command(.stop))
    let trip = try #require(scene.ended.last)
    #expect(trip.ended == last.timestamp && trip.duration < .seconds(700))
  }

  @Test("The recorder doesn't show a trip of a kind that isn't recorded")
  func unwanted() {
    var scene = AutomaticScene(kinds: [.automotive])
    scene.rest(600)
    scene.move(900, speed: 1.4)
    #expect(scene.core.toldTrip == nil && scene.core.distance == 0)
    scene.rest(600)
    #expect(scene.core.trip == nil && scene.ended.isEmpty && scene.stored.trip == nil)
  }

  @Test("A trip that is more than a day old ends at its last fix, if its kind is recorded", arguments: [1.4, 10])
  func forgotten(_ speed: Double) throws {
    var scene = AutomaticScene(kinds: [.automotive])
    scene.rest(600)
    scene.move(1_000, speed: speed)
    let last = try #require(scene.stored.trip?.fixes.last)
    try scene.relaunch(after: 100_000)
    #expect(scene.core.resumedTrip == nil && !scene.isKept)
    #expect(scene.kept.map(\.ended) == (speed > 7 ? [last.timestamp] : []))
  }
}

extension TripSnapshot {
  /// Saves the records of actions, as a store does.
  mutating func save(_ actions: [TripCore.Action]) {
    for case .save(let record) in actions {
      switch record {
      case .whole(let snapshot), .ended(_, let snapshot): self = snapshot
      case .state(let state): update(state)
      case .fix(let fix): add(fix)
      case .standing(let fix): stand(fix)
      }
    }
  }
}

extension TripCore {
  /// `nil` for a recorder that the app starts and stops.
  fileprivate var automatic: AutomaticTrips? { if case .automatic(let trips) = recorder { trips } else { nil } }
}
