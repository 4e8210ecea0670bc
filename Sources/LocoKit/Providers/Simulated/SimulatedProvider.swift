public import Foundation

/// A simulated device on its own time: a day passes in milliseconds, the same way for the same seed.
///
/// ```swift
/// let provider = SimulatedProvider(route: .losAngeles, seed: 1)
/// let manager = LocationManager(provider: provider)
/// manager.tryPromptAuthorization()
/// provider.advance(by: .seconds(1_800))
/// provider.energy.gpsOn                            // how long the GPS was on
/// ```
///
/// It models the route, cell towers and significant changes, the receiver's time to first fix and accuracy, the user's
/// answer to the prompt, and, if asked to, faults. Nothing happens unless ``advance(by:)`` or ``run(until:)`` is called; then
/// all that is due happens, in order, in the caller's isolation.
public final class SimulatedProvider: LocationProvider {
  /// What the device is like.
  public struct Configuration: Hashable, Sendable {
    /// What makes a significant change.
    public var trigger = Trigger.apple
    /// What can wake the app, and what it hears of while the device sleeps.
    public var wakeSources: WakeSources = [.significantChanges, .regionExit]
    /// How the user answers the prompt.
    public var answer = Answer.allow
    /// The GPS receiver.
    @Shared public var receiver = ReceiverModel.phone
    /// What goes wrong.
    @Shared public var faults = Faults.none
    /// The policy recommended to the manager.
    @Shared public var policy = AcquisitionPolicy.loco
    /// What the device's battery pays.
    @Shared public var energyProfile = EnergyProfile.phone
    /// Whether locations may be used when the simulation begins.
    public var authorization = Authorization.notDetermined

    /// A phone that is allowed to use locations as soon as it asks, without faults.
    public init() {}

    /// A phone that is allowed to use locations as soon as it asks, without faults.
    public static let phone = Configuration()
  }

  /// What makes a significant change.
  public enum Trigger: String, CaseIterable, Hashable, Sendable {
    /// Apple's rule: 500 m and 5 minutes since the last one, judged when the cell changes.
    case apple
    /// Any change of the cell.
    case cell
  }

  /// How the user answers the prompt, some seconds after it is shown.
  public enum Answer: String, CaseIterable, Hashable, Sendable {
    /// Locations may be used.
    case allow
    /// They may not.
    case deny
    /// No answer at all.
    case ignore
  }

  /// Where the device goes.
  public let route: Route
  /// What decides all chance.
  public let seed: UInt64
  /// What the device has spent so far.
  public var energy: EnergyUse { energyNow() }
  /// What goes wrong from now on.
  public var faults: Faults {
    get { configuration.faults }
    set {
      configuration.faults = newValue
      if newValue == .none { calm() } else { beginFaults() }
    }
  }
  /// What the hardware does now, as the manager commanded it.
  public private(set) var mode = ReceiverMode.off
  /// Called when the app, having been terminated, is launched again by a significant change: let go of the old manager,
  /// then make a new one. Apps are terminated only where this is set.
  public var onRelaunch: (() -> Void)?

  /// Whether locations may be used.
  public private(set) var authorization: Authorization
  /// Set by the manager.
  public var onReport: ((ProviderReport) -> Void)?

  private var configuration: Configuration
  private var now: Int64 = 0
  private var clockOffset: TimeInterval = 0
  private var agenda = Agenda<ScheduledEvent>()
  private var random: SeededGenerator

  /// Counts every change of the mode: what was scheduled before it is of no use.
  private var generation = 0
  private var spent = EnergyUse()
  private var gpsOffSince: Int64?
  private var search: Search?
  private var lastFixAt: Int64?
  private var errorNorth = 0.0
  private var errorEast = 0.0
  private var errorAt: Int64 = 0

  private var cells: CellNetwork
  private var lastChange: (location: Location, at: Int64)?

  private var timers = 0
  private var timerIsSet = false
  private var prompts = 0
  private var isPrompting = false
  private var isAdvancing = false
  private var faultState: FaultState?

  /// A device at the start of a route.
  public init(route: Route, seed: UInt64, configuration: Configuration = .phone) {
    self.route = route
    self.seed = seed
    self.configuration = configuration
    authorization = configuration.authorization
    random = SeededGenerator(seed: SeededGenerator.mix(seed))
    cells = CellNetwork(seed: seed, origin: route.points[0])
    if faults != .none { beginFaults() }
  }

