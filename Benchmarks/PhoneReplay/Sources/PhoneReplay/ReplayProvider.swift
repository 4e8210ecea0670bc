import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoKitSimulation
@_spi(Benchmarks) import LocoMachine

/// A phone on a recorded outing, on virtual time.
///
/// The coarse fixes, the motion and the visits are recordings of a real phone. So are the region exits and the fixes of the GPS where
/// the outing has matching ones; otherwise they are drawn from measured distributions. The same outing, options, seed and commands give the
/// same reports.
final class ReplayProvider: LocationProvider {
  /// The mechanism that keeps the app running.
  enum Keeper: Sendable {
    /// The manager's command, ``ReplayProvider/setKeptRunning(_:)``.
    case whileMoving
    /// The same command, but the manager ends it a minute after the last motion even with a narrow bound.
    case briefly
    /// The system, whenever the mode isn't off.
    case always
    /// The GPS only: while the GPS is off, the app is suspended.
    case never
  }

  /// The properties of the phone.
  struct Options: Sendable {
    /// The mechanism that keeps the app running.
    var keeper: Keeper
    /// Whether the fixes that keep the app running are reported.
    var reportsCoarse: Bool
    /// Whether the app is kept running in 3 km mode until coarse fixes may replace a look.
    var isDutyCycled: Bool
    /// Whether an activity without a known kind, or of low confidence, is reported as walking, as in early versions of LocoKit.
    var takesNoFlagForWalking: Bool
    /// The properties that the recordings don't show.
    var assumptions: Assumptions

    /// Creates options.
    init(
      keeper: Keeper = .whileMoving, reportsCoarse: Bool = true, isDutyCycled: Bool = false,
      takesNoFlagForWalking: Bool = false,
      assumptions: Assumptions = .ideal
    ) {
      self.keeper = keeper
      self.reportsCoarse = reportsCoarse
      self.isDutyCycled = isDutyCycled
      self.takesNoFlagForWalking = takesNoFlagForWalking
      self.assumptions = assumptions
    }
  }

  /// Properties of a phone that the recordings don't show. Times are in milliseconds.
  struct Assumptions: Sendable {
    /// The share of the significant changes that are never reported.
    var lostChanges = 0.0
    /// The delay of the other significant changes.
    var changeLateness: Int64 = 0
    /// The delay of a motion report.
    var motionLateness: Int64 = 0
    /// The delay of a visit's start or end, in addition to the recorded time.
    var visitLateness: Int64 = 0
    /// The length of a failure of the GPS. A start that takes longer than ``longStart`` begins a failure. Until the failure ends, no start
    /// finds a satellite fix.
    var failureLength: Int64 = 0

    /// The duration above which a start of the GPS is a failure.
    static let longStart: Int64 = 15_000

    /// Significant changes and motion are reported immediately, and failures of the GPS are independent.
    static let ideal = Assumptions()
    /// Significant changes are lost as often as region exits. The others are 3 minutes late, and motion and visits are 2 minutes late. A
    /// failure of the GPS lasts a minute.
    static let pessimistic = Assumptions(
      lostChanges: Measured.exitLost, changeLateness: 180_000, motionLateness: 120_000, visitLateness: 120_000,
      failureLength: 60_000)
  }

  /// The time that the receiver draws power after it's turned off, in milliseconds. Assumed.
  static let tail: Int64 = 5_000
  /// The minimum time from setting a timer to its firing, in milliseconds. A phone's timers aren't immediate either.
  private static let minimumTimer: Int64 = 1
  /// The maximum number of timers in a second. A manager that exceeds it is in an endless loop.
  private static let maximumTimers = 200

  let authorization = Authorization.always
  let recommendedPolicy = AcquisitionPolicy.loco
  var onReport: ProviderReport.Handler?
  var uptime: Duration { .milliseconds(now) }
  var date: Date { Date(timeIntervalSince1970: recording.outing.start + Double(now) / 1_000) }
  /// The outing's start.
  var start: Date { Date(timeIntervalSince1970: recording.outing.start) }
  private(set) var wakeSources: Set<WakeKind> = [.significantChange, .regionExit, .visit]
  var backgroundUpdates: LocationManager.BackgroundUpdates {
    switch options.keeper {
    case .never: .never
    case .whileMoving: .whileMoving
    case .briefly: .briefly
    case .always: .always
    }
  }
  /// Receives the commands and reports of the GPS, region, keeper, motion, visits and significant changes, as text.
  var onTrace: ((String) -> Void)?
  /// The phone's activity so far.
  private(set) var counts = Counts()

