#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// What happened on a drive or in a journal, as a report's page reads it: columns of whole numbers, each but the first of a column of
  /// times or degrees as the difference from the one before.
  struct Recording: Encodable {
    /// A column of times in tenths of a second, and of numbers: of names, or of anything else.
    struct Events: Encodable {
      var t: [Int] = []
      var v: [Int] = []
    }

    /// Times in tenths of a second, millionths of degrees, and accuracies in tenths of metres.
    struct Path: Encodable {
      var t: [Int] = []
      var lat: [Int] = []
      var lon: [Int] = []
      var acc: [Int]?
    }

    /// What the numbers of events mean.
    struct Names: Encodable {
      var states = LocationState.allCases.map(\.rawValue)
      var gpsStates = LocationState.allCases.filter { $0.mode == .gps }.map(\.rawValue)
      var causes = ReportRecorder.causes
      var sources = ReportRecorder.Source.allCases.map(\.rawValue)
      var reasons = RejectionReason.allCases.map(\.rawValue)
    }

    var names = Names()
    var seconds = 0.0
    /// Seconds since 1970 at the beginning.
    var startedAt = 0.0
    var boundMeters: Double?
    /// Where the device was; `nil` where nobody knows.
    var truth: Path?
    /// From and to, in seconds, again and again: where a recorded track has a gap.
    var unknown: [Int] = []
    /// From and to, in seconds, again and again: when the device dwelled.
    var dwelling: [Int] = []
    /// What the receiver said, where nobody knows the truth.
    var fixes: Path?
    var locations = Path()
    /// Each part goes on without a jump.
    var estimates: [Path] = []
    var states = Events()
    var looks = Events()
    /// What woke the app; its looks have the same time.
    var wakes = Events()
    var rejections = Events()
    /// When an acquisition ended without a location.
    var failures: [Int] = []
  }

  extension Recording.Path {
    init(_ path: ThinnedPath, hasAccuracy: Bool) {
      let points = path.thinned
      self.init(
        t: Self.differences(points.map { ($0.time * 10).rounded() }),
        lat: Self.differences(points.map { ($0.value.x * 1e6).rounded() }),
        lon: Self.differences(points.map { ($0.value.y * 1e6).rounded() }),
        acc: hasAccuracy ? points.map { Int(($0.value.z * 10).rounded()) } : nil)
    }

    init(_ points: [(time: Double, location: Location)]) {
      self.init(
        t: Self.differences(points.map { ($0.time * 10).rounded() }),
        lat: Self.differences(points.map { ($0.location.latitude * 1e6).rounded() }),
        lon: Self.differences(points.map { ($0.location.longitude * 1e6).rounded() }),
        acc: points.map { Int(($0.location.accuracyInReport * 10).rounded()) })
    }

    fileprivate static func differences(_ values: [Double]) -> [Int] {
      zip(values, [0] + values).map { Int($0 - $1) }
    }
  }

  extension Recording.Events {
    init(_ events: [(time: Double, value: Int)]) {
      self.init(t: Recording.Path.differences(events.map { ($0.time * 10).rounded() }), v: events.map(\.value))
    }
  }

  extension Location {
    /// Metres, and a number in any case.
    var accuracyInReport: Double {
      horizontalAccuracy.isFinite ? min(max(0, horizontalAccuracy), 1e7) : 1e7
    }

    var valueInReport: ThinnedPath.Value { ThinnedPath.Value(latitude, longitude, accuracyInReport) }
  }

  /// Records what a manager does, for a report.
  final class ReportRecorder: LocationManagerListener {
    /// What wakes an app.
    enum Source: String, CaseIterable {
      case significantChange
      case regionExit
      case arrival
      case departure
      case cell
      case motion
      case timer
    }

    static let causes =
      LocationManager.LookCause.allCases.map(\.rawValue) + [
        "significantChange", "forced", "resumed", "first", "tracking",
      ]

    private let now: () -> Double
    private let startedAt: Date
    private let boundMeters: Double?
    private var states: [(time: Double, value: Int)] = []
    private var looks: [(time: Double, value: Int)] = []
    private var wakes: [(time: Double, value: Int)] = []
    private var rejections: [(time: Double, value: Int)] = []
    private var failures: [(time: Double, value: Int)] = []
    private var locations: [(time: Double, location: Location)] = []
    private var estimates: [ThinnedPath] = []
    private var fixes = ThinnedPath()
    /// Whether the last sample had an estimate.
    private var hasEstimate = false
    /// The time in seconds at which the page was full; `nil` if the page contains everything.
    private(set) var fullAt: Double?

    /// The maximum number of states of a page: a week with a look each minute. The number is unbounded if an alternative is played on a
    /// short journal of a long time.
    private static let mostStates = 20_000

    /// - Parameters:
    ///   - startedAt: The date at the beginning.
    ///   - now: The time since then, seconds; it never goes back.
    init(startedAt: Date, boundMeters: Double?, now: @escaping () -> Double) {
      (self.startedAt, self.boundMeters, self.now) = (startedAt, boundMeters, now)
    }

    /// Listens to a manager that has just been made.
    func begin(_ manager: LocationManager) {
      manager.listeners.add(self)
      enter(manager.state)
      if locations.isEmpty, let location = manager.location { locations.append((now(), location)) }
      hasEstimate = false
      sample(manager)
    }

    /// Looks at the estimate: at least once a second, or whenever something happens.
    func sample(_ manager: LocationManager) {
      guard fullAt == nil else { return }
      guard let estimate = manager.estimate else {
        hasEstimate = false
        return
      }
      if !hasEstimate { estimates.append(ThinnedPath()) }
      hasEstimate = true
      let accuracy = estimate.accuracy.isFinite ? min(max(0, estimate.accuracy), 1e7) : 1e7
      estimates[estimates.count - 1].add(
        now(), ThinnedPath.Value(estimate.latitude, estimate.longitude, accuracy))
    }

    /// Records what wakes the app, before its manager hears of it.
    func wake(_ report: ProviderReport) {
      guard fullAt == nil else { return }
      let source: Source? =
        switch report {
        case .significantChange: .significantChange
        case .regionExited: .regionExit
        case .arrival: .arrival
        case .departure: .departure
        case .cell: .cell
        case .motion: .motion
        case .timer: .timer
        case .promptShown, .authorization, .pastMotion, .fixes, .wakeSources, .battery, .failure, .replaced: nil
        }
      if let index = source.flatMap(Source.allCases.firstIndex(of:)) { wakes.append((now(), index)) }
    }

    /// Records what a receiver said, where nobody knows where the device was.
    func receive(_ fixes: [Location]) {
      guard fullAt == nil else { return }
      for fix in fixes where fix.hasValidCoordinate && (0...100).contains(fix.horizontalAccuracy) {
        self.fixes.add(now(), fix.valueInReport)
      }
    }

    /// Records the end of a launch: everything is off until the next manager begins.
    private func end(at time: Double) {
      enter(.initial, at: time)
      hasEstimate = false
    }

    private func enter(_ state: LocationState, at time: Double? = nil) {
      guard fullAt == nil, let index = LocationState.allCases.firstIndex(of: state) else { return }
      states.append((time ?? now(), index))
      if states.count == Self.mostStates { fullAt = now() }
    }

    private func look(_ cause: String) {
      if fullAt == nil, let index = Self.causes.firstIndex(of: cause) { looks.append((now(), index)) }
    }

    func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
      enter(transition.to)
      guard transition.to == .acquiring else { return }
      switch transition.event {
      case .significantChange: look("significantChange")
      case .forceAcquire: look("forced")
      case .resume: look("resumed")
      case .authorized: look("first")
      case .trackingRequested: look("tracking")
      default: break  // told with its cause
      }
    }

    func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.LookCause) {
      look(cause.rawValue)
    }

    func locationManager(_ manager: LocationManager, didUpdate location: Location) {
      guard fullAt == nil else { return }
      locations.append((now(), location))
      hasEstimate = false
      sample(manager)
    }

    func locationManager(_ manager: LocationManager, didReject location: Location, because reason: RejectionReason) {
      if fullAt == nil, let index = RejectionReason.allCases.firstIndex(of: reason) {
        rejections.append((now(), index))
      }
    }

    func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
      if fullAt == nil { failures.append((now(), 0)) }
    }

    /// What was recorded, where nobody knows where the device was.
    var recording: Recording {
      var recording = Recording()
      recording.seconds = ((fullAt ?? now()) * 10).rounded() / 10
      recording.startedAt = startedAt.timeIntervalSince1970.rounded()
      recording.boundMeters = boundMeters
      recording.locations = Recording.Path(locations)
      recording.estimates = estimates.map { Recording.Path($0, hasAccuracy: true) }
      recording.states = Recording.Events(states)
      recording.looks = Recording.Events(looks)
      recording.wakes = Recording.Events(wakes)
      recording.rejections = Recording.Events(rejections)
      recording.failures = Recording.Events(failures).t
      recording.fixes = Recording.Path(fixes, hasAccuracy: false)
      return recording
    }

    /// What was recorded along a route.
    func recording(along route: SimulatedProvider.Route, truth: GroundTruth) -> Recording {
      var recording = recording
      recording.fixes = nil
      var path = ThinnedPath()
      for second in 0...truth.places.count {
        let place = route.position(at: Double(second))
        path.add(Double(second), ThinnedPath.Value(place.latitude, place.longitude, 0))
      }
      recording.truth = Recording.Path(path, hasAccuracy: false)
      recording.unknown = Self.ranges(truth.isKnown.map { !$0 })
      recording.dwelling = Self.ranges(truth.isUnderWay.map { !$0 })
      return recording
    }

    /// From and to, where it is so. The first value is for the end of the first second.
    private static func ranges(_ values: [Bool]) -> [Int] {
      var ranges: [Int] = []
      for (second, value) in values.enumerated() where value != (ranges.count % 2 == 1) { ranges.append(second) }
      return ranges.count % 2 == 1 ? ranges + [values.count] : ranges
    }
  }

  extension ReportRecorder {
    /// A recorder of what a journal plays, which hears it before whoever heard it so far.
    ///
    /// Call ``begin(_:)`` with the manager, and with each one made at a relaunch.
    convenience init(_ journal: JournalProvider, boundMeters: Double?, manager: @escaping () -> LocationManager?) {
      var last = 0.0
      self.init(startedAt: journal.date, boundMeters: boundMeters) { [unowned journal] in journal.elapsed.seconds }
      let onPlay = journal.onPlay
      journal.onPlay = { [weak self, unowned journal] played in
        if case .launch = played {
          // The previous launch ended with its last line.
          self?.end(at: last)
        } else if let self, let manager = manager() {
          sample(manager)
          if case .report(let report) = played {
            if manager.state == .waitingSignificantChange { wake(report) }
            if case .fixes(let fixes) = report { receive(fixes) }
          }
        }
        last = journal.elapsed.seconds
        onPlay?(played)
      }
    }
  }
#endif