  /// How long the simulation has been running.
  public var uptime: Duration { .nanoseconds(now) }
  /// What the clock on the wall says: the route's start and what has passed since, and what somebody set it by.
  public var date: Date { route.start.addingTimeInterval(seconds + clockOffset) }
  /// The configuration's policy.
  public var recommendedPolicy: AcquisitionPolicy { configuration.policy }
  /// The configuration's sources.
  public var wakeSources: WakeSources { configuration.wakeSources }
  /// Whether the app runs. While it is suspended or terminated it cannot give commands, and reports wait.
  public var appIsRunning: Bool { !isSuspended && !isTerminated }
  /// Where the device really is.
  public var position: Route.Point { route.position(at: seconds) }
  /// Whether a receiver sees the sky now.
  public var hasSky: Bool { now >= faultState?.skyLostUntil ?? 0 && route.hasSky(at: seconds) }

  private var isSuspended: Bool { faultState?.isSuspended ?? false }
  private var isTerminated: Bool { faultState?.isTerminated ?? false }

  private var seconds: TimeInterval { Double(now) * 1e-9 }
}

@available(*, unavailable)
extension SimulatedProvider: Sendable {}

// MARK: - Time

extension SimulatedProvider {
  /// Lets so much time pass.
  public func advance(by duration: Duration) {
    run(until: uptime + duration)
  }

  /// Lets time pass until ``uptime`` is `deadline`. Does nothing if it is already.
  ///
  /// - Precondition: Not called from a report.
  public func run(until deadline: Duration) {
    precondition(!isAdvancing, "Time cannot be made to pass while a report is being told.")
    isAdvancing = true
    let end = deadline.inNanoseconds
    while let next = agenda.next, next <= end {
      now = max(now, next)
      if let event = agenda.removeNext() { happen(event) }
    }
    now = max(now, end)
    isAdvancing = false
  }

  /// What is scheduled.
  private enum ScheduledEvent {
    case second(generation: Int)
    case cell(generation: Int)
    case firstChange(generation: Int)
    case falseWake(generation: Int)
    case timer(Int)
    case prompt(Int)
    case answer(Int)
    indirect case lateFix(Location)
    case resume
    case incident(Incident, round: Int)
  }

  private func schedule(_ event: ScheduledEvent, after seconds: Double) {
    agenda.add(event, at: now + Int64((seconds * 1e9).rounded()))
  }

  private func happen(_ event: ScheduledEvent) {
    switch event {
    case .second(let scheduled) where scheduled == generation: second()
    case .cell(let scheduled) where scheduled == generation: measureCell()
    case .firstChange(let scheduled) where scheduled == generation:
      report(.significantChange(lastChange?.location ?? networkFix()))
    case .falseWake(let scheduled) where scheduled == generation: falseWake()
    case .timer(let number) where number == timers && timerIsSet:
      timerIsSet = false
      report(.timer)
    case .prompt(let number) where number == prompts && isPrompting:
      report(.promptShown)
    case .answer(let number) where number == prompts && isPrompting:
      isPrompting = false
      setAuthorization(configuration.answer == .allow ? .always : .denied)
    case .lateFix(let fix): report(.fixes([fix]))
    case .resume: resume()
    case .incident(let incident, let round) where round == faultState?.round: happen(incident)
    case .second, .cell, .firstChange, .falseWake, .timer, .prompt, .answer, .incident:
      break  // scheduled before something changed
    }
  }

  /// Tells the manager, or keeps it for when the app runs again.
  private func report(_ report: ProviderReport) {
    if isTerminated {
      if case .significantChange = report { relaunch() }
      return
    }
    if let faultState, faultState.isSuspended {
      if faultState.queued.count < FaultState.mostQueued { faultState.queued.append(report) }
      if case .significantChange = report { resume() }
      return
    }
    if case .significantChange = report { spent.wakes += 1 }
    onReport?(report)
  }
}

// MARK: - What the manager commands

extension SimulatedProvider {
  /// Shows the prompt, or reports the authorization where it is known.
  public func requestAuthorization() {
    guard !isTerminated else { return }
    guard authorization == .notDetermined else { return report(.authorization(authorization)) }
    prompts += 1
    isPrompting = true
    schedule(.prompt(prompts), after: 0.2)
    if configuration.answer != .ignore {
      schedule(.answer(prompts), after: 0.5 + 3 * exp(0.5 * normal()))
    }
  }

  /// Turns on what `mode` says, and all else off.
  public func setMode(_ mode: ReceiverMode) {
    guard !isTerminated, mode != self.mode else { return }
    if self.mode == .gps { stopGPS() }
    self.mode = mode
    generation += 1
    guard mode != .off else { return }
    guard authorization.isAuthorized else { return report(.authorization(authorization)) }
    start()
  }

