import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@testable import LocoKitSimulation
@testable import TestSupport

/// A store in memory that also keeps the presence.
private final class LaunchStore: PresenceStore {
  var location: Location?
  var isPaused = false
  var presence: LocationManager.Presence?
}

@Suite("Presence")
struct PresenceTests {
  typealias Presence = LocationManager.Presence

  /// Returns a provider and its manager with a bound of 500 m, at rest in a region that the system watches.
  private static func atRest(
    _ store: LaunchStore = LaunchStore(), backgroundUpdates: LocationManager.BackgroundUpdates = .never
  ) -> (ScriptedProvider, LocationManager) {
    let provider = ScriptedProvider(.always)
    provider.wakeSources = [.significantChange, .regionExit, .visit, .motion, .timer]
    provider.backgroundUpdates = backgroundUpdates
    let manager = LocationManager(provider: provider, store: store)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    provider.fix(8)
    provider.report(.motion(.still))
    for _ in 0..<400 { provider.pass(1) }
    // At rest without a keeper, no timer is set, so the test reports one.
    provider.report(.timer)
    return (provider, manager)
  }

  @Test("After a pause or a withdrawn permission, the place of an earlier rest says nothing", arguments: [true, false])
  func unwatched(isPaused: Bool) {
    let (provider, manager) = Self.atRest(backgroundUpdates: .whileMoving)
    #expect(manager.presence != nil && manager.estimate != nil)
    if isPaused { manager.pause() } else { provider.decide(.denied) }
    #expect(manager.presence == nil && manager.estimate == nil && manager.motion == .still)
    // The device travels in the meantime, and then has no reception.
    provider.pass(7_200)
    if isPaused { manager.resume() } else { provider.decide(.always) }
    #expect(manager.state == .acquiring && provider.plan.region == nil)
    for _ in 0..<1_000 { provider.pass(1) }
    provider.report(.motion(.still))
    for _ in 0..<1_000 { provider.pass(1) }
    #expect(manager.state == .waitingSignificantChange)
    #expect(manager.presence == nil && manager.estimate == nil && provider.plan.region == nil)
  }

  @Test("A phone that fell asleep while slow is present after a minute of stillness in the opened app, by one look")
  func asleepSlow() throws {
    let provider = ScriptedProvider(.always)
    provider.wakeSources = [.significantChange, .regionExit, .visit, .motion, .timer]
    provider.backgroundUpdates = .whileMoving
    let manager = LocationManager(provider: provider)
    manager.errorBound = 2_000
    manager.tryPromptAuthorization()
    provider.report(.motion(.walking))
    var slow = provider.location(50)
    slow.speed = 1
    provider.report(.fixes([slow]))
    for _ in 0..<30 { provider.pass(1) }
    #expect(provider.plan.mode == .significantChanges && !provider.plan.keepsAppRunning, "asleep")
    for _ in 0..<3 {
      provider.report(.motion(.walking))
      for _ in 0..<100 { provider.pass(1) }
    }
    #expect(manager.presence == nil && !provider.plan.keepsAppRunning, "motion doesn't wake the planner")
    provider.report(.motion(.still))
    #expect(provider.plan.keepsAppRunning)
    for _ in 0..<62 { provider.pass(1) }
    #expect(provider.plan.mode == .gps, "a look at rest")
    provider.fix(8)
    for _ in 0..<3 { provider.pass(1) }
    #expect(try #require(manager.presence).reasons.contains(.stillness) && !provider.plan.keepsAppRunning)
  }

