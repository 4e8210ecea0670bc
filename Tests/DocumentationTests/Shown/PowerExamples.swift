import Foundation
import LocoKit
import LocoKitSimulation
import Testing

@testable import TestSupport

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
    // shown: PowerController.swift: let controller
    return controller
  }

  @Test("the table in the article UsingAManager is that of the article's rules")
  func article() throws {
    let table = PowerController.table(of: DocumentationTests.control(manager).rules)
    let file = Repository.root.appending(path: "Sources/LocoKit/LocoKit.docc/UsingAManager.md")
    #expect(try String(contentsOf: file, encoding: .utf8).contains(table))
  }

  @Test("the first rule whose conditions hold sets the mode")
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
    // shown: PowerController+Rule.swift: let rules
    return rules
  }

  @Test("a flag that the app sets selects a rule, except in the low-power mode")
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
    // shown: PowerController+Rule.swift: switch controller.rule?.mode {
    return status
  }

  private var mayTrack: Set<PowerController.Condition> {
    // shown: PowerController+Rule.swift: let mayTrack
    return mayTrack
  }

  @Test("a status describes the mode of the current rule")
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
    // shown: PowerController+Rule.swift: print(
  }

  @Test("the table of the standard rules has a row for each rule, and one for the case that no rule holds")
  func table() {
    show()
    #expect(PowerController.table(of: PowerController.standardRules).split(separator: "\n").count == 7)
  }

  private func circumstances() -> (Bool, Bool) {
    // shown: Circumstances.swift: let circumstances
    return (isLow, isDriving)
  }

  @Test("unknown circumstances count neither as a low battery nor as driving")
  func unknown() {
    #expect(circumstances() == (false, false))
    device.battery = LocationManager.BatteryStatus(level: 0.1, state: .unplugged)
    #expect(circumstances() == (true, false))
  }

  private func everyFiveMinutes() -> TrackingPolicy {
    // shown: TrackingPolicy.swift: let policy
    return policy
  }

  @MainActor
  final class Server: @MainActor LocationManagerListener {
    private(set) var sent: [String] = []
    private(set) var warning: String?
    private(set) var diary: [(Location, from: Date, to: Date)] = []
    private func send(_ text: String) { sent.append(text) }

    // shown: Presence.swift: func locationManager(

    // shown: Health.swift: func locationManager(
  }

  @MainActor
  final class Traveller: @MainActor LocationManagerListener {
    struct Diary {
      private(set) var visits: [Location.Visit] = []
      mutating func add(_ place: Location, from arrival: Date, to departure: Date) {
        visits.append(Location.Visit(place: place, arrival: arrival, departure: departure))
      }
    }
    var diary = Diary()

    // shown: Visit.swift: func locationManager(
  }

  @MainActor
  final class Counter: @MainActor LocationManagerListener {
    private(set) var (wanted, looks, others) = (0, 0, 0)
    private(set) var wakes: [WakeKind: Int] = [:]

    // shown: Cause.swift: func locationManager(
  }

  @Test("a server learns when a commuter stops and leaves", arguments: 1...5 as ClosedRange<UInt64>)
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
    // shown: LocationManager.swift: if let presence
    #expect(status.hasPrefix("within 1"))
    // shown: Circumstances.swift: let interval
    #expect(interval == 60)
    #expect(try #require(manager.presence).place.distance(to: device.position) < 200)
    // The device leaves home after an hour.
    device.advance(by: .seconds(970))
    #expect(manager.presence == nil && server.sent.last == "under way" && whereabouts.status == "under way")
    device.advance(by: .seconds(10_000))
    #expect(manager.presence != nil && server.sent.last?.hasPrefix("at home") == true)
    device.advance(by: .seconds(28_800))
    #expect(!traveller.diary.visits.isEmpty)
    #expect(traveller.diary.visits.allSatisfy { $0.arrival < $0.departure ?? .distantPast })
    #expect(counter.looks > 0 && counter.others > 0 && counter.wanted == 1 && !counter.wakes.isEmpty)
    var banner: String?
    device.setApp(isInForeground: false, mayRefresh: false)
    // shown: LocationManager.swift: if let problem
    #expect(banner?.contains("Background App Refresh") == true && server.warning == banner)
  }

  @MainActor
  final class Sender: @MainActor LocationManagerListener {
    private(set) var sent: [Location] = []
    private func send(_ location: Location) async { sent.append(location) }

    // shown: BackgroundWork.swift: func locationManager(
  }

  @Test("work in the background is completed")
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
