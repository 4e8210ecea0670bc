import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitJournal
@testable import LocoKitTrips
@testable import LocoMachine
@testable import TestSupport

/// An object that is attached to a manager, and changes what the manager does.
private let attachments: [(name: String, attach: @Sendable (LocationManager) -> AnyObject)] = [
  ("a controller", { PowerController($0, rules: [.init(.sleep, when: [.atRest(after: .seconds(5))])]) }),
  ("a controller with a bound", { PowerController($0, rules: [.init(.bound(300))]) }),
  ("a controller that tracks", { PowerController($0, rules: [.init(.track(TrackingPolicy()))]) }),
  ("a recorder", { TripRecorder($0) }),
  (
    "a recorder that prepares",
    {
      let recorder = TripRecorder($0)
      recorder.prepare()
      return recorder
    }
  ),
  (
    "a recorder that records",
    {
      let recorder = TripRecorder($0)
      recorder.start()
      return recorder
    }
  ),
  ("an automatic recorder", { TripRecorder.automatic($0) }),
  ("listening closures", { $0.listeners.add(onUpdate: { _ in }) }),
]

@Suite("Objects that are attached to a manager")
struct AttachedObjectTests {
  @Test(
    "A manager whose attached object is released is as it was before",
    arguments: attachments.indices, LocationMachine.State.allCases)
  func released(index: Int, state: LocationMachine.State) {
    func manager(with attach: ((LocationManager) -> AnyObject)?) -> Fixture {
      let fixture = Fixture(in: state, sources: [.significantChange, .regionExit, .motion, .timer])
      withExtendedLifetime(attach?(fixture.manager)) {}
      #expect(fixture.manager.core.demands.alarms.isEmpty)
      // After tracking, an acquisition with a time limit follows.
      fixture.provider.pass(200)
      return fixture
    }
    let (fixture, untouched) = (manager(with: attachments[index].attach), manager(with: nil))
    let (core, expected) = (fixture.manager.core, untouched.manager.core)
    let name = attachments[index].name
    #expect(core.demands.all.map(\.id) == expected.demands.all.map(\.id), "\(name)")
    #expect(core.demands.alarms.isEmpty && core.planner == nil, "\(name)")
    #expect(fixture.manager.trip == nil && fixture.manager.listeners.count == 1, "\(name)")
    #expect(fixture.provider.mode == untouched.provider.mode, "\(name)")
    #expect(fixture.provider.timer == untouched.provider.timer, "\(name)")
  }

  @Test("The streams of a manager that another one replaces end")
  @MainActor
  func streams() async {
    let provider = ScriptedProvider(.always)
    let old = LocationManager(provider: provider)
    let updates = await begin { for await _ in old.updates {} }
    let transitions = await begin { for await _ in old.transitions {} }
    let fixes = await begin { for await _ in old.judgedFixes {} }
    let new = LocationManager(provider: provider)
    for task in [updates, transitions, fixes] { _ = await task.result() }
    // A stream that is made later has ended already.
    for await _ in old.updates {}
    for await _ in old.transitions {}
    for await _ in old.judgedFixes {}
    withExtendedLifetime((old, new)) {}
  }

  /// A provider whose battery is read when it's needed.
  private final class Host: LocationProvider, HostProvider {
    let base = ScriptedProvider(.always)
    var uptime: Duration { base.uptime }
    var date: Date { base.date }
    var authorization: Authorization { base.authorization }
    var recommendedPolicy: AcquisitionPolicy { base.recommendedPolicy }
    var wakeSources: Set<WakeKind> { base.wakeSources }
    var onReport: ProviderReport.Handler? {
      get { base.onReport }
      set { base.onReport = newValue }
    }
    func apply(_ plan: ReceiverPlan) { base.apply(plan) }
    func perform(_ request: ReceiverRequest) { base.perform(request) }
    func readBattery() -> LocationManager.BatteryStatus? { .init(level: 0.5, state: .charging) }
  }

  @Test(
    "A battery that is read on demand has the rules of one that is reported, also while a journal records",
    arguments: [false, true])
  func battery(isRecorded: Bool) throws {
    let folder = try TemporaryFolder()
    let journal = Journal(folder: folder.url)
    func rule(_ base: any LocationProvider, _ report: (LocationManager) -> Void = { _ in }) -> PowerController.Rule? {
      let manager = LocationManager(provider: isRecorded ? RecordingProvider(base, to: journal) : base)
      report(manager)
      return PowerController(manager).rule
    }
    let reporting = ScriptedProvider(.always)
    let reported = rule(reporting) { _ in
      reporting.report(.battery(.init(level: 0.5, state: .charging)))
    }
    #expect(reported != nil && rule(Host()) == reported)
    #expect(rule(ScriptedProvider(.always)) == nil, "without a battery no rule applies")
    #expect(journal.synchronize(within: .seconds(60)))
  }
}
