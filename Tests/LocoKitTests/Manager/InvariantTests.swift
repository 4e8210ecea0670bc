import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoKitJournal
@_spi(Benchmarks) @testable import LocoKitSimulation
@_spi(Benchmarks) @testable import LocoKitTrips
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

/// Runs a manager with a simulated device. Checks its turns by `Rules`, unless the run is recorded in a journal, and checks what the turns
/// don't show: what the device, the listeners and the trips receive.
final class Checker: LocationManagerListener {
  let device: SimulatedProvider
  private(set) var manager: LocationManager?
  var attempts: [Attempt<Location>] = []
  private(set) var trackers: [Int] = []
  private(set) var trip: TripRecorder?
  private(set) var tripDistance = 0.0
  private(set) var violations: [String] = []
  /// The events of the run. They become text only when ``journal`` is read.
  private var entries: [(time: Duration, what: Any)] = []
  var journal: [String] {
    entries.map { time, what in
      // The order of a set's elements is random.
      if case .wakeSources(let kinds, let updates)? = what as? ProviderReport {
        return "\(time) \(Sources(kinds, updates))"
      }
      return "\(time) \(what)"
    }
  }
  /// The observed pairs of a state and an event.
  private(set) var pairs: Set<Pair> = []

  private let recording: Journal?
  private let errorBound: Double?
  private let store = MemoryStore()
  private var process: AppProcess?
  private(set) var asleepSince: Duration?
  private var lastTransition: LocationMachine.State?
  private var hasAsked = false
  fileprivate var turns = 0
  /// The witnesses that received the last location; `nil` before the first location of a launch.
  private var notified: [Int]?
  private var witnesses: [Witness] = []
  var gpsStartsSinceWake = 0
  /// Whether the GPS has found a location.
  private(set) var hasFoundSatellites = false

  init(
    seed: UInt64, faults: SimulatedProvider.Faults, configuration: SimulatedProvider.Configuration,
    route: SimulatedProvider.Route,
    errorBound: Double? = nil, journal: Journal? = nil
  ) {
    (self.errorBound, recording) = (errorBound, journal)
    var configuration = configuration
    configuration.faults = faults
    device = SimulatedProvider(route: route, seed: seed, configuration: configuration)
    device.onRelaunch = { [weak self] in self?.launch() }
    launch()
  }

  /// Launches the app: replaces the manager, and asks for the permission again if the app was launched before.
  func launch() {
    let isRelaunch = manager != nil
    process?.isAlive = false
    // A cancelled attempt retains the old manager until its task runs.
    manager?.listeners.remove(self)
    for attempt in attempts { attempt.cancel() }
    attempts = []
    trackers = []
    trip = nil
    manager = nil
    lastTransition = nil
    let process = AppProcess(self)
    self.process = process
    let provider: any LocationProvider = recording.map { RecordingProvider(process, to: $0) } ?? process
    let manager = LocationManager(provider: provider, store: store)
    self.manager = manager
    device.onReport = ProviderReport.Handler { [weak self] in self?.pass(on: $0) }
    notified = nil
    witnesses = (0..<3).map { _ in Witness() }
    manager.listeners.add(self)
    for (number, witness) in witnesses.enumerated() {
      witness.onUpdate = { [weak self] in self?.notified?.append(number) }
      manager.listeners.add(witness)
    }
    manager.errorBound = errorBound
    if isRelaunch { manager.tryPromptAuthorization() }
  }

  private var uptime: Duration { device.uptime }
  private var date: Date { device.date }

  fileprivate func willSetMode(_ mode: ReceiverMode) {
    guard mode == .gps else { return }
    gpsStartsSinceWake += 1
    require(hasAsked, "nothing starts the GPS before the app has asked")
  }

  struct Pair: Hashable {
    let state: LocationMachine.State
    let event: LocationMachine.Event
  }

  private func note(_ event: LocationMachine.Event?) {
    if turns == 0, let manager, let event { pairs.insert(Pair(state: manager.state, event: event)) }
  }

