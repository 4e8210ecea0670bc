import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitSimulation
@_spi(Benchmarks) @testable import LocoMachine
@testable import LocoMachineTesting
@testable import TestSupport

@MainActor
@Suite("A manual clock")
struct ManualClockTests {
  private let clock = ManualClock()

  @Test("Sleeping tasks wake at their times, in order")
  func sleepers() async throws {
    var woken: [Int] = []
    try await clock.advance(atMost: .seconds(100)) { [clock] in
      let sleeps = [30, 10, 20, 10].map { seconds in
        Task {
          try await clock.sleep(until: ManualClock.Instant(offset: .seconds(seconds)))
          woken.append(seconds)
        }
      }
      for sleep in sleeps { try await sleep.value }
    }
    #expect(woken == [10, 10, 20, 30] && clock.now.offset == .seconds(30))
  }

  @Test("Code that waits for nothing is cancelled at the limit, although the clock has no event")
  func withoutEvents() async {
    await #expect(throws: ManualClock.TimeLimitExceeded(limit: .seconds(10))) {
      try await clock.advance(atMost: .seconds(10)) { try await Task.sleep(for: .seconds(1_000)) }
    }
    #expect(clock.now.offset == .seconds(10))
  }

  @Test(
    "Code that ends elsewhere, soon after the limit in simulated time, returns its value", arguments: [false, true])
  func endsElsewhere(_ hasEvents: Bool) async throws {
    final class Owner {}
    let owner = Owner()
    func wakeAgain() { clock.setAlarm(for: owner, at: clock.elapsed + .seconds(1)) { wakeAgain() } }
    if hasEvents { wakeAgain() }
    let value = try await clock.advance(atMost: .seconds(10)) { [clock] in
      await Task {
        while clock.now.offset < .seconds(10) { await Task.yield() }
        for _ in 0..<200 { await Task.yield() }
        return 7
      }.value
    }
    #expect(value == 7 && clock.now.offset == .seconds(10))
  }

  #if os(Linux) || os(macOS)
    @Test("Events without end stop the program with a message, but more events in a second don't")
    func endless() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        // Ends a clock that doesn't notice.
        alarm(120)
        final class Owner {}
        let (clock, owner) = (ManualClock(), Owner())
        func repeatEvent(every interval: Duration) {
          clock.setAlarm(for: owner, at: clock.elapsed + interval) { repeatEvent(every: interval) }
        }
        repeatEvent(every: .microseconds(4))
        clock.advance(by: .milliseconds(1_100))
        precondition(clock.now.offset == .milliseconds(1_100))
        repeatEvent(every: .zero)
        clock.advance(by: .seconds(1))
      }
      let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
      #expect(text.contains("200000 events happened within a millisecond"), "\(text)")
    }
  #endif

  @Test(
    "A sleep until now returns immediately; a sleep that is cancelled, before or after its start, throws",
    .timeLimit(.minutes(1)))
  func cancelled() async throws {
    try await clock.sleep(until: clock.now)
    let sleep = await begin { try await clock.sleep(for: .seconds(10)) }
    while clock.nextEvent == nil { await Task.yield() }
    sleep.cancel()
    await #expect(throws: CancellationError.self) { try await sleep.value }
    #expect(clock.nextEvent == nil)
    let late = await begin {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(10))
    }
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test("Code that ignores its cancellation ends with an error too")
  func deafCode() async {
    await #expect(throws: ManualClock.TimeLimitExceeded(limit: .seconds(5))) {
      let _: Int = try await clock.advance(atMost: .seconds(5)) {
        await withUnsafeContinuation { _ in }
      }
    }
  }

  @Test("Code that waits longer than the limit ends with an error")
  func limit() async {
    await #expect(throws: ManualClock.TimeLimitExceeded(limit: .seconds(5))) {
      try await clock.advance(atMost: .seconds(5)) { try await clock.sleep(for: .seconds(6)) }
    }
    #expect(clock.now.offset == .seconds(5))
  }

  @Test("The date advances with the time, and can be set")
  func date() {
    let clock = ManualClock(sinceEpoch: .seconds(1_000))
    clock.advance(by: .seconds(5))
    #expect(clock.sinceEpoch == .seconds(1_005))
    clock.adjustDate(by: .seconds(-100))
    clock.advance(by: .milliseconds(500))
    #expect(clock.sinceEpoch == .milliseconds(905_500) && clock.now.offset == .milliseconds(5_500))
  }

  @Test("Events at the same time occur in the order in which they were set")
  func order() {
    var received: [Int] = []
    let lights = (0..<5).map { number in
      MachineRunner<TrafficLight>(clock: clock) { _, _ in received.append(number) }
    }
    clock.advance(by: .milliseconds(500))
    #expect(received == [0, 1, 2, 3, 4] && lights.allSatisfy { $0.state == .flashing })
  }

  @Test("A runner that no longer exists leaves no alarm")
  func released() {
    var light: MachineRunner<TrafficLight>? = MachineRunner(clock: clock) { _, _ in }
    #expect(light?.timeUntilDeadline != nil && clock.nextEvent == light?.timeUntilDeadline)
    light = nil
    #expect(clock.nextEvent == nil)
  }

  @Test("An overdue event occurs at the next advance, and doesn't set the time back")
  func past() {
    clock.advance(by: .seconds(100))
    var times: [Duration] = []
    let snapshot = StateSnapshot<TrafficLight>(
      state: .flashing, enteredAt: clock.sinceEpoch - .milliseconds(1_100))
    let light = MachineRunner(restoring: snapshot, clock: clock) { [clock] _, _ in times.append(clock.now.offset) }
    clock.advance(by: .seconds(1))
    #expect(times == [.seconds(100), .seconds(100), .milliseconds(100_400), .milliseconds(100_900)])
    #expect(clock.now.offset == .seconds(101) && light.state == .flashing)
  }

  // MARK: - With a device

  @Test("A clock and its simulated device share the time, whichever is advanced")
  func device() {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    device.advance(by: .seconds(10))
    let (clock, manager) = (device.clock, LocationManager(provider: device))
    var fired: [Duration] = []
    let light = MachineRunner<TrafficLight>(clock: clock) { [unowned device] _, _ in fired.append(device.uptime) }
    manager.tryPromptAuthorization()
    light.send(.turnOff)
    device.advance(by: .milliseconds(1_200))
    #expect(fired == [.milliseconds(10_500), .seconds(11)])
    #expect(clock.now.offset == device.uptime)
    #expect(abs(clock.sinceEpoch.inSeconds - device.date.timeIntervalSince1970) < 1e-3)
    clock.advance(by: .seconds(60))
    #expect(device.uptime == .milliseconds(71_200) && clock.now.offset == device.uptime)
    #expect(manager.location != nil && fired.count == 122)
  }

  @Test("A device does the same with a clock as without", arguments: 1...20 as ClosedRange<UInt64>)
  func sameDevice(seed: UInt64) {
    func run(withClock: Bool) -> [String] {
      let device = SimulatedProvider(route: .losAngeles, seed: seed)
      if withClock { _ = device.clock }
      let manager = LocationManager(provider: device)
      manager.errorBound = 500
      manager.tryPromptAuthorization()
      for _ in 0..<40 { device.advance(by: .milliseconds(7_300)) }
      return manager.recentTransitions.map(\.description) + ["\(device.energy)"]
    }
    #expect(run(withClock: true) == run(withClock: false))
  }

  @Test("Async code can wait for a deadline, the clock and a device")
  func together() async throws {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    let light = MachineRunner<TrafficLight>(clock: device.clock) { _, _ in }
    light.send(.turnOn)
    let place = try await device.advance(atMost: .seconds(120)) {
      for await transition in light.transitions where transition.to == .green { break }
      try await device.clock.sleep(for: .seconds(5))
      return try await manager.acquire(desiredAccuracy: 50)
    }
    #expect(place.horizontalAccuracy <= 50 && device.uptime > .seconds(35) && light.state == .green)
  }

  @Test("Events happen in the order of their times and their numbers, whatever was removed", arguments: 0..<4)
  func order(part: Int) async {
    await Seeds.play(Seeds.part(part, of: 4, runs: 100)) { Self.broken($0) }
  }

  /// Sets, replaces and cancels the alarms of objects, and compares the alarms that fire with a sorted list.
  private static func broken(_ seed: UInt64) -> [String] {
    final class Owner {}
    @MainActor final class Fired {
      var owners: [Int] = []
    }
    var random = SeededGenerator(seed: seed)
    let clock = ManualClock()
    let owners = (0..<12).map { _ in Owner() }
    var expected: [(time: Duration, order: Int, owner: Int)] = []
    let fired = Fired()
    var count = 0
    func set(_ owner: Int, _ time: Duration?) {
      expected.removeAll { $0.owner == owner }
      if let time {
        count += 1
        expected.append((time, count, owner))
      }
      clock.setAlarm(for: owners[owner], at: time) {
        fired.owners.append(owner)
      }
    }
    for _ in 0..<300 {
      for _ in 0..<Int.random(in: 0..<8, using: &random) {
        set(
          Int.random(in: 0..<owners.count, using: &random),
          Int.random(in: 0..<5, using: &random) == 0
            ? nil : clock.elapsed + .milliseconds(1 + Int.random(in: 0..<50, using: &random)))
      }
      if clock.nextEvent != expected.map(\.time).min() {
        return ["the next event is at \(clock.nextEvent, default: "no time")"]
      }
      let end = clock.elapsed + .milliseconds(Int.random(in: 0..<20, using: &random))
      let due = expected.filter { $0.time <= end }.sorted { ($0.time, $0.order) < ($1.time, $1.order) }.map(\.owner)
      expected.removeAll { $0.time <= end }
      fired.owners = []
      clock.advance(by: end - clock.elapsed)
      if fired.owners != due { return ["\(fired.owners) fired instead of \(due)"] }
    }
    return []
  }

  @Test(
    "A clock with 20,000 runners advances, and each runner's alarm fires",
    .timeLimit(.minutes(2)))
  func many() {
    let clock = ManualClock()
    let lights = (0..<20_000).map { _ in MachineRunner<TrafficLight>(clock: clock, isolation: nil) { _, _ in } }
    for light in lights { light.send(.turnOn, isolation: nil) }
    clock.advance(by: .seconds(30))
    #expect(lights.allSatisfy { $0.state == .green })
  }
}
