import Foundation
import LocoKit
import LocoKitSimulation
import Testing

@testable import TestSupport

@MainActor
func control(_ manager: LocationManager) -> PowerController {
  PowerController(
    manager,
    rules: [
      .init(.sleep, when: [.atRest(after: .seconds(300))]),
      .init(.track(TrackingPolicy(distanceFilter: 20)), when: [.charging, .vehicle]),
      .init(.bound(500), when: [.not(.battery(below: 0.2))]),
    ])
}

@MainActor
final class PresenceStatus: @MainActor LocationManagerListener {
  private(set) var status = "unknown"

  func locationManager(_ manager: LocationManager, didChangePresence presence: LocationManager.Presence?) {
    status = presence.map { "within \(Int($0.radius)) m until \($0.until)" } ?? "under way"
  }
}

@MainActor
@Suite("Examples of saving power")
final class PowerExamples {
  private let device = SimulatedProvider(route: .losAngeles, seed: 1)
  private let manager: LocationManager
  init() {
    manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
  }

  private func control() -> PowerController {
    let controller = PowerController(manager)
    controller.rules = [
      .init(.sleep, when: [.atRest(after: .seconds(300))]),
      .init(.track(TrackingPolicy(distanceFilter: 20)), when: [.charging, .vehicle]),
      .init(.bound(500), when: [.not(.battery(below: 0.2))]),
    ]
    return controller
  }

  @Test("the article's rules are those of its table")
  func article() throws {
    let table = PowerController.table(of: DocumentationTests.control(manager).rules)
    let file = Repository.root.appending(path: "Sources/LocoKit/LocoKit.docc/UsingAManager.md")
    #expect(try String(contentsOf: file, encoding: .utf8).contains(table))
  }

  @Test("the first rule that holds decides")
  func controls() {
    device.battery = LocationManager.BatteryStatus(level: 0.1, state: .unplugged)
    let controller = control()
    #expect(controller.rule == nil)
    device.battery = LocationManager.BatteryStatus(level: 0.5, state: .unplugged)
    #expect(controller.rule?.mode == .bound(500))
    device.battery = LocationManager.BatteryStatus(level: 0.5, state: .charging)
    manager.forceAcquireLocation()
    device.advance(by: .seconds(60))
    #expect(controller.rule?.mode == .track(TrackingPolicy(distanceFilter: 20)))
  }

  private var rules: [PowerController.Rule] {
    let rules: [PowerController.Rule] = [
      .init(.sleep, when: [.lowPowerMode]),
      .init(.track(TrackingPolicy(distanceFilter: 0)), when: [.trip, .charging]),
      .init(.bound(200), when: [.flag("guests are waiting"), .not(.battery(below: 0.2))]),
      .init(.bound(1_000)),
    ]
    return rules
  }

  @Test("a flag of the app decides, except in the low-power mode")
  func flags() {
    let controller = PowerController(manager, rules: rules)
    #expect(controller.rule?.mode == .bound(1_000))
    controller.flags = ["guests are waiting"]
    #expect(controller.rule?.mode == .bound(200))
    device.setApp(isInForeground: false, isLowPowerMode: true)
    #expect(controller.rule?.mode == .sleep)
  }

  private func status(_ controller: PowerController) -> String {
    let status: String
    switch controller.rule?.mode {
    case .track: status = "every location"
    case .bound(let metres): status = "within \(Int(metres)) m"
    case .sleep, nil: status = "asleep"
    }
    return status
  }

  private var mayTrack: Set<PowerController.Condition> {
    let mayTrack: Set<PowerController.Condition> = [.vehicle, .not(.lowPowerMode), .not(.battery(below: 0.3))]
    return mayTrack
  }

  @Test("a status says what the rule that holds does")
  func statuses() {
    let controller = PowerController(
      manager, rules: [.init(.track(TrackingPolicy()), when: mayTrack), .init(.bound(300))])
    device.battery = LocationManager.BatteryStatus(level: 0.2, state: .unplugged)
    #expect(status(controller) == "within 300 m")
    controller.rules = []
    #expect(status(controller) == "asleep")
    controller.rules = [.init(.track(TrackingPolicy()))]
    #expect(status(controller) == "every location")
  }

  private func show() {
    print(PowerController.table(of: PowerController.standardRules))
  }

  @Test("the table of the standard rules has a row for each and one for the rest")
  func table() {
    show()
    #expect(PowerController.table(of: PowerController.standardRules).split(separator: "\n").count == 7)
  }