  private func pass(on report: ProviderReport) {
    switch report {
    case .authorization(let authorization): note(authorization.event)
    // While the manager sleeps, a change counts only after the cool-down, with its transition.
    case .wake(.significantChange) where manager?.state != .waitingSignificantChange: note(.significantChange)
    case .failure(.accessDenied): note(.refused)
    default: break
    }
    entries.append((uptime, report))
    if case .wake(.significantChange) = report, device.mode == .significantChanges { gpsStartsSinceWake = 0 }
    turns += 1
    process?.onReport?(report)
    turns -= 1
    check("after \(report)")
  }

  /// Sends a command of the app, and checks the rules.
  func command(_ name: String, isTurn: Bool = true, _ body: (LocationManager) -> Void) {
    // Only a running app sends commands.
    guard let manager, device.appIsRunning else { return }
    entries.append((uptime, name))
    note(LocationMachine.Event(rawValue: name))
    if name == "tryPrompt" || name == "forcePrompt" { hasAsked = true }
    turns += 1
    body(manager)
    turns -= 1
    if name == "pause", manager.state == .paused { require(device.mode == .off, "after pause() the hardware is off") }
    if isTurn { check("after \(name)") }
  }

  func acquire(_ accuracy: Double, _ timeout: Duration) async {
    guard let manager, device.appIsRunning else { return }
    entries.append((uptime, "acquire"))
    turns += 1
    attempts.append(await begin { try await manager.acquire(desiredAccuracy: accuracy, timeout: timeout) })
    turns -= 1
    check("after acquire")
  }

  func track(_ filter: TrackFilter, accepting acceptance: TrackingPolicy?) {
    command(LocationMachine.Event.trackingRequested.rawValue) {
      trackers.append($0.demand(acceptance.map { .accepted(Acceptance($0)) } ?? .every(filter)))
    }
  }

  func endTracking(_ index: Int) {
    command("end tracking") { $0.end(trackers.remove(at: index)) }
  }

  /// Prepares, starts, resets or stops a trip.
  func trip(_ choice: Int) {
    // Some commands of a trip don't reach the manager, so there may be no turn.
    command("trip \(choice)", isTurn: false) { manager in
      let trip = trip ?? TripRecorder(manager)
      self.trip = trip
      switch choice {
      case 0: trip.prepare()
      case 1: trip.start()
      case 2: trip.reset()
      default: trip.stop()
      }
      tripDistance = trip.distance
    }
  }

  /// Checks that a trip's distance changes only while the trip is recorded, and shrinks only if a command resets it.
  private func checkTrip() {
    guard let trip else { return }
    require(trip.distance >= tripDistance, "a trip doesn't shrink")
    require(trip.distance.isFinite && trip.duration >= .zero, "a trip has a valid distance and duration")
    if trip.state != .recording { require(trip.distance == tripDistance, "the distance changes only while recording") }
    tripDistance = trip.distance
  }

  func require(_ holds: Bool, _ rule: String) {
    if !holds, violations.count < 5 { violations.append("\(uptime): \(rule)") }
  }

  private func check(_ when: String) {
    // Reports during a turn wait until the turn ends.
    guard let manager, turns == 0 else { return }
    if let process, recording == nil {
      if let rule = process.watch.violation { require(false, "\(rule) \(when)") }
      // After a relaunch, a report may arrive within the first turn.
      let isSame = manager.driver.isTurning || process.watch.agrees(with: manager.core)
      require(isSame, "the manager's core equals its checked copy \(when)")
    }
    require(device.mode == manager.state.mode, "1: the receiver's mode is the state's \(when)")
    require((device.mode == .gps) == (manager.state == .acquiring), "1: the GPS is on in acquiring only \(when)")
    checkTrip()
    require(manager.recentTransitions.count <= 32, "the log is bounded")
  }

  // MARK: - LocationManagerListener

  func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
    entries.append((uptime, transition))
    pairs.insert(Pair(state: transition.from, event: transition.event))
    require(manager.state == transition.to, "6: the state is set before listeners are notified")
    require(device.mode == transition.to.mode, "6: the hardware is set before listeners are notified")
    require(lastTransition == nil || lastTransition == transition.from, "each transition starts at the last one's end")
    lastTransition = transition.to
    asleepSince = transition.to == .waitingSignificantChange ? uptime : nil
  }

  func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    checkWitnesses()
    notified = []
    let event: LocationMachine.Event = manager.state == .acquiring ? .fixAccepted : .coarseFixAccepted
    if manager.state == .acquiring || location.source == .coarse {
      pairs.insert(Pair(state: manager.state, event: event))
    }
    require(manager.location == location, "6: the location is set before listeners are notified")
    if location.source == .gps { hasFoundSatellites = true }
  }

  /// Checks that each witness received the last location once, and in the order of the witnesses' addition.
  func checkWitnesses() {
    guard let notified else { return }
    require(notified == Array(0..<witnesses.count), "4: listeners are notified once each, in order: \(notified)")
  }
}

