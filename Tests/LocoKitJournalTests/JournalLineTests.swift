import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitJournal
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("Lines of a journal")
struct JournalLineTests {
  private static let place = Location(
    latitude: 34, longitude: -118.5, horizontalAccuracy: 5, altitude: 90, verticalAccuracy: 8, course: 359.5,
    timestamp: Date(timeIntervalSinceReferenceDate: 7))
  private static let precise = Location(
    latitude: 34, longitude: -118.5, horizontalAccuracy: 5, speed: 9, speedAccuracy: 0.5, course: 90, floor: 3,
    timestamp: Date(timeIntervalSinceReferenceDate: 7))
  private static let simulated = {
    var location = Location(
      latitude: 34, longitude: -118.5, horizontalAccuracy: 5, timestamp: Date(timeIntervalSinceReferenceDate: 7))
    (location.isSimulatedBySoftware, location.isProducedByAccessory) = (true, true)
    return location
  }()
  private static let placeText = "[[34,-118.5,5,90,8,null,359.5,7]]"
  private static let policy = AcquisitionPolicy(
    desiredAccuracy: 10, acceptableAccuracy: 100, timeLimit: .seconds(15), maximumAge: .seconds(30),
    cooldown: .seconds(30), errorLimit: 5)
  private static let policyText =
    #"{"acceptableAccuracy":100,"cooldown":30,"desiredAccuracy":10,"errorLimit":5,"lookAfterFailure":12,"#
    + #""lookFirstFix":45,"lookOldEphemeris":25,"lookRecentFix":8,"maximumAge":30,"timeLimit":15}"#

  /// A launch, with and without a location and a model.
  private static let launches: [(JournalEntry.What, String)] = [nil, place].map { location in
    (
      .launch(
        JournalEntry.Launch(
          version: "1", platform: "Linux 6", model: location.map { _ in "iPhone17,1" }, authorization: .always,
          wakeSources: [.significantChange, .regionExit, .cell, .motion, .timer], backgroundUpdates: .briefly,
          policy: policy, location: location,
          isPaused: true)),
      #"{"authorization":"always","d":0.5,\#(location == nil ? "" : #""fixes":\#(placeText),"#)"format":1,"#
        + #""is":"launch","isPaused":true,\#(location == nil ? "" : #""model":"iPhone17,1","#)"platform":"Linux 6","#
        + #""policy":\#(policyText),"sources":["significantChange","regionExit","cell","motion","timer"],"t":9,"#
        + #""updates":"briefly","version":"1"}"#
    )
  }

  private static func filter(_ metres: Double, _ distance: Double) -> TrackFilter {
    TrackFilter(desiredAccuracy: metres, distanceFilter: distance)
  }

  private static let acceptance = Acceptance(
    TrackingPolicy(
      requiredAccuracy: 50, pendingTimeLimit: .nanoseconds(60), maximumPendingFixes: 7, holdTime: .nanoseconds(5),
      distanceFilter: 10, maximumInterval: .nanoseconds(80), signalTimeout: .nanoseconds(90)))

  private static let stay: Location.Visit = Location.Visit(
    place: Location(
      latitude: 1, longitude: 2, horizontalAccuracy: 3, timestamp: Date(timeIntervalSinceReferenceDate: 4)),
    arrival: Date(timeIntervalSinceReferenceDate: 4))