  private func circumstances() -> (Bool, Bool) {
    let circumstances = manager.circumstances
    let isLow = circumstances.battery?.level.map { $0 < 0.2 } ?? false
    let isDriving = circumstances.motion == .vehicle || circumstances.motion == .standing
    return (isLow, isDriving)
  }

  @Test("circumstances that aren't known are neither low nor driving")
  func unknown() {
    #expect(circumstances() == (false, false))
    device.battery = LocationManager.BatteryStatus(level: 0.1, state: .unplugged)
    #expect(circumstances() == (true, false))
  }

  private func everyFiveMinutes() -> TrackingPolicy {
    // A location each 200 m or each five minutes, whichever comes first.
    let policy = TrackingPolicy(holdTime: .zero, distanceFilter: 200, maximumInterval: .seconds(300))
    return policy
  }

  @MainActor
  final class Server: @MainActor LocationManagerListener {
    private(set) var sent: [String] = []
    private(set) var warning: String?
    private(set) var diary: [(Location, from: Date, to: Date)] = []
    private func send(_ text: String) { sent.append(text) }

    func locationManager(_ manager: LocationManager, didChangePresence presence: LocationManager.Presence?) {
      if let presence { send("at home until \(presence.until)") } else { send("under way") }
    }

    func locationManager(_ manager: LocationManager, didChangeHealth health: LocationManager.Health) {
      warning = health.problems.first?.advice
    }
  }

  @MainActor
  final class Traveller: @MainActor LocationManagerListener {
    struct Diary {
      private(set) var visits: [Visit] = []
      mutating func add(_ place: Location, from arrival: Date, to departure: Date) {
        visits.append(Visit(place: place, arrival: arrival, departure: departure))
      }
    }
    var diary = Diary()

    func locationManager(_ manager: LocationManager, didVisit visit: Visit) {
      if let departure = visit.departure { diary.add(visit.place, from: visit.arrival, to: departure) }
    }
  }

  @MainActor
  final class Counter: @MainActor LocationManagerListener {
    private(set) var (wanted, looks, others) = (0, 0, 0)

    func locationManager(_ manager: LocationManager, didUpdate location: Location) {
      switch manager.circumstances.cause {
      case .tracking, .command: wanted += 1
      case .bound, .retry, .rest, .motion, .cell, .regionExit, .visit: looks += 1
      case .significantChange, .keptRunning, nil: others += 1
      }
    }
  }

  @Test("a server learns where a commuter is, and the diary has the visit", arguments: 1...5 as ClosedRange<UInt64>)
  func commuter(seed: UInt64) throws {
    let home = SimulatedProvider.Route.Waypoint(latitude: 48.137, longitude: 11.575, pause: .seconds(3_600))
    let office = SimulatedProvider.Route.Waypoint(latitude: 48.183, longitude: 11.601, pause: .seconds(28_800))
    let route = SimulatedProvider.Route(waypoints: [home, office, home])
    let device = SimulatedProvider(route: route, seed: seed, configuration: .phoneInBackground)
    let (manager, server, traveller, counter) = (LocationManager(provider: device), Server(), Traveller(), Counter())
    let whereabouts = PresenceStatus()
    manager.listeners.add(whereabouts)
    for listener in [server, traveller, counter] as [any LocationManagerListener] { manager.listeners.add(listener) }
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(3_000))
    var status = ""
    if let presence = manager.presence { status = "within \(Int(presence.radius)) m until \(presence.until)" }
    #expect(status.hasPrefix("within 1"))
    let interval = manager.circumstances.isInForeground == true ? 10 : 60
    #expect(interval == 60)
    #expect(try #require(manager.presence).place.distance(to: device.position) < 200)
    // The device leaves after an hour.
    device.advance(by: .seconds(970))
    #expect(manager.presence == nil && server.sent.last == "under way" && whereabouts.status == "under way")
    device.advance(by: .seconds(10_000))
    #expect(manager.presence != nil && server.sent.last?.hasPrefix("at home") == true)
    device.advance(by: .seconds(28_800))
    #expect(traveller.diary.visits.allSatisfy { $0.arrival < $0.departure ?? .distantPast })
    #expect(counter.looks > 0 && counter.others > 0 && counter.wanted == 1)
    var banner: String?
    device.setApp(isInForeground: false, mayRefresh: false)
    if let problem = manager.health.problems.first { banner = problem.advice }
    #expect(banner?.contains("Background App Refresh") == true && server.warning == banner)
  }

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
