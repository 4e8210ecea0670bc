import Foundation
@_spi(Benchmarks) import LocoKit

/// A phone that is carried along a recorded outing, on virtual time.
///
/// A real phone recorded the coarse fixes, the motion, the exits from regions and the visits. It recorded the fixes of the GPS as
/// well if the outing has them; else they are drawn from measured distributions. The same outing, options and seed give the same
/// reports to the same commands.
final class ReplayProvider: LocationProvider {
  /// The mechanism that keeps the app running.
  enum Keeper: Sendable {
    /// The manager's command, ``ReplayProvider/setKeptRunning(_:)``.
    case whileMoving
    /// The system, from the first mode that is not off.
    case always
    /// The GPS alone: with the GPS off, the app is suspended.
    case never
  }

  /// The properties of the phone.
  struct Options: Sendable {
    /// The mechanism that keeps the app running.
    var keeper: Keeper
    /// Whether the fixes that come because the app is kept running are reported.
    var reportsCoarse: Bool
    /// Whether an activity without a flag is reported as walking, as LocoKit once did.
    var takesNoFlagForWalking: Bool

    /// Creates options.
    init(keeper: Keeper = .whileMoving, reportsCoarse: Bool = true, takesNoFlagForWalking: Bool = false) {
      self.keeper = keeper
      self.reportsCoarse = reportsCoarse
      self.takesNoFlagForWalking = takesNoFlagForWalking
    }
  }

  /// The time that the receiver draws power after it was turned off, in milliseconds: assumed.
  static let tail: Int64 = 5_000
  /// The least time from the setting of a timer to its firing, in milliseconds. On a phone, too, some time passes.
  private static let leastTimer: Int64 = 1
  /// The most timers in one second. A manager that exceeds it sets timers without end.
  private static let maximumTimers = 200

  let authorization = Authorization.always
  let recommendedPolicy = AcquisitionPolicy.loco
  var onReport: ((ProviderReport) -> Void)?
  var uptime: Duration { .milliseconds(now) }
  var date: Date { Date(timeIntervalSince1970: recording.outing.start + Double(now) / 1_000) }
  /// The outing's start.
  var start: Date { Date(timeIntervalSince1970: recording.outing.start) }
  private(set) var wakeSources: WakeSources
  /// Receives each command that changes something, and each report, in words.
  var onTrace: ((String) -> Void)?
  /// The activity of the phone so far.
  private(set) var counts = Counts()

  private let recording: Recording
  private let options: Options
  private let seed: UInt64
  private var receiver: Receiver
  /// Milliseconds from the outing's start, as all times here.
  private var now: Int64 = 0
  private var countedTo: Int64 = 0
  private var mode = ReceiverMode.off
  /// The end of the receiver's power draw.
  private var tailEnd: Int64 = 0
  private var timer: Int64?
  private var isCommandedToKeep = false
  private var isKept = false
  /// The next of each kind.
  private var nextCoarse = 0
  private var nextMotion = 0
  /// The first motion that the app wasn't told.
  private var nextUntold = 0
  private var nextVisit = 0
  private var nextChange = 0
  private var watch: RegionWatch?
  private var random: SeededGenerator

  /// A phone on an outing.
  ///
  /// - Parameters:
  ///   - recording: The outing.
  ///   - options: The properties of the phone.
  ///   - seed: The seed of the random draws.
  init(_ recording: Recording, options: Options, seed: UInt64) {
    self.recording = recording
    self.options = options
    self.seed = seed
    receiver = Receiver(recording, seed: seed)
    random = SeededGenerator(recording.hash, seed, 0x6368_616E_6765)
    wakeSources = Self.sources(options.keeper)
    // The replay delivers no report from before the outing's start.
    nextCoarse = Recording.index(after: -1, in: recording.coarse)
    nextMotion = recording.motions.firstIndex { $0.time >= 0 } ?? recording.motions.count
    nextUntold = nextMotion
    nextVisit = recording.visits.firstIndex { $0.time >= 0 } ?? recording.visits.count
  }

  private static func sources(_ keeper: Keeper) -> WakeSources {
    let sources: WakeSources = [.significantChanges, .regionExit, .visits]
    return switch keeper {
    case .never: sources
    case .whileMoving: sources.union(.keeper)
    case .always: sources.union([.keeper, .keeperAtRest])
    }
  }
}

// MARK: - Commands

extension ReplayProvider {
  func requestAuthorization() { onReport?(.authorization(.always)) }

  func setMode(_ mode: ReceiverMode) {
    guard mode != self.mode else { return }
    count()
    if mode == .gps {
      counts.looks.add(1, moving: isMoving)
      receiver.start(at: now)
    } else if self.mode == .gps {
      receiver.stop()
      tailEnd = now + Self.tail
    }
    self.mode = mode
    onTrace?("mode \(mode)")
    updateKept()
  }

  /// Does nothing: the receiver keeps running.
  func restartReceiver() {}

  func setRegion(_ region: Location.Region?) {
    watch = region.map { RegionWatch($0, armedAt: now) }
    onTrace?(region.map { "region of \(Int($0.radius)) m" } ?? "no region")
  }

