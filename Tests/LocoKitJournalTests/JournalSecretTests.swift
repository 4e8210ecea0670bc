import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@testable import LocoKitJournal
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

/// Random reports, with the numbers and texts in them that a disguise hides.
private struct Secrets: WakeEventSource {
  /// The cases of `ProviderReport` and `WakeEvent`.
  enum Kind: CaseIterable, Hashable {
    case promptShown, authorization, fixes, pastMotion, battery, app, wakeSources, failure
    case wake(WakeKind)

    static let allCases: [Self] =
      [.promptShown, .authorization, .fixes, .pastMotion, .battery, .app, .wakeSources, .failure]
      + WakeKind.allCases.map(wake)

    // Without a default, so that the compiler asks for the kind of a new report.
    init(_ report: ProviderReport) {
      self =
        switch report {
        case .promptShown: .promptShown
        case .authorization: .authorization
        case .fixes: .fixes
        case .wake(let event): .wake(event.kind)
        case .pastMotion: .pastMotion
        case .battery: .battery
        case .app: .app
        case .wakeSources: .wakeSources
        case .failure: .failure
        }
    }
  }

  var random: SeededGenerator
  private var date = Date.distantPast
  private(set) var degrees: [Double] = []
  private(set) var others: [Double] = []
  private(set) var texts: [String] = []
  private(set) var cells: [String] = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func place(at date: Date) -> Location {
    let place = Location(
      latitude: .random(in: 40...60, using: &random), longitude: .random(in: 100...170, using: &random),
      horizontalAccuracy: .random(in: 3...9, using: &random), altitude: .random(in: 2_000...3_000, using: &random),
      speed: .random(in: 0...9, using: &random), course: .random(in: 200...300, using: &random),
      courseAccuracy: 1, floor: .random(in: 10_000...30_000, using: &random), timestamp: date)
    degrees += [place.latitude, place.longitude]
    others += [place.altitude, place.course, place.floor.map(Double.init)].compactMap(\.self)
    return place
  }

  private mutating func text() -> String { "secret-\(UInt64.random(in: 1_000_000...9_999_999, using: &random))" }

  private mutating func flag() -> Bool { random.index(below: 2) == 0 }

  private mutating func one<Value: CaseIterable>() -> Value where Value.AllCases == [Value] {
    Value.allCases[random.index(below: Value.allCases.count)]
  }

  /// Returns a random report of a kind.
  mutating func report(_ kind: Kind, at date: Date) -> ProviderReport {
    switch kind {
    case .promptShown: return .promptShown
    case .authorization: return .authorization(one())
    case .fixes: return .fixes((0..<1 + random.index(below: 3)).map { place(at: date + Double($0)) })
    case .wake(let kind):
      self.date = date
      return .wake(WakeEvent(kind, from: &self))
    case .pastMotion:
      return .pastMotion([
        LocationManager.Motion.Change(one(), at: date - 9), LocationManager.Motion.Change(nil, at: date),
      ])
    case .battery: return .battery(.init(level: Double(random.index(below: 101)) / 100, state: one()))
    case .app: return .app(isInForeground: flag(), isLowPowerMode: flag(), mayRefresh: flag())
    case .wakeSources: return .wakeSources([one(), one()], backgroundUpdates: one())
    case .failure:
      switch random.index(below: 6) {
      case 0: return .failure(.locationUnknown)
      case 1: return .failure(.backgroundTimeExpired)
      case 2: return .failure(.accessDenied)
      default:
        texts.append(text())
        return .failure(.other(texts[texts.count - 1]))
      }
    }
  }

  // The contents of a random event.

  mutating func location() -> Location? { flag() ? place(at: date) : nil }

  mutating func visit() -> Location.Visit {
    Location.Visit(place: place(at: date), arrival: date - 9, departure: flag() ? date : nil)
  }

  mutating func name() -> String {
    cells.append(text())
    return cells[cells.count - 1]
  }

  mutating func motion() -> LocationManager.Motion { one() }

  /// Returns the numbers and texts that occur in a journal. Degrees occur if a number is within about two metres, twice the blur.
  func found(in journal: String, isShared: Bool) -> [String] {
    let numbers = journal.matches(of: /-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?/).compactMap { Double($0.0) }
    let near = degrees.filter { degree in numbers.contains { abs($0 - degree) < 2e-5 } }
    let same = others.filter { numbers.contains($0) }
    // A journal that isn't cut for sharing has the texts of failures.
    return (near + same).map { "\($0)" } + (cells + (isShared ? texts : [])).filter(journal.contains)
  }
}

@Suite("Secrets in journals")
struct JournalSecretTests {
  /// Records a launch with reports of all kinds. Returns the file's text, and the secrets.
  private static func recorded(_ folder: JournalFolder, seed: UInt64, keepsPlaces: Bool) throws -> (String, Secrets) {
    var secrets = Secrets(seed: seed)
    let provider = ScriptedProvider(.always)
    provider.wakeSources = [.significantChange, .regionExit, .visit, .motion]
    let store = LaunchStore()
    store.location = secrets.place(at: provider.date - 9)
    // With this secret, the moved places are the same in each run.
    let disguise = PlaceObfuscation(around: try #require(store.location), using: &secrets.random)
    try JSONEncoder().encode(disguise).write(to: folder.secret)
    let journal = folder.journal { $0.keepsPlaces = keepsPlaces }
    let manager = LocationManager(provider: RecordingProvider(provider, to: journal), store: store)
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    var kinds: Set<Secrets.Kind> = []
    for kind in (0..<4).flatMap({ _ in Secrets.Kind.allCases }).shuffled(using: &secrets.random) {
      provider.pass(7)
      let report = secrets.report(kind, at: provider.date)
      kinds.insert(Secrets.Kind(report))
      provider.report(report)
      if manager.state == .denied { provider.decide(.always) }
    }
    provider.onReport?.releaseManager()
    #expect(kinds == Set(Secrets.Kind.allCases))
    #expect(journal.synchronize(within: .seconds(60)))
    return (try journal.files.map { try String(contentsOf: $0, encoding: .utf8) }.joined(), secrets)
  }

  private final class LaunchStore: LocationStore { var location: Location? }

  @Test("A recorded journal has no number of a place and no name of a cell", arguments: 0..<30 as Range<UInt64>)
  func recording(seed: UInt64) throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    let (text, secrets) = try Self.recorded(folder, seed: seed, keepsPlaces: false)
    let named = WakeKind.allCases.count {
      if case .name = WakeEvent.samples(of: $0)[0].contents { true } else { false }
    }
    #expect(secrets.degrees.count > 20 && secrets.cells.count == 4 * named)
    #expect(secrets.found(in: text, isShared: false).isEmpty, "seed \(seed)")
  }

