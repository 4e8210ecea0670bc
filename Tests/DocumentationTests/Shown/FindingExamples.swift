import Foundation
import LocoKit
import LocoKitFormatting
import LocoKitSimulation
import LocoKitTrips
import Testing

@testable import TestSupport

@MainActor
@Suite("Examples of finding a location")
final class FindingExamples {
  private let device = SimulatedProvider(route: .losAngeles, seed: 1)
  private let manager: LocationManager
  private let trip: TripRecorder
  private var shown: [Location] = []
  private var printed: [String] = []
  private var isExplained = false
  private var isAlwaysOffered = false

  init() {
    manager = LocationManager(provider: device)
    trip = TripRecorder(manager)
  }

  private func show(_ location: Location) { shown.append(location) }
  private func print(_ item: Any) { printed.append("\(item)") }
  private func explainPermission() { isExplained = true }
  private func offerAlways() { isAlwaysOffered = true }

  /// Drives until the manager has its first location and sleeps.
  private func drive() {
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(30))
  }

  @MainActor
  final class App: @MainActor LocationManagerListener {
    private(set) var manager: LocationManager?
    private(set) var location: Location?

    func launch(_ provider: any LocationProvider) {
      // shown: LocationManager.swift: let manager
      self.manager = manager
    }

    func locationManager(_ manager: LocationManager, didUpdate location: Location) { self.location = location }
  }

  @Test("A manager finds a location after launch")
  func begins() {
    let app = App()
    app.launch(device)
    device.advance(by: .seconds(30))
    #expect(app.location != nil && app.location == app.manager?.location)
  }

  // shown: LocationManagerListener.swift: final class Screen

  @Test("A listener receives the location or the failure of an acquisition")
  func listener() {
    let screen = Screen()
    manager.listeners.add(screen)
    drive()
    #expect(screen.text.hasPrefix("at 34."))
    device.loseSky(for: .seconds(60))
    manager.forceAcquireLocation()
    device.advance(by: .seconds(30))
    #expect(screen.text == "no location: No fix came in time.")
  }

  @MainActor
  final class Sheet: @MainActor LocationManagerListener, @MainActor TripRecorderListener {
    let manager: LocationManager
    let trip: TripRecorder

    init(_ manager: LocationManager, _ trip: TripRecorder) { (self.manager, self.trip) = (manager, trip) }

    // shown: ListenerRegistry.swift: func appear(
  }

  @Test("A listener adds itself to two registries, and removes itself")
  func registry() {
    let sheet = Sheet(manager, trip)
    sheet.appear()
    #expect(manager.listeners.count == 1 && trip.listeners.count == 1)
    sheet.disappear()
    #expect(manager.listeners.count == 0 && trip.listeners.count == 0)
  }

  @MainActor
  final class Map {
    private let manager: LocationManager
    private(set) var transitions: [LocationManager.Transition] = []
    private(set) var marker: Location?
    private var token: LocationManager.ListenerToken?

    init(_ manager: LocationManager) { self.manager = manager }

    private func show(_ location: Location) { marker = location }
    private func add(_ transition: LocationManager.Transition) { transitions.append(transition) }

    func follow() {
      // shown: ListenerToken.swift: token = manager.listeners.add(onUpdate: { [weak se
    }

    // shown: ListenerToken.swift: func open(
  }

  @Test("Closures are called until their token is released")
  func token() {
    let map = Map(manager)
    map.open()
    drive()
    #expect(map.transitions == manager.recentTransitions)
    map.close()
    map.follow()
    manager.forceAcquireLocation()
    device.advance(by: .seconds(30))
    #expect(manager.recentTransitions.count > map.transitions.count)
    #expect(map.marker != nil && map.marker == manager.location)
  }

  private func isAtOffice(_ location: Location) -> Bool {
    // shown: Location.swift: let office
    return isNear
  }

  @Test("A location near the office is recognized by its distance")
  func distance() throws {
    drive()
    #expect(!isAtOffice(try #require(manager.location)))
    device.advance(by: .seconds(1_770))
    manager.forceAcquireLocation()
    device.advance(by: .seconds(30))
    #expect(isAtOffice(try #require(manager.location)))
  }

  @Results
  private func words(_ location: Location, _ now: Date) -> [String] {
    // shown: LocationDescription.swift: let words
  }

  @Test("A description returns the strings in the example's comments")
  func description() throws {
    let now = Date.now
    let location = Location(
      latitude: 48.137154, longitude: 11.576124, horizontalAccuracy: 12.4, speed: 12, timestamp: now - 75)
    #expect(words(location, now) == (try ExamplesTests.stated(by: "Location/Description")))
  }

  // shown: LocationStore.swift: final class LaunchStore

  @Test("A store keeps a pause and the last location across launches")
  func store() {
    let store = LaunchStore()
    let drive = LocationManager(provider: device, store: store)
    drive.tryPromptAuthorization()
    device.advance(by: .seconds(30))
    drive.pause()
    let next = LocationManager(provider: device, store: store)
    #expect(next.state == .paused && next.location != nil && next.location == drive.location)
  }

  private final class CheckIns: LocationManagerListener {
    private(set) var places: [Location] = []
    private func checkIn(at location: Location) { places.append(location) }

    // shown: Location.swift: func locationManager(
  }

  @Test("A listener can ignore the locations that software simulates")
  func simulated() {
    let checkIns = CheckIns()
    for isSimulated in [false, true] {
      var location = Location(latitude: 34, longitude: -118, horizontalAccuracy: 5, timestamp: .now)
      location.isSimulatedBySoftware = isSimulated
      checkIns.locationManager(manager, didUpdate: location)
    }
    #expect(checkIns.places.map(\.isSimulatedBySoftware) == [false])
  }

  private func last() {
    // shown: LastLocationStore.swift: if let location
  }

  private func starts() {
    // shown: Transition.swift: for transition in manager.recentTransitions where transition.to
  }

  @Test("The recent transitions show when the GPS was turned on, and why")
  func transitions() {
    drive()
    starts()
    #expect(printed.count == 1)
    #expect(printed.last?.hasSuffix("the GPS came on, because of authorized") == true)
  }

  // MARK: - The members of a manager

  private var isGPSOn: Bool {
    // shown: LocationManager.swift: let isGPSOn
    return isGPSOn
  }

  // shown: LocationMachine.swift: var hint

  // shown: ReceiverMode.swift: var icon

  @Test("The hint and the icon follow the state")
  func states() {
    #expect(hint == "Press the button to be found." && icon == "location.slash" && !isGPSOn)
    manager.tryPromptAuthorization()
    #expect(hint == "Allow locations to be found.")
    device.authorization = .always
    #expect(hint == "Looking for you…" && icon == "location.fill" && isGPSOn)
    device.advance(by: .seconds(30))
    #expect(hint == "Asleep until you have moved." && icon == "location" && !isGPSOn)
  }

  private func launched() {
    // shown: LocationManager.swift: if manager.authorization.isAuthorized {
  }

  private func allowed() {
    // shown: LocationManager.swift: if manager.authorization == .whenInUse { offerAlwa
  }

  final class Charge: LocationManagerListener {
    private(set) var percent: Int?
    private(set) var isPlugged = false

    // shown: BatteryStatus.swift: func locationManagerDidChangeCircumstances(
  }

  private func isLow() -> Bool {
    let circumstances = manager.circumstances
    let isLow = circumstances.battery?.level.map { $0 < 0.2 } ?? false
    return isLow
  }

  @Test("A listener receives the battery status that a provider reports")
  func battery() {
    let charge = Charge()
    manager.listeners.add(charge)
    #expect(!isLow())
    device.onReport?(.battery(LocationManager.BatteryStatus(level: 0.15, state: .charging)))
    #expect(charge.percent == 15 && charge.isPlugged && isLow())
  }

  private func drives() -> Bool {
    let circumstances = manager.circumstances
    let isDriving = circumstances.motion == .vehicle || circumstances.motion == .standing
    return isDriving
  }

  @Test("Without a motion sensor, motion is nil")
  func driving() {
    drive()
    #expect(!drives() && manager.motion == nil)
  }

  private func refused() {
    // shown: LocationManager.swift: if manager.state
  }

  @Test("The app prompts again after a refusal, and starts at launch once it has the permission")
  func permission() {
    launched()
    #expect(manager.state == .initial)
    device.answer = .deny
    drive()
    refused()
    #expect(manager.recentTransitions.contains { $0.event == .forcePrompt })
    device.authorization = .whenInUse
    allowed()
    #expect(isAlwaysOffered)
    let next = LocationManager(provider: device)
    if next.authorization.isAuthorized { next.tryPromptAuthorization() }
    #expect(next.state == .acquiring)
  }

  private func patient() {
    // shown: LocationManager.swift: manager.promptTimeLimit
  }

  @Test("An unanswered prompt expires at its time limit")
  func prompt() {
    device.answer = .ignore
    patient()
    device.advance(by: .seconds(299))
    #expect(manager.state == .prompted)
    device.advance(by: .seconds(2))
    #expect(manager.state == .initial)
  }

  private func fresh() {
    // shown: LocationManager.swift: if let last
  }

  @Test("The last location is shown if it's recent")
  func location() {
    fresh()
    #expect(shown.isEmpty)
    device.setClock(by: Date.now.timeIntervalSince(device.date))
    drive()
    fresh()
    #expect(shown.count == 1)
  }

  private func quick() {
    // shown: LocationManager.swift: manager.policy.desiredAccuracy
  }

  @Test("A manager's policy can be changed")
  func policy() {
    quick()
    #expect(manager.policy.desiredAccuracy == 30 && manager.policy.timeLimit == .seconds(10))
    drive()
    #expect(manager.state == .waitingSignificantChange)
  }

  private var report: String {
    // shown: LocationManager.swift: let report
    return report
  }

  @Test("A report has a line for each transition")
  func reports() {
    drive()
    #expect(report.split(separator: "\n").count == manager.recentTransitions.count)
    #expect(report.hasSuffix("acquiring → waitingSignificantChange (acquired)"))
  }

  // shown: LocationManager.swift: func sharingChanged(

  private func refreshed() {
    // shown: LocationManager.swift: manager.forceAcquireLocation(
  }

  @Test("pause turns the manager off; resume and forceAcquireLocation start an acquisition")
  func commands() {
    drive()
    sharingChanged(to: false)
    #expect(manager.state == .paused)
    sharingChanged(to: true)
    #expect(manager.state == .acquiring)
    device.advance(by: .seconds(30))
    #expect(manager.state == .waitingSignificantChange)
    refreshed()
    #expect(manager.state == .acquiring)
  }

  private func here() async throws -> Location {
    // shown: LocationManager+Async.swift: let here
    #expect(recent == here)
    return here
  }

  private func look() async throws {
    // shown: AcquisitionFailure.swift: show(try await manager.acquire(desiredAccuracy: 50
  }

  @Test("acquire returns a location or throws the reason for the failure")
  func acquires() async throws {
    try await look()
    #expect(isExplained)
    drive()
    let found = try await device.advance(atMost: .seconds(60)) { try await self.here() }
    #expect(found.horizontalAccuracy <= 50)
    try await device.advance(atMost: .seconds(60)) { try await self.look() }
    #expect(shown.count == 1)
    manager.pause()
    try await look()
    #expect(printed == ["The manager is paused; call resume() first."])
  }

  #if canImport(CoreLocation)
    private func start() {
      // shown: LocationManager+Shared.swift: let manager
    }
  #endif
}