  @Test("At rest, the exit from the region, a departure and motion begin a look", arguments: WakeKind.allCases)
  func looks(_ kind: WakeKind) {
    let expected =
      switch kind {
      case .regionExit: [true]
      case .visit: [false, true]
      case .motion: [false, true, true, false]
      case .timer, .significantChange: [false]
      case .cell: [false, false]
      }
    final class Looks: LocationManagerListener {
      var causes: [LocationManager.Cause] = []
      func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.Cause) {
        causes.append(cause)
      }
    }
    let found = WakeEvent.samples(of: kind).map { event in
      let (provider, manager) = Self.atRest()
      let looks = Looks()
      manager.listeners.add(looks)
      provider.report(.wake(event))
      for _ in 0..<20 where looks.causes.isEmpty { provider.pass(30) }
      return looks.causes == [.wake(kind)]
    }
    #expect(found == expected)
  }

  @Test("A new cell is the cause of the next look")
  func cell() {
    var world = World(bound: 500)
    let path: [World.Letter] = [.authorization(.always), .command(.tryPrompt), .wakeSources([.cell]), .fix(5, age: 0)]
    #expect(world.play(path + [.cell("a"), .wait(240), .cell("b")]) == nil)
    #expect(world.core.planner?.looks.hint == .wake(.cell))
  }

  /// Events at rest, and whether each of them ends the presence.
  private static let ends: [(String, Bool, @Sendable (ScriptedProvider, LocationManager) -> Void)] = [
    ("a timer", false, { provider, _ in provider.report(.timer) }),
    (
      "a fix in the circle", false,
      { provider, manager in
        manager.forceAcquireLocation(); provider.fix(8, latitude: 34.1005)
      }
    ),
    (
      "a coarse fix that touches the circle", false,
      { provider, manager in
        // 300 m to the north.
        manager.forceAcquireLocation(); provider.fix(200, latitude: 34.1027); provider.pass(60); provider.pass(60)
      }
    ),
    (
      "a fix outside", true,
      { provider, manager in
        manager.forceAcquireLocation(); provider.fix(8, latitude: 34.103)
      }
    ),
    ("the exit from the region", true, { provider, _ in provider.report(.regionExit) }),
    ("an arrival", false, { provider, _ in provider.report(.arrival) }),
    ("a departure", true, { provider, _ in provider.report(.departure) }),
    ("a significant change", true, { provider, _ in provider.report(.significantChange(nil)) }),
    (
      "a burst of motion", false,
      { provider, _ in
        provider.report(.motion(.walking)); provider.pass(14); provider.report(.motion(.still))
      }
    ),
    ("a pause", true, { _, manager in manager.pause() }),
    ("no bound", true, { _, manager in manager.errorBound = nil }),
    ("a refusal", true, { provider, _ in provider.decide(.denied) }),
    ("a bound of 1 km", false, { _, manager in manager.errorBound = 1_000 }),
  ]

  @Test(
    "In the back-off after a failed look, only a significant change that shows a departure ends the presence",
    arguments: [nil, 34.1001, 34.15], [.whileMoving, .never] as [LocationManager.BackgroundUpdates])
  func changeInBackOff(latitude: Double?, backgroundUpdates: LocationManager.BackgroundUpdates) throws {
    let (provider, manager) = Self.atRest(backgroundUpdates: backgroundUpdates)
    // The back-off outlasts the cool-down.
    manager.policy.cooldown = .zero
    // Without a keeper, no timer runs in the background.
    if backgroundUpdates == .never {
      provider.report(.wakeSources([.significantChange, .regionExit, .visit], backgroundUpdates: .never))
    }
    let before = try #require(manager.presence)
    var changes = 0
    let listener = Listener { changes += 1 }
    manager.listeners.add(listener)
    manager.forceAcquireLocation()
    for _ in 0..<17 { provider.pass(1) }
    #expect(manager.state == .waitingSignificantChange && manager.presence == before, "no fix")
    for _ in 0..<5 {
      provider.pass(1)
      provider.report(.significantChange(latitude.map { provider.location(500, latitude: $0) }))
    }
    let hasLeft = latitude == 34.15
    #expect(manager.state == .waitingSignificantChange, "the back-off isn't over")
    #expect(manager.presence == (hasLeft ? nil : before) && changes == (hasLeft ? 1 : 0))
  }

  @Test(
    "Only a sign of a departure, a pause, a refusal and the removal of the bound end the presence",
    arguments: ends.indices)
  func end(index: Int) throws {
    let (name, hasEnded, event) = Self.ends[index]
    let store = LaunchStore()
    let (provider, manager) = Self.atRest(store)
    let before = try #require(manager.presence)
    #expect(before.reasons == [.region, .visit, .stillness] && before.radius == 108 && before.probability == 0.99)
    #expect(store.presence == before)
    event(provider, manager)
    #expect((manager.presence == nil) == hasEnded, "\(name)")
    #expect(store.presence == manager.presence, "\(name)")
  }

  @Test(
    "Only a fix outside the circle by more than its accuracy ends a presence", arguments: 0..<200 as Range<UInt64>)
  func touching(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let date = Date(timeIntervalSinceReferenceDate: 0)
    func place(_ accuracy: Double, north metres: Double = 0) -> Location {
      Location(latitude: metres / 111_195, longitude: 0, horizontalAccuracy: accuracy, timestamp: date)
    }
    let radius = Double.random(in: 100...2_000, using: &random)
    var watch = PresenceWatch(nil)
    watch.rest(at: place(5), radius: radius, because: [.visit], at: date)
    let accuracy = Double.random(in: 0...1_500, using: &random)
    watch.find(place(accuracy, north: (radius + accuracy) * 0.999))
    #expect(watch.hasPresence, "seed \(seed)")
    watch.find(place(accuracy, north: (radius + accuracy) * 1.001))
    #expect(!watch.hasPresence, "seed \(seed)")
  }

  @Test(
    "After a rest the circle contains the fix, its centre is near, and its accuracy isn't much worse than the fix's",
    arguments: 0..<200 as Range<UInt64>)
  func circles(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let date = Date(timeIntervalSinceReferenceDate: 0)
    var watch = PresenceWatch(nil)
    var (last, changes) = (Presence?.none, 0)
    for _ in 0..<50 {
      var place = Location(
        latitude: .random(in: 0...500, using: &random) / 111_195, longitude: 0,
        horizontalAccuracy: .random(in: 0...400, using: &random), timestamp: date)
      if let last, random.index(below: 4) == 0 { place = last.place }
      let radius = Double.random(in: 100...200, using: &random) + place.horizontalAccuracy
      watch.rest(at: place, radius: radius, because: [.region], at: date)
      let presence = try #require(watch.presence(at: date))
      #expect(presence.radius >= radius && presence.place.distance(to: place) < radius / 2, "seed \(seed)")
      #expect(presence.place.distance(to: place) + place.horizontalAccuracy <= presence.radius, "seed \(seed)")
      #expect(presence.place.horizontalAccuracy <= 2 * place.horizontalAccuracy, "seed \(seed)")
      if presence != last { changes += 1 }
      last = presence
    }
    #expect(changes < 50, "seed \(seed): a circle that is good enough stays")
  }

  /// A change of the clock in seconds, and whether it ends a presence.
  private static let ages: [(Double, Bool)] = [
    (7_200, false), (86_300, false), (86_401, true), (3 * 86_400, true), (-0.5, false), (-3_600, true),
    (-365 * 86_400, true),
  ]

  @Test("A presence is over after its end, and when its end is more than a day ahead", arguments: ages.indices)
  func over(index: Int) throws {
    let (seconds, isOver) = Self.ages[index]
    let store = LaunchStore()
    let (first, old) = Self.atRest(store)
    // A timer at rest extends a presence that is some minutes old.
    first.pass(3_600)
    first.report(.timer)
    let presence = try #require(old.presence)
    first.date += seconds
    #expect(old.presence == (isOver ? nil : presence), "without an input")

    // A relaunch.
    let provider = ScriptedProvider(.always)
    (provider.date, provider.wakeSources) = (first.date, first.wakeSources)
    let manager = LocationManager(provider: provider, store: store)
    #expect(manager.presence == (isOver ? nil : presence))
    var changes = 0
    let listener = Listener { changes += 1 }
    manager.listeners.add(listener)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    #expect(manager.presence == (isOver ? nil : presence) && store.presence == manager.presence)
    #expect(changes == (isOver ? 1 : 0))

    // The same launch: at rest a new presence follows, and the listeners are notified.
    changes = 0
    old.listeners.add(listener)
    first.report(.timer)
    let next = try #require(old.presence)
    #expect(next.until.timeIntervalSince(first.date) <= 86_401 && next.until > first.date)
    #expect(changes == (next == presence ? 0 : 1) && (isOver ? next != presence : true))
  }

  @Test("A presence is extended once an hour at most, while the app runs")
  func extended() throws {
    let (provider, manager) = Self.atRest()
    let before = try #require(manager.presence)
    #expect(abs(before.until.timeIntervalSince(provider.date) - 86_400) < 400)
    var changes = 0
    let listener = Listener { changes += 1 }
    manager.listeners.add(listener)
    for _ in 0..<720 {
      provider.pass(10)
      provider.report(.timer)
    }
    #expect((1...2).contains(changes) && manager.presence?.place == before.place)
    #expect(try #require(manager.presence).until.timeIntervalSince(before.until) >= 3_600)
  }

  private final class Listener: LocationManagerListener {
    private let change: () -> Void
    init(_ change: @escaping () -> Void) { self.change = change }
    func locationManager(_ manager: LocationManager, didChangePresence presence: LocationManager.Presence?) { change() }
  }

  @Test("The exit from the region ends the presence, although the motion sensor reports rest")
  func departure() {
    var world = World(bound: 500, isPhone: true)
    #expect(world.play([.command(.forceAcquire), .motion(.still), .wait(240), .regionExit]) == nil)
    #expect(!world.core.surroundings.monitoring.presence.hasPresence)
  }

  @Test("The rules of a presence hold on all paths of random inputs, clock changes and waits that begin at rest")
  func randomPaths() async {
    let sources: [Sources] = [[], [.visit], [.regionExit], [.regionExit, .visit]]
    var letters = World.phoneLetters + sources.map { .wakeSources($0.union([.motion, .timer])) }
    letters += [-3e7, -3_600, -2, 3_600, 1e5].map(World.Letter.setClock)
    letters += [60, 60, 3_500, 90_000].map(World.Letter.wait)
    letters += [.motion(.still), .motion(.still), .timer, .timer, .bound(100), .bound(500)]
    letters += [.fix(100, age: 0), .fix(40, age: 0), .fixAway(90, speed: 0), .fixAway(98, speed: 0)]
    letters += [false, true].map { .report(.app(isInForeground: $0, isLowPowerMode: !$0, mayRefresh: $0)) }
    letters += [0.01, 0.9].map { .report(.battery(.init(level: $0, state: .unplugged))) }
    var kinds: Set<Set<Presence.Reason>> = []
    await Seeds.play(Seeds.part(0, of: 1, runs: 30)) { seed in
      var random = SeededGenerator(seed: seed)
      var path: [World.Letter] = [.motion(.still), .wait(240), .timer]
      var world = World(bound: 500, isPhone: true)
      _ = world.play(path)
      for _ in 0..<150 where world.violation == nil {
        path.append(letters[random.index(below: letters.count)])
        world.play(path[path.count - 1])
        if let presence = world.core.surroundings.monitoring.presence.presence(at: world.now.date) {
          kinds.insert(presence.reasons)
        }
        if !world.core.surroundings.monitoring.presence.hasPresence, random.index(below: 8) == 0 {
          path += [
            .command(.resume), .authorization(.always), .bound(500), .wait(60), .fix(5, age: 0), .motion(.still),
          ]
          path += [.wait(240), .timer, .timer]
          _ = world.play(Array(path.suffix(9)))
        }
      }
      return world.violation.map { ["\($0) after \(code(of: path))"] } ?? []
    }
    #expect(Seeds.alone != nil || kinds.count > 4, "\(kinds)")
  }

  @Test("The reasons determine the probability")
  func probability() {
    func probability(_ reasons: Set<Presence.Reason>) -> Double {
      let place = Location(latitude: 0, longitude: 0, horizontalAccuracy: 5, timestamp: .distantPast)
      return Presence(place: place, radius: 100, reasons: reasons, until: .distantFuture).probability
    }
    #expect(probability([.region]) == 0.92 && probability([.visit]) == 0.9 && probability([.stillness]) == 0.99)
    #expect(probability([.region, .visit]) == 0.99 && probability(Set(Presence.Reason.allCases)) == 0.99)
  }

  @Test("A presence is valid after a relaunch, until the device leaves")
  func relaunch() throws {
    let store = LaunchStore()
    let (first, old) = Self.atRest(store)
    let presence = try #require(old.presence)
    for hasLeft in [false, true] {
      let provider = ScriptedProvider(.always)
      provider.date = first.date + (hasLeft ? 14_400 : 7_200)
      provider.wakeSources = first.wakeSources
      store.presence = presence
      let manager = LocationManager(provider: provider, store: store)
      #expect(manager.presence == presence)
      manager.errorBound = 500
      manager.tryPromptAuthorization()
      #expect(manager.presence == presence)
      provider.fix(8, latitude: hasLeft ? 34.2 : 34.1)
      #expect((manager.presence == nil) == hasLeft && (store.presence == nil) == hasLeft)
    }
    let paused = LaunchStore()
    (paused.isPaused, paused.presence) = (true, presence)
    let manager = LocationManager(provider: ScriptedProvider(.always), store: paused)
    manager.errorBound = 500
    #expect(manager.presence == nil && paused.presence == nil, "a paused app has no presence")
  }

  @Test("A presence survives in the file of the last location, and a damaged one doesn't count")
  func file() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "presence-\(UUID().uuidString)/last.json")
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let place = Location(
      latitude: 1, longitude: 2, horizontalAccuracy: 5, timestamp: Date(timeIntervalSince1970: 1_777_777_777))
    let presence = Presence(
      place: place, radius: 105, reasons: [.region], until: Date(timeIntervalSince1970: 1_777_864_177))
    let store = LastLocationStore(file: file)
    store.presence = presence
    store.location = place
    #expect(store.presence == presence && store.synchronize(within: .seconds(60)))
    #expect(LastLocationStore(file: file).presence == presence)
    let text = try String(contentsOf: file, encoding: .utf8)
    try text.replacing("\"latitude\":1,", with: "\"latitude\":91,", maxReplacements: 2).write(
      to: file, atomically: true, encoding: .utf8)
    #expect(LastLocationStore(file: file, report: { _ in }).presence == nil)
    for isWritten in [false, true] {
      (store.presence, store.location) = (presence, place)
      if isWritten { #expect(store.synchronize(within: .seconds(60))) }
      store.location = nil
      #expect(store.presence == nil, "an erasure leaves no place")
      #expect(store.synchronize(within: .seconds(60)))
      #expect(try !String(contentsOf: file, encoding: .utf8).contains("itude"))
    }
  }

  @Test(
    "On simulated days a device with a presence is in its circle, except shortly after a departure",
    arguments: 1...12 as ClosedRange<UInt64>)
  func days(seed: UInt64) {
    let home = SimulatedProvider.Route.Waypoint(
      latitude: 48.1, longitude: 11.5, pause: .seconds(20_000), isIndoors: true)
    var office = SimulatedProvider.Route.Waypoint(
      latitude: 48.17, longitude: 11.6, pause: .seconds(20_000), isIndoors: true)
    office.speed = 1.4
    let route = SimulatedProvider.Route(waypoints: [home, office, home])
    let device = SimulatedProvider(route: route, seed: seed, configuration: .phoneInBackground)
    let manager = LocationManager(provider: device)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    var (seconds, wrong, longest, run) = (0, 0, 0, 0)
    for _ in 0..<Int(route.duration.inSeconds / 10) {
      device.advance(by: .seconds(10))
      guard let presence = manager.presence else {
        run = 0
        continue
      }
      seconds += 10
      let isWrong = presence.place.distance(to: device.position) > presence.radius
      run = isWrong ? run + 10 : 0
      wrong += isWrong ? 10 : 0
      longest = max(longest, run)
    }
    #expect(seconds > 35_000, "seed \(seed): \(seconds) s with a presence")
    // Nine in ten departures are noticed within 205 s, and the rest by the end of the visit or a significant change.
    #expect(wrong < 1_500 && longest < 900, "seed \(seed): \(wrong) s elsewhere, at most \(longest) s")
  }
}

