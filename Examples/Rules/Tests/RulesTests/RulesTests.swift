import Foundation
import LocoKit
import LocoKitSimulation
import LocoKitTrips
import Testing

@testable import Rules

/// Home for an hour, a drive of 11 km, the office for two hours, a walk of 1 km, and a café for two hours.
private let day = SimulatedProvider.Route(waypoints: [
  .init(latitude: 48.10, longitude: 11.5, speed: 12, pause: .seconds(3_600), isIndoors: true),
  .init(latitude: 48.2, longitude: 11.5, legSpeed: 1.4, pause: .seconds(7_200), isIndoors: true),
  .init(latitude: 48.209, longitude: 11.5, pause: .seconds(7_200), isIndoors: true),
])

private func phone(_ seed: UInt64, _ route: SimulatedProvider.Route = day) -> SimulatedProvider {
  let device = SimulatedProvider(route: route, seed: seed, configuration: .phoneInBackground)
  device.battery = LocationManager.BatteryStatus(level: 0.8, state: .unplugged)
  return device
}

@MainActor
@Suite("Rules of tracking apps")
struct RulesTests {
  /// A separate folder for each test, since asynchronous tests may run at the same time.
  private let folder = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID().uuidString)")

  @Test("A location arrives each 100 m or each five minutes", arguments: 1...3 as ClosedRange<UInt64>)
  func distanceOrTime(seed: UInt64) async throws {
    let stand = SimulatedProvider.Route(waypoints: [
      .init(latitude: 48.1, longitude: 11.5, pause: .seconds(1_500)), .init(latitude: 48.2, longitude: 11.5),
    ])
    let device = phone(seed, stand)
    let manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
    let locations = try await device.advance(atMost: .seconds(4_000)) {
      var locations: [Location] = []
      for await location in followed(by: manager) {
        locations.append(location)
        if locations.count == 12 { break }
      }
      return locations
    }
    for (last, next) in zip(locations, locations.dropFirst()) {
      let (metres, seconds) = (last.distance(to: next), next.timestamp.timeIntervalSince(last.timestamp))
      #expect(metres >= 100 || seconds >= 300, "\(metres) m, \(seconds) s")
      #expect(seconds < 330)
    }
    #expect(manager.circumstances.cause == .tracking)
  }

  @Test("The GPS is on during a trip, and seldom otherwise")
  func trip() {
    let device = phone(1)
    let manager = LocationManager(provider: device)
    let controller = PowerController(manager, rules: tripRules)
    let trip = TripRecorder(manager)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(3_000))
    #expect(controller.rule == tripRules[1] && device.energy.gpsOn < .seconds(200))
    trip.start()
    #expect(controller.rule == tripRules[0] && device.mode == .gps)
    device.advance(by: .seconds(600))
    trip.stop()
    #expect(controller.rule == tripRules[1])
  }

  @Test("The thrifty rules track, except at rest, in the low-power mode and on a low battery without a charger")
  func thrifty() {
    let device = phone(2)
    let manager = LocationManager(provider: device)
    let controller = PowerController(manager, rules: thriftyRules)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
    #expect(controller.rule == thriftyRules[3] && device.mode == .gps)
    device.battery = LocationManager.BatteryStatus(level: 0.1, state: .unplugged)
    #expect(controller.rule == thriftyRules[1])
    device.battery = LocationManager.BatteryStatus(level: 0.1, state: .charging)
    #expect(controller.rule == thriftyRules[3])
    device.setApp(isInForeground: true, isLowPowerMode: true)
    #expect(controller.rule == thriftyRules[0])
    device.setApp(isInForeground: true)
    device.advance(by: .seconds(1_000))
    #expect(controller.rule == thriftyRules[2])
    device.advance(by: .seconds(3_000))
    #expect(controller.rule == thriftyRules[3], "under way")
  }

  @Test("A flag that the app sets, such as for a Wi-Fi network, widens the bound, and a vehicle narrows it")
  func flag() {
    let device = phone(3)
    let manager = LocationManager(provider: device)
    let controller = PowerController(manager, rules: homeRules)
    manager.tryPromptAuthorization()
    #expect(controller.rule == homeRules[2])
    controller.flags.insert("home Wi-Fi")
    #expect(controller.rule == homeRules[0])
    controller.flags = []
    device.advance(by: .seconds(4_300))
    #expect(controller.rule == homeRules[1], "in a vehicle")
  }

  @Test("A request returns a location accurate to 100 m, or in a tunnel to 1,500 m", arguments: [0, 100])
  func request(tunnel seconds: Int) async throws {
    let device = phone(4)
    let manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(600))
    device.loseSky(for: .seconds(seconds))
    let location = try await device.advance(atMost: .seconds(60)) { try await locationForRequest(of: manager) }
    #expect(location.horizontalAccuracy <= (seconds == 0 ? 100 : 1_500))
  }

  @Test("Each location reaches the server with its circumstances, in spite of a lost reply")
  func upload() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let device = phone(5)
    let manager = LocationManager(provider: device)
    let history = LocationHistory(file: folder.appending(path: "history.jsonl"))
    manager.listeners.add(history)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(7_200))
    var (received, requests) = ([String: Message](), 0)
    while try await !history.batch(upTo: 1).isEmpty {
      try? await uploadNext(of: history) { messages in
        for message in messages { received[message.key ?? ""] = message }
        requests += 1
        if requests == 1 { throw CancellationError() }
      }
    }
    #expect(received.count > 5 && received.values.allSatisfy { $0.circumstances?.battery?.level ?? 0 > 0.7 })
    #expect(Set(received.values.map(\.text)).isSuperset(of: ["command", "bound"]))
  }

  @Test("A history keeps at most one location each 30 s")
  func thin() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let device = phone(6)
    let manager = LocationManager(provider: device)
    let history = thinned(in: folder.appending(path: "thin.jsonl"))
    manager.listeners.add(history)
    let controller = PowerController(
      manager, rules: [.init(.track(TrackingPolicy(holdTime: .zero, distanceFilter: 0)))])
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(5_000))
    let dates = try await history.batch(upTo: 1_000).entries.map(\.location.timestamp)
    #expect(dates.count > 10)
    for (last, next) in zip(dates, dates.dropFirst()) { #expect(next.timeIntervalSince(last) >= 30) }
    #expect(controller.rule != nil)
  }

  @Test("A server learns that the device is still here, and that it has left", arguments: 1...5 as ClosedRange<UInt64>)
  func presence(seed: UInt64) {
    let device = phone(seed)
    let manager = LocationManager(provider: device)
    var messages: [String] = []
    let publisher = PresencePublisher { messages.append($0.text) }
    manager.listeners.add(publisher)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    device.advance(by: day.duration)
    #expect(messages.first?.hasPrefix("within 1") == true)
    #expect(messages.filter { $0 == "under way" }.count >= 2 && messages.count < 30, "\(messages)")
  }

  @Test("A user learns why locations stop")
  func health() {
    let device = phone(7)
    let manager = LocationManager(provider: device)
    var messages: [String] = []
    let publisher = HealthPublisher { messages.append($0.text) }
    manager.listeners.add(publisher)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
    device.setApp(isInForeground: false, mayRefresh: false)
    device.authorization = .denied
    #expect(
      messages.count == 2 && messages[0].contains("Background App Refresh") && messages[1].hasPrefix("Allow locations"))
  }

  @Test("Each stay between two trips is a visit", arguments: 1...5 as ClosedRange<UInt64>)
  func visits(seed: UInt64) throws {
    let device = phone(seed)
    let manager = LocationManager(provider: device)
    let recorder = TripRecorder.automatic(manager)
    var messages: [Message] = []
    let publisher = VisitPublisher { messages.append($0) }
    recorder.listeners.add(publisher)
    manager.tryPromptAuthorization()
    device.advance(by: day.duration)
    let office = try #require(messages.first { abs(($0.location?.latitude ?? 0) - 48.2) < 0.003 })
    #expect(office.text.hasPrefix("stayed 1"), "two hours: \(office.text)")
    #expect(recorder.visit.map { abs($0.place.latitude - 48.209) < 0.003 } == true)
  }
}
