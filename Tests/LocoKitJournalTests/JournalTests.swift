import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoKitJournal
@_spi(Benchmarks) @testable import LocoKitSimulation
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

/// Logs the calls of a listener.
private final class CallLog: LocationManagerListener {
  var calls: [String] = []
  var locations: [Location] = []

  func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
    calls.append("\(transition.from) \(transition.event) \(transition.to)")
  }
  func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    calls.append("location \(location.timestamp) \(location.horizontalAccuracy)")
    locations.append(location)
  }
  func locationManager(_ manager: LocationManager, didReject location: Location, because reason: RejectionReason) {
    calls.append("rejected \(reason) \(location.timestamp)")
  }
  func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
    calls.append("failed")
  }
}

/// Calls a closure at each location.
private final class Noting: LocationManagerListener {
  private let note: () -> Void
  init(_ note: @escaping () -> Void) { self.note = note }
  func locationManager(_ manager: LocationManager, didUpdate location: Location) { note() }
}

/// A temporary folder, with a secret beside it.
struct JournalFolder {
  let url = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)")
  var secret: URL { URL(filePath: url.path + ".secret") }
  private let isRemoved = Locked(false)

  func remove() {
    // A writer that still has lines may report that it can't create its file.
    isRemoved.change { $0 = true }
    for url in [url, secret] { try? FileManager.default.removeItem(at: url) }
  }

  /// Returns a journal whose reports are recorded as issues, unless `reports` collects them.
  func journal(
    key: UInt64 = 1, reports: Reports? = nil, _ change: (inout Journal.Configuration) -> Void = { _ in }
  ) -> Journal {
    var configuration = Journal.Configuration()
    change(&configuration)
    return Journal(folder: url, configuration: configuration, key: key) { [isRemoved] report in
      if let reports {
        reports.add(report)
      } else if !isRemoved.change({ $0 }) {
        Issue.record("\(report)")
      }
    }
  }
}

@Suite("Journals")
struct JournalTests {
  /// Records a drive with an error bound.
  @discardableResult
  static func drive(
    _ journal: Journal, seconds: Int = 1_200, isWritten: Bool = true
  ) -> (witness: [String], locations: [Location]) {
    let witness = CallLog()
    drive(journal, seconds, witness)
    // The release of the manager is written too.
    #expect(journal.synchronize(within: .seconds(30)) == isWritten)
    return (witness.calls, witness.locations)
  }