  /// Reports ``ProviderReport/timer`` when the time has come.
  public func setTimer(_ deadline: Duration?) {
    guard !isTerminated else { return }
    timers += 1
    timerIsSet = deadline != nil
    guard let deadline else { return }
    if chance(faults.missingTimers) { return }
    let late = chance(faults.lateTimers) ? draw(0...120.0) : 0
    agenda.add(.timer(timers), at: max(now, deadline.inNanoseconds) + Int64(late * 1e9))
  }

  private func start() {
    switch mode {
    case .off: break
    case .significantChanges: startCells()
    case .gps: startGPS()
    }
  }
}

// MARK: - What the user does

extension SimulatedProvider {
  /// Changes the permission, as the user does by answering the prompt or in the settings.
  public func setAuthorization(_ authorization: Authorization) {
    guard authorization != self.authorization else { return }
    isPrompting = false
    let was = self.authorization.isAuthorized
    self.authorization = authorization
    if was, !authorization.isAuthorized {
      generation += 1
      if mode == .gps { stopGPS() }
    } else if !was, authorization.isAuthorized, mode != .off {
      generation += 1
      start()
    }
    report(.authorization(authorization))
  }

  /// Reports a significant change now, as if the device had moved to another cell. Nothing happens unless they are on.
  public func changeCell() {
    guard mode == .significantChanges, authorization.isAuthorized else { return }
    significantChange()
  }

  /// How the user will answer the next prompt.
  public func setAnswer(_ answer: Answer) {
    configuration.answer = answer
  }

  /// Sets the wall clock forward, or back where `seconds` is negative.
  public func setClock(by seconds: TimeInterval) {
    clockOffset += seconds
  }
}

// MARK: - The receiver

extension SimulatedProvider {
  /// What the receiver has done since it was turned on.
  private struct Search {
    let since: Int64
    var timeToFix: Double
    let firstAccuracy: Double
    var searched = 0.0
    var fixes = 0
    var settled = 0.0
  }

  private func startGPS() {
    spent.gpsStarts += 1
    if let gpsOffSince { spent.tail += min(.nanoseconds(now - gpsOffSince), configuration.energyProfile.tail) }
    gpsOffSince = nil
    let receiver = configuration.receiver
    let age = lastFixAt.map { Double(now - $0) * 1e-9 }
    let median =
      switch age {
      case nil: receiver.coldStart
      case let age? where age > receiver.ephemerisLife: receiver.warmStart
      default: receiver.hotStart
      }
    search = Search(
      since: now, timeToFix: median * exp(receiver.spread * normal()),
      firstAccuracy: receiver.firstAccuracy * exp(receiver.spread * normal()))
    faultState?.heldBack = nil
    if let lastFix = faultState?.lastFix, chance(faults.cachedFixes) { schedule(.lateFix(lastFix), after: 0.05) }
    schedule(.second(generation: generation), after: 1)
  }

  private func stopGPS() {
    guard let search else { return }
    spent.gpsOn += .nanoseconds(now - search.since)
    self.search = nil
    gpsOffSince = now
    if search.fixes > 0, chance(faults.fixesAfterStop) {
      schedule(.lateFix(fix(search)), after: draw(0.01...3))
    }
  }

  private func second() {
    schedule(.second(generation: generation), after: 1)
    guard var search else { return }
    guard hasSky else {
      // A receiver that has lost the sky finds it again as after a hot start.
      if search.fixes > 0 {
        search.timeToFix = configuration.receiver.hotStart * exp(configuration.receiver.spread * normal())
      }
      let isLostNow = search.searched > 0
      search.fixes = 0
      search.searched = 0
      self.search = search
      if isLostNow || Int(seconds) % 5 == 0 { report(.failure(.locationUnknown)) }
      return
    }
    if let faultState, faultState.unknownLeft > 0 {
      faultState.unknownLeft -= 1
      return report(.failure(.locationUnknown))
    }
    if chance(faults.unknownBursts) { faultState?.unknownLeft = draw(1...20) }
    if chance(faults.receiverErrors) { return report(.failure(.other("the receiver did not answer"))) }
    search.searched += 1
    if search.searched >= search.timeToFix {
      let fix = fix(search)
      search.fixes += 1
      self.search = search
      deliver(fix)
      self.search?.settled += 1
      lastFixAt = now
    } else {
      self.search = search
    }
  }

