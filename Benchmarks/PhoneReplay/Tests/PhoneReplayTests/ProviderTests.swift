import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoKitSimulation
@_spi(Benchmarks) import LocoMachine
import Testing

@testable import PhoneReplay

@Suite("The replayed phone")
struct ProviderTests {
  private func provider(
    _ options: ReplayProvider.Options = .init(), text: String = Fixture.text(), seed: UInt64 = 0
  )
    throws -> (ReplayProvider, Log)
  {
    let provider = ReplayProvider(try Fixture.recording(text), options: options, seed: seed)
    let log = Log()
    log.listen(to: provider)
    return (provider, log)
  }

  private func run(_ provider: ReplayProvider, to end: Int, from start: Int = 0) throws {
    for second in start...end { try provider.advance(toSecond: second) }
  }

  private let home = Location.Region(latitude: Fixture.latitude, longitude: Fixture.longitude, radius: 100)

  @Test("The time is counted as GPS with its tail, kept running, or suspended")
  func counts() throws {
    let (provider, _) = try provider()
    provider.setMode(.gps)
    try run(provider, to: 10)
    provider.setMode(.significantChanges)
    try run(provider, to: 100, from: 11)
    provider.setKeptRunning(true)
    try run(provider, to: 400, from: 101)
    provider.setKeptRunning(false)
    try run(provider, to: 1_000, from: 401)
    let counts = provider.counts
    #expect(counts.seconds(.gps, moving: false) == 15)
    #expect(counts.seconds(.coarse, moving: false) == 200)
    #expect(counts.seconds(.coarse, moving: true) == 100)
    #expect(counts.seconds(.suspended, moving: false) == 185)
    #expect(counts.seconds(.suspended, moving: true) == 500)
    #expect(counts.looks.value(moving: false) == 1)
    #expect(counts.looks.value(moving: true) == 0)
  }

  @Test(
    "The keepers always and never override the command that keeps the app running",
    arguments: [ReplayProvider.Keeper.always, .never])
  func keepers(_ keeper: ReplayProvider.Keeper) throws {
    let (provider, _) = try provider(.init(keeper: keeper))
    provider.setMode(.significantChanges)
    provider.setKeptRunning(keeper == .never)
    try run(provider, to: 100)
    #expect(provider.counts.seconds(.coarse, moving: false) == (keeper == .always ? 100 : 0))
    #expect(provider.wakeSources.contains(.timer) == (keeper == .always))
  }

  @Test("Coarse fixes are reported only while the app is kept running")
  func coarse() throws {
    let (provider, log) = try provider()
    provider.setMode(.significantChanges)
    try run(provider, to: 450)
    #expect(log.fixes.isEmpty)
    provider.setKeptRunning(true)
    try run(provider, to: 500, from: 451)
    #expect(log.fixes.map(\.time) == [453.5, 459.5, 465.5, 471.5, 477.5, 483.5, 489.5, 495.5])
    #expect(log.fixes.allSatisfy { $0.location.horizontalAccuracy == 65 })
    #expect(log.fixes.first?.location.timestamp == Date(timeIntervalSince1970: 1_500_000_453))
    let (ignoring, other) = try self.provider(.init(keeper: .always, reportsCoarse: false))
    ignoring.setMode(.significantChanges)
    try run(ignoring, to: 500)
    #expect(other.fixes.isEmpty)
  }

  @Test("A duty-cycled phone reports coarse fixes from the plan's time on, and counts the idle time and the changes")
  func dutyCycled() throws {
    let (provider, log) = try provider(.init(isDutyCycled: true))
    provider.setMode(.significantChanges)
    provider.setKeptRunning(true)
    provider.wantCoarseFixes(from: .seconds(458.5))
    try run(provider, to: 470)
    #expect(log.fixes.map(\.time) == [459.5, 465.5])
    provider.wantCoarseFixes(from: nil)
    try run(provider, to: 480, from: 471)
    provider.wantCoarseFixes(from: .zero)
    try run(provider, to: 490, from: 481)
    provider.setKeptRunning(false)
    try run(provider, to: 500, from: 491)
    #expect(log.fixes.map(\.time) == [459.5, 465.5, 483.5, 489.5])
    let counts = provider.counts
    #expect(counts.seconds(.coarse, moving: true) == 11.5 + 10 && counts.seconds(.coarse, moving: false) == 0)
    #expect(counts.seconds(.idle, moving: false) == 300 && counts.seconds(.idle, moving: true) == 158.5 + 10)
    #expect(counts.switches.value(moving: true) == 2 && counts.switches.value(moving: false) == 0)
    let milliwatts = try #require(Power.milliwatts(counts, moving: true))
    #expect(abs(milliwatts * 0.2 - (188 * 21.5 + 30 * 168.5 + 800 * 2) / 1_000) < 1e-6)
  }