  private static func drive(_ journal: Journal, _ seconds: Int, _ witness: CallLog) {
    var configuration = SimulatedProvider.Configuration()
    configuration.wakeSources = Sources.awake.kinds
    let device = SimulatedProvider(route: .losAngeles, seed: 3, configuration: configuration)
    let manager = LocationManager(provider: RecordingProvider(device, to: journal))
    manager.listeners.add(witness)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(seconds))
  }

  /// Replays a folder or a file.
  static func replay(_ url: URL) throws -> (player: JournalProvider, heard: [String], locations: [Location]) {
    let player = try JournalProvider(contentsOf: url)
    let witness = CallLog()
    var manager = LocationManager(provider: player, store: player.store)
    manager.listeners.add(witness)
    player.onRelaunch = {
      manager = LocationManager(provider: player, store: player.store)
      manager.listeners.add(witness)
    }
    try player.run()
    return (player, witness.calls, witness.locations)
  }

  @Test("A replay makes the same decisions, and keeps the distances between places", arguments: [true, false])
  func played(keepsPlaces: Bool) throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    let recorded = Self.drive(folder.journal { $0.keepsPlaces = keepsPlaces })
    let (player, heard, locations) = try Self.replay(folder.url)
    #expect(player.difference == nil)
    #expect(player.compared > 100)
    #expect(heard == recorded.witness && locations.count > 5)
    for (first, second) in zip(
      zip(recorded.locations, recorded.locations.dropFirst()), zip(locations, locations.dropFirst()))
    {
      let distances = (first.0.distance(to: first.1), second.0.distance(to: second.1))
      #expect(abs(distances.0 - distances.1) <= distances.0 * 1e-3 + 1e-3)
    }
    #expect((locations == recorded.locations) == keepsPlaces)
  }

  @Test("A different decision is found, with its line and both decisions")
  func difference() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    Self.drive(folder.journal())
    let file = try #require(folder.journal().files.first)
    var lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let index = try #require(lines.firstIndex { $0.contains("look bound") })
    lines[index] = "\(lines[index].replacing("look bound", with: "look cell"))"
    try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
    let difference = try #require(try Self.replay(file).player.difference)
    // The line before is the input.
    let parts = difference.split(separator: ", now ")
    #expect(parts.count == 2 && parts[0].contains("look cell") && parts[1].contains("look bound"), "\(difference)")
    #expect(difference.hasPrefix("\(file.relativePath):\(index): recorded "))
  }

  @Test("A command that a replaced manager ignores doesn't affect the replay")
  func replaced() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    let (provider, journal) = (ScriptedProvider(.always), folder.journal())
    let recording = RecordingProvider(provider, to: journal)
    let old = LocationManager(provider: recording)
    old.tryPromptAuthorization()
    let new = LocationManager(provider: recording)
    new.tryPromptAuthorization()
    old.pause()
    provider.fix(5)
    #expect(new.location != nil)
    #expect(journal.synchronize(within: .seconds(30)))
    #expect(try Self.replay(folder.url).player.difference == nil)
  }

  @Test("A provider whose uptime has fractions of a nanosecond is replayed without a difference", arguments: 0..<6)
  func fractions(seed: UInt64) throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    let (provider, journal) = (ScriptedProvider(.always), folder.journal())
    provider.wakeSources = [.significantChange, .timer]
    var random = SeededGenerator(seed: seed)
    let manager = LocationManager(provider: RecordingProvider(provider, to: journal))
    manager.errorBound = 300
    manager.tryPromptAuthorization()
    for _ in 0..<300 {
      if let timer = provider.timer, timer > provider.uptime { provider.uptime = timer }
      provider.uptime += Duration(
        secondsComponent: Int64(random.index(below: 2)), attosecondsComponent: Int64(random.index(below: 1_000_000_000))
      )
      if random.index(below: 3) == 0 { provider.fix(5, latitude: 34 + Double(random.index(below: 9)) / 100) }
      provider.report(.timer)
    }
    #expect(journal.synchronize(within: .seconds(30)))
    #expect(try Self.replay(folder.url).player.difference == nil)
    withExtendedLifetime(manager) {}
  }

  @Test("A truncated journal is read up to its last complete line")
  func cut() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    Self.drive(folder.journal(), seconds: 120)
    let whole = try Data(contentsOf: try #require(folder.journal().files.first))
    let first = try #require(whole.firstIndex(of: UInt8(ascii: "\n")))
    let file = folder.url.appending(path: "cut.jsonl")
    var cuts = Array(stride(from: first + 1, to: whole.count, by: isLong ? 97 : 397))
    cuts += whole.count - (isLong ? 700 : 150)..<whole.count
    for cut in cuts {
      try whole[..<cut].write(to: file)
      #expect(try Self.replay(file).player.difference == nil, "cut at \(cut)")
    }
    try whole[..<first].write(to: file)
    #expect(throws: FileFailure.self) { try Self.replay(file) }
  }

  /// For `.ci/diagrams`, which replays it in a browser.
  @Test(
    "A journal of two launches is written for the browser",
    .enabled(if: ProcessInfo.processInfo.environment["LOCOKIT_DIAGRAMS"] != nil, "only for .ci/diagrams"))
  func exported() {
    let folder = URL(filePath: ProcessInfo.processInfo.environment["LOCOKIT_DIAGRAMS"] ?? "")
    let journal = Journal(folder: folder.appending(path: "journal"))
    Self.drive(journal)
    Self.drive(journal, seconds: 120)
  }

  static let refused: [(String, String)] = [
    ("", "there is no launch in it, and no complete line of a journal"), ("nonsense", "there is no launch in it"),
    ("nonsense\n", "it is not a JSON object"),
    ("[]\n", "it is not a JSON object"), ("7\n", "it is not a JSON object"), ("null\n", "it is not a JSON object"),
    ("{}\n", "the field “t” is missing"),
    (#"{"d":0,"is":"fixes","t":-1}"#, "there is no launch in it"),
    (#"{"d":0,"is":"timer","t":-1}"# + "\n", "the time t is negative"),
    (#"{"d":0,"is":"coffee","t":1}"# + "\n", "the field “is” has an unknown value"),
    (#"{"d":0,"is":"launch","t":1,"format":99}"# + "\n", "the format is 99, and this LocoKit reads 1"),
    (#"{"d":0,"is":"launch","t":1}"# + "\n", "the format is missing"),
    (#"{"d":0,"is":"launch","t":1,"format":1}"# + "\n", "the field “version” is missing"),
    (#"{"d":0,"is":"fixes","t":1}"# + "\n", "the field “fixes” is missing"),
    (#"{"d":0,"is":"fixes","t":1,"fixes":[[1,2]]}"# + "\n", "fixes"),
    (#"{"d":0,"is":"fixes","t":1,"fixes":[[1,2,3,4,5,6,7,8,9]]}"# + "\n", "the field “fixes” is invalid"),
    (#"{"d":0,"is":"fixes","t":1,"fixes":[[1,2,"far",4,5,6,7,8]]}"# + "\n", "the field “fixes” is invalid"),
    (#"{"d":0,"is":"fixes","t":1,"fixes":7}"# + "\n", "the field “fixes” is invalid"),
    (
      #"{"d":0,"is":"fixes","t":1,"fixes":["# + String(repeating: "[1,2,3,4,5,6,7,8],", count: 10_000)
        + "[1,2,3,4,5,6,7,8]]}\n", "a report has more than 10000 fixes"
    ),
    (#"{"d":0,"is":"failure","t":1}"# + "\n", "the field “failure” is missing"),
    (#"{"d":0,"is":"failure","t":1,"failure":7}"# + "\n", "the field “failure” is invalid"),
    (#"{"d":0,"is":"cell","t":1,"text":"\u12"}"# + "\n", "it is not a JSON object"),
    (
      #"{"d":0,"is":"begin","t":1,"id":1,"wish":"one","metres":-1,"nanoseconds":1}"# + "\n",
      "the field “metres” is out of range"
    ),
    (
      #"{"d":0,"is":"begin","t":1,"id":1,"wish":"one","metres":"far","nanoseconds":1}"# + "\n",
      "the field “metres” is invalid"
    ),
    (
      #"{"d":0,"is":"begin","t":1,"id":1,"wish":"one","metres":5,"nanoseconds":0}"# + "\n",
      "the field “nanoseconds” is out of range"
    ),
    (#"{"d":0,"is":"begin","t":1,"id":1,"wish":"all"}"# + "\n", "the field “wish” has an unknown value"),
    (#"{"d":0,"is":"errorBound","t":1,"metres":5}"# + "\n", "An error bound must be finite and 100 m or more, not 5.0"),
    (
      #"{"d":0,"is":"promptTimeLimit","t":1,"nanoseconds":99999999999999999}"# + "\n",
      "the field “nanoseconds” is out of range"
    ),
    (#"{"d":0,"is":"timer","t":9000000000000000001}"# + "\n", "the time t is out of range"),
    (#"{"d":0,"is":"timer","t":99999999999999999999}"# + "\n", "the field “t” is invalid"),
    (#"{"d":0,"is":"timer","t":"1"}"# + "\n", "the field “t” is invalid"),
    (#"{"d":"nan","is":"timer","t":1}"# + "\n", "the date d is out of range"),
    (#"{"d":1e999,"is":"timer","t":1}"# + "\n", "the field “d” is invalid"),
    (#"{"d":"far","is":"timer","t":1}"# + "\n", "the field “d” is invalid"),
    (#"{"d":1e300,"is":"timer","t":1}"# + "\n", "the date d is out of range"),
    (#"{"d":0,"is":"timer","t":1.5}"# + "\n", "the field “t” is invalid"),
    (#"{"d":0,"is":"timer","t":1"# + "\n", "it is not a JSON object"),
    (#"{"d":0,"is":"timer","t":1} 7"# + "\n", "it is not a JSON object"),
    (#"{"d":0,"is":"timer","t":1,"x":[1,{"y":"\u00e9"}],"z":tru}"# + "\n", "it is not a JSON object"),
    (#"{"d":0,"is":"command","t":1,"event":"acquired"}"# + "\n", "acquired is not a command"),
    (
      #"{"d":0,"is":"note","t":1,"text":""# + String(repeating: "x", count: 1_001) + "\"}\n",
      "a note has more than 1000"
    ),
    (#"{"d":0,"is":"policy","t":1,"policy":{}}"# + "\n", "the field “policy” is invalid"),
    (#"{"d":0,"is":"policy","t":1,"policy":7}"# + "\n", "the field “policy” is invalid"),
    (String(repeating: "[", count: 200_000) + "\n", "not a journal line"),
    (String(repeating: "[", count: 513) + "\n", "not a journal line"),
    (String(repeating: "x", count: JournalReader.maximumLine + 1), "the line has more than"),
  ]

  @Test("A damaged journal is refused with a one-line explanation", arguments: refused.indices)
  func hostile(index: Int) throws {
    // The argument is an index, because a text of millions of characters would be printed, which takes seconds.
    let (text, reason) = Self.refused[index]
    let folder = JournalFolder()
    defer { folder.remove() }
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let file = folder.url.appending(path: "hostile.jsonl")
    try text.write(to: file, atomically: true, encoding: .utf8)
    let error = #expect(throws: FileFailure.self) { try JournalProvider(contentsOf: file).run() }
    let description = error?.description ?? ""
    #expect(description.contains(reason) && !description.contains("\n"), "\(description)")
    #expect(description.hasPrefix(file.relativePath + ":"))
  }

  @Test("A missing file, and a folder without journals, are reported as missing")
  func missing() {
    for path in ["/nowhere/journal", FileManager.default.temporaryDirectory.path] {
      let error = #expect(throws: FileFailure.self) { try JournalProvider(contentsOf: URL(filePath: path)) }
      #expect(error?.isMissing == true)
    }
  }

  @Test("Full files are followed by new ones, the newest are kept, and only the owner can read them")
  func files() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    let journal = folder.journal { ($0.maximumFileSize, $0.maximumFiles) = (10_000, 4) }
    Self.drive(journal)
    let files = journal.files
    #expect(files.count == 4)
    #expect(files.map(\.lastPathComponent) == files.map(\.lastPathComponent).sorted())
    for file in files {
      #expect(try Data(contentsOf: file).count < 12_000)
      let lines = try String(contentsOf: file, encoding: .utf8)
      #expect(lines.hasSuffix("\n") && lines.prefix { $0 != "\n" }.contains(#""is":"continues""#))
    }
    for url in files + [folder.secret] {
      #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o600)
    }
    #expect(try FileManager.default.attributesOfItem(atPath: folder.url.path)[.posixPermissions] as? Int == 0o700)
    // The first file of the launch is missing, so the rest can't be replayed.
    #expect(throws: FileFailure.self) { try JournalProvider(contentsOf: folder.url) }
    // Each launch begins a file, so the next one can be replayed.
    Self.drive(journal, seconds: 20)
    #expect(try Self.replay(folder.url).player.difference == nil)
  }

  @Test("The smallest journal keeps the full file before the last one")
  func smallest() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    let journal = folder.journal { ($0.maximumFileSize, $0.maximumSize) = (10_000, 20_000) }
    Self.drive(journal)
    let sizes = try journal.files.map { try Data(contentsOf: $0).count }
    #expect(sizes.count == 2 && sizes[0] > 10_000, "\(sizes)")
  }

  @Test("Short launches keep their files, and the oldest are deleted once all together are too large")
  func launches() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    for _ in 0..<25 { Self.drive(folder.journal(), seconds: 5) }
    let before = folder.journal().files
    let sizes = try before.map { try Data(contentsOf: $0).count }
    #expect(before.count == 25)
    // Room for nine files beside the new one, which counts with the size that it may reach.
    let maximum = 10_000 + sizes.suffix(9).reduce(0, +)
    try #require(maximum >= 20_000)
    Self.drive(folder.journal { ($0.maximumFileSize, $0.maximumSize) = (10_000, maximum) }, seconds: 5)
    let after = folder.journal().files.map(\.lastPathComponent)
    #expect(after == before.suffix(9).map(\.lastPathComponent) + ["journal-000026.jsonl"])
  }

  @Test("The progress grows over all files, up to 1")
  func progress() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    Self.drive(folder.journal { $0.maximumFileSize = 10_000 })
    var reader = try JournalReader(contentsOf: folder.url)
    var (last, files) = (0.0, Set<String>())
    while try reader.next() != nil {
      #expect((last...1).contains(reader.progress))
      last = reader.progress
      files.insert(reader.file)
    }
    #expect(files.count > 3 && last == 1)
  }

  @Test("A line of decisions has the time of the input that caused them")
  func timesOfDecisions() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    Self.drive(folder.journal())
    var reader = try JournalReader(contentsOf: folder.url)
    var (last, decisions): (JournalEntry?, Int) = (nil, 0)
    while let entry = try reader.next() {
      if case .decisions = entry.what {
        #expect(entry.now == last?.now, "line \(reader.line)")
        decisions += 1
      }
      last = entry
    }
    #expect(decisions > 50)
  }

  @Test("Old files are deleted")
  func age() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    let first = folder.journal()
    Self.drive(first, seconds: 10)
    let old = try #require(first.files.first)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -8 * 86_400)], ofItemAtPath: old.path)
    let journal = folder.journal()
    Self.drive(journal, seconds: 10)
    #expect(journal.files.count == 1 && journal.files.first != old)
  }

  @Test("A failure is reported once, and writing continues after it")
  func unwritable() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    try Data().write(to: folder.url)
    let problems = Locked<[String]>([])
    let journal = Journal(folder: folder.url) { problem in problems.change { $0.append(problem) } }
    Self.drive(journal, seconds: 60, isWritten: false)
    #expect(problems.change { $0.count } == 1)
    #expect(problems.change { $0.first }?.contains("can't create") == true)
    #expect(!journal.synchronize(), "nothing was written")
    try FileManager.default.removeItem(at: folder.url)
    Self.drive(journal, seconds: 60)
    #expect(try Self.replay(folder.url).player.difference == nil)
    #expect(problems.change { $0.count } == 1)
  }

  @Test("The files contain no true place, and all launches use the same secret")
  func privacy() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    Self.drive(folder.journal())
    let file = try #require(folder.journal().files.first)
    var reader = try JournalReader(contentsOf: file)
    var places = 0
    while let entry = try reader.next() {
      guard case .input(.report(.fixes(let fixes))) = entry.what else { continue }
      for fix in fixes {
        places += 1
        #expect(SimulatedProvider.Route.losAngeles.points.allSatisfy { $0.location.distance(to: fix) > 1_000 })
      }
    }
    #expect(places > 10)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["journal-000001.jsonl"])
    let secret = try Data(contentsOf: folder.secret)
    Self.drive(folder.journal(), seconds: 60)
    #expect(try Data(contentsOf: folder.secret) == secret)
  }

  @Test("An alternative is replayed on the same reports")
  func alternative() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    Self.drive(folder.journal())
    func play(_ alternative: JournalProvider.Alternative) throws -> [String] {
      let player = try JournalProvider(contentsOf: folder.url, instead: alternative)
      let manager = LocationManager(provider: player, store: player.store)
      let witness = CallLog()
      manager.listeners.add(witness)
      try player.run()
      #expect(player.difference == nil && player.compared == 0)
      return witness.calls
    }
    func looks(_ heard: [String]) -> Int { heard.count { $0.contains("lookDue") } }
    let same = try play(.init(errorBound: 500))
    let wider = try play(.init(errorBound: 2_000))
    let none = try play(.init(errorBound: nil))
    #expect(looks(same) > looks(wider) && looks(wider) > 0 && looks(none) == 0)
    #expect(try play(.init()) == same, "the bound was 500 m")
    var hasty = AcquisitionPolicy.loco
    hasty.lookLimits.firstFix = .milliseconds(100)
    #expect(try play(.init(policy: hasty)) != same)
  }

  @Test("Notes are recorded, have a maximum length, and don't affect decisions")
  func notes() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    let device = SimulatedProvider(route: .losAngeles, seed: 3)
    let recording = RecordingProvider(device, to: folder.journal())
    let manager = LocationManager(provider: recording)
    let noting = Noting { recording.note("battery 0.83 unplugged") }
    manager.listeners.add(noting)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
    recording.note(#"quotes " and \ and 🛰️, a tab\t, a newline\n, and "# + "\u{1}")
    recording.note(String(repeating: "é", count: 2_000))
    device.advance(by: .seconds(60))
    #expect(recording.journal.synchronize(within: .seconds(30)))
    let player = try JournalProvider(contentsOf: folder.url)
    var notes: [String] = []
    player.onPlay = { if case .note(let text) = $0 { notes.append(text) } }
    let played = LocationManager(provider: player, store: player.store)
    try player.run()
    #expect(player.difference == nil && player.compared > 10 && played.state == manager.state)
    #expect(
      notes.filter { $0 != "battery 0.83 unplugged" } == [
        #"quotes " and \ and 🛰️, a tab\t, a newline\n, and "# + "\u{1}", String(repeating: "é", count: 1_000),
      ])
    #expect(notes.count > 2)
    #expect(player.receiverOnTime > .seconds(1) && player.receiverOnTime < .seconds(60))
  }

  @Test("Lines that arrive too fast are dropped and counted")
  func lost() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    let journal = folder.journal()
    func append(_ number: Int64) {
      let now = LocationCore.Now(uptime: .nanoseconds(number), date: .distantPast)
      journal.append(JournalEntry(now: now, what: .input(.report(.timer))))
    }
    for number in 0..<200_000 as Range<Int64> { append(number) }
    _ = journal.synchronize(within: .seconds(60))
    append(200_000)
    #expect(journal.synchronize(within: .seconds(60)))
    var reader = try JournalReader(contentsOf: folder.url)
    var (lines, lost) = (0, 0)
    var last = Duration.zero
    while let entry = try reader.next() {
      #expect(entry.now.uptime >= last)
      last = entry.now.uptime
      if case .lost(let count) = entry.what { lost += count } else { lines += 1 }
    }
    #expect(lines + lost == 200_001 && lost > 0)
  }
}

@Suite("Disguises")
struct DisguiseTests {
  @Test("Altitudes after a first place without one hide the true altitude by more than mountains are high")
  func laterAltitudes() {
    var home = Location(latitude: 48, longitude: 11, horizontalAccuracy: 5, timestamp: .distantPast)
    let lifts = (0..<200 as Range<UInt64>).map { seed in
      var random = SeededGenerator(seed: seed)
      return PlaceObfuscation(around: home, using: &random).lift
    }
    #expect(lifts.count { abs($0) > 9_000 } > 160 && lifts.contains { $0 < 0 } && lifts.contains { $0 > 0 })
    home.altitude = 500
    var random = SeededGenerator(seed: 1)
    #expect((-500...1_500).contains(PlaceObfuscation(around: home, using: &random).lift))
  }

  @Test("A move keeps distances, angles and differences of altitude, but no place", arguments: 0..<100 as Range<UInt64>)
  func keeps(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func place(near: Location? = nil) -> Location {
      Location(
        latitude: min(
          90, max(-90, (near?.latitude ?? 0) + Double.random(in: near == nil ? -90...90 : -0.1...0.1, using: &random))),
        longitude: ((near?.longitude ?? 0) + Double.random(in: near == nil ? -180...180 : -0.1...0.1, using: &random))
          .remainder(dividingBy: 360),
        horizontalAccuracy: 5, altitude: Double.random(in: -100...3_000, using: &random),
        course: Double.random(in: 0..<360, using: &random), timestamp: .distantPast)
    }
    let home = place()
    let disguise = PlaceObfuscation(around: home, using: &random)
    #expect(abs(disguise.disguised(home).latitude) < 50.001)
    #expect((-1e-9...2_000).contains(disguise.disguised(home).altitude ?? -1))
    for _ in 0..<50 {
      let (first, second) = (place(near: home), place(near: home))
      let (moved, other) = (disguise.disguised(first), disguise.disguised(second))
      #expect(moved.hasValidCoordinate && other.hasValidCoordinate)
      let distance = first.distance(to: second)
      #expect(abs(moved.distance(to: other) - distance) <= distance * 1e-6 + 1e-3)
      let height = (second.altitude ?? 0) - (first.altitude ?? 0)
      #expect(abs((other.altitude ?? 0) - (moved.altitude ?? 0) - height) < 1e-6)
      #expect(moved.distance(to: first) > 1)
      // A step along the course leads to the same place before and after the move.
      guard abs(first.latitude) < 80, let course = moved.course else { continue }
      #expect((0...360).contains(course))
      let (ahead, movedAhead) = (Self.ahead(first), disguise.disguised(Self.ahead(first)))
      #expect(Self.ahead(moved).distance(to: movedAhead) < 0.2, "of \(first.distance(to: ahead)) m")
    }
  }

  /// Returns the place 100 m ahead on the course.
  private static func ahead(_ location: Location) -> Location {
    var ahead = location
    let radians = (location.course ?? 0) * .pi / 180
    ahead.latitude += 100 * cos(radians) / 111_195
    ahead.longitude += 100 * sin(radians) / 111_195 / cos(location.latitude * .pi / 180)
    return ahead
  }

  @Test(
    "An invalid coordinate stays invalid, and its numbers, altitude and course are removed",
    arguments: [(91, -118.0), (34, 180.5), (.nan, -118), (34, .infinity), (-91, 181), (-118, 34)])
  func invalid(latitude: Double, longitude: Double) {
    var random = SeededGenerator(seed: 1)
    let home = Location(latitude: 34, longitude: -118, horizontalAccuracy: 5, timestamp: .distantPast)
    let disguise = PlaceObfuscation(around: home, using: &random)
    var nowhere = home
    (nowhere.latitude, nowhere.longitude, nowhere.altitude, nowhere.course) = (latitude, longitude, 100, 90)
    (nowhere.courseAccuracy, nowhere.floor) = (5, 3)
    let moved = disguise.disguised(nowhere)
    #expect(!moved.hasValidCoordinate && moved.latitude.isNaN && moved.longitude.isNaN)
    #expect(moved.altitude == nil && moved.course == nil && moved.horizontalAccuracy == 5)
    #expect(moved.courseAccuracy == nil && moved.floor == nil)
  }
}