  private func fix(_ search: Search) -> Location {
    let receiver = configuration.receiver
    let accuracy =
      receiver.accuracyFloor
      + max(0, search.firstAccuracy - receiver.accuracyFloor) * exp(-search.settled / receiver.settling)
    let passed = Double(now - errorAt) * 1e-9
    errorAt = now
    let kept = exp(-passed / receiver.errorTime)
    let fresh = (1 - kept * kept).squareRoot()
    errorNorth = errorNorth * kept + fresh * normal()
    errorEast = errorEast * kept + fresh * normal()
    // 68 % of a two-dimensional normal distribution lie within 1.51 standard deviations of an axis.
    let sigma = accuracy / 1.51
    let velocity = route.velocity(at: seconds)
    return place(
      position, north: errorNorth * sigma, east: errorEast * sigma, accuracy: accuracy, speed: velocity.speed,
      course: velocity.course)
  }

  private func place(
    _ point: Route.Point, north: Double, east: Double, accuracy: Double, speed: Double?, course: Double?
  ) -> Location {
    var longitude = point.longitude + east / max(1, 111_320 * cos(point.latitude * .pi / 180))
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    return Location(
      latitude: min(90, max(-90, point.latitude + north / 111_320)), longitude: longitude, horizontalAccuracy: accuracy,
      altitude: point.altitude, verticalAccuracy: point.altitude == nil ? nil : accuracy * 1.5, speed: speed,
      course: course, timestamp: date)
  }

  private func deliver(_ fix: Location) {
    faultState?.lastFix = fix
    var fix = fix
    if chance(faults.staleFixes) { fix.timestamp -= draw(20...600) }
    if chance(faults.futureFixes) { fix.timestamp += draw(2...86_400) }
    if chance(faults.invalidFixes) {
      switch draw(0...5) as Int {
      case 0: fix.horizontalAccuracy = -1
      case 1: fix.horizontalAccuracy = .nan
      case 2: fix.latitude = .nan
      case 3: fix.latitude = 91
      case 4: fix.longitude = -180.5
      default: fix.horizontalAccuracy = .infinity
      }
    }
    let late = faultState?.heldBack
    faultState?.heldBack = nil
    if chance(faults.reorderedFixes) {
      faultState?.heldBack = fix
    } else {
      report(.fixes([fix]))
    }
    if chance(faults.duplicateFixes) { report(.fixes([fix])) }
    if let late { report(.fixes([late])) }
  }
}

// MARK: - Cells

extension SimulatedProvider {
  private func startCells() {
    cells.reset()
    // A service that is armed again says at once where it was last.
    if configuration.trigger == .apple {
      schedule(.firstChange(generation: generation), after: Double.random(in: 0.2...1, using: &random))
    }
    schedule(.cell(generation: generation), after: 0)
    if faults.falseWakes > 0 { schedule(.falseWake(generation: generation), after: 60) }
  }

  private func measureCell() {
    let isMoving = route.velocity(at: seconds).speed > 0.2
    schedule(.cell(generation: generation), after: isMoving ? 1 : 20)
    guard cells.measure(position, at: seconds) else { return }
    if configuration.trigger == .apple, let last = lastChange {
      let moved = position.location.distance(to: last.location)
      guard moved >= 500, now - last.at >= 300_000_000_000 else { return }
    }
    significantChange()
  }

  private func significantChange() {
    let fix = networkFix()
    lastChange = (fix, now)
    report(.significantChange(configuration.trigger == .apple ? fix : nil))
  }

  private func falseWake() {
    schedule(.falseWake(generation: generation), after: 60)
    if chance(faults.falseWakes) { report(.significantChange(lastChange?.location)) }
  }

  /// Where the network believes the device to be.
  private func networkFix() -> Location {
    let accuracy = 500 * exp(0.5 * normal())
    return place(
      position, north: accuracy / 1.51 * normal(), east: accuracy / 1.51 * normal(), accuracy: accuracy, speed: nil,
      course: nil)
  }
}

// MARK: - FaultState

extension SimulatedProvider {
  /// What goes wrong by itself, at a rate an hour.
  private enum Incident: CaseIterable {
    case clock, suspension, relaunch, permission, sky, repeatedAuthorization, strayChange
  }

  /// What a device with faults has, and one without does not need.
  private final class FaultState {
    static let mostQueued = 1_000
    var random: SeededGenerator
    var round = 0
    var isSuspended = false
    var isTerminated = false
    var queued: [ProviderReport] = []
    var skyLostUntil: Int64 = 0
    var unknownLeft = 0
    var lastFix: Location?
    var heldBack: Location?

