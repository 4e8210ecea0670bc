#if canImport(Observation)
  import LocoKitSimulation
  import LocoKitTrips
  import Observation
  import Testing

  @testable import LocoKit
  @testable import TestSupport

  /// A manager, a recorder and a controller announce each change of a property that a SwiftUI view reads.
  @Suite("Observation")
  struct ObservableTests {
    /// Drives for 40 minutes, with pauses and a withdrawn permission, and reads one property as a view does.
    @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
    private func watch<Value: Equatable & SendableMetatype>(
      _ name: String, atLeast changes: Int, sourceLocation: SourceLocation = #_sourceLocation,
      _ read: @escaping (LocationManager, TripRecorder, PowerController) -> Value
    ) {
      let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: .phoneInBackground)
      let manager = LocationManager(provider: device)
      let recorder = TripRecorder(manager)
      let controller = PowerController(manager, rules: [.init(.bound(500), when: [.vehicle])])
      let observed = ObservedValue(name) { read(manager, recorder, controller) }
      func step(_ name: String, _ body: () -> Void) {
        body()
        observed.update(name, sourceLocation: sourceLocation)
      }
      step("errorBound") { manager.errorBound = 500 }
      step("tryPromptAuthorization") { manager.tryPromptAuthorization() }
      for second in 0..<2_400 {
        step("second \(second)") { device.advance(by: .seconds(1)) }
        switch second {
        case 300: step("start") { recorder.start() }
        case 900: step("pause") { manager.pause() }
        case 960: step("resume") { manager.resume() }
        case 1_500: step("stop") { recorder.stop() }
        case 1_600: step("battery") { device.battery = .init(level: 0.1, state: .unplugged) }
        case 1_700: step("app") { device.setApp(isInForeground: true, isLowPowerMode: true, mayRefresh: false) }
        case 1_800: step("denied") { device.authorization = .denied }
        case 1_900: step("always") { device.authorization = .always }
        default: break
        }
      }
      #expect(
        observed.changes >= changes, "\(name) changed only \(observed.changes) times", sourceLocation: sourceLocation)
    }

    @Test("A manager announces each change of its properties")
    @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
    func manager() {
      watch("state", atLeast: 10) { manager, _, _ in manager.state }
      watch("authorization", atLeast: 3) { manager, _, _ in manager.authorization }
      watch("location", atLeast: 100) { manager, _, _ in manager.location }
      // Time alone changes an estimate's place and age, but only an event changes whether there is one.
      watch("estimate", atLeast: 3) { manager, _, _ in manager.estimate == nil }
      watch("presence", atLeast: 2) { manager, _, _ in manager.presence?.place }
      watch("health", atLeast: 2) { manager, _, _ in manager.health }
      watch("circumstances", atLeast: 10) { manager, _, _ in manager.circumstances }
      watch("recentTransitions", atLeast: 10) { manager, _, _ in manager.recentTransitions }
    }

    @Test("A trip recorder announces each change of its properties")
    @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
    func recorder() {
      watch("state", atLeast: 2) { _, recorder, _ in recorder.state }
      watch("signalStrength", atLeast: 2) { _, recorder, _ in recorder.signalStrength }
      watch("distance", atLeast: 100) { _, recorder, _ in recorder.distance }
      watch("trip", atLeast: 100) { _, recorder, _ in recorder.trip?.fixes.count }
    }

    @Test("A power controller announces each change of its rule")
    @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
    func controller() {
      watch("rule", atLeast: 2) { _, _, controller in controller.rule }
    }

    @Test("The beginning of a trip alone is announced")
    @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
    func trip() {
      let manager = Fixture(in: .waitingSignificantChange).manager
      let observed = ObservedValue("circumstances") { manager.circumstances.trip }
      manager.trip = manager.date
      observed.update("the trip")
      #expect(observed.changes == 1)
    }

    @Test("An observer may send a command, which is carried out before the next one")
    @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
    func command() {
      let fixture = Fixture(in: .waitingSignificantChange)
      nonisolated(unsafe) let manager = fixture.manager
      withObservationTracking({ _ = manager.state }, onChange: { manager.pause() })
      manager.forceAcquireLocation()
      #expect(manager.state == .paused)
    }
  }
#endif