@Suite("Health")
struct HealthTests {
  typealias Problem = LocationManager.Health.Problem

  /// Returns a manager's problems, which the listeners must know, unless time alone has changed them since the last report.
  private func known(_ manager: LocationManager, sourceLocation: SourceLocation = #_sourceLocation) -> [Problem] {
    let told = manager.driver.core.surroundings.monitoring.health.lastReported.problems
    #expect(told == manager.health.problems, "the listeners know the health", sourceLocation: sourceLocation)
    return manager.health.problems
  }

  @Test("A refusal that the system reports as an error is a problem until a location is allowed again")
  func refusalByError() {
    let (fixture, listener) = (Fixture(in: .waitingSignificantChange), Listener())
    fixture.manager.listeners.add(listener)
    fixture.provider.report(.failure(.accessDenied))
    #expect(fixture.manager.state == .denied && listener.told == [[.permission]])
    fixture.provider.report(.authorization(.denied))
    fixture.provider.report(.authorization(.always))
    #expect(fixture.manager.state != .denied && listener.told == [[.permission], []])
  }

  @Test("A tracker whose fixes are no longer accurate has a problem, although it has delivered accurate ones")
  @MainActor func reducedWhileTracking() async {
    let (fixture, listener) = (Fixture(in: .waitingSignificantChange), Listener())
    let (provider, manager) = (fixture.provider, fixture.manager)
    manager.listeners.add(listener)
    let id = manager.demand(.every(TrackFilter(desiredAccuracy: 4_000)))
    for (accuracy, source, problems) in [
      (8, .gps, []), (5_000, .reduced, [.reducedAccuracy]), (3_000, .reduced, []), (6_000, .reduced, []),
    ] as [(Double, Location.Source, [Problem])] {
      provider.pass(1)
      var fix = provider.location(accuracy)
      fix.source = source
      provider.report(.fixes([fix]))
      #expect(known(manager) == problems, "\(accuracy) m")
    }
    #expect(listener.told == [[.reducedAccuracy], []])
    manager.end(id)
  }

