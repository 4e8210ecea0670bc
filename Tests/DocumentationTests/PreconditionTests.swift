#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitGPSD
  import LocoKitJournal
  import LocoKitSimulation
  import LocoKitTrips
  import LocoMachine
  import LocoMachineGraphs
  import LocoMachineTesting
  import Testing

  /// The preconditions of the public API.
  @Suite("Preconditions")
  struct PreconditionTests {
    /// A violation, and a part of the sentence that the program prints.
    struct Violation: Sendable {
      let sentence: String
      let violate: @Sendable @MainActor () async throws -> Void

      init(_ sentence: String, _ violate: @escaping @Sendable @MainActor () async throws -> Void) {
        (self.sentence, self.violate) = (sentence, violate)
      }
    }

    static let violations = managers + isolation + tracking + rules + trips + devices + machines

    #if DEBUG
      private static let isolation = [
        Violation("A manager that belongs to the main actor is used elsewhere") {
          let phone = device()
          let manager = LocationManager(provider: phone)
          nonisolated(unsafe) let handler = phone.onReport
          manager.tryPromptAuthorization()
          await Task.detached { handler?(.promptShown) }.value
          withExtendedLifetime(manager) {}
        }
      ]
    #else
      private static let isolation: [Violation] = []
    #endif

    private static let managers = [
      Violation("An error bound must be finite and 100 m or more, not 50") { manager().errorBound = 50 },
      Violation("The prompt's time limit must be more than 0 and at most a day") { manager().promptTimeLimit = .zero },
      Violation("The desired accuracy must be a finite number of metres above 0, not 0.0") {
        manager().policy.desiredAccuracy = 0
      },
      Violation("The desired accuracy must be a finite number of metres above 0, not -1.0") {
        _ = try await manager().acquire(desiredAccuracy: -1)
      },
      Violation("The timeout must be more than 0 and at most a day, not 0.0 s") {
        _ = try await manager().acquire(desiredAccuracy: 10, timeout: .zero)
      },
      Violation("The maximum age must be 0 to a day, not -1.0 s") {
        _ = try await manager().acquire(desiredAccuracy: 10, maximumAge: .seconds(-1))
      },
      Violation("The port must be 1…65535") { _ = GPSDProvider(port: 0) },
      Violation("The check interval must be more than 0 and at most a day") { _ = GPSDProvider(checkInterval: .zero) },
      Violation("A provider runs in one task at a time") {
        let provider = GPSDProvider(port: 1)
        for _ in 0..<2 { Task { try await provider.run() } }
        for _ in 0..<1_000 { await Task.yield() }
      },
      Violation("A journal's maximumSize must be") { _ = Journal(folder: file, maximumSize: 1) },
    ]

    private static let tracking = [
      Violation("The desired accuracy must be a finite number of metres above 0, not inf") {
        _ = manager().track(desiredAccuracy: .infinity)
      },
      Violation("The distance filter must be a finite number of metres, 0 or more, not -1.0") {
        _ = manager().track(desiredAccuracy: 10, distanceFilter: -1)
      },
      policy("The required accuracy must be a finite number of metres above 0, not 0.0") { $0.requiredAccuracy = 0 },
      policy("The pending time limit must be more than 0 and at most a day, not 0.0 s") { $0.pendingTimeLimit = .zero },
      policy("The maximum of pending fixes must be 1 to 1,000, not 0") { $0.maximumPendingFixes = 0 },
      policy("The hold time must be 0 to a day, not -1.0 s") { $0.holdTime = .seconds(-1) },
      policy("The distance filter must be a finite number of metres, 0 or more, not -inf") {
        $0.distanceFilter = -.infinity
      },
      policy("The maximum interval must be more than 0 and at most a day") { $0.maximumInterval = .zero },
      policy("The signal timeout must be more than 0 and at most a day") { $0.signalTimeout = .seconds(86_401) },
    ]

    /// A violation by a change of a tracking policy.
    private static func policy(
      _ sentence: String, _ change: @escaping @Sendable (inout TrackingPolicy) -> Void
    ) -> Violation {
      Violation(sentence) {
        var policy = TrackingPolicy()
        change(&policy)
        _ = manager().track(accepting: policy)
      }
    }

    private static let rules = [
      rule("The level of a battery must be 0 to 1, not 2.0", .init(.sleep, when: [.not(.battery(below: 2))])),
      rule("The level of a battery must be 0 to 1, not 1.1", .init(.sleep, when: [.battery(below: 1.1)])),
      rule("The time without motion must be more than 0", .init(.sleep, when: [.atRest(after: .zero)])),
      rule("The time without motion must be", .init(.sleep, when: [.not(.atRest(after: .seconds(86_401)))])),
      rule("An error bound must be finite and 100 m or more, not 99", .init(.bound(99))),
      rule("The required accuracy must be", .init(.track(TrackingPolicy(requiredAccuracy: 0)))),
      Violation("An error bound must be finite and 100 m or more, not 99") {
        PowerController(manager()).rules = [.init(.bound(99))]
      },
    ]

    /// A violation by the second of two rules.
    private static func rule(_ sentence: String, _ rule: PowerController.Rule) -> Violation {
      Violation(sentence) { _ = PowerController(manager(), rules: [.init(.sleep), rule]) }
    }

    private static let trips = [
      Violation("requiredAccuracy must be more than 0, and weakAccuracy finite") {
        _ = TripRecorder(manager(), requiredAccuracy: 0)
      },
      Violation("no less than requiredAccuracy") {
        _ = TripRecorder(manager(), requiredAccuracy: 30, weakAccuracy: 20)
      },
      Violation("minimumStay must be one minute to an hour, not 59.0 s") {
        _ = TripRecorder.automatic(manager(), minimumStay: .seconds(59))
      },
      Violation("kinds must not be empty") { _ = TripRecorder.automatic(manager(), kinds: []) },
      Violation("A trip store's capacity must be 1 to 10,000 trips") {
        _ = TripRecorder.Store(folder: file, capacity: 0)
      },
      Violation("The capacity must be 1 to 100,000 locations, not 0") { _ = LocationHistory(file: file, capacity: 0) },
      Violation("The maximum age must be more than 0, not 0.0 s") {
        _ = LocationHistory(file: file, maximumAge: .zero)
      },
      Violation("A batch contains at least one location, not 0") {
        _ = try await LocationHistory(file: file).batch(upTo: 0)
      },
    ]

    private static let devices = [
      Violation("A device's time advances by 0 s or more") { device().advance(by: .seconds(-1)) },
      Violation("A device's time can't advance during a report") {
        let (phone, listener) = (device(), Advancing())
        listener.device = phone
        let manager = LocationManager(provider: phone)
        manager.listeners.add(listener)
        manager.tryPromptAuthorization()
        phone.advance(by: .seconds(60))
      },
      Violation("The changes of the clock must be at most ten thousand years") { device().setClock(by: 1e12) },
      Violation("The changes of the clock must be at most ten thousand years") { device().setClock(by: .nan) },
      Violation("A route needs at least one waypoint") { _ = SimulatedProvider.Route(waypoints: []) },
      Violation("The leg from waypoint 0 to the next needs a speed at one of them") {
        _ = SimulatedProvider.Route(waypoints: [
          .init(latitude: 0, longitude: 0, speed: 0), .init(latitude: 1, longitude: 0, speed: 0),
        ])
      },
      Violation("The leg from waypoint 0 to the next takes") {
        _ = SimulatedProvider.Route(waypoints: [
          .init(latitude: 0, longitude: 0, legSpeed: 1e-3), .init(latitude: 1, longitude: 0),
        ])
      },
      Violation("Waypoint 0 ") { _ = SimulatedProvider.Route(waypoints: [.init(latitude: 91, longitude: 0)]) },
    ]

    private static let machines = [
      Violation("allCases must list every case once") { _ = TransitionTable<Button<ListedTwice>>() },
      Violation("A deadline's event must go to a state, possibly the same one") {
        _ = TransitionTable<Button<StaysAtItsDeadline>>()
      },
      Violation("LocationMachine has no setting \"limit\". Its settings are: promptTimeLimit, policy.timeLimit") {
        _ = MachineInstance<LocationMachine>(
          restoring: StateSnapshot(enteredAt: .zero, settings: ["limit": .seconds(1)]))
      },
      Violation("The setting \"promptTimeLimit\"") {
        _ = MachineInstance<LocationMachine>(
          restoring: StateSnapshot(enteredAt: .zero, settings: ["promptTimeLimit": .zero]))
      },
      Violation("A snapshot's time must be within ten thousand years of 1970") {
        _ = MachineRunner<Button<Sound>>(restoring: StateSnapshot(enteredAt: .seconds(1e12))) { _, _ in }
      },
      Violation("The length of the walks must be 0 or more") {
        _ = StateGraph<LocationMachine>().walks(length: -1, seed: 1)
      },
      Violation("The share of ignored events must be 0 to 1") {
        _ = StateGraph<LocationMachine>().walks(length: 1, ignoredShare: 1.1, seed: 1)
      },
      Violation("A clock can't advance by -1.0 seconds") { ManualClock().advance(by: .seconds(-1)) },
      Violation("The time limit must be more than 0") { try await ManualClock().advance(atMost: .zero) {} },
    ]

    /// A machine with one state, as a definition makes it.
    private enum Button<Definition: ButtonDefinition>: StateMachine {
      enum State: String, CaseIterable {
        case on
        static var allCases: [State] { Definition.states.map { _ in .on } }
      }
      enum Event: String, CaseIterable { case press }
      typealias Effect = Never
      static var initialState: State { .on }
      static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> { .stay([]) }
      static func deadline(in state: State) -> Deadline<Self>? { Definition.limit.map { .after($0, .press) } }
    }

    private protocol ButtonDefinition {
      static var states: Range<Int> { get }
      static var limit: Duration? { get }
    }

    private enum Sound: ButtonDefinition { static let (states, limit) = (0..<1, Duration?.none) }
    private enum ListedTwice: ButtonDefinition { static let (states, limit) = (0..<2, Duration?.none) }
    private enum StaysAtItsDeadline: ButtonDefinition {
      static let (states, limit) = (0..<1, Duration?.some(.seconds(1)))
    }

    /// Advances a device during a callback.
    private final class Advancing: LocationManagerListener {
      var device: SimulatedProvider?

      func locationManager(_: LocationManager, didTransition _: LocationManager.Transition) {
        device?.advance(by: .seconds(1))
      }
    }

    private static var file: URL { FileManager.default.temporaryDirectory.appending(path: UUID().uuidString) }

    @MainActor private static func device() -> SimulatedProvider {
      let waypoints: [SimulatedProvider.Route.Waypoint] = [
        .init(latitude: 0, longitude: 0), .init(latitude: 0.1, longitude: 0),
      ]
      return SimulatedProvider(route: SimulatedProvider.Route(waypoints: waypoints), seed: 1)
    }

    @MainActor private static func manager() -> LocationManager { LocationManager(provider: device()) }

    @Test("A violated precondition stops the program with a sentence", arguments: violations.indices)
    func stops(index: Int) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [index] in
        try await PreconditionTests.violations[index].violate()
      }
      let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
      #expect(text.contains(Self.violations[index].sentence), "\(text)")
    }
  }
#endif
