import Foundation
import LocoKit
import LocoKitSimulation
import LocoKitTrips
import LocoMachine
import Testing

@testable import TestSupport

// shown: TestingYourApp

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