/// The device as one launch of the app sees it. After the next launch, commands to it have no effect.
private final class AppProcess: LocationProvider, TurnObserver {
  private weak var checker: Checker?
  private let device: SimulatedProvider
  let watch = TurnWatch()
  var isAlive = true
  var onReport: ProviderReport.Handler?

  init(_ checker: Checker) {
    self.checker = checker
    device = checker.device
  }

  // MARK: - The manager's turns

  var onInput: ((LocationCore.Input) -> Void)?
  var firstDemandID: Demand.ID { Demand.policyID + 1 }
  func recalled(_ location: Location) -> Location { location }
  func begin(_ core: LocationCore) { watch.begin(core, at: LocationCore.Now(uptime: uptime, date: date)) }
  func willTake(_ input: LocationCore.Input, at now: LocationCore.Now) { watch.willTake(input, at: now) }
  func didDecide(_ action: LocationCore.Action) { watch.didDecide(action) }
  func didEndTurn() { watch.endTurn() }

  // MARK: - The device

  var uptime: Duration { device.uptime }
  var date: Date { device.date }
  var authorization: Authorization { device.authorization }
  var recommendedPolicy: AcquisitionPolicy { device.recommendedPolicy }
  var wakeSources: Set<WakeKind> { device.wakeSources }
  var backgroundUpdates: LocationManager.BackgroundUpdates { device.backgroundUpdates }
  func perform(_ request: ReceiverRequest) { if isAlive { device.perform(request) } }
  func apply(_ plan: ReceiverPlan) {
    guard isAlive else { return }
    if plan.mode != device.mode { checker?.willSetMode(plan.mode) }
    // The device reports while it applies the plan.
    checker?.turns += 1
    device.apply(plan)
    checker?.turns -= 1
  }
}

final class Witness: LocationManagerListener {
  var onUpdate: (() -> Void)?
  func locationManager(_ manager: LocationManager, didUpdate location: Location) { onUpdate?() }
}

@Suite("Invariants")
struct InvariantTests {
  nonisolated static let batches = 20

  @Test("The invariants hold after every event of seeded runs, most of them with faults", arguments: 0..<batches)
  func manySeeds(batch: Int) async {
    let seeds = Seeds.part(batch, of: Self.batches, runs: 60)
    await Arena().host { _ in
      await Seeds.play(seeds) { seed in
        let checker = await Self.run(seed)
        if Seeds.alone != nil { print(checker.journal.joined(separator: "\n")) }
        let violations = checker.violations
        return violations.isEmpty ? [] : [await Self.shortest(seed, violations[0])]
      }
    }
  }