  @Test("A pause ends the day without a location for the listeners, too")
  func pauseWithoutALocation() {
    let fixture = Fixture(in: .waitingSignificantChange, sources: [.significantChange, .motion])
    fixture.manager.errorBound = 1_000
    let listener = Listener()
    fixture.manager.listeners.add(listener)
    fixture.provider.report(.motion(.walking))
    fixture.provider.pass(86_402)
    fixture.provider.report(.motion(.vehicle))
    fixture.manager.pause()
    #expect(known(fixture.manager).isEmpty && listener.told == [[.noLocation], []])
  }

  @Test("After a useless fix of reduced accuracy, a report of the permission begins one acquisition")
  func restoredAccuracy() {
    let (fixture, listener) = (Fixture(in: .acquiring), Listener())
    let (provider, manager) = (fixture.provider, fixture.manager)
    manager.listeners.add(listener)
    provider.report(.authorization(.always))
    var fix = provider.location(3_000)
    fix.source = .reduced
    provider.pass(1)
    provider.report(.fixes([fix]))
    provider.pass(15)
    #expect(manager.state == .waitingSignificantChange && known(manager) == [.reducedAccuracy])
    provider.report(.authorization(.always))
    #expect(manager.state == .acquiring && listener.told == [[.reducedAccuracy], []])
    #expect(known(manager).isEmpty)
    provider.fix(5)
    provider.report(.authorization(.always))
    #expect(manager.state == .waitingSignificantChange)
  }

