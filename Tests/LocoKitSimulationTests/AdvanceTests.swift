import Testing

@testable import LocoKit
@testable import LocoKitSimulation
@testable import LocoMachine
@testable import LocoMachineTesting
@testable import TestSupport

@MainActor
@Suite("A simulated device with async code")
struct AdvanceTests {
  private struct Refused: Error, Equatable {}

  private func sleeping() -> (device: SimulatedProvider, manager: LocationManager) {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(30))
    return (device, manager)
  }

  @Test("Time passes while the code runs, through all its waits, and stops afterwards")
  func passes() async throws {
    let (device, manager) = sleeping()
    let begin = device.uptime
    let locations = try await device.advance(atMost: .seconds(3_600)) {
      var locations: [Location] = []
      for _ in 0..<3 { locations.append(try await manager.acquire(desiredAccuracy: 20)) }
      return locations
    }
    #expect(Set(locations).count == 3)
    let passed = device.uptime - begin
    #expect(passed > .seconds(3) && passed < .seconds(60))
    #expect(try await device.advance(atMost: .seconds(1)) { 7 } == 7)
    #expect(device.uptime - begin == passed)
  }

  @Test("A clock that is first read in a report advances with the device from then on")
  func clockInAReport() {
    let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: SimulatedProviderTests.allowed)
    var (start, reports): (Duration?, Int) = (nil, 0)
    device.onReport = ProviderReport.Handler { [unowned device] _ in
      let difference = device.clock.now.offset - device.uptime
      #expect(start ?? difference == difference)
      start = difference
      reports += 1
    }
    device.setMode(.gps)
    device.advance(by: .seconds(100))
    #expect(reports > 50)
  }

  @Test("Code takes the same simulated time for the same seed")
  func repeats() async throws {
    var ends: Set<Duration> = []
    for _ in 0..<5 {
      let (device, manager) = sleeping()
      _ = try await device.advance(atMost: .seconds(3_600)) { try await manager.acquire(desiredAccuracy: 10) }
      ends.insert(device.uptime)
    }
    #expect(ends.count == 1)
  }

  @Test("Code that never ends is cancelled at the limit")
  func limit() async throws {
    let (device, manager) = sleeping()
    manager.pause()
    let begin = device.uptime
    await #expect(throws: ManualClock.TimeLimitExceeded(limit: .seconds(90))) {
      try await device.advance(atMost: .seconds(90)) { for await _ in manager.updates {} }
    }
    #expect(device.uptime - begin == .seconds(90))
  }

  @Test("The code's error is thrown")
  func throwing() async throws {
    let (device, _) = sleeping()
    await #expect(throws: Refused()) {
      try await device.advance(atMost: .seconds(90)) { throw Refused() }
    }
  }

  @Test("Cancelling the caller's task ends the code")
  func cancellation() async throws {
    let (device, manager) = sleeping()
    let begin = device.uptime
    let waiting = Task {
      try await device.advance(atMost: .seconds(86_400)) { for await _ in manager.updates {} }
    }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(device.uptime - begin < .seconds(86_400))
  }

  @Test("Any actor can own the device")
  func actor() async throws {
    actor Owner {
      func find() async throws -> Location {
        let device = SimulatedProvider(route: .losAngeles, seed: 1)
        let manager = LocationManager(provider: device)
        manager.tryPromptAuthorization()
        device.advance(by: .seconds(30))
        return try await device.advance(atMost: .seconds(60)) { try await manager.acquire() }
      }
    }
    #expect(try await Owner().find().horizontalAccuracy <= 100)
  }
}
