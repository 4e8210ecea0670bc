import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitJournal
@testable import TestSupport

@Suite("Replays of journals")
struct JournalPlayTests {
  private final class FailureListener: LocationManagerListener {
    var onFailure: (() -> Void)?
    func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) { onFailure?() }
  }

  /// Returns the first lines of a launch with the permission.
  private static func launch(_ seconds: Double, date: Double? = nil, sources: Sources = .awake) -> [JournalEntry] {
    let now = now(seconds, date)
    let launch = JournalEntry.Launch(
      platform: "iOS 26.0", authorization: .always, wakeSources: sources.kinds, backgroundUpdates: sources.updates,
      policy: .loco, location: nil, isPaused: false)
    return [
      JournalEntry(now: now, what: .launch(launch)), JournalEntry(now: now, what: .input(.command(.tryPrompt))),
      JournalEntry(now: now, what: .input(.report(.authorization(.always)))),
    ]
  }

  private static func now(_ seconds: Double, _ date: Double? = nil) -> LocationCore.Now {
    LocationCore.Now(uptime: .seconds(seconds), date: Date(timeIntervalSinceReferenceDate: date ?? seconds))
  }

  private static func entry(_ seconds: Double, date: Double? = nil, _ input: LocationCore.Input) -> JournalEntry {
    JournalEntry(now: now(seconds, date), what: .input(input))
  }

  private static func fix(_ seconds: Double, accuracy: Double = 500) -> JournalEntry {
    let location = Location(
      latitude: 34, longitude: -118, horizontalAccuracy: accuracy,
      timestamp: Date(timeIntervalSinceReferenceDate: seconds))
    return entry(seconds, .report(.fixes([location])))
  }

  /// Replays entries, and calls `see` after each one that follows the first launch.
  private static func play(
    _ entries: [JournalEntry], instead alternative: JournalProvider.Alternative? = nil,
    _ see: (JournalProvider) -> Void = { _ in }
  ) throws -> JournalProvider {
    let player = try JournalProvider(JournalReader(entries.flatMap { try $0.bytes }), instead: alternative)
    var manager = LocationManager(provider: player, store: player.store)
    player.onRelaunch = { manager = LocationManager(provider: player, store: player.store) }
    while try player.step() { see(player) }
    withExtendedLifetime(manager) {}
    player.onRelaunch = nil
    return player
  }

  @Test(
    "The time with the GPS on excludes the time between a kill and the next launch, with and without a release",
    arguments: [false, true])
  func killed(isReleased: Bool) throws {
    var entries = Self.launch(0) + [Self.fix(4), Self.fix(5)]
    if isReleased { entries.append(Self.entry(8_000, .release)) }
    entries += Self.launch(8_000) + [Self.fix(8_003), Self.fix(8_005, accuracy: 5)]
    let player = try Self.play(entries)
    #expect(player.receiverOnTime == .seconds(10))
    #expect(player.recordedTime == .seconds(isReleased ? 8_005 : 10))
    #expect(player.elapsed == .seconds(8_005))
  }

  @Test(
    "During a replay, the provider has the values of the last report",
    arguments: LocationManager.BackgroundUpdates.allCases)
  func lastReport(_ updates: LocationManager.BackgroundUpdates) throws {
    let player = try Self.play(
      Self.launch(0) + [
        Self.entry(1, .report(.authorization(.whenInUse))),
        Self.entry(2, .report(.wakeSources([.cell], backgroundUpdates: updates))),
      ])
    #expect(player.authorization == .whenInUse && player.wakeSources == [.cell] && player.backgroundUpdates == updates)
  }

  static let clocks: [(String, second: (uptime: Double, date: Double), elapsed: Double)] = [
    ("the clock is set back", (50, -100_000), 105), ("the device was restarted", (3, 1_000), 1_005),
    ("the app was launched again", (1_000, 1_000), 1_005),
  ]

  @Test("The elapsed time never decreases, even if a launch has an earlier date or uptime", arguments: clocks)
  func ordered(what: String, second: (uptime: Double, date: Double), elapsed: Double) throws {
    var last = Duration.zero
    let player = try Self.play(
      Self.launch(0) + [Self.fix(100)] + Self.launch(second.uptime, date: second.date)
        + [Self.entry(second.uptime + 5, date: second.date + 5, .report(.timer))]
    ) { player in
      #expect(player.elapsed >= last, "\(what)")
      last = player.elapsed
    }
    #expect(player.elapsed == .seconds(elapsed))
    #expect(player.recordedTime == .seconds(105))
    #expect(player.uptime == .seconds(second.uptime + 5))
  }

  @Test("The uptime never decreases within a launch")
  func uptime() throws {
    var uptimes: [Duration] = []
    _ = try Self.play(Self.launch(10) + [Self.fix(20), Self.fix(15), Self.fix(21)]) { uptimes.append($0.uptime) }
    #expect(uptimes.suffix(3) == [.seconds(20), .seconds(20), .seconds(21)])
  }

  @Test("The first of two differences is reported")
  func first() throws {
    let wrong = { (seconds: Double) in JournalEntry(now: Self.now(seconds), what: .decisions("made tea")) }
    let player = try Self.play(
      Self.launch(0).prefix(2) + [wrong(0), Self.entry(1, .report(.authorization(.always))), wrong(1), Self.fix(2)])
    #expect(player.difference?.contains(":2: recorded made tea, now ") == true, "\(player.difference ?? "")")
  }

  @Test("With an alternative, timers between two lines fire at their own dates")
  func timers() throws {
    let listener = FailureListener()
    var dates: [Double] = []
    let entries = Self.launch(0) + [Self.entry(1_000, .report(.motion(.still)))]
    let player = try JournalProvider(
      JournalReader(entries.flatMap { try $0.bytes }), instead: .init(policy: .loco, errorBound: nil))
    let manager = LocationManager(provider: player, store: player.store)
    listener.onFailure = { dates.append(player.date.timeIntervalSinceReferenceDate) }
    manager.listeners.add(listener)
    try player.run()
    #expect(dates == [15])
    listener.onFailure = nil
  }

  @Test("A journal that begins in the middle of a launch is replayed from the next launch")
  func middle() throws {
    let rest = [JournalEntry(now: Self.now(5), what: .continues), Self.fix(6), Self.fix(7)]
    let error = #expect(throws: FileFailure.self) { try JournalProvider(JournalReader(rest.flatMap { try $0.bytes })) }
    #expect(
      error?.line == 3 && error?.reason.contains("there is no launch in it: pass the folder of the journal") == true)
    #expect(error?.reason.contains("can't be replayed") == true && error?.isMissing == false)
    let player = try Self.play(rest + Self.launch(10))
    #expect(player.leftOut == 3 && player.elapsed == .zero)
  }

  @Test("A replay tells of each event, the lost lines and each later launch, in order")
  func told() throws {
    let whats: [JournalEntry.What] = [
      .input(.report(.battery(.init(level: 0.5, state: .full)))), .input(.command(.pause)), .input(.policy(.loco)),
      .input(.errorBound(500)), .note("here"), .lost(2),
    ]
    let entries =
      Self.launch(0) + whats.enumerated().map { JournalEntry(now: Self.now(20 + Double($0)), what: $1) }
      + Self.launch(90)
    let player = try JournalProvider(JournalReader(entries.flatMap { try $0.bytes }))
    var manager = LocationManager(provider: player, store: player.store)
    player.onRelaunch = { manager = LocationManager(provider: player, store: player.store) }
    var told: [String] = []
    player.onPlay = {
      let words =
        switch $0 {
        case .launch: "launch"
        case .report(let report): "report \(report)"
        case .command(let event): "\(event)"
        case .policy(let policy): "policy \(policy == .loco)"
        case .errorBound(let bound): "bound \(bound ?? 0)"
        case .note(let text): text
        case .gap: "gap"
        }
      told.append(String(words.prefix(14)))
    }
    try player.run()
    let beginning = ["tryPrompt", "report authori"]
    #expect(
      told == beginning + ["report battery", "pause", "policy true", "bound 500.0", "here", "gap", "launch"] + beginning
    )
    withExtendedLifetime(manager) {}
  }

  @Test("Nothing is compared after a lost line")
  func lost() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    JournalTests.drive(folder.journal(), seconds: 120)
    let lines = try String(contentsOf: try #require(folder.journal().files.first), encoding: .utf8).split(
      separator: "\n")
    let file = folder.url.appending(path: "lost.jsonl")
    for index in 1..<lines.count - 1 {
      let now = try JournalEntry(Array(lines[index + 1].utf8)[...]).now
      let lost = try String(decoding: JournalEntry(now: now, what: .lost(1)).bytes.dropLast(), as: UTF8.self)
      let marked = lines[..<index] + [lost[...]] + lines[(index + 1)...]
      try (marked.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
      #expect(try JournalTests.replay(file).player.difference == nil, "line \(index + 1)")
    }
  }

  @Test("A file that is missing between two files of a launch counts as lost lines", arguments: [true, false])
  func missingFile(isMissing: Bool) throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    JournalTests.drive(folder.journal { $0.maximumFileSize = 10_000 })
    let files = folder.journal().files
    try #require(files.count > 3)
    if isMissing { try FileManager.default.removeItem(at: files[1]) }
    var reader = try JournalReader(contentsOf: folder.url)
    var gaps: [String] = []
    while let entry = try reader.next() {
      if case .lost(0) = entry.what { gaps.append(reader.file) }
    }
    #expect(gaps == (isMissing ? [files[2].relativePath] : []))
    #expect(try JournalTests.replay(folder.url).player.difference == nil)
  }

  // MARK: - Recording

  @Test("Each launch numbers its cells from 1")
  func cells() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    let journal = folder.journal()
    for cells in [["home", "tower", "home"], ["tower", "work"]] {
      let base = ScriptedProvider(.always)
      let manager = LocationManager(provider: RecordingProvider(base, to: journal))
      for cell in cells { base.report(.cell(cell)) }
      withExtendedLifetime(manager) {}
    }
    #expect(journal.synchronize(within: .seconds(30)))
    var reader = try JournalReader(contentsOf: folder.url)
    var numbers: [String] = []
    while let entry = try reader.next() {
      if case .input(.report(.wake(.cell(let number)))) = entry.what { numbers.append(number) }
    }
    #expect(numbers == ["1", "2", "1", "1", "2"])
  }

  @Test("The decisions of the last input are written")
  func flushed() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    let journal = folder.journal()
    let manager = LocationManager(provider: RecordingProvider(ScriptedProvider(), to: journal))
    manager.tryPromptAuthorization()
    #expect(journal.synchronize(within: .seconds(30)))
    let text = try String(contentsOf: try #require(journal.files.first), encoding: .utf8)
    #expect(text.split(separator: "\n").last?.contains("request authorization; init → prompted") == true)
    withExtendedLifetime(manager) {}
  }

  @Test("A region's radius is written without the digits that a move of places changes")
  func radius() {
    let region = Location.Region(latitude: 34, longitude: -118, radius: 312.345_678_9)
    var plan = ReceiverPlan()
    (plan.region, plan.regionNumber) = (region, 1)
    #expect(LocationCore.Action.apply(plan).words(after: ReceiverPlan()) == "region 1 312.3 m")
  }

  @Test("A changed property of a plan changes the words of its decision")
  func planWords() {
    let changes: [String: (inout ReceiverPlan) -> Void] = [
      "mode": { $0.mode = .gps }, "desiredAccuracy": { $0.desiredAccuracy = 0 }, "errorBound": { $0.errorBound = 500 },
      "region": { $0.region = Location.Region(latitude: 34, longitude: -118, radius: 100) },
      "regionNumber": { $0.regionNumber = 7 }, "keepsAppRunning": { $0.keepsAppRunning = true },
      "timer": { $0.timer = .seconds(9) }, "coarseFixesFrom": { $0.coarseFixesFrom = .seconds(9) },
    ]
    #expect(Set(Mirror(reflecting: ReceiverPlan()).children.compactMap(\.label)) == Set(changes.keys))
    for (property, change) in changes {
      var plan = ReceiverPlan()
      change(&plan)
      #expect(LocationCore.Action.apply(plan).words(after: ReceiverPlan())?.isEmpty == false, "\(property)")
    }
  }
}