  @Test("Motion and timers are available while the app is kept running, and the current motion is reported immediately")
  func motion() throws {
    let (provider, log) = try provider()
    provider.setMode(.significantChanges)
    try run(provider, to: 100)
    #expect(log.motions.isEmpty)
    provider.setKeptRunning(true)
    #expect(log.motions.map(\.motion) == [.still])
    #expect(provider.wakeSources.isSuperset(of: [.motion, .timer]))
    try run(provider, to: 500, from: 101)
    #expect(log.motions.map(\.motion) == [.still, .vehicle])
    #expect(log.motions.last?.time == 420)
    provider.setKeptRunning(false)
    #expect(provider.wakeSources.isDisjoint(with: [.motion, .timer]))
  }

  @Test("An activity without a flag, with only the flag unknown or with low confidence gives no motion")
  func noNews() {
    func motion(_ flags: String, isUnsure: Bool = false) -> LocationManager.Motion? {
      Recording.motion(Phone.Activity(time: 0, flags: flags, isUnsure: isUnsure))
    }
    #expect(motion("-") == nil)
    #expect(motion("U") == nil)
    #expect(motion("A", isUnsure: true) == nil)
    #expect(motion("A") == .vehicle)
    #expect(motion("AS") == .standing)
    #expect(motion("S") == .still)
    #expect(motion("W") == .walking)
    #expect(motion("WR") == .walking)
    #expect(motion("C") == .walking)
  }

  @Test("A timer fires while the app runs, or at the wake-up after a suspension")
  func timers() throws {
    let (provider, log) = try provider()
    provider.setMode(.significantChanges)
    provider.setKeptRunning(true)
    provider.setTimer(.milliseconds(50_250))
    try run(provider, to: 60)
    #expect(log.timers == [50.25])
    provider.setKeptRunning(false)
    provider.setTimer(.seconds(70))
    provider.setRegion(home)
    try run(provider, to: 349, from: 61)
    #expect(log.timers == [50.25])
    // A significant change wakes the app first, then the region.
    try run(provider, to: 410, from: 350)
    #expect(log.changes == [350])
    #expect(log.timers == [50.25, 350])
    #expect(log.exits == [400])
    #expect(provider.counts.wakes.value(moving: true) == 2)
  }

  @Test("An endless loop of timers throws an error")
  func endlessTimers() throws {
    let (provider, _) = try provider(.init(keeper: .always))
    provider.setMode(.significantChanges)
    provider.onReport = ProviderReport.Handler { [unowned provider] _ in provider.setTimer(.zero) }
    provider.setTimer(.zero)
    #expect(throws: ReplayFailure.self) { try provider.advance(toSecond: 1) }
  }

  @Test("A region exit is reported at the recorded time")
  func recordedExit() throws {
    let (provider, log) = try provider()
    provider.setMode(.significantChanges)
    provider.setRegion(home)
    try run(provider, to: 900)
    #expect(log.exits == [400])
    #expect(provider.counts.wakes.value(moving: true) >= 1)
  }

  @Test("Without a recorded exit, the delay is drawn from the measured distribution")
  func drawnExit() throws {
    var lateness: [Double] = []
    for seed in 0..<400 as Range<UInt64> {
      let (provider, log) = try provider(text: Fixture.text(exits: [], seconds: 900), seed: seed)
      provider.setMode(.significantChanges)
      provider.setRegion(home)
      try run(provider, to: 850)
      // The device crosses the edge after 310 s.
      lateness.append(log.exits.first.map { $0 - 311 } ?? .infinity)
    }
    lateness.sort()
    #expect(lateness.allSatisfy { $0 >= 9 })
    #expect((85...125).contains(lateness[184]))  // the median of the reported exits
    #expect((0.04...0.12).contains(Double(lateness.count { $0 == .infinity }) / 400))
  }

