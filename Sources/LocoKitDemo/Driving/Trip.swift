import LocoKit
import LocoKitSimulation

/// A drive of a simulated device with its manager, measured every second.
///
/// The device's closures hold unretained references to the trip. The trip owns and advances the device, so the trip exists whenever a
/// closure is called. The references aren't checked, because Embedded Swift has no checked references that don't retain.
final class Trip {
  let provider: SimulatedProvider
  let counts: EventCounts
  private(set) var manager: LocationManager
  private(set) var samples = Samples()
  let wakes = WakeMonitor()

  let setup: Setup
  /// The time with the GPS on at the last sample.
  private var gpsOn = Duration.zero
  private var (location, estimate) = (MeasuredPlace(), MeasuredPlace())
  private let truth: GroundTruth
  private let store = MemoryStore()
  private let recorder: ReportRecorder?
  private let listener: (any LocationManagerListener)?
  /// The provider of the managers: the device, or a provider that records it.
  private let source: any LocationProvider
  /// Called when the app is relaunched, before the new manager asks for the permission.
  var onRelaunch: (() -> Void)?

  /// - Parameters:
  ///   - source: Returns the provider of the managers, by default the device.
  ///   - listener: Returns a listener of all launches. The trip keeps it alive.
  init(
    _ setup: Setup, route: SimulatedProvider.Route, truth: GroundTruth, isRecorded: Bool = false,
    source: (SimulatedProvider) -> any LocationProvider = { $0 },
    listener: (SimulatedProvider) -> (any LocationManagerListener)? = { _ in nil }
  ) {
    self.setup = setup
    self.truth = truth
    let device = SimulatedProvider(route: route, seed: setup.seed, configuration: setup.configuration)
    provider = device
    self.source = source(device)
    counts = EventCounts()
    self.listener = listener(device)
    manager = LocationManager(provider: self.source, store: store)
    recorder =
      isRecorded
      ? ReportRecorder(startedAt: device.date, boundMeters: setup.bound) { [unowned(unsafe) device] in
        device.uptime.seconds
      } : nil
    if let recorder { wakes.onWake = { [unowned(unsafe) recorder] in recorder.wake($0) } }
    begin()
    provider.onRelaunch = { [unowned(unsafe) self] in relaunch() }
  }

  /// Advances the device, usually by a second, and measures the errors.
  func advance(by step: Duration = .seconds(1)) {
    provider.advance(by: step)
    if let period = setup.period, provider.uptime.components.seconds % period.components.seconds == 0 {
      manager.forceAcquireLocation()
    }
    let here = truth.places[samples.count]
    recorder?.sample(manager)
    let on = provider.energy.gpsOn
    samples.gpsOn.append(on == gpsOn ? 0 : Float((on - gpsOn).seconds))
    gpsOn = on
    samples.errors.append(
      manager.location.map { location.distance(latitude: $0.latitude, longitude: $0.longitude, to: here) } ?? .nan)
    samples.estimateErrors.append(
      manager.estimate.map { estimate.distance(latitude: $0.latitude, longitude: $0.longitude, to: here) } ?? .nan)
  }

  var summary: Summary { Summary(self, along: truth.prefix(samples.count)) }

  /// The recording for a report, if there is one.
  var recording: Recording? {
    recorder?.recording(along: provider.route, truth: truth.prefix(samples.count))
  }

  /// Simulates another launch of the app.
  private func relaunch() {
    manager = LocationManager(provider: source, store: store)
    begin()
    onRelaunch?()
    manager.tryPromptAuthorization()
  }

  private func begin() {
    manager.listeners.add(counts)
    if let listener { manager.listeners.add(listener) }
    manager.boundTarget = setup.target
    manager.errorBound = setup.bound
    recorder?.begin(manager)
    guard let receive = provider.onReport else { return }
    provider.onReport = ProviderReport.Handler(before: receive) { [unowned(unsafe) self] report in
      wakes.notify(report, to: manager, at: provider.uptime, wakes: provider.energy.wakes, by: receive)
    }
  }
}

/// A place whose distance is measured every second. Its conversion is cached, because a last location rarely changes.
private struct MeasuredPlace {
  private var (latitude, longitude) = (Double.nan, Double.nan)
  private var place = SIMD3<Double>.zero

  /// Returns the distance in metres.
  mutating func distance(latitude: Double, longitude: Double, to other: SIMD3<Double>) -> Float {
    if latitude != self.latitude || longitude != self.longitude {
      (self.latitude, self.longitude) = (latitude, longitude)
      place = GroundTruth.place(latitude: latitude, longitude: longitude)
    }
    return Float(GroundTruth.distance(place, other))
  }
}

/// A store that outlives the launches of the simulated app.
private final class MemoryStore: LocationStore {
  var location: Location?
  var isPaused = false
}
