import LocoKit
import LocoKitSimulation
import Testing

@testable import TestSupport

@MainActor
@Suite("Examples of saving power")
final class PowerExamples {
  private let device = SimulatedProvider(route: .losAngeles, seed: 1)
  private let manager: LocationManager
  private var controller: PowerController?

  init() {
    manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
  }

  private func control(_ source: PowerController.Source) -> PowerController {
    let controller = PowerController(manager, source: source)
    controller.policy.isContinuousOnBattery = true
    controller.isWalking = true  // the user has begun a walk
    return controller
  }

  private func sleepAtRest(_ controller: PowerController) {
    controller.policy.sleepsAtRest = .seconds(300)
    manager.errorBound = 500  // a region, visits and the motion sensor end the rest
  }

  @Test("a controller sleeps at rest, where its policy says so")
  func rests() {
    let controller = PowerController(
      manager, source: PowerController.Source(.init(isInForeground: false, power: .external)))
    sleepAtRest(controller)
    #expect(controller.decision != .significantChanges && !controller.isAtRest)
    device.loseSky(for: .seconds(400))
    device.advance(by: .seconds(301))
    #expect(controller.isAtRest)
  }

  @Test("a controller does what its policy says")
  func controls() {
    let source = PowerController.Source(.init(isInForeground: false, power: .battery(level: 0.8)))
    let controller = control(source)
    #expect(controller.decision == .continuous(distanceFilter: 10))
    #expect(manager.state == .acquiring)
  }

  @Results
  private func decide() -> [String] {
    var policy = PowerController.Policy()
    policy.isContinuousOnBattery = true
    let half = PowerController.Policy.Conditions(isInForeground: false, power: .battery(level: 0.5))
    let low = PowerController.Policy.Conditions(isInForeground: false, power: .battery(level: 0.1))
    policy.decision(in: half, pace: .ordinary)  // .continuous(distanceFilter: 50)
    policy.decision(in: low, pace: .ordinary)  // .significantChanges
  }

  @Test("a policy decides as its comments say")
  func policy() throws {
    #expect(decide() == (try ExamplesTests.stated(by: "PowerController/Policy")))
  }

  struct Map {
    let controller: PowerController

    var zoom: Int {
      switch controller.pace {
      case .walking: 17
      case .ordinary: 15
      case .highway: 12
      }
    }
  }

  @Test("a pace has a zoom")
  func pace() {
    let controller = PowerController(
      manager, source: PowerController.Source(.init(isInForeground: true, power: .external)))
    let map = Map(controller: controller)
    #expect(map.zoom == 15)
    device.advance(by: .seconds(120))
    #expect(map.zoom == 12)
    controller.isWalking = true
    #expect(map.zoom == 17)
  }

  private func background() -> PowerController {
    let source = PowerController.Source(.init(isInForeground: true, power: .battery(level: 0.8)))
    let controller = PowerController(manager, source: source)
    source.conditions.isInForeground = false  // the manager may sleep
    return controller
  }

  @Test("a source that is set has the manager sleep")
  func sets() {
    #expect(background().decision == .significantChanges)
    device.advance(by: .seconds(30))
    #expect(manager.state == .waitingSignificantChange)
  }

  #if os(iOS) || os(macOS) || os(visionOS) || os(watchOS) || LOCOKIT_STAND_INS
    private func launch(inBackground isLaunchedInBackground: Bool) {
      let source = PowerController.Source.app(isInForeground: !isLaunchedInBackground)
      controller = PowerController(manager, source: source)
    }
  #endif

  @MainActor
  final class Sender: @MainActor LocationManagerListener {
    private(set) var sent: [Location] = []
    private func send(_ location: Location) async { sent.append(location) }

    func locationManager(_ manager: LocationManager, didUpdate location: Location) {
      Task {
        await performInBackground("Sending the location") { await send(location) }
      }
    }
  }

  @Test("what is done in the background is done")
  func sends() async throws {
    let sender = Sender()
    manager.listeners.add(sender)
    manager.forceAcquireLocation()
    try await device.advance(atMost: .seconds(60)) {
      while sender.sent.isEmpty {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
    #expect(sender.sent == [manager.location])
  }
}