  private static let reports: [(ProviderReport, String)] = [
    (.promptShown, #"{"d":0.5,"is":"promptShown","t":9}"#),
    (.authorization(.whenInUse), #"{"authorization":"whenInUse","d":0.5,"is":"authorization","t":9}"#),
    (.fixes([]), #"{"d":0.5,"fixes":[],"is":"fixes","t":9}"#),
    (.fixes([place]), #"{"d":0.5,"fixes":\#(placeText),"is":"fixes","t":9}"#),
    (.fixes([precise]), #"{"d":0.5,"fixes":[[34,-118.5,5,null,null,9,90,7,"gps",0.5,null,3]],"is":"fixes","t":9}"#),
    (
      .fixes([simulated]),
      #"{"d":0.5,"fixes":[[34,-118.5,5,null,null,null,null,7,"gps",null,null,null,3]],"is":"fixes","t":9}"#
    ),
    (.significantChange(nil), #"{"d":0.5,"is":"significantChange","t":9}"#),
    (.significantChange(place), #"{"d":0.5,"fixes":\#(placeText),"is":"significantChange","t":9}"#),
    (.regionExit, #"{"d":0.5,"is":"regionExit","t":9}"#),
    (
      .visit(stay),
      #"{"arrived":4,"d":0.5,"fixes":[[1,2,3,null,null,null,null,4]],"is":"visit","t":9}"#
    ),
    (
      .visit(
        Location.Visit(place: stay.place, arrival: stay.arrival, departure: Date(timeIntervalSinceReferenceDate: 5.5))),
      #"{"arrived":4,"d":0.5,"fixes":[[1,2,3,null,null,null,null,4]],"is":"visit","left":5.5,"t":9}"#
    ),
    (
      .app(isInForeground: true, isLowPowerMode: false, mayRefresh: true),
      #"{"background":true,"d":0.5,"foreground":true,"is":"app","lowPower":false,"t":9}"#
    ),
    (.motion(.walking), #"{"d":0.5,"is":"motion","motion":"walking","t":9}"#),
    (
      .pastMotion([
        LocationManager.Motion.Change(.walking, at: Date(timeIntervalSinceReferenceDate: 7)),
        LocationManager.Motion.Change(nil, at: Date(timeIntervalSinceReferenceDate: 8)),
      ]), #"{"changes":[{"date":7,"motion":"walking"},{"date":8}],"d":0.5,"is":"pastMotion","t":9}"#
    ),
    (
      .battery(LocationManager.BatteryStatus(level: 0.5, state: .charging)),
      #"{"d":0.5,"is":"battery","level":0.5,"state":"charging","t":9}"#
    ),
    (.battery(LocationManager.BatteryStatus(level: nil, state: nil)), #"{"d":0.5,"is":"battery","t":9}"#),
    (.cell("7"), #"{"d":0.5,"is":"cell","t":9,"text":"7"}"#),
    (
      .wakeSources([.timer, .significantChange], backgroundUpdates: .always),
      #"{"d":0.5,"is":"wakeSources","sources":["significantChange","timer"],"t":9,"updates":"always"}"#
    ),
    (.failure(.locationUnknown), #"{"d":0.5,"failure":"locationUnknown","is":"failure","t":9}"#),
    (.failure(.accessDenied), #"{"d":0.5,"failure":"accessDenied","is":"failure","t":9}"#),
    (.failure(.backgroundTimeExpired), #"{"d":0.5,"failure":"backgroundTimeExpired","is":"failure","t":9}"#),
    (.failure(.other("no")), #"{"d":0.5,"failure":"other","is":"failure","t":9,"text":"no"}"#),
    (.timer, #"{"d":0.5,"is":"timer","t":9}"#),
  ]

  private static let inputs: [(LocationCore.Input, String)] = [
    (.command(.forceAcquire), #"{"d":0.5,"event":"forceAcquire","is":"command","t":9}"#),
    (.policy(policy), #"{"d":0.5,"is":"policy","policy":\#(policyText),"t":9}"#),
    (.promptTimeLimit(.nanoseconds(60)), #"{"d":0.5,"is":"promptTimeLimit","nanoseconds":60,"t":9}"#),
    (.errorBound(nil), #"{"d":0.5,"is":"errorBound","t":9}"#),
    (.boundTarget(.estimate), #"{"d":0.5,"is":"boundTarget","t":9,"target":"estimate"}"#),
    (.errorBound(250.5), #"{"d":0.5,"is":"errorBound","metres":250.5,"t":9}"#),
    (
      .begin(1, .one(OneLocation(desiredAccuracy: 5, within: .nanoseconds(60)))),
      #"{"d":0.5,"id":1,"is":"begin","metres":5,"nanoseconds":60,"t":9,"wish":"one"}"#
    ),
    (
      .begin(1, .one(OneLocation(desiredAccuracy: 5, within: .nanoseconds(60), maximumAge: .nanoseconds(7)))),
      #"{"age":7,"d":0.5,"id":1,"is":"begin","metres":5,"nanoseconds":60,"t":9,"wish":"one"}"#
    ),
    (.begin(2, .every(filter(5, 10))), #"{"d":0.5,"filter":10,"id":2,"is":"begin","metres":5,"t":9,"wish":"every"}"#),
    (.begin(3, .fixes(filter(0, 0))), #"{"d":0.5,"filter":0,"id":3,"is":"begin","metres":0,"t":9,"wish":"fixes"}"#),
    (
      .begin(4, .accepted(acceptance)),
      #"{"count":7,"d":0.5,"filter":10,"holds":5,"id":4,"interval":80,"is":"begin","metres":50,"nanoseconds":60,"#
        + #""signal":90,"t":9,"wish":"accepted"}"#
    ),
    (.begin(5, .fixes(nil)), #"{"d":0.5,"id":5,"is":"begin","t":9,"wish":"nothing"}"#),
    (
      .begin(6, .bound(300, keepsRunning: true)),
      #"{"d":0.5,"holds":1,"id":6,"is":"begin","metres":300,"t":9,"wish":"bound"}"#
    ),
    (.setAlarm(5, at: nil), #"{"d":0.5,"id":5,"is":"callBack","t":9}"#),
    (.setAlarm(5, at: .nanoseconds(-60)), #"{"d":0.5,"id":5,"is":"callBack","nanoseconds":-60,"t":9}"#),
    (.end(5), #"{"d":0.5,"id":5,"is":"end","t":9}"#),
    (.restartReceiver, #"{"d":0.5,"is":"restartReceiver","t":9}"#),
    (.release, #"{"d":0.5,"is":"release","t":9}"#),
  ]

  private static let others: [(JournalEntry.What, String)] = [
    (.continues, #"{"d":0.5,"format":1,"is":"continues","t":9}"#),
    (.decisions("mode gps; a → b"), #"{"d":0.5,"is":"do","t":9,"text":"mode gps; a → b"}"#),
    (.note("a \"/\\\n"), #"{"d":0.5,"is":"note","t":9,"text":"a \"/\\\n"}"#),
    (.lost(3), #"{"count":3,"d":0.5,"is":"lost","t":9}"#),
  ]

  /// An entry of each kind that is written, each wish and each failure, and its text in the file.
  static var all: [(JournalEntry.What, String)] {
    var all = launches + others
    for (report, text) in reports { all.append((.input(.report(report)), text)) }
    for (input, text) in inputs { all.append((.input(input), text)) }
    return all
  }

  private static func read(_ text: String) throws -> JournalEntry { try JournalEntry(Array(text.utf8)[...]) }

  @Test("An entry is written as its text, and read from it", arguments: all)
  func format(what: JournalEntry.What, text: String) throws {
    let entry = try Self.read(text)
    #expect(entry.now.uptime == .nanoseconds(9) && entry.now.date.timeIntervalSinceReferenceDate == 0.5)
    #expect(entry.what == what)
    #expect(try String(decoding: entry.bytes, as: UTF8.self) == text + "\n")
  }

  @Test("All kinds that are written are tested")
  func kinds() {
    let names = JournalEntry.Kind.allCases.map(\.rawValue) + WakeKind.allCases.map(\.rawValue)
    #expect(Set(names).count == names.count, "the name tells the kind")
    for kind in JournalEntry.Kind.allCases {
      #expect(Self.all.contains { $0.1.contains(#""is":"\#(kind.rawValue)""#) }, "\(kind)")
    }
  }

  @Test("An event of each kind is read as it was written", arguments: WakeKind.allCases.flatMap(WakeEvent.samples))
  func events(event: WakeEvent) throws {
    let entry = JournalEntry(
      now: LocationCore.Now(uptime: .zero, date: .distantPast), what: .input(.report(.wake(event))))
    #expect(try JournalEntry(entry.bytes.dropLast()).what == entry.what)
  }

  /// Entries whose missing fields have a meaning.
  private static let withoutField: [JournalEntry.What] = [
    .input(.report(.visit(stay))),
    launches[0].0, .input(.report(.battery(LocationManager.BatteryStatus(level: nil, state: nil)))),
    .input(.report(.significantChange(nil))), .input(.errorBound(nil)), .input(.setAlarm(5, at: nil)),
    .input(.begin(1, .one(OneLocation(desiredAccuracy: 5, within: .nanoseconds(60))))),
  ]

  @Test("The fields of other kinds in a line are ignored", arguments: all)
  func mixed(what: JournalEntry.What, text: String) throws {
    guard !Self.withoutField.contains(what) else { return }
    var fields: [String: Any] = [:]
    for (_, other) in Self.all {
      let object = try JSONSerialization.jsonObject(with: Data(other.utf8)) as? [String: Any]
      fields.merge(try #require(object)) { first, _ in first }
    }
    #expect(Set(fields.keys) == Set(JournalEntry.Field.allCases.map(\.stringValue)))
    let own = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    fields.merge(try #require(own)) { _, own in own }
    let entry = try JournalEntry(Array(try JSONSerialization.data(withJSONObject: fields))[...])
    #expect(entry.what == what)
    #expect(try String(decoding: entry.bytes, as: UTF8.self) == text + "\n")
  }

  @Test("A truncated line is refused, and a line with a damaged byte doesn't crash the reader", arguments: all)
  func damaged(what: JournalEntry.What, text: String) throws {
    let bytes = Array(text.utf8)
    for end in bytes.indices { #expect(throws: JournalEntry.Problem.self) { try JournalEntry(bytes[..<end]) } }
    for index in bytes.indices {
      for byte in [0, 0x1F, 0x80, 0xFF] + Array(#" "\{]:,-9e"#.utf8) {
        var damaged = bytes
        damaged[index] = byte
        // An entry that is read nevertheless can be written and read again.
        guard let entry = try? JournalEntry(damaged[...]) else { continue }
        let written = try entry.bytes
        #expect(try JournalEntry(written.dropLast()).bytes == written)
      }
    }
  }

  @Test("Numbers and texts are written as JSONEncoder writes them", arguments: 0..<4 as Range<UInt64>)
  func encoder(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    func written(_ value: LineValue) throws -> String {
      var line: [UInt8] = []
      try value.write(to: &line)
      return String(decoding: line, as: UTF8.self)
    }
    for index in 0..<2_000 {
      // Any bits, decimal numbers such as coordinates, and whole numbers.
      let numbers = [
        Double(bitPattern: random.next()), Double(Int64(bitPattern: random.next()) >> 40) / 1_000_000,
        Double(index) - 1_000,
      ]
      for number in numbers where number.isFinite {
        #expect(try written(.number(number)) == String(decoding: encoder.encode(number), as: UTF8.self))
      }
      let scalars = (0..<Int.random(in: 0..<8, using: &random)).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0..<[0x30, 0x80, 0x3000, 0x11_0000][Int(random.next() % 4)], using: &random))
      }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      #expect(try written(.text(text)) == String(decoding: encoder.encode(text), as: UTF8.self), "\(scalars)")
    }
  }

  @Test("Unusual values are read as they were written")
  func odd() throws {
    let odd = Location(
      latitude: .nan, longitude: -.infinity, horizontalAccuracy: 1e300, altitude: -0.0,
      verticalAccuracy: .leastNonzeroMagnitude,
      speed: nil, course: 0.1 + 0.2, timestamp: Date(timeIntervalSinceReferenceDate: .infinity))
    let whole = Location(latitude: 34, longitude: -118, horizontalAccuracy: 5, timestamp: .distantPast)
    let now = LocationCore.Now(uptime: .century, date: .distantFuture)
    let inputs: [LocationCore.Input] = [
      .report(.fixes([])), .report(.fixes([whole, odd, whole])), .report(.significantChange(nil)),
      .report(.significantChange(whole)), .report(.cell("\u{7F}é\"\\/")), .report(.failure(.other("🛰️"))),
      .report(.failure(.locationUnknown)), .report(.motion(.vehicle)), .report(Sources.awake.report),
      .report(.authorization(.always)), .policy(.standaloneReceiver), .errorBound(nil), .errorBound(250),
      .begin(7, .one(OneLocation(desiredAccuracy: 50, within: .seconds(9), maximumAge: .seconds(60)))),
      .begin(-1, .every(TrackFilter(desiredAccuracy: 0))),
      .begin(3, .accepted(Acceptance(TrackingPolicy()))), .begin(4, .fixes(nil)),
      .begin(5, .fixes(TrackFilter(desiredAccuracy: 0))),
      .setAlarm(4, at: .seconds(5)), .setAlarm(4, at: nil), .restartReceiver,
      .end(4), .release, .promptTimeLimit(.seconds(60)), .command(.pause),
    ]
    for input in inputs {
      let entry = JournalEntry(now: now, what: .input(input))
      let bytes = try entry.bytes
      #expect(bytes.last == UInt8(ascii: "\n") && bytes.count { $0 < 0x20 } == 1)
      let read = try JournalEntry(bytes.dropLast())
      // NaN doesn't equal itself.
      #expect(try read.bytes == bytes)
      #expect((try? JSONSerialization.jsonObject(with: Data(bytes))) is [String: Any])
    }
    // These dates can't be printed.
    for date in [Double.nan, .infinity, -.infinity] {
      let change = LocationManager.Motion.Change(.still, at: Date(timeIntervalSinceReferenceDate: date))
      let bytes = try JournalEntry(now: now, what: .input(.report(.pastMotion([change])))).bytes
      #expect(try JournalEntry(bytes.dropLast()).bytes == bytes)
    }
  }

  @Test("The article mentions every kind, wake event, field and problem of the health, and the fields are alphabetical")
  func article() async throws {
    let url = Repository.root.appending(path: "Sources/LocoKitJournal/LocoKitJournal.docc/KeepingAJournal.md")
    let text = try String(contentsOf: url, encoding: .utf8)
    for kind in JournalEntry.Kind.allCases { #expect(text.contains("`\(kind.rawValue)`"), "\(kind)") }
    for field in JournalEntry.Field.allCases { #expect(text.contains("`\(field.stringValue)`"), "\(field)") }
    for kind in WakeKind.allCases { #expect(text.contains("`\(kind.rawValue)`"), "\(kind)") }
    for problem in LocationManager.Health.Problem.allCases {
      #expect(text.contains("`\(problem.rawValue)`"), "\(problem)")
    }
    #expect(JournalEntry.Field.allCases.map(\.stringValue) == JournalEntry.Field.allCases.map(\.stringValue).sorted())
    #expect(text.contains("This is version \(JournalEntry.format) of the format."))
  }

  @Test(
    "Unusual spellings of JSON are read",
    arguments: [
      #"{"d":0,"is":"cell","t":1,"text":"A/\"\n"}"#,
      #" { "text" : "\u0041\/\"\n" , "is" : "cell" , "t" : 1 , "d" : 0.0e0, "new": {"a": [null, true, -1e5, "x"]} } "#,
      "{\"t\":1,\"d\":-0,\"id\":null,\"is\":\"cell\",\"text\":\"A\\/\\u0022\\u000a\"}\r",
    ])
  func dialects(text: String) throws {
    let entry = try JournalEntry(Array(text.utf8)[...])
    #expect(entry.what == .input(.report(.cell("A/\"\n"))) && entry.now.uptime == .nanoseconds(1))
  }
}