  /// Returns the rule that a seed breaks, the shortest workload found that breaks it, and the journal of that workload.
  private static func shortest(_ seed: UInt64, _ violation: String) async -> String {
    func rule(_ violation: String?) -> Substring? { violation?.split(separator: ": ", maxSplits: 1).last }
    var random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0x5EED))
    _ = configuration(&random)
    let drawn = Workload(&random)
    let shortest = await drawn.shrunk { await rule(Self.run(seed, $0).violations.first) == rule(violation) }
    let journal = await Self.run(seed, shortest).journal
    return """
      \(violation)
      shortest of \(drawn.steps.count) steps: \(shortest.steps.map(\.description))
      \(journal.joined(separator: "\n"))
      """
  }

  @Test("`isSame` tells cores with different planners apart, and accepts equal locations with a NaN coordinate")
  func sameness() {
    var (one, other) = (World(bound: 500, isPhone: true), World(bound: 500, isPhone: true))
    #expect(CheckedCore.isSame(one.core, other.core))
    other.play(.cell("a"))
    #expect(!CheckedCore.isSame(one.core, other.core))
    let nowhere = Location(latitude: .nan, longitude: 0, horizontalAccuracy: 5, timestamp: .distantPast)
    #expect(nowhere != nowhere && CheckedCore.isSame([nowhere], [nowhere]))
    one.play(.cell("a"))
    #expect(CheckedCore.isSame(one.core, other.core))
  }

  /// How a manager carries out the actions that its core decides.
  enum Manager: CaseIterable { case obeys, omitsOne, addsOne, swapsTwo }

  @Test(
    "A watch accepts a manager that carries out its core's actions, and none that omits, adds or swaps some",
    arguments: Manager.allCases)
  func watches(_ manager: Manager) {
    let now = LocationCore.Now(uptime: .zero, date: Date(timeIntervalSinceReferenceDate: 800_000_000))
    let core = LocationCore(
      authorization: .notDetermined, policy: .loco, wakeSources: [.significantChange], isPaused: false)
    var checked = CheckedCore(core, at: now)
    let watch = TurnWatch()
    watch.begin(core, at: now)
    for input in [.command(.tryPrompt), .report(.authorization(.always))] as [LocationCore.Input] {
      watch.willTake(input, at: now)
      var actions = checked.turn(input, at: now)
      switch manager {
      case .obeys: break
      case .omitsOne: actions.removeLast()
      case .addsOne: actions.append(.perform(.restart))
      case .swapsTwo: actions.swapAt(0, 1)
      }
      for action in actions { watch.didDecide(action) }
      watch.endTurn()
    }
    #expect((watch.violation == nil) == (manager == .obeys), "\(watch.violation ?? "none")")
    #expect(watch.agrees(with: checked.core))
  }

  @Test("A failing workload shrinks to the steps that it needs to fail")
  func shrinks() async {
    for seed in 1..<50 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let drawn = Workload(&random, count: 60)
      func isBroken(_ workload: Workload) -> Bool {
        let commands = workload.steps.map(\.command)
        guard let first = commands.firstIndex(of: .pause) else { return false }
        return commands[first...].contains(.resume)
      }
      guard isBroken(drawn) else { continue }
      #expect(await drawn.shrunk { isBroken($0) }.steps.map(\.command) == [.pause, .resume])
    }
  }

  @Test("Workloads differ in how many kinds of commands they use, and on average omit more than two kinds")
  func swarm() {
    let kinds = (0..<100).map { seed -> Int in
      var random = SeededGenerator(seed: UInt64(seed))
      return Set(Workload(&random, count: 300).steps.map(\.command)).count
    }
    #expect(kinds.allSatisfy { $0 >= 1 && $0 <= Workload.Command.allCases.count })
    #expect(Set(kinds).count > 4 && kinds.reduce(0, +) < 100 * 13)
  }

  @Test("Every pair of a state and an event occurs in seeded runs, except those that the table excludes", .long)
  func allPairs() async {
    let rows = TransitionTable<LocationMachine>().rows
    var missing = Set(rows.filter { !$0.isImpossible }.map { Checker.Pair(state: $0.state, event: $0.event) })
    var seeds = 0
    while !missing.isEmpty, seeds < 2_000 {
      missing.subtract(await Arena().host { [seeds] _ in await Self.run(UInt64(seeds)).pairs })
      seeds += 1
    }
    print("searched \(seeds) seeds for all pairs")
    #expect(missing.isEmpty, "missing: \(missing.map { "\($0.event.rawValue) in \($0.state.rawValue)" }.sorted())")
  }

  @Test("No pair that the table excludes occurs in a seeded run", arguments: [5, 14, 77, 1_003] as [UInt64])
  func excludedPairs(seed: UInt64) async {
    let table = TransitionTable<LocationMachine>()
    for pair in await Arena().host({ _ in await Self.run(seed).pairs }) {
      #expect(!table.row(pair.state, pair.event).isImpossible, "\(pair)")
    }
  }

  @Test("9: The same seed gives the same run", arguments: [1, 2, 3, 50, 999] as [UInt64])
  func sameRun(seed: UInt64) async {
    let first = await Arena().host { _ in await Self.run(seed).journal }
    let second = await Arena().host { _ in await Self.run(seed).journal }
    #expect(first == second)
    #expect(first.count > 20)
  }

  /// The runs of 40 seeds, as the number of their events and a hash of the events, with numbers rounded to three decimals: other
  /// processors calculate slightly different ones. A change that isn't meant to change the behavior of a manager or a simulated device changes no run.
  @Test("The runs of seeds are the recorded ones")
  func recorded() async throws {
    let path = "Tests/Recorded/seeded-runs.csv"
    let recorded = try Repository.text(path).split(separator: "\n").map(String.init)
    let isRecording = ProcessInfo.processInfo.environment["RECORD"] == "1"
    var lines = ["seed,events,hash"]
    for seed in 0..<40 {
      let (journal, mistakes) = await Mistakes.collect {
        await Arena().host { _ in await Self.run(UInt64(seed)).journal }
      }
      let text = (journal + mistakes).joined(separator: "\n").replacing(/\d+\.\d+(?:e-?\d+)?/) {
        Double($0.0).map { String(format: "%.3f", $0) } ?? ""
      }
      lines.append("\(seed),\(journal.count),\(String(KnownCells.hash(text), radix: 16))")
      let command = "LOCOKIT_SEED=\(seed) swift test --filter 'InvariantTests/manySeeds\\('"
      #expect(
        isRecording || recorded.dropFirst(seed + 1).first == lines.last,
        """
        a manager or a simulated device behaves differently, or a value of an event has another text; \(command) prints the run, and \
        RECORD=1 swift test --filter InvariantTests/recorded writes \(path)
        """)
    }
    guard isRecording else { return #expect(recorded == lines) }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: Repository.root.appending(path: path))
  }

  /// Runs a seed's app and device for about ten minutes, then ends the faults and expects a location, as `calm` describes.
  ///
  /// - Parameter workload: The app's commands; `nil` for those of the seed.
  static func run(_ seed: UInt64, _ workload: Workload? = nil, journal: Journal? = nil) async -> Checker {
    var random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0x5EED))
    let configuration = configuration(&random)
    let faults =
      seed % 10 == 0 ? SimulatedProvider.Faults.none : seed % 10 < 4 ? .some(seed: seed) : .many(seed: seed)
    let checker = Checker(
      seed: seed, faults: faults, configuration: configuration, route: routes[Int(seed % 3)],
      errorBound: [nil, 500, nil, 100, 2_000][Int(seed % 5)], journal: journal)
    checker.command("tryPrompt") { $0.tryPromptAuthorization() }
    for step in (workload ?? Workload(&random)).steps {
      await play(step, checker)
      checker.device.advance(by: .seconds(step.wait))
      checker.checkWitnesses()
    }
    await calm(checker)
    return checker
  }

  private static func configuration(_ random: inout SeededGenerator) -> SimulatedProvider.Configuration {
    var configuration = SimulatedProvider.Configuration()
    configuration.trigger = Bool.random(using: &random) ? .apple : .cell
    configuration.receiver = Bool.random(using: &random) ? .phone : .standalone
    configuration.policy = Bool.random(using: &random) ? .loco : .standaloneReceiver
    configuration.answer = [.allow, .allow, .allow, .deny, .ignore][Int.random(in: 0..<5, using: &random)]
    configuration.authorization = [.notDetermined, .always, .denied][Int.random(in: 0..<3, using: &random)]
    let sources = sources[Int.random(in: 0..<sources.count, using: &random)]
    configuration.wakeSources = sources.kinds
    configuration.backgroundUpdates = sources.updates
    return configuration
  }

  private static let sources: [Sources] = [
    .awake, .awake, .changes, Sources([.significantChange, .regionExit]), Sources([.timer]),
    Sources([.motion, .timer]),
    .phone, Sources(Sources.phone.kinds, .always),
  ]

  private static func play(_ step: Workload.Step, _ checker: Checker) async {
    var random = SeededGenerator(seed: step.choices)
    switch step.command {
    case .pause: checker.command("pause") { $0.pause() }
    case .resume: checker.command("resume") { $0.resume() }
    case .forceAcquire: checker.command("forceAcquire") { $0.forceAcquireLocation() }
    case .tryPrompt: checker.command("tryPrompt") { $0.tryPromptAuthorization() }
    case .forcePrompt: checker.command("forcePrompt") { $0.forcePromptAuthorization() }
    case .acquire:
      let timeout = Duration.seconds(Int.random(in: 1...90, using: &random))
      await checker.acquire(Double.random(in: 1...500, using: &random), timeout)
    case .cancel:
      if checker.device.appIsRunning, let attempt = checker.attempts.randomElement(using: &random) {
        attempt.cancel()
        _ = await attempt.result()
      }
    case .changeCell: checker.device.reportSignificantChange()
    case .track:
      checker.track(
        TrackFilter(
          desiredAccuracy: Double.random(in: 5...200, using: &random),
          distanceFilter: Bool.random(using: &random) ? 0 : 50),
        accepting: [
          nil, nil, TrackingPolicy(),
          TrackingPolicy(pendingTimeLimit: .seconds(40), holdTime: .zero, signalTimeout: .seconds(30)),
        ][Int.random(in: 0..<4, using: &random)])
    case .endTracking:
      if !checker.trackers.isEmpty { checker.endTracking(Int.random(in: 0..<checker.trackers.count, using: &random)) }
    case .prepareTrip: checker.trip(0)
    case .startTrip: checker.trip(1)
    case .resetTrip: checker.trip(2)
    case .stopTrip: checker.trip(3)
    case .nothing: break
    }
  }

  /// Checks rules 7 and 8: without faults, with a permission and sky, a significant change starts the GPS once, and one of five changes
  /// leads to a location within the time limit. If the GPS hasn't found a location before, checks only that the manager sleeps.
  private static func calm(_ checker: Checker) async {
    checker.device.faults = .none
    // Wait until the app runs.
    for _ in 0..<10_000 where !checker.device.appIsRunning { checker.device.advance(by: .seconds(1)) }
    while !checker.trackers.isEmpty { checker.endTracking(0) }
    checker.trip(9)
    checker.device.authorization = .always
    checker.command("no bound") { $0.errorBound = nil }
    checker.command("forcePrompt") { $0.forcePromptAuthorization() }
    checker.command("resume") { $0.resume() }
    // Wait until all work has ended and a cold receiver has had time to find its first fix.
    checker.device.advance(by: .seconds(300))
    for attempt in checker.attempts { _ = await attempt.result() }
    for _ in 0..<4 {
      checker.device.advance(by: .seconds(61))
      checker.command("forceAcquire") { $0.forceAcquireLocation() }
    }
    // Some starts take longer than the limit, as on measured phones, so one of five must find a location.
    var isFound = false
    for _ in 0..<5 where !isFound {
      // Wait until the manager sleeps and the cool-down is over.
      for _ in 0..<1_000 {
        if let since = checker.asleepSince, checker.device.uptime >= since + .seconds(30) { break }
        checker.device.advance(by: .seconds(1))
      }
      checker.require(checker.manager?.state == .waitingSignificantChange, "7: it sleeps without demands")
      // With the phone's policy, a standalone receiver may never find its first fix.
      guard checker.hasFoundSatellites else { return }
      let starts = checker.gpsStartsSinceWake
      checker.device.reportSignificantChange()
      checker.require(checker.device.mode == .gps, "7: a significant change starts the GPS")
      let before = checker.manager?.location
      let limit = checker.device.uptime + checker.device.recommendedPolicy.timeLimit
      while checker.manager?.location == before, checker.manager?.state == .acquiring, checker.device.uptime < limit {
        checker.device.advance(by: .seconds(1))
      }
      isFound = checker.manager?.location != before
      checker.require(checker.gpsStartsSinceWake <= 1, "8: a wake-up starts the GPS at most once; \(starts) before it")
    }
    checker.require(isFound, "7: one of five starts finds a location within the limit")
    checker.require(checker.manager?.state == .waitingSignificantChange, "7: and it sleeps again")
    checker.checkWitnesses()
  }

  nonisolated static let routes = [
    SimulatedProvider.Route.losAngeles,
    SimulatedProvider.Route(waypoints: [.init(latitude: 0, longitude: 0, speed: 0, pause: .seconds(3_000))]),
    SimulatedProvider.Route(waypoints: [
      .init(latitude: 60, longitude: 179.99, speed: 1.4), .init(latitude: 60.01, longitude: 179.999, speed: 1.4),
      .init(latitude: 60.02, longitude: 179.99, speed: 1.4),
    ]),
  ]
}