  private let recording: Recording
  private let options: Options
  private let seed: UInt64
  /// The significant changes that are reported.
  private let changes: [(time: Int64, place: Place)]
  private var receiver: Receiver
  /// The current time. This time and all times below are in milliseconds from the outing's start.
  private var now: Int64 = 0
  private var countedTo: Int64 = 0
  /// The manager's plan. ``timer`` has its timer.
  private(set) var plan = ReceiverPlan()
  private var mode: ReceiverMode { plan.mode }
  /// The end of the receiver's power draw.
  private var tailEnd: Int64 = 0
  /// Whether an app that is kept running last received coarse fixes. The first change to them is that of an app that isn't duty-cycled.
  private var hadCoarseFixes: Bool
  private var timer: Int64?
  private var isKept = false
  // The index of the next report of each kind.
  private var nextCoarse = 0
  private var nextMotion = 0
  /// The index of the first motion that wasn't reported.
  private var nextUntold = 0
  private var nextVisit = 0
  private var nextChange = 0
  private var watch: RegionWatch?
  private var random: SeededGenerator

  /// Creates a phone on an outing.
  ///
  /// - Parameters:
  ///   - recording: The outing.
  ///   - options: The properties of the phone.
  ///   - seed: The seed of the random draws.
  init(_ recording: Recording, options: Options, seed: UInt64) {
    self.recording = recording
    self.options = options
    hadCoarseFixes = !options.isDutyCycled
    self.seed = seed
    receiver = Receiver(recording, seed: seed, failureLength: options.assumptions.failureLength)
    let assumptions = options.assumptions
    changes = recording.changes.enumerated().compactMap { index, change in
      var random = SeededGenerator(recording.hash, seed, UInt64(index), 0x6C6F_7374)
      guard random.share() >= assumptions.lostChanges else { return nil }
      return (change.time + assumptions.changeLateness, change.place)
    }
    random = SeededGenerator(recording.hash, seed, 0x6368_616E_6765)
    // The replay delivers no report from before the outing's start.
    nextCoarse = Recording.index(after: -1, in: recording.coarse)
    nextMotion = recording.motions.firstIndex { $0.time >= 0 } ?? recording.motions.count
    nextUntold = nextMotion
    nextVisit = recording.visits.firstIndex { $0.time >= 0 } ?? recording.visits.count
  }
}

// MARK: - The plan

extension ReplayProvider {
  /// Reports the permission. A restart has no effect, because the receiver keeps running.
  func perform(_ request: ReceiverRequest) { if request == .authorization { onReport?(.authorization(.always)) } }

  func apply(_ new: ReceiverPlan) {
    let last = plan
    if new.coarseFixesFrom != last.coarseFixesFrom { count() }
    if new.regionNumber != last.regionNumber {
      watch = new.region.map { RegionWatch($0, armedAt: now) }
      onTrace?(new.region.map { "region of \(Int($0.radius)) m" } ?? "no region")
    }
    if new.mode != last.mode { change(to: new.mode) }
    plan = new
    if new.mode != last.mode || new.keepsAppRunning != last.keepsAppRunning { updateKept() }
    if new.timer != last.timer { setTimer(new.timer) }
  }

  private func change(to next: ReceiverMode) {
    count()
    if next == .gps {
      counts.looks.add(1, moving: isMoving)
      receiver.start(at: now)
    } else if mode == .gps {
      receiver.stop()
      tailEnd = now + Self.tail
    }
    onTrace?("mode \(next)")
  }

  private func setTimer(_ deadline: Duration?) {
    timer = deadline.map { deadline in
      // A timer is never early.
      max(Self.milliseconds(deadline), now + Self.minimumTimer)
    }
  }