  @Test(
    "A fix of reduced accuracy is a problem until the next location, unless the policy can use it",
    arguments: [
      (3_000, false, 100, true), (3_000, true, 100, false), (3_000, false, 3_000, false), (3_001, false, 3_000, true),
    ])
  @MainActor func reduced(accuracy: Double, acceptsReduced: Bool, acceptable: Double, isProblem: Bool) {
    let (fixture, listener) = (Fixture(in: .acquiring), Listener())
    let manager = fixture.manager
    manager.listeners.add(listener)
    (manager.policy.acceptsReducedAccuracy, manager.policy.acceptableAccuracy) = (acceptsReduced, acceptable)
    manager.pause()
    manager.resume()
    #expect(manager.state == .acquiring)
    fixture.provider.pass(1)
    var fix = fixture.provider.location(accuracy)
    fix.source = .reduced
    fixture.provider.report(.fixes([fix]))
    #expect(known(manager) == (isProblem ? [.reducedAccuracy] : []))
    fixture.provider.pass(1)
    fixture.provider.report(.fixes([fix]))
    #expect(listener.told == (isProblem ? [[.reducedAccuracy]] : []))
    manager.forceAcquireLocation()
    fixture.provider.pass(1)
    fixture.provider.report(.fixes([fixture.provider.location(5)]))
    #expect(known(manager).isEmpty && listener.told.count == (isProblem ? 2 : 0))
    // Between the fixes that a tracker uses, a coarser one is no problem.
    let tracking = Task { for await _ in manager.track(desiredAccuracy: accuracy) {} }
    defer { tracking.cancel() }
    for metres in [accuracy - 1, accuracy + 1_000] {
      fixture.provider.pass(1)
      fix = fixture.provider.location(metres)
      fix.source = .reduced
      fixture.provider.report(.fixes([fix]))
    }
    #expect(known(manager).isEmpty && listener.told.count == (isProblem ? 2 : 0))
  }

  @Test("A fix of reduced accuracy that a consumer uses isn't a problem")
  func reducedForAConsumer() {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.manager.begin(
      fixture.manager.makeDemand(.listeners), .one(OneLocation(desiredAccuracy: 5_000, within: .seconds(15))))
    fixture.provider.pass(1)
    var fix = fixture.provider.location(3_000)
    fix.source = .reduced
    fixture.provider.report(.fixes([fix]))
    #expect(fixture.manager.location == fix && known(fixture.manager).isEmpty)
  }

  @Test("Trackers that use fixes of reduced accuracy make them no problem", arguments: [5_000, 2_000] as [Double])
  func reducedForTrackers(accuracy: Double) {
    let kinds: [Demand.Kind] = [
      .every(TrackFilter(desiredAccuracy: accuracy, distanceFilter: 500)),
      .accepted(Acceptance(TrackingPolicy())),
    ]
    for (index, kind) in kinds.enumerated() {
      let (fixture, listener) = (Fixture(in: .waitingSignificantChange), Listener())
      fixture.manager.listeners.add(listener)
      fixture.manager.begin(fixture.manager.makeDemand(.listeners), kind)
      for _ in 0..<3 {
        fixture.provider.pass(1)
        var fix = fixture.provider.location(3_000)
        fix.source = .reduced
        fixture.provider.report(.fixes([fix]))
      }
      #expect(listener.told.isEmpty == (index == 1 || accuracy == 5_000))
    }
  }

  @Test("A permission that is withdrawn during a pause is a problem")
  func withdrawnInPause() {
    let (fixture, listener) = (Fixture(in: .paused), Listener())
    fixture.manager.listeners.add(listener)
    fixture.provider.report(.authorization(.denied))
    #expect(fixture.manager.state == .paused && listener.told == [[.permission]])
    fixture.provider.report(.authorization(.notDetermined))
    #expect(listener.told.last == [], "a user who hasn't answered hasn't refused")
  }

  @Test("A region's exit is motion without a sensor, so a day without a location afterwards is a problem")
  func exit() {
    let fixture = Fixture(in: .waitingSignificantChange, sources: [.significantChange, .regionExit])
    fixture.provider.report(.regionExit)
    fixture.provider.pass(86_401)
    #expect(fixture.manager.health.problems == [.noLocation])
  }

