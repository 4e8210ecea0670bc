import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitSimulation
@testable import TestSupport

@Suite("Scripted events of a simulated device")
struct ScriptedDeviceTests {
  static func device(
    _ route: SimulatedProvider.Route = SimulatedProviderTests.still,
    _ sources: Set<WakeKind> = [.significantChange, .regionExit]
  )
    -> SimulatedProvider
  {
    var configuration = SimulatedProviderTests.allowed
    configuration.wakeSources = sources
    configuration.region = RegionMonitorTests.certain
    return SimulatedProvider(route: route, seed: 1, configuration: configuration)
  }

  static func here(_ device: SimulatedProvider) -> Location {
    Location(latitude: 1, longitude: 2, horizontalAccuracy: 3, timestamp: device.date)
  }

  @Test("deliver reports fixes unchanged, in one report")
  func deliver() {
    let device = Self.device()
    var reports: [ProviderReport] = []
    device.onReport = ProviderReport.Handler { reports.append($0) }
    var invalid = Self.here(device)
    invalid.horizontalAccuracy = -1
    device.deliver([Self.here(device), invalid])
    #expect(reports == [.fixes([Self.here(device), invalid])])
  }

  @Test("loseSky stops the fixes for a duration")
  func sky() {
    let device = Self.device()
    device.setMode(.gps)
    device.advance(by: .seconds(60))
    var (fixes, failures): ([Double], [Double]) = ([], [])
    device.onReport = ProviderReport.Handler { [unowned device] in
      if case .fixes = $0 { fixes.append(device.uptime.inSeconds) }
      if case .failure(.locationUnknown) = $0 { failures.append(device.uptime.inSeconds) }
    }
    device.loseSky(for: .seconds(30))
    // A shorter loss changes nothing.
    device.loseSky(for: .seconds(1))
    #expect(!device.hasSky)
    device.advance(by: .seconds(30))
    #expect(fixes.isEmpty && device.hasSky)
    // The first failure comes in the next second, and the others at multiples of five seconds.
    #expect(failures == [61, 65, 70, 75, 80, 85])
    device.advance(by: .seconds(10))
    // After a loss of the sky, the next fix takes about 2 s.
    #expect(fixes.first.map { $0 <= 93 } == true, "\(fixes)")
  }

  @Test("A suspended app receives its reports and timers when it resumes, with consecutive fixes in one report")
  func suspension() {
    let device = Self.device()
    device.setMode(.gps)
    device.advance(by: .seconds(60))
    var reports: [ProviderReport] = []
    device.onReport = ProviderReport.Handler { reports.append($0) }
    device.suspend()
    #expect(!device.appIsRunning)
    device.setTimer(.seconds(63.5))
    device.advance(by: .seconds(10))
    #expect(reports.isEmpty)
    device.resume()
    #expect(device.appIsRunning)
    #expect(reports.count == 3 && reports[1] == .timer)
    #expect(SimulatedProviderTests.fixes(reports).count == 10)
    device.suspend(for: .seconds(5))
    device.advance(by: .seconds(4))
    #expect(!device.appIsRunning)
    device.advance(by: .seconds(2))
    #expect(device.appIsRunning)
    // The scheduled end of a suspension doesn't end the next one.
    device.suspend(for: .seconds(5))
    device.resume()
    device.suspend()
    device.advance(by: .seconds(100))
    #expect(!device.appIsRunning)
  }