  @Test("An exit is cancelled if the device is back inside, and a later one is reported")
  func backInside() {
    var watch = RegionWatch(home, armedAt: 0)
    let (inside, outside) = (Fixture.place(at: 0), Fixture.place(at: 400))
    watch.pass(outside, at: 10_000, exits: [20_000]) { SeededGenerator(seed: 1) }
    #expect(watch.exitAt == 20_000)
    watch.goOn()
    watch.pass(inside, at: 21_000, exits: []) { SeededGenerator(seed: 1) }
    #expect(watch.exitAt == nil)
    watch.pass(outside, at: 30_000, exits: [33_000]) { SeededGenerator(seed: 1) }
    #expect(watch.exitAt == 33_000)
  }

  @Test("A recorded exit isn't used for a wider region, or for one that is set after the exit")
  func otherRegion() {
    let wide = Location.Region(latitude: Fixture.latitude, longitude: Fixture.longitude, radius: 800)
    var (far, late) = (RegionWatch(wide, armedAt: 0), RegionWatch(home, armedAt: 25_000))
    for exits in [[12_000], [24_000]] as [[Int64]] {
      far.pass(Fixture.place(at: 500), at: 10_000, exits: exits) { SeededGenerator(seed: 7) }
      #expect(far.exitAt != 12_000)
      late.pass(Fixture.place(at: 500), at: 26_000, exits: exits) { SeededGenerator(seed: 7) }
      #expect(late.exitAt != 26_000)
    }
  }

  @Test("First fixes follow the measured distribution, and there are none underground")
  func receiver() throws {
    let recording = try Fixture.recording(Fixture.text(fixesFrom: 900))
    var receiver = Receiver(recording, seed: 3)
    var starts: [Double] = []
    for _ in 0..<2_000 {
      receiver.start(at: 0)
      starts.append(Double(receiver.satelliteAt ?? 0) / 1_000)
    }
    starts.sort()
    #expect((3.8...4.2).contains(starts[1_000]))
    #expect((6...7.2).contains(starts[1_500]))
    #expect((0.79...0.83).contains(Double(starts.count { $0 <= 8 }) / 2_000))
    #expect((0.1...0.14).contains(Double(starts.count { $0 > 15 }) / 2_000))
    receiver.start(at: 650_000)
    let none = [receiver.networkFix(at: 651_000), receiver.satelliteFix(at: 655_000)]
    #expect(none == [nil, nil])
    let found = receiver.satelliteFix(at: 800_000)
    let fix = try #require(found)
    #expect([10, 30].contains(fix.horizontalAccuracy))
    #expect(abs((fix.speed ?? 0) - 10) < 0.1)
  }

  @Test("A network fix has the error and the accuracy of the nearest coarse fix")
  func network() throws {
    var receiver = Receiver(try Fixture.recording(), seed: 3)
    receiver.start(at: 500_000)
    let found = receiver.networkFix(at: 500_700)
    let fix = try #require(found)
    let truth = Fixture.place(at: 500).moved(north: 7, east: 0)
    let off = truth.way(to: Place(latitude: fix.latitude, longitude: fix.longitude))
    #expect(abs(off.north - 20) < 0.1 && abs(off.east) < 0.1)
    #expect(fix.horizontalAccuracy == 65)
    // Underground, the network repeats the latest coarse fix.
    let last = receiver.networkFix(at: 610_000)
    #expect(last != nil)
  }

  @Test("A significant change is reported after 500 m and five minutes")
  func changes() throws {
    let (provider, log) = try provider()
    provider.setMode(.significantChanges)
    try run(provider, to: 1_800)
    // The device has moved 500 m after 350 s. Five minutes later it is underground, so the next change follows at the end of the tunnel.
    // The last change is five minutes after that, when the device is already at rest.
    #expect(log.changes == [350, 720, 1_020])
    let (off, silence) = try self.provider()
    try run(off, to: 1_800)
    #expect(silence.changes.isEmpty)
  }
}
