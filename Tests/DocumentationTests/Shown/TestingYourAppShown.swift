import Foundation
import LocoKit
import LocoKitSimulation
import LocoKitTrips
import LocoMachine
import Testing

@testable import TestSupport

@MainActor
@Test func staysOffDuringAPause() {
  let device = SimulatedProvider(route: .losAngeles, seed: 1)
  let manager = LocationManager(provider: device)
  manager.tryPromptAuthorization()
  device.advance(by: .seconds(30))
  manager.pause()
  let spent = device.energy.gpsOn
  device.advance(by: .seconds(86_400))
  #expect(device.energy.gpsOn == spent)
  #expect(manager.recentTransitions.last?.event == .pause)
}

@MainActor
@Test func findsThePlace() async throws {
  let device = SimulatedProvider(route: .losAngeles, seed: 1)
  let finder = Finder(device)
  finder.manager.tryPromptAuthorization()
  device.advance(by: .seconds(60))
  try await device.advance(atMost: .seconds(60)) { await finder.tap() }
  #expect(finder.place != nil)
}

@MainActor
@Test func keepsADriveForTheServer() async throws {
  let device = SimulatedProvider(route: .losAngeles, seed: 1)
  let manager = LocationManager(provider: device)
  let history = LocationHistory(file: .temporaryDirectory.appending(path: "\(UUID().uuidString)/history.jsonl"))
  var (found, uploaded) = (0, 0)
  let token = manager.listeners.add(onUpdate: { _ in found += 1 })
  manager.listeners.add(history)
  manager.errorBound = 200
  manager.tryPromptAuthorization()
  device.advance(by: .seconds(1_800))
  while case let batch = try await history.batch(upTo: 10), !batch.isEmpty {
    uploaded += batch.entries.count
    try await history.acknowledge(through: batch.end)
  }
  #expect(uploaded == found && found > 10)
  withExtendedLifetime(token) {}
}

/// A clock without waiting, for code on other actors.
struct NoWait: Clock {
  private let base = ManualClock()
  var now: ManualClock.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }
  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws { try Task.checkCancellation() }
}

@MainActor
final class Diary {
  let manager: LocationManager
  private(set) var places: [Location] = []
  private let sleep: @MainActor (Duration) async throws -> Void

  init(
    _ provider: any LocationProvider,
    sleep: @escaping @MainActor (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    manager = LocationManager(provider: provider)
    self.sleep = sleep
  }

  func write(_ count: Int, every interval: Duration) async throws {
    for _ in 0..<count {
      try await sleep(interval)
      if let place = manager.location { places.append(place) }
    }
  }
}

@MainActor
@Test func writesThreePlacesInHalfAnHour() async throws {
  let device = SimulatedProvider(route: .losAngeles, seed: 1)
  let clock = device.clock
  let diary = Diary(device) { try await clock.sleep(until: clock.now.advanced(by: $0)) }
  diary.manager.tryPromptAuthorization()
  try await clock.advance(atMost: .seconds(3_600)) { try await diary.write(3, every: .seconds(600)) }
  #expect(diary.places.count == 3 && device.uptime == .seconds(1_800))
}

@MainActor
@Test func staysPausedInTheNextLaunch() {
  let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
  defer { try? FileManager.default.removeItem(at: file) }
  let device = SimulatedProvider(route: .losAngeles, seed: 1)
  let store = LastLocationStore(file: file)
  let first = LocationManager(provider: device, store: store)
  first.tryPromptAuthorization()
  device.advance(by: .seconds(30))
  first.pause()
  #expect(store.synchronize(within: .seconds(30)))
  let second = LocationManager(provider: device, store: LastLocationStore(file: file))
  #expect(second.state == .paused)
}

@MainActor
@Test func findsThePlaceAfterItWasClosed() {
  let device = SimulatedProvider(route: .losAngeles, seed: 1)
  let earlier = LocationManager(provider: device)
  earlier.tryPromptAuthorization()
  device.advance(by: .seconds(60))
  device.terminate()
  device.advance(by: .seconds(600))
  device.launch()
  let manager = LocationManager(provider: device)
  manager.tryPromptAuthorization()
  device.advance(by: .seconds(1_000))
  #expect(manager.location != nil && manager.location != earlier.location)
}

@MainActor
@Suite("Testing your app")
struct TestingYourAppTests {
  @Test("A task that starts after the device advanced finds nothing")
  func tooEarly() async {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let finder = Finder(device)
    finder.manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
    let tap = Task { await finder.tap() }
    device.advance(by: .seconds(30))
    #expect(finder.place == nil)
    tap.cancel()
    await tap.value
    #expect(finder.place == nil)
  }

  @Test("An immediate task starts before the device advances")
  func immediate() async {
    guard #available(iOS 26, macOS 26, watchOS 26, tvOS 26, visionOS 26, *) else { return }
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let finder = Finder(device)
    finder.manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
    let tap = Task.immediate { await finder.tap() }
    device.advance(by: .seconds(30))
    await tap.value
    #expect(finder.place != nil)
  }

  /// The ways to advance time: on the device or its clock, directly or while code runs.
  enum Mover: CaseIterable, Sendable { case device, clock, deviceWhile, clockWhile }

  @Test("The device's clock drives runners and sleeping tasks on the device's time", arguments: Mover.allCases)
  func clock(mover: Mover) async throws {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    let clock = device.clock
    let light = MachineRunner<TrafficLight>(clock: clock) { _, _ in }
    light.send(.turnOn)
    let sleeper = Task {
      try await clock.sleep(until: clock.now.advanced(by: .seconds(40)))
      return clock.now.offset
    }
    for _ in 0..<100 { await Task.yield() }
    let end = clock.now.advanced(by: .seconds(45))
    switch mover {
    case .device: device.advance(by: .seconds(45))
    case .clock: clock.advance(by: .seconds(45))
    case .deviceWhile: try await device.advance(atMost: .seconds(60)) { try await clock.sleep(until: end) }
    case .clockWhile: try await clock.advance(atMost: .seconds(60)) { try await clock.sleep(until: end) }
    }
    #expect(try await sleeper.value >= .seconds(40))
    #expect(device.uptime == .seconds(45) && clock.now.offset == device.uptime)
    #expect(light.recentTransitions.map(\.to).starts(with: [.red, .green]))
    #expect(manager.location != nil)
  }
}
