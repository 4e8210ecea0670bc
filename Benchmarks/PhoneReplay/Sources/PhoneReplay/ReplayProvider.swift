public import Foundation
public import LocoKit

/// A phone that is carried along a recorded outing, on virtual time.
///
/// What an app in 100 m mode is given, the motion sensor, the exits of regions and the departures are what a real phone
/// recorded; the fixes of the GPS are as well where the outing has them, and else drawn as they were measured. The same
/// outing, options and seed give the same reports to the same commands.
public final class ReplayProvider: LocationProvider {
  /// What keeps the app running.
  public enum Keeper: Sendable {
    /// The manager's command, ``ReplayProvider/setKeptRunning(_:)``.
    case whileMoving
    /// The system, from the first mode that is not off.
    case always
    /// Nothing but the GPS: else the app is suspended.
    case never
  }

  /// What the phone is like.
  public struct Options: Sendable {
    /// What keeps the app running.
    public var keeper: Keeper
    /// Whether the fixes that come because the app is kept running are reported.
    public var reportsCoarse: Bool
    /// Whether an activity without a flag is reported as walking: what LocoKit once did.
    public var takesNoFlagForWalking: Bool

    /// A phone like that.
    public init(keeper: Keeper = .whileMoving, reportsCoarse: Bool = true, takesNoFlagForWalking: Bool = false) {
      self.keeper = keeper
      self.reportsCoarse = reportsCoarse
      self.takesNoFlagForWalking = takesNoFlagForWalking
    }
  }

  /// What the phone did: seconds in each state of power, and events.
  public struct Counts: Hashable, Sendable {
    /// A state of power.
    public enum Power: Int, CaseIterable, Sendable {
      /// The GPS is on, or has been until 5 s ago.
      case gps
      /// The app is kept running in 100 m mode.
      case coarse
      /// The app is suspended.
      case suspended
    }

    /// Milliseconds at rest in each state.
    private var rest: [Int64] = [0, 0, 0]
    /// Milliseconds under way in each state.
    private var moving: [Int64] = [0, 0, 0]
    /// How often a region, a visit or a significant change woke the suspended app, at rest and moving.
    public var wakes = (rest: 0, moving: 0)
    /// How often the GPS was turned on, at rest and moving.
    public var looks = (rest: 0, moving: 0)

    /// Nothing yet.
    public init() {}

    /// The seconds in a state.
    public func seconds(_ power: Power, moving isMoving: Bool) -> Double {
      Double((isMoving ? moving : rest)[power.rawValue]) / 1_000
    }

    /// All seconds.
    public func seconds(moving isMoving: Bool) -> Double { Double((isMoving ? moving : rest).reduce(0, +)) / 1_000 }

    mutating func add(_ milliseconds: Int64, _ power: Power, moving isMoving: Bool) {
      if isMoving { moving[power.rawValue] += milliseconds } else { rest[power.rawValue] += milliseconds }
    }

    /// Adds those of another run.
    public static func += (sum: inout Counts, other: Counts) {
      for power in Power.allCases {
        sum.rest[power.rawValue] += other.rest[power.rawValue]
        sum.moving[power.rawValue] += other.moving[power.rawValue]
      }
      sum.wakes = (sum.wakes.rest + other.wakes.rest, sum.wakes.moving + other.wakes.moving)
      sum.looks = (sum.looks.rest + other.looks.rest, sum.looks.moving + other.looks.moving)
    }

    public static func == (first: Counts, second: Counts) -> Bool {
      first.rest == second.rest && first.moving == second.moving && first.wakes == second.wakes
        && first.looks == second.looks
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(rest)
      hasher.combine(moving)
    }
  }

  /// How long the receiver draws power after it was turned off, in milliseconds: assumed.
  static let tail: Int64 = 5_000
  /// More reports than that at one time are a manager that sets timers without end.
  private static let maximumReportsAtOnce = 10_000

  public let authorization = Authorization.always
  public let recommendedPolicy = AcquisitionPolicy.loco
  public var onReport: ((ProviderReport) -> Void)?
  public var uptime: Duration { .milliseconds(now) }
  public var date: Date { Date(timeIntervalSince1970: recording.outing.start + Double(now) / 1_000) }
  public private(set) var wakeSources: WakeSources
  /// What the phone did so far.
  public private(set) var counts = Counts()