    init(seed: UInt64) {
      random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0x7B0B1E))
    }
  }

  private func rate(of incident: Incident) -> Double {
    switch incident {
    case .clock: faults.clockJumps
    case .suspension: faults.suspensions
    case .relaunch: faults.relaunches
    case .permission: faults.permissionChanges
    case .sky: faults.skyLosses
    case .repeatedAuthorization: faults.repeatedAuthorizations
    case .strayChange: faults.strayChanges
    }
  }

  private func beginFaults() {
    let faultState = faultState ?? FaultState(seed: seed)
    self.faultState = faultState
    faultState.round += 1
    for incident in Incident.allCases { schedule(incident) }
  }

  private func schedule(_ incident: Incident) {
    let rate = rate(of: incident)
    guard let faultState, rate > 0 else { return }
    let wait = -log(1 - Double.random(in: 0..<1, using: &faultState.random)) * 3_600 / rate
    schedule(.incident(incident, round: faultState.round), after: min(wait, 1e8))
  }

  private func happen(_ incident: Incident) {
    guard let faultState else { return }
    schedule(incident)
    switch incident {
    case .clock:
      let reach = [5.0, 120, 7_200, 172_800][draw(0...3)]
      clockOffset += draw(-reach...reach)
    case .suspension:
      guard appIsRunning else { break }
      let length: Double = draw(1...300)
      faultState.isSuspended = true
      schedule(.resume, after: length)
    case .relaunch:
      guard onRelaunch != nil, !isTerminated, mode == .significantChanges else { break }
      faultState.isSuspended = false
      faultState.queued = []
      faultState.isTerminated = true
      isPrompting = false
      timerIsSet = false
    case .permission:
      let choices: [Authorization] = [.always, .always, .whenInUse, .denied, .restricted, .notDetermined]
      setAuthorization(choices[draw(0...choices.count - 1)])
    case .sky:
      faultState.skyLostUntil = now + Int64(draw(1...300) * 1e9)
    case .repeatedAuthorization:
      report(.authorization(authorization))
    case .strayChange:
      // What is not running is launched by a change that it is registered for, and by no other.
      if !isTerminated { report(.significantChange(lastChange?.location)) }
    }
  }

  /// The app runs again: what came meanwhile is told, fixes in one batch.
  private func resume() {
    guard let faultState, faultState.isSuspended else { return }
    faultState.isSuspended = false
    let reports = faultState.queued
    faultState.queued = []
    var batch: [Location] = []
    for report in reports {
      if case .fixes(let fixes) = report {
        batch += fixes
      } else {
        if !batch.isEmpty { self.report(.fixes(batch)) }
        batch = []
        self.report(report)
      }
    }
    if !batch.isEmpty { report(.fixes(batch)) }
  }

  private func relaunch() {
    // Whatever the app does with the old manager, it can do nothing any more.
    onReport?(.replaced)
    onReport = nil
    faultState?.isTerminated = false
    mode = .off
    generation += 1
    spent.wakes += 1
    onRelaunch?()
  }

  /// All faultState is over: the app runs, the sky is there.
  private func calm() {
    guard let faultState else { return }
    faultState.round += 1
    faultState.skyLostUntil = 0
    faultState.unknownLeft = 0
    faultState.heldBack = nil
    resume()
    if isTerminated { relaunch() }
  }

  private func chance(_ share: Double) -> Bool {
    guard let faultState, share > 0 else { return false }
    return Double.random(in: 0..<1, using: &faultState.random) < share
  }

  private func draw(_ range: ClosedRange<Double>) -> Double {
    faultState.map { Double.random(in: range, using: &$0.random) } ?? range.lowerBound
  }

  private func draw(_ range: ClosedRange<Int>) -> Int {
    faultState.map { Int.random(in: range, using: &$0.random) } ?? range.lowerBound
  }

  /// A normal number with variance 1, by Box and Muller.
  private func normal() -> Double {
    let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &random))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
  }

  private func energyNow() -> EnergyUse {
    var energy = spent
    if let search { energy.gpsOn += .nanoseconds(now - search.since) }
    if let gpsOffSince { energy.tail += min(.nanoseconds(now - gpsOffSince), configuration.energyProfile.tail) }
    return energy
  }
}

extension Duration {
  /// The duration as a whole number of nanoseconds, rounded up, within three centuries.
  fileprivate var inNanoseconds: Int64 {
    let century: Int64 = 3_155_760_000
    let (seconds, attoseconds) = components
    return min(max(seconds, -century), century) * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
  }
}