  @Test("A significant change and the exit from a region wake a suspended app, and count as wake-ups")
  func wakes() {
    let device = Self.device(RegionMonitorTests.away)
    device.setMode(.significantChanges)
    device.setRegion(RegionMonitorTests.region)
    device.advance(by: .seconds(10))
    let before = device.energy.wakes
    device.suspend()
    device.reportSignificantChange()
    #expect(device.appIsRunning && device.energy.wakes == before + 1)
    device.suspend()
    device.onReport = ProviderReport.Handler { [unowned device] in if $0 == .regionExit { #expect(device.appIsRunning) }
    }
    device.run(until: .seconds(215))
    #expect(device.appIsRunning && device.energy.wakes >= before + 2)
  }

  @Test(
    "While a suspended app has only the permission while it's in use, nothing wakes it, and nothing is stored for it")
  func sleepsWhileInUse() {
    let device = Self.device(RegionMonitorTests.away)
    device.setMode(.significantChanges)
    device.setRegion(RegionMonitorTests.region)
    device.advance(by: .seconds(10))
    let before = device.energy.wakes
    device.authorization = .whenInUse
    device.suspend()
    var reports: [ProviderReport] = []
    device.onReport = ProviderReport.Handler { reports.append($0) }
    device.reportSignificantChange()
    device.run(until: .seconds(1_215))
    #expect(!device.appIsRunning && device.energy.wakes == before)
    device.launch()
    #expect(device.appIsRunning && reports.isEmpty, "\(reports)")
    device.authorization = .always
    device.suspend()
    device.reportSignificantChange()
    #expect(device.appIsRunning && device.energy.wakes == before + 1)
  }

  @Test(
    "A significant change and the exit from a region launch a terminated app, even if the GPS was on",
    arguments: [ReceiverMode.gps, .significantChanges])
  func launch(mode: ReceiverMode) {
    for byRegion in [false, true] {
      let device = Self.device(RegionMonitorTests.away, byRegion ? [.regionExit] : [.significantChange])
      var launches = 0
      var hasHeard = false
      device.onRelaunch = { launches += 1 }
      device.setMode(mode)
      device.setRegion(RegionMonitorTests.region)
      device.advance(by: .seconds(20))
      device.onReport = ProviderReport.Handler { _ in hasHeard = true }
      device.terminate()
      let on = device.energy.gpsOn
      #expect(!device.appIsRunning)
      device.setMode(.gps)
      device.setTimer(.seconds(22))
      device.advance(by: .seconds(30))
      #expect(device.energy.gpsOn == on && launches == 0 && !hasHeard)
      if byRegion { device.run(until: .seconds(215)) } else { device.reportSignificantChange() }
      #expect(launches == 1 && device.appIsRunning && device.mode == .off && !hasHeard)
    }
  }

  @Test("The system launches a terminated app only with the Always permission and for a registered event")
  func noLaunch() {
    for (authorization, mode) in [(Authorization.whenInUse, ReceiverMode.significantChanges), (.always, .off)] {
      let device = Self.device()
      var launches = 0
      device.onRelaunch = { launches += 1 }
      device.setMode(mode)
      device.authorization = authorization
      device.terminate()
      device.reportSignificantChange()
      device.advance(by: .seconds(1_000))
      #expect(launches == 0 && !device.appIsRunning)
    }
  }

  @Test(
    "The user can launch the app, even without a permission or a registered event",
    arguments: [Authorization.always, .whenInUse, .denied, .notDetermined], [ReceiverMode.off, .gps])
  func opened(authorization: Authorization, mode: ReceiverMode) {
    let device = Self.device()
    var launches = 0
    device.onRelaunch = { launches += 1 }
    device.authorization = authorization
    device.setMode(mode)
    var reports: [ProviderReport] = []
    device.onReport = ProviderReport.Handler { reports.append($0) }
    device.terminate()
    device.advance(by: .seconds(10))
    device.launch()
    #expect(launches == 1 && device.appIsRunning && device.mode == .off && device.energy.wakes == 0)
    #expect(reports.isEmpty && device.onReport == nil)
    device.launch()
    #expect(launches == 1, "the app is running")
    device.suspend()
    device.launch()
    #expect(launches == 1 && device.appIsRunning)
  }

  @Test(
    "After a launch, no event that an earlier launch requested is reported",
    arguments: [ReceiverMode.gps, .significantChanges])
  func forgotten(mode: ReceiverMode) {
    let device = Self.device()
    device.setMode(mode)
    device.requestAuthorization()
    device.setTimer(.seconds(5))
    device.terminate()
    device.launch()
    var reports: [ProviderReport] = []
    device.onReport = ProviderReport.Handler { reports.append($0) }
    device.advance(by: .seconds(60))
    #expect(reports.isEmpty)
  }

  @Test("Without onRelaunch, the system doesn't launch the app")
  func noCallback() {
    let device = Self.device()
    device.setMode(.significantChanges)
    device.terminate()
    device.reportSignificantChange()
    device.advance(by: .seconds(1_000))
    #expect(!device.appIsRunning && device.energy.wakes == 0)
  }

  @Test("A permission that is set while a prompt is shown replaces the answer", arguments: [0, 1, 2])
  func setDuringAPrompt(seconds: Double) {
    let device = SimulatedProvider(route: SimulatedProviderTests.still, seed: 1)
    device.perform(.authorization)
    device.advance(by: .seconds(seconds))
    device.authorization = .denied
    device.advance(by: .seconds(60))
    #expect(device.authorization == .denied)
  }

  @Test("A manager of a terminated app receives nothing, and a new one finds a location after a launch")
  func openedWithoutACallback() {
    for answered in [false, true] {
      let device = SimulatedProvider(route: SimulatedProviderTests.still, seed: 1)
      if answered { device.authorization = .whenInUse }
      device.terminate()
      let early = LocationManager(provider: device)
      early.tryPromptAuthorization()
      device.advance(by: .seconds(86_400))
      #expect(early.state == .prompted && early.location == nil && !device.appIsRunning)
      device.launch()
      let manager = LocationManager(provider: device)
      manager.tryPromptAuthorization()
      device.advance(by: .seconds(60))
      #expect(manager.location != nil && early.location == nil)
    }
  }

  @Test("Significant changes stay registered while the GPS is on, and the app doesn't receive them")
  func registered() {
    var configuration = SimulatedProviderTests.allowed
    configuration.trigger = .cell
    let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
    var changes = 0
    device.onReport = ProviderReport.Handler { if case .wake(.significantChange) = $0 { changes += 1 } }
    var launches = 0
    device.onRelaunch = { launches += 1 }
    device.setMode(.significantChanges)
    device.setMode(.gps)
    device.advance(by: .seconds(600))
    #expect(changes == 0)
    device.terminate()
    device.advance(by: .seconds(600))
    #expect(launches == 1)
  }

  @Test("Cells and motion are reported in every mode but off, first immediately and then when they change")
  func senses() {
    var configuration = SimulatedProviderTests.allowed
    configuration.wakeSources = Sources.awake.kinds
    for mode in [ReceiverMode.gps, .significantChanges] {
      let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
      var cells: [String] = []
      var motions: [LocationManager.Motion] = []
      device.onReport = ProviderReport.Handler {
        if case .wake(.cell(let name)) = $0 { cells.append(name) }
        if case .wake(.motion(let motion)) = $0 { motions.append(motion) }
      }
      device.setMode(mode)
      device.advance(by: .seconds(1))
      #expect(cells.count == 1 && motions == [.still])
      device.advance(by: .seconds(1_799))
      #expect(cells.count > 50 && Set(cells).count > 20)
      #expect(zip(cells, cells.dropFirst()).allSatisfy { $0 != $1 })
      #expect(motions.contains(.vehicle) && zip(motions, motions.dropFirst()).allSatisfy { $0 != $1 })
      device.setMode(.off)
      let count = cells.count + motions.count
      device.advance(by: .seconds(1_000))
      #expect(cells.count + motions.count == count)
    }
    configuration.wakeSources = [.significantChange]
    let (_, reports) = SimulatedProviderTests.reports(.losAngeles, configuration, mode: .significantChanges, for: 1_800)
    #expect(reports.allSatisfy { if case .wake(.significantChange) = $0 { true } else { false } })
  }
}