  @Test("A refusal is a problem, also one of an earlier launch before the app asks; a missing answer isn't")
  func permission() {
    for authorization in [Authorization.denied, .restricted, .notDetermined] {
      let provider = ScriptedProvider(authorization)
      let (manager, listener) = (LocationManager(provider: provider), Listener())
      manager.listeners.add(listener)
      let isRefused = authorization != .notDetermined
      #expect(manager.health.problems == (isRefused ? [.permission] : []))
      // Any input notifies the listeners.
      manager.promptTimeLimit = .seconds(30)
      #expect(listener.told == (isRefused ? [[.permission]] : []) && known(manager) == manager.health.problems)
      provider.decide(.always)
      #expect(known(manager).isEmpty)
    }
  }

  @Test("A new error bound knows the motion that was reported before", arguments: [false, true])
  func boundAfterStillness(isSetAgain: Bool) {
    let provider = ScriptedProvider(.always)
    provider.wakeSources = [.motion, .timer]
    let manager = LocationManager(provider: provider)
    if isSetAgain { manager.errorBound = 1_000 }
    manager.tryPromptAuthorization()
    provider.fix(9)
    provider.report(.wake(.motion(.still)))
    manager.errorBound = nil
    manager.errorBound = 500
    provider.fix(9)
    var looks = 0
    for _ in 0..<3_600 {
      provider.pass(1)
      if manager.state == .acquiring {
        looks += 1
        provider.fix(9)
      }
    }
    #expect(looks <= 1, "\(looks) looks in an hour of stillness")
  }

  @Test("The problems follow the system's settings, the most serious first, and each change is reported once")
  func settings() {
    let fixture = Fixture(in: .waitingSignificantChange)
    let listener = Listener()
    fixture.manager.listeners.add(listener)
    for (isLow, mayRefresh, problems) in [
      // The low-power mode turns the background refresh off itself.
      (false, true, []), (true, true, [.lowPowerMode]), (true, false, [.lowPowerMode]),
      (false, false, [.backgroundRefresh]), (false, false, [.backgroundRefresh]), (false, true, []),
    ] as [(Bool, Bool, [Problem])] {
      fixture.provider.report(.app(isInForeground: true, isLowPowerMode: isLow, mayRefresh: mayRefresh))
      #expect(known(fixture.manager) == problems)
    }
    #expect(listener.told == [[.lowPowerMode], [.backgroundRefresh], []])
    // The system launches an app in the background only with Always.
    fixture.provider.report(.app(isInForeground: true, isLowPowerMode: false, mayRefresh: false))
    fixture.provider.report(.authorization(.whenInUse))
    #expect(known(fixture.manager).isEmpty)
    #expect(Set(Problem.allCases.map(\.advice)).count == Problem.allCases.count)
  }

  private final class Listener: LocationManagerListener {
    private(set) var told: [[Problem]] = []
    func locationManager(_ manager: LocationManager, didChangeHealth health: LocationManager.Health) {
      told.append(health.problems)
      #expect(manager.health == health)
    }
  }

  @Test(
    "A day without a location is a problem if the device moved",
    arguments: [nil] + LocationManager.Motion.allCases.map(Optional.init))
  func noLocation(motion: LocationManager.Motion?) {
    let fixture = Fixture(in: .waitingSignificantChange, sources: [.significantChange, .motion])
    let listener = Listener()
    fixture.manager.listeners.add(listener)
    if let motion { fixture.provider.report(.motion(motion)) }
    fixture.provider.pass(86_399)
    fixture.provider.report(.timer)
    #expect(known(fixture.manager).isEmpty)
    fixture.provider.pass(2)
    let isProblem = motion == .walking || motion == .vehicle
    #expect(fixture.manager.health.problems == (isProblem ? [.noLocation] : []))
    fixture.provider.report(.timer)
    #expect(listener.told == (isProblem ? [[.noLocation]] : []))
    fixture.manager.forceAcquireLocation()
    fixture.provider.fix(8)
    #expect(known(fixture.manager).isEmpty && listener.told.last ?? [] == [])
  }

  @Test(
    "After a short motion at rest, no look follows, so a day without a location isn't a problem; after a drive it is",
    arguments: [
      (LocationManager.Motion.walking, "short"), (.vehicle, "failing looks"), (.vehicle, "one step"),
      (.vehicle, "tracking"),
    ])
  func shortMotion(motion: LocationManager.Motion, kind: String) {
    let fixture = Fixture(in: .waitingSignificantChange, sources: [.significantChange, .motion, .timer])
    fixture.manager.errorBound = 500
    fixture.provider.report(.motion(.still))
    for _ in 0..<30 {
      fixture.provider.pass(10)
      if fixture.manager.state == .acquiring { fixture.provider.fix(8) }
    }
    let tracking = kind == "tracking" ? fixture.manager.makeDemand(.listeners) : nil
    if let tracking { fixture.manager.begin(tracking, .every(TrackFilter(desiredAccuracy: 10, distanceFilter: 0))) }
    fixture.provider.report(.motion(motion))
    switch kind {
    case "short", "tracking": fixture.provider.pass(14)
    case "one step": fixture.provider.pass(3_600, timerFires: false)
    default: for _ in 0..<60 { fixture.provider.pass(14) }
    }
    fixture.provider.report(.motion(.still))
    fixture.provider.pass(90_000)
    #expect(fixture.manager.health.problems == (kind == "short" ? [] : [.noLocation]))
  }

