import Foundation
import LocoKit
import LocoKitSimulation

/// Records what a manager does, for a report.
final class ReportRecorder: LocationManagerListener {
  private let now: () -> Double
  private let startedAt: Date
  /// The last bound. A journal sets it after the recording has begun.
  var boundMeters: Double?
  private var states: [(time: Double, value: Int)] = []
  private var looks: [(time: Double, value: Int)] = []
  private var wakes: [(time: Double, value: Int)] = []
  private var rejections: [(time: Double, value: Int)] = []
  private var failures: [(time: Double, value: Int)] = []
  private var locations: [(time: Double, value: ThinnedPath.Value)] = []
  private var estimates: [ThinnedPath] = []
  private var fixes = ThinnedPath()
  /// Whether the next estimate continues the last path.
  private var hasEstimate = false
  /// The time in seconds when the recording became full; `nil` if it contains everything.
  private(set) var fullAt: Double?

  /// The maximum number of states: about a week with a look each minute. Without a limit, the replay of a short journal with a long
  /// duration could have any number of states.
  private static let maximumStates = 20_000

  /// - Parameters:
  ///   - startedAt: The date of the start.
  ///   - now: Returns the time since the start in seconds, which never decreases.
  init(startedAt: Date, boundMeters: Double?, now: @escaping () -> Double) {
    (self.startedAt, self.boundMeters, self.now) = (startedAt, boundMeters, now)
  }

  /// Listens to a new manager.
  func begin(_ manager: LocationManager) {
    manager.listeners.add(self)
    enter(manager.state)
    if locations.isEmpty, let location = manager.location, location.hasValidCoordinate {
      locations.append((now(), location.valueInReport))
    }
    hasEstimate = false
    sample(manager)
  }

  /// Records the estimate. Call it at least once a second, or at each event.
  func sample(_ manager: LocationManager) {
    guard fullAt == nil else { return }
    guard let estimate = manager.estimate else {
      hasEstimate = false
      return
    }
    if !hasEstimate { estimates.append(ThinnedPath()) }
    hasEstimate = true
    estimates[estimates.count - 1].add(
      now(), ThinnedPath.Value(estimate.latitude, estimate.longitude, Self.limited(estimate.horizontalAccuracy)))
  }

  /// Records a wake-up, before the manager receives it.
  func wake(_ report: ProviderReport) {
    guard fullAt == nil else { return }
    if let index = report.wakeKind.flatMap(WakeKind.allCases.firstIndex(of:)) { wakes.append((now(), index)) }
  }

  /// Records the fixes with an accuracy of 100 m or better, for a report without true positions.
  func receive(_ fixes: [Location]) {
    guard fullAt == nil else { return }
    for fix in fixes where fix.hasValidCoordinate && (0...100).contains(fix.horizontalAccuracy) {
      self.fixes.add(now(), fix.valueInReport)
    }
  }

  /// Records the end of a launch.
  func end(at time: Double) {
    enter(.initial, at: time)
    hasEstimate = false
  }

  private func enter(_ state: LocationMachine.State, at time: Double? = nil) {
    guard fullAt == nil, let index = LocationMachine.State.allCases.firstIndex(of: state) else { return }
    states.append((time ?? now(), index))
    if states.count == Self.maximumStates { fullAt = now() }
  }

  static func limited(_ accuracy: Double) -> Double { accuracy.isFinite ? min(max(0, accuracy), 1e7) : 1e7 }

  private func look(_ cause: LookCause) {
    if fullAt == nil, let index = LookCause.allCases.firstIndex(of: cause) { looks.append((now(), index)) }
  }

  func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
    enter(transition.to)
    if let cause = transition.cause { look(cause) }
  }

  func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.Cause) {
    if let cause = LookCause(cause) { look(cause) }
  }

  func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    guard fullAt == nil else { return }
    locations.append((now(), location.valueInReport))
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

  /// The recording, without true positions.
  var recording: Recording {
    var recording = Recording()
    recording.seconds = ((fullAt ?? now()) * 10).rounded() / 10
    recording.startedAt = startedAt.timeIntervalSince1970.rounded()
    recording.boundMeters = boundMeters
    recording.locations = Recording.Path(locations, hasAccuracy: true)
    recording.estimates = estimates.map { Recording.Path($0, hasAccuracy: true) }
    recording.states = Recording.Events(states)
    recording.looks = Recording.Events(looks)
    recording.wakes = Recording.Events(wakes)
    recording.rejections = Recording.Events(rejections)
    recording.failures = Recording.Events(failures).t
    recording.fixes = Recording.Path(fixes, hasAccuracy: false)
    return recording
  }

  /// Returns the recording of a drive along a route.
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

  /// Returns the starts and ends of the ranges of `true`, in seconds. Value n applies to the end of second n + 1.
  private static func ranges(_ values: [Bool]) -> [Int] {
    var ranges: [Int] = []
    for (second, value) in values.enumerated() where value != (ranges.count % 2 == 1) { ranges.append(second) }
    return ranges.count % 2 == 1 ? ranges + [values.count] : ranges
  }
}