  @Test(
    "A journal that is moved to be shared has no number of a place, no name of a cell and no text of a failure",
    arguments: 0..<30 as Range<UInt64>)
  func moved(seed: UInt64) throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    var (text, secrets) = try Self.recorded(folder, seed: seed, keepsPlaces: true)
    #expect(secrets.found(in: text, isShared: true).count > 20, "the search finds what isn't hidden")
    let launch = try #require(JournalScript.Contents(of: folder.url).launches.first)
    let script = launch.moved(using: &secrets.random).timed()
    let replay = ScriptReplay(script, keeping: script.inputs)
    let manager = LocationManager(provider: replay.provider, store: replay.provider.store)
    while replay.step() {}
    withExtendedLifetime(manager) {}
    text = String(decoding: try replay.journal(), as: UTF8.self)
    #expect(text.matches(of: /"is":"(fixes|visit|cell|failure|significantChange)"/).count > 15)
    #expect(secrets.found(in: text, isShared: true).isEmpty, "seed \(seed)")
  }

  @Test("Each report is read back from its line", arguments: 0..<30 as Range<UInt64>)
  func readBack(seed: UInt64) throws {
    var secrets = Secrets(seed: seed)
    let now = LocationCore.Now(uptime: .seconds(5), date: Date(timeIntervalSinceReferenceDate: 7))
    for input in Secrets.Kind.allCases.map({ .report(secrets.report($0, at: now.date)) }) + [LocationCore.Input.release]
    {
      let entry = JournalEntry(now: now, what: .input(input))
      #expect(try JournalEntry(entry.bytes.dropLast()[...]) == entry, "seed \(seed): \(input)")
    }
  }
}

@Suite("The properties of a location in a journal")
struct LocationPropertyTests {
  /// Each stored property of a location, a change of it, and whether it reveals a place or a height.
  private static let properties: [(name: String, isPlace: Bool, change: @Sendable (inout Location) -> Void)] = [
    ("latitude", true, { $0.latitude = 51 }), ("longitude", true, { $0.longitude = 11 }),
    ("horizontalAccuracy", false, { $0.horizontalAccuracy = 7 }), ("_altitude", true, { $0.altitude = 501 }),
    ("_verticalAccuracy", false, { $0.verticalAccuracy = 4 }), ("_speed", false, { $0.speed = 21 }),
    ("_speedAccuracy", false, { $0.speedAccuracy = 2 }), ("_course", true, { $0.course = 81 }),
    ("_courseAccuracy", true, { $0.courseAccuracy = 6 }), ("timestamp", false, { $0.timestamp += 1 }),
    ("_floor", true, { $0.floor = 4 }), ("source", false, { $0.source = .coarse }),
    ("origins", false, { $0.isEstimated = true }),
  ]
  private static let plain = Location(
    latitude: 50, longitude: 10, horizontalAccuracy: 5, altitude: 500, verticalAccuracy: 3, speed: 20, speedAccuracy: 1,
    course: 80, courseAccuracy: 5, floor: 3, timestamp: Date(timeIntervalSinceReferenceDate: 800_000_000))

  private struct Listed: Decodable {
    let location: Location
    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      location = try list.decodeLocation()
    }
  }

  @Test("Each property of a location is written to a journal and read again, and one that reveals a place is disguised")
  func each() throws {
    let labels = Mirror(reflecting: Self.plain).children.compactMap(\.label)
    #expect(Set(labels) == Set(Self.properties.map(\.name)), "say whether a new property reveals a place")
    var random = SeededGenerator(seed: 1)
    let disguise = PlaceObfuscation(around: Self.plain, using: &random)
    for (name, isPlace, change) in Self.properties {
      var changed = Self.plain
      change(&changed)
      #expect(changed != Self.plain, "\(name)")
      let read = try JSONDecoder().decode(Listed.self, from: JSONEncoder().encode(changed.listed)).location
      #expect(read == changed, "\(name) is written and read")
      let (nowhere, plain) = (PlaceObfuscation.nowhere(changed), PlaceObfuscation.nowhere(Self.plain))
      #expect(("\(nowhere)" == "\(plain)") == isPlace, "\(name) without a place")
      // The accuracy of a course reveals nothing beside a disguised course.
      func value(of location: Location) -> String {
        Mirror(reflecting: location).children.first { $0.label == name }.map { "\($0.value)" } ?? ""
      }
      let isDisguised = value(of: disguise.disguised(Self.plain)) != value(of: Self.plain)
      #expect(isDisguised == (isPlace && name != "_courseAccuracy"), "\(name) is disguised")
    }
  }
}