  @Test(
    "A clock that is set forward or back doesn't change the day without a location", arguments: [-200_000.0, 200_000])
  func clock(by seconds: Double) {
    let fixture = Fixture(in: .waitingSignificantChange, sources: [.significantChange, .motion])
    fixture.provider.report(.motion(.walking))
    fixture.provider.date += seconds
    fixture.provider.report(.timer)
    #expect(known(fixture.manager).isEmpty)
    fixture.provider.pass(86_401)
    #expect(fixture.manager.health.problems == [.noLocation])
  }

  @Test(
    "Listeners receive a visit to a place on Earth, and no other",
    arguments: [34, .nan, 91, -Double.infinity] as [Double])
  func visits(latitude: Double) {
    final class Visitor: LocationManagerListener {
      var visits = 0
      func locationManager(_ manager: LocationManager, didVisit visit: Location.Visit) { visits += 1 }
    }
    let fixture = Fixture(in: .waitingSignificantChange, sources: [.significantChange, .visit])
    let visitor = Visitor()
    fixture.manager.listeners.add(visitor)
    let place = Location(latitude: latitude, longitude: -118, horizontalAccuracy: 20, timestamp: fixture.provider.date)
    fixture.provider.report(.wake(.visit(Location.Visit(place: place, arrival: fixture.provider.date))))
    #expect(visitor.visits == (latitude == 34 ? 1 : 0))
  }

  @Test(
    "Each event that notes a day without a location notifies the listeners, except during a pause",
    arguments: ["motion", "change", "timer", "pause"], [nil, 1_000] as [Double?])
  func eachSign(of sign: String, bound: Double?) {
    let fixture = Fixture(in: .waitingSignificantChange, sources: [.significantChange, .motion])
    fixture.manager.errorBound = bound
    let listener = Listener()
    fixture.manager.listeners.add(listener)
    fixture.provider.report(.motion(.walking))
    if sign == "pause" {
      fixture.manager.pause()
      fixture.provider.report(.motion(.vehicle))
    }
    fixture.provider.pass(86_402)
    switch sign {
    case "motion": fixture.provider.report(.motion(.vehicle))
    case "change": fixture.provider.report(.significantChange(nil))
    case "timer": fixture.provider.report(.timer)
    default:
      fixture.provider.report(.motion(.walking))
      #expect(known(fixture.manager).isEmpty)
      fixture.manager.resume()
    }
    #expect(listener.told == (sign == "pause" ? [] : [[.noLocation]]))
  }

  @Test("Only the first location of a launch shows whether the system launched the app", arguments: [3_600, 100_000])
  func relaunched(age: Double) {
    let provider = ScriptedProvider(.always)
    provider.wakeSources = [.significantChange, .visit]
    let store = MemoryStore()
    store.location = provider.location(8, age: age)
    let manager = LocationManager(provider: provider, store: store)
    manager.tryPromptAuthorization()
    provider.fix(8, latitude: 34.5)
    let first = known(manager)
    #expect(first == (age > 86_400 ? [.notRelaunched] : []))
    for latitude in [35, 36, 34.0] {
      provider.pass(90_000)
      manager.forceAcquireLocation()
      provider.fix(8, latitude: latitude)
      #expect(known(manager) == first, "a later location at \(latitude)°")
    }
  }

  @Test("Two journeys of kilometres without an exit from the region are a problem, until an exit is reported")
  func regions() {
    let fixture = Fixture(in: .waitingSignificantChange, sources: [.significantChange, .regionExit])
    fixture.manager.errorBound = 500
    func travel(_ latitude: Double, after seconds: Double) {
      fixture.provider.pass(seconds)
      fixture.manager.forceAcquireLocation()
      fixture.provider.fix(8, latitude: latitude)
    }
    travel(34.1, after: 1)
    travel(34.2, after: 700)
    #expect(known(fixture.manager).isEmpty, "one exit may be lost")
    travel(34.3, after: 300)
    #expect(known(fixture.manager).isEmpty, "the exit may still come")
    travel(34.33, after: 700)
    #expect(known(fixture.manager).isEmpty, "within 5 km")
    travel(34.43, after: 700)
    #expect(known(fixture.manager) == [.regions])
    fixture.provider.report(.regionExit)
    #expect(known(fixture.manager).isEmpty)
  }

  @Test("Without a bound, no region is watched, and missed exits are no problem any more")
  func regionsWithoutABound() {
    let fixture = Fixture(in: .waitingSignificantChange, sources: [.significantChange, .regionExit])
    let listener = Listener()
    fixture.manager.listeners.add(listener)
    fixture.manager.errorBound = 500
    for latitude in [34.1, 34.2, 34.3] {
      fixture.provider.pass(700)
      fixture.manager.forceAcquireLocation()
      fixture.provider.fix(8, latitude: latitude)
    }
    #expect(known(fixture.manager) == [.regions])
    fixture.manager.errorBound = nil
    #expect(known(fixture.manager).isEmpty && listener.told == [[.regions], []])
    fixture.manager.errorBound = 1_000
    #expect(listener.told == [[.regions], [], [.regions]], "no exit has been reported since")
  }

  @Test(
    "A location after a pause doesn't show whether the system could have launched the app", arguments: [true, false])
  func launchBeforeAPause(pauses: Bool) {
    let provider = ScriptedProvider(.always)
    provider.wakeSources = [.significantChange, .visit]
    let store = MemoryStore()
    store.location = provider.location(8, age: 0)
    let manager = LocationManager(provider: provider, store: store)
    manager.tryPromptAuthorization()
    if pauses { manager.pause() }
    provider.pass(90_000, timerFires: false)
    if pauses { manager.resume() }
    provider.fix(8, latitude: 34.5)
    #expect(known(manager) == (pauses ? [] : [.notRelaunched]))
  }