  private let recording: Recording
  private let options: Options
  private let seed: UInt64
  private var receiver: Receiver
  /// Milliseconds from the outing's start, as all times here.
  private var now: Int64 = 0
  private var countedTo: Int64 = 0
  private var mode = ReceiverMode.off
  /// When the receiver draws no power any more.
  private var tailEnd: Int64 = 0
  private var timer: Int64?
  private var isCommandedToKeep = false
  private var isKept = false
  /// The next of each kind.
  private var nextCoarse = 0
  private var nextMotion = 0
  private var nextDeparture = 0
  private var nextChange = 0
  private var watch: RegionWatch?
  private var random: SeededGenerator

  /// A phone on an outing.
  ///
  /// - Parameters:
  ///   - recording: The outing.
  ///   - options: What the phone is like.
  ///   - seed: Decides what is drawn.
  public init(_ recording: Recording, options: Options, seed: UInt64) {
    self.recording = recording
    self.options = options
    self.seed = seed
    receiver = Receiver(recording, seed: seed)
    random = SeededGenerator(recording.hash, seed, 0x6368_616E_6765)
    wakeSources = Self.sources(options.keeper)
    // What was before the beginning is not delivered.
    nextCoarse = Recording.index(after: -1, in: recording.coarse)
    nextMotion = recording.motions.firstIndex { $0.time >= 0 } ?? recording.motions.count
    nextDeparture = recording.departures.firstIndex { $0 >= 0 } ?? recording.departures.count
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
  public func requestAuthorization() { onReport?(.authorization(.always)) }

  public func setMode(_ mode: ReceiverMode) {
    guard mode != self.mode else { return }
    count()
    if mode == .gps {
      if isMoving { counts.looks.moving += 1 } else { counts.looks.rest += 1 }
      receiver.start(at: now)
    } else if self.mode == .gps {
      receiver.stop()
      tailEnd = now + Self.tail
    }
    self.mode = mode
    updateKept()
  }

  /// Nothing: the receiver goes on by itself.
  public func restartReceiver() {}

  public func setRegion(_ region: CircularRegion?) {
    watch = region.map { RegionWatch($0, armedAt: now) }
  }

  public func setTimer(_ deadline: Duration?) {
    timer = deadline.map { deadline in
      let parts = deadline.components
      // Rounded up: a timer is never early.
      return parts.seconds * 1_000 + (parts.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
  }

  public func setKeptRunning(_ isKept: Bool) {
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
    var sources = Self.sources(options.keeper)
    if isKept { sources.insert(.timersWhileAsleep) }
    report(sources)
    // The sensor says at once what the device does.
    if isKept, nextMotion > 0 { reportMotion(recording.motions[nextMotion - 1].motion) }
  }

  private func report(_ sources: WakeSources) {
    guard sources != wakeSources else { return }
    wakeSources = sources
    onReport?(.wakeSources(sources))
  }

  private func reportMotion(_ motion: Motion?) {
    guard isKept, let motion = motion ?? (options.takesNoFlagForWalking ? .walking : nil) else { return }
    onReport?(.motion(motion))
    report(wakeSources.union(.motion))
  }
}

// MARK: - Time

extension ReplayProvider {
  /// What is due next.
  private enum Event {
    case coarse, motion, departure, change, exit, network, satellite, timer
  }

  /// Whether the app runs.
  private var runs: Bool { isKept || mode == .gps }
  private var isMoving: Bool { classOfNow.contains(.moving) }
  private var classOfNow: SecondClass {
    let second = Int(countedTo / 1_000)
    return recording.classes.indices.contains(second) ? recording.classes[second] : []
  }

  /// Goes on to a whole second from the outing's start.
  ///
  /// - Throws: Where the manager sets timers without end.
  public func advance(toSecond second: Int) throws {
    let end = Int64(second) * 1_000
    var reports = 0
    var last = now
    while let (time, event) = next(until: end) {
      now = max(now, time)
      count()
      reports = now == last ? reports + 1 : 0
      last = now
      guard reports < Self.maximumReportsAtOnce else {
        throw ReplayFailure(
          problem: "\(recording.outing.name): \(reports) reports at \(Double(now) / 1_000) s alone, the last one "
            + "\(event): the manager sets timers without end; look for the mistake in LookPlanner.nextDue.")
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
    if nextDeparture < recording.departures.count { offer(recording.departures[nextDeparture], .departure) }
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
      if isKept, options.reportsCoarse { onReport?(.fixes([coarseLocation(fix)])) }
    case .motion:
      nextMotion += 1
      reportMotion(recording.motions[nextMotion - 1].motion)
    case .departure:
      nextDeparture += 1
      if mode != .off, let report = Contract.departure { wake(report) }
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
      if let fix = receiver.networkFix(at: now) { onReport?(.fixes([fix])) }
    case .satellite:
      if let fix = receiver.satelliteFix(at: now) { onReport?(.fixes([fix])) }
    case .timer:
      timer = nil
      onReport?(.timer)
    }
  }

  /// Reports what wakes the app if it is suspended. A timer that has come due meanwhile fires then.
  private func wake(_ report: ProviderReport) {
    let wasSuspended = !runs
    if wasSuspended {
      if isMoving { counts.wakes.moving += 1 } else { counts.wakes.rest += 1 }
    }
    onReport?(report)
    if wasSuspended, let due = timer, due <= now {
      timer = nil
      onReport?(.timer)
    }
  }

  private func checkRegion(_ second: Int) {
    guard watch != nil, let place = recording.outing.truth[second] else { return }
    watch?.pass(place, at: now, exits: recording.exits) { [recording, seed] in
      // The same crossing is found equally late by each policy.
      SeededGenerator(recording.hash, seed, UInt64(second), 0x6578_6974)
    }
  }

  private func coarseLocation(_ fix: Phone.Fix) -> Location {
    Contract.markCoarse(
      Location(
        latitude: fix.place.latitude, longitude: fix.place.longitude, horizontalAccuracy: fix.claim, speed: fix.speed,
        course: fix.course, timestamp: Date(timeIntervalSince1970: recording.outing.start + fix.measured)))
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
      counts.add(now - countedTo, .gps, moving: isMoving)
    } else {
      let tailTime = max(0, min(now, tailEnd) - countedTo)
      counts.add(tailTime, .gps, moving: isMoving)
      counts.add(now - countedTo - tailTime, isKept ? .coarse : .suspended, moving: isMoving)
    }
    countedTo = now
  }
}

/// A replay that cannot go on.
public struct ReplayFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What happened, and what to do.
  public var problem: String

  public var description: String { problem }
}

/// Watches over one region, second by second.
struct RegionWatch {
  let region: CircularRegion
  /// When the exit is reported, in milliseconds; `nil` while no crossing is known.
  private(set) var exitAt: Int64?

  private let centre: Place
  private let armedAt: Int64
  /// Whether the device is outside, and the system never finds out.
  private var isLost = false

  init(_ region: CircularRegion, armedAt: Int64) {
    self.region = region
    self.armedAt = armedAt
    centre = Place(latitude: region.latitude, longitude: region.longitude)
  }

  func contains(_ place: Place) -> Bool { centre.distance(to: place) <= region.radius }

  /// The device is back inside when the exit is due: it is not reported.
  mutating func goOn() { exitAt = nil }

  /// The device is somewhere in a whole second.
  ///
  /// - Parameters:
  ///   - place: Where it truly is.
  ///   - now: Milliseconds.
  ///   - exits: When exits were reported to the phone that recorded.
  ///   - draw: Makes the generator for this crossing.
  mutating func pass(_ place: Place, at now: Int64, exits: [Int64], draw: () -> SeededGenerator) {
    guard exitAt == nil else { return }
    guard !contains(place) else {
      isLost = false
      return
    }
    guard !isLost else { return }
    let window = Measured.exitWindow
    let first = max(armedAt, now - Recording.milliseconds(window.before))
    let last = now + Recording.milliseconds(window.after)
    if region.radius <= Measured.exitRadius, let exit = exits.first(where: { first <= $0 && $0 <= last }) {
      exitAt = max(now, exit)
      return
    }
    var random = draw()
    isLost = random.share() < Measured.exitLost
    if !isLost { exitAt = now + Recording.milliseconds(Measured.exitLateness.value(at: random.share()) ?? 0) }
  }
}
