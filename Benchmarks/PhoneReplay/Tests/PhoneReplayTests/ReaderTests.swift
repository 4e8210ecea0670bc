import Foundation
import Testing

@testable import PhoneReplay

@Suite("The reader of outings")
struct ReaderTests {
  @Test("An outing is read with its phones, truth and classes")
  func reads() throws {
    let outing = try Fixture.outing()
    #expect(outing.name == "made-up")
    #expect(outing.coarsePhone?.name == "ios-3")
    #expect(outing.bestPhone == nil)
    #expect(!outing.isStill)
    #expect(outing.end == 1_800)
    #expect(outing.truth[10] == Fixture.place(at: 10))
    #expect(outing.truth[500] == Fixture.place(at: 500))
    #expect(outing.truth[650] == nil)
    #expect(outing.truth.place(at: 650.5) == nil)
    let middle = try #require(outing.truth.place(at: 400.5))
    #expect(abs(middle.distance(to: Fixture.place(at: 400)) - 5) < 0.01)
    let velocity = try #require(outing.truth.velocity(at: 400))
    #expect(abs(velocity.speed - 10) < 0.01)
    #expect(velocity.course < 0.01 || velocity.course > 359.99)
    let classes = outing.classes(until: 1_800)
    #expect(classes[299] == [])
    #expect(classes[300] == [.moving, .leaving])
    #expect(classes[500] == [.moving, .leaving, .rails])
    #expect(classes[900] == [])
  }

  @Test(
    "A truth that starts a few seconds late is extended to the start; a later one isn't",
    arguments: [(3, true), (60, false)])
  func lateTruth(_ seconds: Int, _ isKnown: Bool) throws {
    let outing = try Fixture.outing("O,a,0,x\nP,ios-1,b,best,0,0,0,100,1,\nJ,90,95,j\nD,\(seconds),100,37,-122")
    #expect((outing.truth[0] != nil) == isKnown)
    #expect(outing.truth[70] != nil)
  }

  @Test("A walk to a station isn't on rails")
  func rails() {
    func isRails(_ name: String) -> Bool { Outing.Leg(from: 0, to: 1, name: name).isRails }
    #expect(isRails("commuter_rail_aboveground"))
    #expect(isRails("tt_commuter_rail_aboveground_subway_underground"))
    #expect(!isRails("walk_to_caltrain"))
    #expect(!isRails("express_bus"))
  }

  @Test("The truth of an outing at rest is the median of its accurate fixes")
  func still() throws {
    let fixes = [(0.0, 65), (0.001, 65), (0.002, 65), (5, 3_000)].enumerated().map { index, fix in
      "F,ios-1,\(index),\(index),\(37 + fix.0),-122,\(fix.1),,"
    }
    let outing = try Fixture.outing(
      "O,still,0,x\r\nP,ios-1,100mAO,100m,1,0,0,100,1,\r\n" + fixes.joined(separator: "\n"))
    #expect(outing.isStill)
    #expect(outing.truth[50]?.latitude == 37.001)
  }

  @Test(
    "An invalid line throws an error with the line and the problem",
    arguments: [
      ("X,1", "made-up.csv:3: A line begins with"),
      ("R,1,2", "made-up.csv:3: A line R needs 3 fields after the first (time, latitude, longitude), but has 2"),
      ("R,1,91,0", "made-up.csv:3: “91” is not a latitude"),
      ("R,nan,1,0", "made-up.csv:3: “nan” is not a time"),
      ("R,1e9,1,0", "made-up.csv:3: “1e9” is not a time"),
      ("J,5,4,back", "made-up.csv:3: The end, 4.0 s, is before the beginning, 5.0 s"),
      ("B,ios-9,1,50", "made-up.csv:3: The phone “ios-9” has no P line"),
      ("B,ios-1,1,101", "made-up.csv:3: “101” is not a battery level in percent"),
      ("A,ios-1,1,Q,h", "made-up.csv:3: An activity is"),
      ("A,ios-1,1,,h", "made-up.csv:3: An activity is"),
      ("A,ios-1,1,S,x", "made-up.csv:3: A confidence is"),
      ("F,ios-1,1,1,37,-122,-1,,", "made-up.csv:3: “-1” is not a claimed accuracy"),
      ("O,again,0,x", "made-up.csv:3: The file has two O lines"),
      ("P,ios-1,a,best,0,0,0,1,1,", "made-up.csv:3: The phone “ios-1” has a P line already"),
      ("P,ios-2,a,worst,0,0,0,1,1,", "made-up.csv:3: An accuracy is best, 10m, 100m or off"),
      ("P,ios-2,a,best,0,yes,0,1,1,", "made-up.csv:3: “yes” is neither 0 nor 1"),
      ("R," + String(repeating: "1", count: 2_000), "made-up.csv:3: The line has more than 1000 bytes"),
    ])
  func errors(_ line: String, _ beginning: String) {
    let error = #expect(throws: OutingError.self) {
      try Fixture.outing("O,a,0,x\nP,ios-1,100mAO,100m,1,0,0,100,1,\n\(line)\n")
    }
    #expect(error?.description.hasPrefix(beginning) == true, "\(error?.description ?? "")")
  }

  @Test("A missing O or P line throws an error", arguments: ["", "P,ios-1,a,best,0,0,0,1,1,", "O,a,0,x"])
  func missing(_ text: String) {
    let error = #expect(throws: OutingError.self) { try Fixture.outing(text) }
    #expect(error?.description.hasPrefix("made-up.csv: There is no ") == true)
  }

  @Test("Truncated files and changed bytes don't crash the reader")
  func broken() {
    let bytes = Array(Fixture.text(seconds: 1_000).utf8.prefix(3_000))
    for length in stride(from: 0, to: bytes.count, by: 7) {
      _ = try? Fixture.outing(String(decoding: bytes.prefix(length), as: UTF8.self))
    }
    for index in stride(from: 0, to: 400, by: 3) {
      for byte: UInt8 in [0, 0x2C, 0x2D, 0x39, 0xFF] {
        var changed = bytes
        changed[index] = byte
        guard let outing = try? Fixture.outing(String(decoding: changed, as: UTF8.self)) else { continue }
        _ = Recording(outing)
      }
    }
  }

  @Test("Plain and packed files are read, and an unreadable one throws an error with its name")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("outings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(throws: OutingError.self) { try OutingReader.files(in: folder) }
    let plain = folder.appendingPathComponent("made-up.csv")
    try Fixture.text().write(to: plain, atomically: true, encoding: .utf8)
    try "no gzip".write(to: folder.appendingPathComponent("bad.csv.gz"), atomically: true, encoding: .utf8)
    try "x".write(to: folder.appendingPathComponent("outings.csv"), atomically: true, encoding: .utf8)
    let files = try OutingReader.files(in: folder)
    #expect(files.map(\.lastPathComponent) == ["bad.csv.gz", "made-up.csv"])
    #expect(try OutingReader.read(contentsOf: plain).name == "made-up")
    let error = #expect(throws: OutingError.self) { try OutingReader.read(contentsOf: files[0]) }
    #expect(error?.description.hasPrefix("bad.csv.gz: gzip failed") == true)
    let packing = Process()
    packing.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    packing.arguments = ["gzip", plain.path]
    try packing.run()
    packing.waitUntilExit()
    #expect(try OutingReader.read(contentsOf: folder.appendingPathComponent("made-up.csv.gz")).name == "made-up")
  }
}