  /// Whether the app was paused, its permission, the age of its last location in seconds, the distance from there in degrees, whether the
  /// system reports visits, and whether the launch shows a problem.
  private static let launches: [(Bool, Authorization, Double, Double, Bool, Bool)] = [
    (false, .always, 90_000, 0.1, true, true), (false, .always, 80_000, 0.1, true, false),
    (false, .always, 90_000, 0.04, true, false), (true, .always, 90_000, 0.1, true, false),
    (false, .whenInUse, 90_000, 0.1, true, false), (false, .always, 90_000, 0.1, false, false),
  ]

  @Test(
    "A launch a day later and kilometres away is a problem if the system could have launched the app",
    arguments: launches.indices)
  func launch(index: Int) {
    let (isPaused, authorization, age, north, hasVisits, isProblem) = Self.launches[index]
    let provider = ScriptedProvider(authorization)
    provider.wakeSources = hasVisits ? [.significantChange, .visit] : [.significantChange, .regionExit]
    let store = LaunchStore()
    store.location = provider.location(8, age: age)
    store.isPaused = isPaused
    let manager = LocationManager(provider: provider, store: store)
    if isPaused { manager.resume() } else { manager.tryPromptAuthorization() }
    #expect(known(manager).isEmpty)
    provider.fix(8, latitude: 34.1 + north)
    #expect(known(manager) == (isProblem ? [.notRelaunched] : []))
    provider.report(.regionExit)
    #expect(known(manager).isEmpty, "an exit shows that the system watches the region")
  }
}

@Suite("Circumstances")
struct CircumstancesTests {
  typealias Circumstances = LocationManager.Circumstances

  /// The cause of a location, and the event that turned the GPS on.
  private static let causes: [(LocationManager.Cause, @Sendable (Fixture) -> Void)] = [
    (.command, { $0.manager.forceAcquireLocation() }),
    (.significantChange, { $0.provider.report(.significantChange(nil)) }),
    (
      .command,
      {
        $0.manager.pause(); $0.manager.resume()
      }
    ),
    (
      .bound,
      {
        $0.manager.errorBound = 500
      }
    ),
    (
      .tracking,
      {
        $0.manager.begin(
          $0.manager.makeDemand(.listeners), .every(TrackFilter(desiredAccuracy: 50)))
      }
    ),
  ]

  @Test("A location's cause is what turned the GPS on", arguments: causes.indices)
  func cause(index: Int) {
    let (cause, begin) = Self.causes[index]
    let fixture = Fixture(in: .waitingSignificantChange, sources: [.significantChange, .timer])
    #expect(fixture.manager.circumstances.cause == .command, "the permission")
    begin(fixture)
    #expect(fixture.manager.state == .acquiring)
    fixture.provider.fix(8, latitude: 34.2)
    #expect(fixture.manager.location?.latitude == 34.2 && fixture.manager.circumstances.cause == cause)
  }

  @Test("A significant change's location, and a coarse one while the app is kept running, have their own causes")
  func asleep() {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.manager.policy.desiredAccuracy = 1_000
    fixture.provider.report(.significantChange(fixture.provider.location(500, latitude: 34.2)))
    #expect(fixture.manager.circumstances.cause == .significantChange)
    fixture.provider.pass(100)
    fixture.manager.errorBound = 2_000
    fixture.provider.fix(8, latitude: 34.3)
    fixture.provider.pass(600)
    var coarse = fixture.provider.location(65, latitude: 34.35)
    coarse.source = .coarse
    fixture.provider.report(.fixes([coarse]))
    #expect(fixture.manager.location?.source == .coarse && fixture.manager.circumstances.cause == .backgroundUpdate)
  }

  @Test("Circumstances with unrecognized values are decoded, and a battery level out of range is unknown")
  func decoding() throws {
    let text =
      #"{"cause":"telepathy","motion":"walking","battery":{"level":7,"state":"full"},"isInForeground":1,"trip":5}"#
    let circumstances = try JSONDecoder().decode(Circumstances.self, from: Data(text.utf8))
    #expect(circumstances.cause == nil && circumstances.motion == .walking && circumstances.isInForeground == nil)
    #expect(circumstances.battery == LocationManager.BatteryStatus(level: nil, state: .full))
    #expect(circumstances.trip == Date(timeIntervalSinceReferenceDate: 5))
    var all = circumstances
    (all.cause, all.isLowPowerMode) = (.rest, true)
    #expect(try JSONDecoder().decode(Circumstances.self, from: JSONEncoder().encode(all)) == all)
  }

  @Test("Listeners are notified when the app's state or the trip changes; during a pause, only of the trip")
  func changes() {
    let fixture = Fixture(in: .waitingSignificantChange)
    let app = ProviderReport.app(isInForeground: true, isLowPowerMode: false, mayRefresh: true)
    for _ in 0..<2 { fixture.provider.report(app) }
    fixture.manager.trip = .distantPast
    fixture.manager.trip = .distantPast
    #expect(fixture.recorder.take().count == 2)
    #expect(fixture.manager.circumstances.isInForeground == true && fixture.manager.circumstances.trip == .distantPast)
    fixture.manager.pause()
    _ = fixture.recorder.take()
    fixture.provider.report(.app(isInForeground: false, isLowPowerMode: true, mayRefresh: true))
    #expect(fixture.recorder.take().isEmpty && fixture.manager.circumstances.isLowPowerMode == true)
  }
}