  /// Returns a time in milliseconds, rounded up.
  private static func milliseconds(_ time: Duration) -> Int64 {
    let parts = time.components
    return parts.seconds * 1_000 + (parts.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }

  private func fireTimer() {
    timer = nil
    plan.timer = nil
    onReport?(.wake(.timer))
  }

  private func updateKept() {
    let isKept =
      switch options.keeper {
      case .never: false
      case .whileMoving, .briefly: mode != .off && plan.keepsAppRunning
      case .always: mode != .off
      }
    guard isKept != self.isKept else { return }
    count()
    self.isKept = isKept
    onTrace?(isKept ? "kept running" : "no longer kept running")
    let asleep: Set<WakeKind> = [.significantChange, .regionExit, .visit]
    report(isKept ? asleep.union([.timer]) : asleep)
    if isKept { reportPastMotion() }
    // The sensor reports the current motion immediately.
    if isKept, nextMotion > 0 { reportMotion(recording.motions[nextMotion - 1].motion) }
  }

  private func report(_ sources: Set<WakeKind>) {
    guard sources != wakeSources else { return }
    wakeSources = sources
    onReport?(.wakeSources(sources, backgroundUpdates: backgroundUpdates))
  }

  /// Reports the motion that the sensor stored while the app was suspended.
  private func reportPastMotion() {
    guard nextUntold < nextMotion else { return }
    let changes = recording.motions[nextUntold..<nextMotion].map { change in
      LocationManager.Motion.Change(
        change.motion, at: Date(timeIntervalSince1970: recording.outing.start + Double(change.time) / 1_000))
    }
    nextUntold = nextMotion
    onReport?(.pastMotion(changes))
  }

  private func reportMotion(_ motion: LocationManager.Motion?) {
    guard isKept, let motion = motion ?? (options.takesNoFlagForWalking ? .walking : nil) else { return }
    onTrace?("motion: \(motion)")
    onReport?(.wake(.motion(motion)))
    report(wakeSources.union([.motion]))
  }
}

// MARK: - Time

extension ReplayProvider {
  /// A kind of event.
  private enum Event {
    case coarse, motion, visit, change, exit, network, satellite, timer
  }

  /// Whether the app runs.
  private var runs: Bool { isKept || mode == .gps }
  /// The time from which an app that is kept running receives coarse fixes; `nil` if it receives none.
  private var coarseFixesFrom: Int64? { options.isDutyCycled ? plan.coarseFixesFrom.map(Self.milliseconds) : 0 }
  private var isMoving: Bool { classOfNow.contains(.moving) }
  private var classOfNow: SecondClass {
    let second = Int(countedTo / 1_000)
    return recording.classes.indices.contains(second) ? recording.classes[second] : []
  }

  /// Advances to a whole second from the outing's start.
  ///
  /// - Throws: An error if the manager sets timers in an endless loop.
  func advance(toSecond second: Int) throws {
    let end = Int64(second) * 1_000
    var timers = 0
    while let (time, event) = next(until: end) {
      now = max(now, time)
      count()
      if event == .timer { timers += 1 }
      guard timers <= Self.maximumTimers else {
        throw ReplayFailure(
          problem:
            "\(recording.outing.name): \(timers) timers in the second before \(second) s: the manager sets timers "
            + "in an endless loop; look for the mistake in LookPlanner.nextDue.")
      }
      fire(event)
    }
    now = max(now, end)
    count()
    checkRegion(second)
  }

  private func next(until end: Int64) -> (Int64, Event)? {
    var next: (time: Int64, event: Event)?
    func offer(_ time: Int64?, _ event: Event) {
      guard let time, time <= end, time < next?.time ?? .max else { return }
      next = (time, event)
    }
    if nextCoarse < recording.coarse.count { offer(recording.coarse[nextCoarse].delivered, .coarse) }
    if nextMotion < recording.motions.count {
      offer(recording.motions[nextMotion].time + options.assumptions.motionLateness, .motion)
    }
    if nextVisit < recording.visits.count {
      offer(recording.visits[nextVisit].time + options.assumptions.visitLateness, .visit)
    }
    if nextChange < changes.count { offer(changes[nextChange].time, .change) }
    offer(watch?.exitAt, .exit)
    offer(receiver.networkAt, .network)
    offer(receiver.satelliteAt, .satellite)
    if runs { offer(timer.map { max(now, $0) }, .timer) }
    return next
  }