  func setTimer(_ deadline: Duration?) {
    timer = deadline.map { deadline in
      let parts = deadline.components
      // Rounded up: a timer is never early.
      let time = parts.seconds * 1_000 + (parts.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
      return max(time, now + Self.leastTimer)
    }
  }

  func setKeptRunning(_ isKept: Bool) {
    isCommandedToKeep = isKept
    updateKept()
  }

  private func updateKept() {
    let isKept =
      switch options.keeper {
      case .never: false
      case .whileMoving: mode != .off && isCommandedToKeep
      case .always: mode != .off
      }
    guard isKept != self.isKept else { return }
    count()
    self.isKept = isKept
    onTrace?(isKept ? "kept running" : "no longer kept running")
    var sources = Self.sources(options.keeper)
    if isKept { sources.insert(.timersWhileAsleep) }
    report(sources)
    if isKept { reportPastMotion() }
    // The sensor reports the present motion immediately.
    if isKept, nextMotion > 0 { reportMotion(recording.motions[nextMotion - 1].motion) }
  }

  private func report(_ sources: WakeSources) {
    guard sources != wakeSources else { return }
    wakeSources = sources
    onReport?(.wakeSources(sources))
  }

  /// Reports what the sensor stored while the app was suspended.
  private func reportPastMotion() {
    guard nextUntold < nextMotion else { return }
    let changes = recording.motions[nextUntold..<nextMotion].map { change in
      Motion.Change(
        change.motion, at: Date(timeIntervalSince1970: recording.outing.start + Double(change.time) / 1_000))
    }
    nextUntold = nextMotion
    onReport?(.pastMotion(changes))
  }

  private func reportMotion(_ motion: Motion?) {
    guard isKept, let motion = motion ?? (options.takesNoFlagForWalking ? .walking : nil) else { return }
    onTrace?("motion: \(motion)")
    onReport?(.motion(motion))
    report(wakeSources.union(.motion))
  }
}

// MARK: - Time

extension ReplayProvider {
  /// The next event that is due.
  private enum Event {
    case coarse, motion, visit, change, exit, network, satellite, timer
  }

  /// Whether the app runs.
  private var runs: Bool { isKept || mode == .gps }
  private var isMoving: Bool { classOfNow.contains(.moving) }
  private var classOfNow: SecondClass {
    let second = Int(countedTo / 1_000)
    return recording.classes.indices.contains(second) ? recording.classes[second] : []
  }

  /// Advances to a whole second from the outing's start.
  ///
  /// - Throws: An error if the manager sets timers without end.
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
            + "without end; look for the mistake in LookPlanner.nextDue.")
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
    if nextMotion < recording.motions.count { offer(recording.motions[nextMotion].time, .motion) }
    if nextVisit < recording.visits.count { offer(recording.visits[nextVisit].time, .visit) }
    if nextChange < recording.changes.count { offer(recording.changes[nextChange].time, .change) }
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
      if isKept, options.reportsCoarse {
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
      if mode != .off { wake(hasEnded ? .departure : .arrival) }
    case .change:
      let place = recording.changes[nextChange].place
      nextChange += 1
      if mode != .off { wake(.significantChange(changeLocation(place))) }
    case .exit:
      let isInside = recording.outing.truth.place(at: Double(now) / 1_000).flatMap { watch?.contains($0) }
      if isInside == true {
        watch?.goOn()
      } else {
        watch = nil
        wake(.regionExited)
      }
    case .network:
      if let fix = receiver.networkFix(at: now) { report(fix, "network") }
    case .satellite:
      if let fix = receiver.satelliteFix(at: now) { report(fix, "satellites") }
    case .timer:
      timer = nil
      onReport?(.timer)
    }
  }

  private func report(_ fix: Location, _ origin: String) {
    onTrace?("fix of \(origin), \(Int(fix.horizontalAccuracy)) m")
    onReport?(.fixes([fix]))
  }

  /// Delivers a report that wakes a suspended app. A timer that fell due during the suspension fires then.
  private func wake(_ report: ProviderReport) {
    let wasSuspended = !runs
    onTrace?((wasSuspended ? "woken by " : "running, and ") + Self.words(report))
    if wasSuspended { counts.wakes.add(1, moving: isMoving) }
    onReport?(report)
    if wasSuspended, let due = timer, due <= now {
      timer = nil
      onReport?(.timer)
    }
  }

  private static func words(_ report: ProviderReport) -> String {
    switch report {
    case .regionExited: "a region's exit"
    case .arrival: "an arrival"
    case .departure: "a departure"
    case .significantChange: "a significant change"
    default: "another report"
    }
  }

  private func checkRegion(_ second: Int) {
    guard watch != nil, let place = recording.outing.truth[second] else { return }
    watch?.pass(place, at: now, exits: recording.exits) { [recording, seed] in
      // Each policy learns of the same crossing equally late.
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

  /// Counts the time up to now. Called each second at least.
  private func count() {
    guard now > countedTo else { return }
    let isMoving = isMoving
    if mode == .gps {
      counts.add(milliseconds: now - countedTo, .gps, moving: isMoving)
    } else {
      let tailTime = max(0, min(now, tailEnd) - countedTo)
      counts.add(milliseconds: tailTime, .gps, moving: isMoving)
      counts.add(milliseconds: now - countedTo - tailTime, isKept ? .coarse : .suspended, moving: isMoving)
    }
    countedTo = now
  }
}
