#if LOCOKIT_STAND_INS
  import CoreLocation
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import LocoMachine
  @testable import TestSupport

  /// A reason why a condition isn't watched.
  enum Unwatched: CaseIterable {
    case unmonitored, tooMany, notInUse, withoutSession, reducedAccuracy, unreadable, unsupported

    var field: WritableKeyPath<CLMonitor.Event, Bool>? {
      switch self {
      case .unmonitored: nil
      case .tooMany: \.conditionLimitExceeded
      case .notInUse: \.insufficientlyInUse
      case .withoutSession: \.serviceSessionRequired
      case .reducedAccuracy: \.accuracyLimited
      case .unreadable: \.persistenceUnavailable
      case .unsupported: \.conditionUnsupported
      }
    }
  }

  /// The pauses before the events are iterated again. Each pause lasts until the test ends it.
  private final class Pauses: Sendable {
    private let ends = AsyncStream.makeStream(of: Void.self)
    private let begun = Locked([Duration]())
    var lengths: [Duration] { begun.change { $0 } }

    func wait(_ length: Duration) async {
      begun.change { $0.append(length) }
      for await _ in ends.stream { return }
    }

    func end() { ends.continuation.yield() }
  }

  @Suite("RegionConditions with a stand-in")
  @MainActor
  struct RegionConditionsTests {
    /// A launch of an app that uses conditions. Its provider reports to the test.
    private final class Launch {
      let phone: Phone
      private(set) var exits = 0
      private(set) var sources: [Sources] = []

      init(
        _ conditions: RegionConditions, status: CLAuthorizationStatus = .authorizedAlways,
        prepare: (StandInDevice) -> Void = { _ in }
      ) {
        let device = StandInDevice()
        device.isOnMainActor = true
        device.setStatus(status)
        prepare(device)
        phone = Phone(device: device, conditions: conditions)
        phone.provider.onReport = ProviderReport.Handler { [unowned self] in
          if $0 == .regionExit { exits += 1 }
          if case .wakeSources(let kinds, let updates) = $0 { sources.append(Sources(kinds, updates)) }
        }
        device.advance(by: 1)
      }

      /// Returns whether these are the provider's wake sources, after delivering calls from other threads.
      func has(_ sources: Sources) -> Bool {
        phone.device.advance(by: 0.001)
        return phone.provider.sources == sources
      }

      var watches: Bool { phone.provider.wakeSources.contains(.regionExit) }

      /// Arms a region whose centre is this many metres north of the device's start.
      func arm(north: Double = 0) { phone.provider.setRegion(RegionConditionsTests.region(north: north)) }
    }

    private nonisolated static func region(north: Double) -> Location.Region {
      Location.Region(latitude: 34 + north / 111_320, longitude: -118, radius: 100)
    }

    /// Runs a test with its own system.
    private static func withSystem(_ test: (StandInMonitoring) async throws -> Void) async rethrows {
      let system = StandInMonitoring()
      try await CLMonitor.$system.withValue(system) { try await test(system) }
    }

    /// Waits until a condition holds, for five minutes at most. The tasks that meet it need little time, but other tests may occupy all
    /// threads for minutes.
    private static func until(
      _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
    ) async {
      let limit = ContinuousClock.now + .seconds(300)
      while !condition(), .now < limit { await Task.yield() }
      #expect(condition(), what, sourceLocation: sourceLocation)
    }

    /// Returns a launch that is asleep, with a region that the monitor lists.
    private static func armed(
      _ system: StandInMonitoring, _ conditions: RegionConditions = RegionConditions()
    ) async -> Launch {
      let launch = Launch(conditions)
      launch.phone.provider.setMode(.significantChanges)
      launch.arm()
      await until("the condition is added") { system.conditions.count == 1 }
      return launch
    }

    @Test("a condition has the radius of a region in its place, which Core Location limits")
    func largest() async {
      await Self.withSystem { system in
        let launch = Launch(RegionConditions()) { $0.maximumRegionDistance = 1_000 }
        launch.phone.provider.setMode(.significantChanges)
        launch.phone.provider.setRegion(Location.Region(latitude: 34, longitude: -118, radius: 5_000))
        await Self.until("the condition is added") { system.conditions.count == 1 }
        #expect(system.conditions[0].circle.radius == 1_000)
      }
    }

    @Test("a region is one condition, and not a CLCircularRegion")
    func condition() async {
      await Self.withSystem { system in
        let launch = await Self.armed(system)
        let circle = system.conditions[0].circle
        #expect((circle.center.latitude, circle.center.longitude, circle.radius) == (34, -118, 100))
        #expect(launch.phone.device.regions.isEmpty)
      }
    }

    @Test("an exit is reported once, even if the monitor repeats the state")
    func once() async {
      await Self.withSystem { system in
        let launch = await Self.armed(system)
        system.carry(north: 1_000)
        await Self.until("the exit") { launch.exits == 1 }
        system.tellAgain()
        launch.arm(north: 1_000)
        await Self.until("the next condition") { system.conditions.first?.circle.center.latitude != 34 }
        system.carry(north: 2_000)
        await Self.until("the next exit") { launch.exits == 2 }
        #expect(launch.exits == 2)
      }
    }

    @Test("a condition with a new identifier replaces the last one without a gap")
    func replaced() async {
      await Self.withSystem { system in
        let launch = await Self.armed(system)
        for north in [10.0, 20, 30] {
          let last = system.conditions[0].identifier
          launch.arm(north: north)
          await Self.until("the last one is removed") { !system.conditions.contains { $0.identifier == last } }
          #expect(system.conditions.count == 1)
          #expect(abs(system.conditions[0].circle.center.latitude - 34 - north / 111_320) < 1e-9)
        }
        #expect(system.fewestConditions == 1)
      }
    }

    @Test("the exit of a replaced or removed condition is ignored")
    func stale() {
      let device = StandInDevice()
      device.isOnMainActor = true
      let services = WakingServices(CLLocationManager(device: device), conditions: RegionConditions())
      var exits = 0
      services.onInput = { if $0 == .regionEvent(.outsideCondition) { exits += 1 } }
      for north in [0.0, 10] { services.setCondition(Self.region(north: north)) }
      services.receive(.init(arming: 0, event: .outsideCondition))
      services.receive(.init(arming: 1, event: .outsideCondition))
      #expect(exits == 0)
      services.receive(.init(arming: 2, event: .outsideCondition))
      #expect(exits == 1)
      services.setCondition(nil)
      services.receive(.init(arming: 2, event: .outsideCondition))
      #expect(exits == 1)
    }

    @Test("an entry, an unknown state and the first state of a launch that begins in the region aren't exits")
    func otherStates() async throws {
      try await Self.withSystem { system in
        _ = await Self.armed(system)
        system.terminate()
        let conditions = RegionConditions()
        let reports = conditions.reports()
        conditions.open()
        await Self.until("the events are iterated") { system.isHeard }
        await Self.until("the condition is added again") { system.conditions.count == 2 }
        let identifier = system.conditions[1].identifier
        for state in [CLMonitor.Event.State.satisfied, .unknown] { system.notify(identifier, state) }
        system.carry(north: 1_000)
        _ = conditions.arm(Self.region(north: 1_000))
        await Self.until("the next condition") {
          system.conditions.count == 1 && system.conditions[0].identifier != identifier
        }
        system.carry(north: 2_000)
        let heard = try await elements(reports, 3)
        #expect(heard.map(\.arming) == [0, 0, 1] && heard.allSatisfy { $0.event == .outsideCondition })
      }
    }

    @Test("arming a region that doesn't contain the device reports an exit")
    func outsideAlready() async {
      await Self.withSystem { system in
        system.carry(north: 1_000)
        let launch = Launch(RegionConditions())
        launch.phone.provider.setMode(.significantChanges)
        await Self.until("the events are iterated") { system.isHeard }
        launch.arm()
        await Self.until("the exit") { launch.exits == 1 }
      }
    }

    @Test("no monitor is opened before Always is granted; afterwards the monitor watches the armed region")
    func permission() async {
      await Self.withSystem { system in
        let launch = Launch(RegionConditions(), status: .authorizedWhenInUse)
        launch.phone.provider.setMode(.significantChanges)
        launch.arm()
        for _ in 0..<100 { await Task.yield() }
        #expect(!system.isOpen)
        launch.phone.device.setStatus(.authorizedAlways)
        await Self.until("the condition") { system.conditions.count == 1 }
      }
    }

    @Test("removing the region also removes a CLCircularRegion of an earlier launch")
    func removed() async {
      await Self.withSystem { system in
        let launch = await Self.armed(system)
        launch.phone.provider.setRegion(nil)
        await Self.until("no condition") { system.conditions.isEmpty }
        let next = Launch(RegionConditions()) {
          $0.regions = [
            CLCircularRegion(
              center: CLLocationCoordinate2D(latitude: 34, longitude: -118), radius: 100,
              identifier: CircularRegion.identifier)
          ]
        }
        next.phone.provider.setRegion(nil)
        #expect(next.phone.device.regions.isEmpty)
      }
    }

    @Test("while the mode is off, an exit isn't reported, and removes the region")
    func off() async {
      await Self.withSystem { system in
        let launch = await Self.armed(system)
        launch.phone.provider.setMode(.off)
        system.carry(north: 1_000)
        await Self.until("no condition") { system.conditions.isEmpty }
        #expect(launch.exits == 0)
      }
    }

    @Test("an exit between two launches is reported in the next launch, and a new region replaces the old one")
    func relaunched() async {
      await Self.withSystem { system in
        _ = await Self.armed(system)
        system.terminate()
        system.carry(north: 1_000)
        let launch = Launch(RegionConditions())
        launch.phone.provider.setMode(.gps)
        await Self.until("the exit of an earlier launch") { launch.exits == 1 }
        // Until the app has handled the exit, the record says that the device is in the region.
        await Self.until("the condition that was left is watched again, and not removed") {
          system.conditions.count == 2
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(launch.exits == 1)
        launch.arm(north: 1_000)
        await Self.until("the next condition") { system.conditions.count == 1 && system.conditions[0].isWatched }
        system.carry(north: 2_000)
        await Self.until("its exit") { launch.exits == 2 }
      }
    }

    @Test("launches that arm no region leave the condition that launched the app, and its renewal")
    func launchesWithoutARegion() async {
      await Self.withSystem { system in
        _ = await Self.armed(system)
        for _ in 0..<4 {
          system.terminate()
          let before = system.conditions.last?.identifier
          let launch = Launch(RegionConditions())
          launch.phone.provider.setMode(.significantChanges)
          await Self.until("a renewal") { system.conditions.count == 2 && system.conditions[0].identifier == before }
          for _ in 0..<100 { await Task.yield() }
          #expect(system.conditions.count == 2)
        }
      }
    }

    @Test(
      "a condition that the system lists but no longer watches after a restart is watched again",
      arguments: [(0.0, 1_000.0), (1_000, 1_000)])
    func restarted(_ north: Double, _ later: Double) async {
      await Self.withSystem { system in
        _ = await Self.armed(system)
        system.restart()
        system.carry(north: north)
        let launch = Launch(RegionConditions())
        launch.phone.provider.setMode(.significantChanges)
        await Self.until("it is watched") { system.conditions.count == 2 && system.conditions[1].isWatched }
        system.carry(north: later)
        await Self.until("the exit") { launch.exits == 1 }
        #expect(system.conditions.count == 2, "the old condition stays, because its exit may still arrive")
      }
    }

    @Test(
      "a condition that isn't watched withdraws the source and adds a line to the log",
      arguments: Unwatched.allCases)
    func unwatched(_ reason: Unwatched) async {
      await Self.withSystem { system in
        let launch = await Self.armed(system)
        let device = launch.phone.device
        system.notify(
          system.conditions[0].identifier, reason == .unmonitored ? .unmonitored : .unknown, because: reason.field)
        await Self.until("the source is withdrawn") { !launch.watches }
        #expect(launch.sources == [[.significantChange, .visit, .timer]])
        #expect(launch.phone.host.log.count == 1)
        // The next fix restores it.
        device.fixes = { _ in launch.phone.fix(8) }
        launch.phone.provider.setMode(.gps)
        device.advance(by: 2)
        #expect(launch.watches)
      }
    }

    @Test("a problem of a replaced or an unknown condition doesn't withdraw the source")
    func unwatchedBefore() async {
      await Self.withSystem { system in
        let launch = await Self.armed(system)
        let first = system.conditions[0].identifier
        launch.arm(north: 10)
        await Self.until("the next condition") { system.conditions.first?.identifier != first }
        for identifier in [first, "Home"] { system.notify(identifier, .unmonitored) }
        system.carry(north: 1_000)
        await Self.until("the exit, which was reported later") { launch.exits == 1 }
        #expect(launch.watches)
      }
    }

    @Test("with twenty conditions of the app, the source is withdrawn until the app enters the foreground")
    func tooMany() async {
      await Self.withSystem { system in
        system.conditionsOfTheApp = 20
        let launch = await Self.armed(system)
        await Self.until("the source is withdrawn") { !launch.watches }
        system.conditionsOfTheApp = 18
        launch.phone.device.isInForeground = false
        #expect(!launch.watches)
        launch.phone.device.isInForeground = true
        #expect(launch.watches)
        launch.arm()
        await Self.until("it is watched") { system.conditions.count == 1 && system.conditions[0].isWatched }
        system.carry(north: 1_000)
        await Self.until("the exit") { launch.exits == 1 }
      }
    }

    @Test("after a sequence of events ends, the events are iterated again", arguments: [nil, CLError(.network)])
    func sequenceEnds(_ error: CLError?) async {
      await Self.withSystem { system in
        let pauses = Pauses()
        let launch = await Self.armed(system, RegionConditions(pause: pauses.wait))
        // A sequence with an event doesn't count as failed.
        system.tellAgain()
        system.endEvents(throwing: error)
        await Self.until("the pause") { pauses.lengths == [.seconds(1)] }
        pauses.end()
        await Self.until("the events are iterated again") { system.isHeard }
        #expect(launch.watches)
        system.carry(north: 1_000)
        await Self.until("the exit") { launch.exits == 1 }
      }
    }

    @Test("a sequence that ends without events withdraws the source, and the events are iterated again")
    func sequenceEndsAtOnce() async {
      await Self.withSystem { system in
        let pauses = Pauses()
        let launch = Launch(RegionConditions(pause: pauses.wait))
        launch.phone.provider.setMode(.significantChanges)
        await Self.until("the events are iterated") { system.isHeard }
        launch.arm()
        await Self.until("the condition") { system.conditions.count == 1 }
        system.endEvents()
        await Self.until("the source is withdrawn") { !launch.watches }
        pauses.end()
        await Self.until("the events are iterated again") { system.isHeard }
        launch.arm()
        system.carry(north: 1_000)
        await Self.until("the exit") { launch.exits == 1 }
      }
    }

    @Test("the pause doubles, from a second up to a minute, and is a second again after a sequence with an event")
    func pauses() async {
      await Self.withSystem { system in
        let pauses = Pauses()
        let conditions = RegionConditions(pause: pauses.wait)
        conditions.open()
        var expected: [Duration] = []
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60, 1, 2] {
          await Self.until("the events are iterated") { system.isHeard }
          if expected.count == 8 { system.notify("Home", .satisfied) }
          system.endEvents()
          expected.append(.seconds(seconds))
          await Self.until("a pause of \(seconds) s") { pauses.lengths.count == expected.count }
          pauses.end()
        }
        #expect(pauses.lengths == expected)
      }
    }

    @Test("when the app enters the foreground, a condition that other code has removed withdraws the source")
    func removedByOthers() async {
      await Self.withSystem { system in
        let launch = await Self.armed(system)
        launch.phone.device.isInForeground = false
        system.removeAll()
        launch.phone.device.isInForeground = true
        await Self.until("the source is withdrawn") { !launch.watches }
      }
    }

    @Test("before the first unlock no monitor is opened, and a CLCircularRegion is armed instead")
    func beforeFirstUnlock() async {
      await Self.withSystem { system in
        _ = await Self.armed(system)
        system.terminate()
        system.hasBeenUnlocked = false
        let launch = Launch(RegionConditions()) { $0.hasBeenUnlocked = false }
        let device = launch.phone.device
        launch.phone.provider.setMode(.significantChanges)
        launch.arm()
        device.carry(to: launch.phone.fix(8, north: 0))
        for _ in 0..<100 { await Task.yield() }
        #expect(!system.isOpen && device.regions.count == 1)
        device.carry(to: launch.phone.fix(8, north: 1_000))
        device.advance(by: 60)
        #expect(launch.exits == 1)
        // The first unlock.
        (system.hasBeenUnlocked, device.hasBeenUnlocked) = (true, true)
        launch.phone.host.onAppChange?()
        await Self.until("the monitor opens at the unlock") { system.isOpen }
        launch.arm(north: 1_000)
        launch.phone.provider.setMode(.gps)
        await Self.until("a condition replaces the CLCircularRegion") {
          system.conditions.count == 1 && system.conditions[0].circle.center.latitude > 34.005
        }
        #expect(device.regions.isEmpty)
      }
    }

    @Test("a CLCircularRegion replaces the condition while the service session has no effect")
    func sessionWithoutEffect() async throws {
      try await Self.withSystem { system in
        let launch = Launch(RegionConditions()) { $0.isInForeground = false }
        let device = launch.phone.device
        func isArmed(asCondition: Bool) -> Bool {
          device.advance(by: 0.001)
          return launch.watches && device.regions.isEmpty == asCondition
            && system.conditions.count == (asCondition ? 1 : 0)
        }
        // No session was held before this background launch.
        launch.phone.provider.setMode(.significantChanges)
        launch.arm()
        await Self.until("a circle") { isArmed(asCondition: false) }
        #expect(launch.phone.host.log.count == 1 && launch.has([.significantChange, .regionExit, .visit]))
        device.isInForeground = true
        launch.arm()
        await Self.until("a condition") { isArmed(asCondition: true) }
        let session = try #require(device.heldServiceSessions.first)
        session.isAlwaysDenied = true
        await Self.until("a circle again") { isArmed(asCondition: false) }
        #expect(launch.phone.host.log.count == 2 && device.regions.first?.center.latitude == 34)
        device.setStatus(.denied)
        device.setStatus(.authorizedAlways)
        launch.arm(north: 10)
        await Self.until("a condition of the new session") { isArmed(asCondition: true) }
        session.isAlwaysDenied = true
        for _ in 0..<100 { await Task.yield() }
        #expect(isArmed(asCondition: true), "an ended session doesn't matter")
      }
    }

    @Test("a second provider uses the same monitor, and the first one loses its source")
    func secondProvider() async {
      await Self.withSystem { system in
        let conditions = RegionConditions()
        let first = Launch(conditions)
        first.phone.provider.setMode(.significantChanges)
        first.arm()
        await Self.until("the condition") { system.conditions.count == 1 }
        let second = Launch(conditions)
        second.phone.provider.setMode(.significantChanges)
        second.arm(north: 10)
        await Self.until("its condition") { system.conditions.first?.circle.center.latitude != 34 }
        await Self.until("the first provider loses its source") { !first.watches && second.watches }
        // The first one never watches again, and doesn't remove the second one's condition.
        let lines = first.phone.host.log.count
        first.phone.device.advance(by: 61)
        first.phone.device.deliver([first.phone.fix(8)])
        first.arm(north: 20)
        for _ in 0..<100 { await Task.yield() }
        #expect(!first.watches && first.phone.host.log.count == lines)
        system.carry(north: 1_000)
        await Self.until("the exit") { second.exits == 1 }
        #expect(first.exits == 0)
      }
    }

    @Test("a provider without references is released, and its region stays armed")
    func released() async {
      await Self.withSystem { system in
        let conditions = RegionConditions()
        weak var provider: CoreLocationProvider?
        do {
          let launch = Launch(conditions)
          provider = launch.phone.provider
          launch.phone.provider.setMode(.significantChanges)
          launch.arm()
          await Self.until("the condition") { system.conditions.count == 1 }
        }
        await Self.until("the provider is released") { provider == nil }
        system.carry(north: 1_000)
        #expect(system.conditions.count == 1)
      }
    }

    @Test("an exit makes a manager begin a look")
    func manager() async {
      await Self.withSystem { system in
        let device = StandInDevice()
        device.isOnMainActor = true
        let phone = Phone(device: device, answers: [.allowWhileUsing], conditions: RegionConditions())
        device.fixes = { _ in phone.fix(8) }
        phone.manager.errorBound = 500
        phone.manager.tryPromptAuthorization()
        device.carry(to: phone.fix(8, north: 0))
        device.advance(by: 10)
        await Self.until("the condition") { system.conditions.count == 1 }
        let found = phone.recorder.locations.count
        #expect(!device.isUpdating)
        device.isInForeground = false
        device.carry(to: phone.fix(8, north: 1_000))
        system.carry(north: 1_000)
        await Self.until("the receiver is on") { device.isUpdating }
        device.advance(by: 10)
        #expect(phone.recorder.locations.count > found)
        await Self.until("the next region") {
          system.conditions.count == 1 && system.conditions[0].circle.center.latitude > 34.005
        }
      }
    }
  }
#endif