  private func fire(_ event: Event) {
    switch event {
    case .coarse:
      let fix = recording.coarse[nextCoarse].fix
      nextCoarse += 1
      if isKept, options.reportsCoarse, let coarseFixesFrom, coarseFixesFrom <= now {
        onReport?(.fixes([coarseLocation(fix)]))
        onTrace?("coarse fix, \(Int(fix.claim)) m, \(number(fix.delivered - fix.measured, 1)) s old")
      }
    case .motion:
      nextMotion += 1
      if isKept { reportPastMotion() }
      reportMotion(recording.motions[nextMotion - 1].motion)
    case .visit:
      let hasEnded = recording.visits[nextVisit].hasEnded
      nextVisit += 1
      // The recordings don't have the place.
      let visit = Location.Visit(place: nowhere, arrival: .distantPast, departure: hasEnded ? date : nil)
      if mode != .off { wake(.visit(visit)) }
    case .change:
      let place = changes[nextChange].place
      nextChange += 1
      if mode != .off { wake(.significantChange(changeLocation(place))) }
    case .exit:
      let isInside = recording.outing.truth.place(at: Double(now) / 1_000).flatMap { watch?.contains($0) }
      if isInside == true {
        watch?.goOn()
      } else {
        watch = nil
        wake(.regionExit)
      }
    case .network:
      if let fix = receiver.networkFix(at: now) { report(fix, "network") }
    case .satellite:
      if let fix = receiver.satelliteFix(at: now) { report(fix, "satellites") }
    case .timer: fireTimer()
    }
  }

  private func report(_ fix: Location, _ origin: String) {
    onTrace?("fix of \(origin), \(Int(fix.horizontalAccuracy)) m")
    onReport?(.fixes([fix]))
  }

  /// Delivers a report that wakes a suspended app. A timer that was due during the suspension fires after the report.
  private func wake(_ event: WakeEvent) {
    let wasSuspended = !runs
    onTrace?((wasSuspended ? "woken by " : "running, and ") + Self.words(event))
    if wasSuspended { counts.wakes.add(1, moving: isMoving) }
    onReport?(.wake(event))
    if wasSuspended, let due = timer, due <= now { fireTimer() }
  }

  private static func words(_ event: WakeEvent) -> String {
    switch event {
    case .regionExit: "a region exit"
    case .visit(let visit): visit.departure == nil ? "an arrival" : "a departure"
    case .significantChange: "a significant change"
    default: "another event"
    }
  }

  private var nowhere: Location {
    Location(latitude: .nan, longitude: .nan, horizontalAccuracy: -1, timestamp: date)
  }

  private func checkRegion(_ second: Int) {
    guard watch != nil, let place = recording.outing.truth[second] else { return }
    watch?.pass(place, at: now, exits: recording.exits) { [recording, seed] in
      // All policies receive the exit of the same crossing at the same time.
      SeededGenerator(recording.hash, seed, UInt64(second), 0x6578_6974)
    }
  }

  private func coarseLocation(_ fix: Phone.Fix) -> Location {
    Location(
      latitude: fix.place.latitude, longitude: fix.place.longitude, horizontalAccuracy: fix.claim, speed: fix.speed,
      course: fix.course, timestamp: Date(timeIntervalSince1970: recording.outing.start + fix.measured), source: .coarse
    )
  }

  private func changeLocation(_ place: Place) -> Location {
    let (north, east) = random.normals()
    let place = place.moved(north: north * Measured.changeError, east: east * Measured.changeError)
    return Location(
      latitude: place.latitude, longitude: place.longitude, horizontalAccuracy: Measured.changeClaim, timestamp: date)
  }

  /// Counts the time up to now. It's called at least once a second, so that the time belongs to one class.
  private func count() {
    guard now > countedTo else { return }
    let isMoving = isMoving
    if mode == .gps {
      counts.add(milliseconds: now - countedTo, .gps, moving: isMoving)
    } else {
      let tailTime = max(0, min(now, tailEnd) - countedTo)
      counts.add(milliseconds: tailTime, .gps, moving: isMoving)
      count(now - countedTo - tailTime, isMoving)
    }
    countedTo = now
  }

  /// Counts time with the receiver off, up to now. Coarse fixes may begin within it.
  private func count(_ time: Int64, _ isMoving: Bool) {
    guard isKept else { return counts.add(milliseconds: time, .suspended, moving: isMoving) }
    guard time > 0 else { return }
    let coarse = coarseFixesFrom.map { max(0, min(time, now - $0)) } ?? 0
    if coarse > 0, !hadCoarseFixes { counts.switches.add(1, moving: isMoving) }
    hadCoarseFixes = coarse > 0
    counts.add(milliseconds: coarse, .coarse, moving: isMoving)
    counts.add(milliseconds: time - coarse, .idle, moving: isMoving)
  }
}
