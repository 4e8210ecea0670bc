import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitSimulation
@testable import TestSupport

@Suite("A GPX track")
struct GPXTrackTests {
  static func read(
    _ text: String, encoding: String.Encoding = .utf8, limits: SimulatedProvider.GPXTrack.Limits = .init()
  ) throws -> SimulatedProvider.GPXTrack {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).gpx")
    try text.data(using: encoding)?.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try SimulatedProvider.GPXTrack(contentsOf: file, limits: limits)
  }

  static func track(_ points: String) -> String {
    "<gpx><trk><trkseg>\n\(points)\n</trkseg></trk></gpx>"
  }

  static func point(_ latitude: String, _ time: String?) -> String {
    "<trkpt lat=\"\(latitude)\" lon=\"2\">" + (time.map { "<time>\($0)</time>" } ?? "") + "</trkpt>"
  }

  static let times = ["2020-01-01T00:00:00Z", "2020-01-01T00:00:10Z", "2020-01-01T00:00:20Z"]
  static let good = times.enumerated().map { point("1.00\($0)", $1) }.joined(separator: "\n")

  @Test("A track has its points' times and altitudes, starts at the first point, and has no notes if all are valid")
  func reads() throws {
    let track = try Self.read(
      Self.track(
        """
        <trkpt lat="1" lon="2"><ele>10</ele><time>
        \(String(repeating: " ", count: 100))2020-01-01T00:00:00Z
        </time></trkpt>
        <trkpt lat="1.001" lon="2"><ele>20</ele><time>2020-01-01T01:00:05.500+01:00</time></trkpt>
        """))
    #expect(track.route.start == Date(timeIntervalSince1970: 1_577_836_800))
    #expect(track.route.points.map(\.time) == [0, 5.5] || track.route.points.map(\.time) == [0, 5])
    #expect(track.route.points.map(\.altitude) == [10, 20])
    #expect(track.notes.isEmpty)
  }

  @Test(
    "A point without a usable coordinate is dropped, and one at the edge of the range is read",
    arguments: [
      ("90.001", "2"), ("-91", "2"), ("1", "180.001"), ("1", "-181"), ("1", "200"), ("1", "360"), ("nan", "2"),
      ("1", "inf"),
      ("1", ""), ("1e400", "2"),
    ])
  func coordinates(_ latitude: String, _ longitude: String) throws {
    let wrong = "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\"><time>2020-01-01T00:00:05Z</time></trkpt>"
    let track = try Self.read(Self.track(Self.good + wrong))
    #expect(track.dropped == [.badCoordinate: 1])
    #expect(track.route.points.count == 3)
    let edge = "<trkpt lat=\"-90\" lon=\"180\"><time>2020-01-01T00:00:30Z</time></trkpt>"
    #expect(try Self.read(Self.track(Self.good + edge)).route.points.count == 4)
  }

  @Test(
    "A document type directly after a multi-byte character is refused, except in a comment or in CDATA",
    arguments: [
      "<é<!DOCTYPE", "<gpx><name>é<!DOCTYPE", "<gpx><é<!DOCTYPE x>", "€<!DOCTYPE", "<gpx>\u{1F600}<!DOCTYPE gpx>",
      "<gpx a=\"é<!DOCTYPE\"", "<gpx a='é' é<!DOCTYPE",
    ])
  func documentTypeBehindACharacter(_ text: String) throws {
    for text in [text, String(repeating: " ", count: 300) + text, Self.track(Self.good) + text] {
      let error = #expect(throws: FileFailure.self) { try Self.read(text) }
      #expect(error?.reason.contains("document type") == true)
    }
    #expect(try Self.read(Self.track("<!-- é<!DOCTYPE --><![CDATA[é<!DOCTYPE]]>" + Self.good)).notes.isEmpty)
  }

  @Test("Coordinates are found among many attributes, with their quotation marks and blanks")
  func attributes() throws {
    let many = (0..<20_000).map { "a\($0)='lat=\"1\" >'" }.joined(separator: " ")
    for start in ["<trkpt \(many) ", "<trkpt\n  ", "<trkpt x:lat='7' "] {
      for coordinates in ["lat=\"1\" lon=\"2\"", "lon = '2' lat = '1'", "lat=1 lon=2", "lat='\t1 ' lon='+2.0e0'"] {
        for end in [">", "/>", " >", " / >"] where !(end == "/>" && coordinates.hasSuffix("2")) {
          let point = "\(start)\(coordinates)\(end)"
          let track = try Self.read(Self.track(point + Self.point("1.1", nil)))
          #expect(track.route.points.map(\.latitude) == [1, 1.1], "\(point.suffix(40))")
          #expect(track.route.points[0].longitude == 2)
        }
      }
    }
  }

  @Test("Pipes, devices and folders are refused without being opened")
  func noFiles() throws {
    let pipe = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).gpx")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    defer { try? FileManager.default.removeItem(at: pipe) }
    for (path, reason) in [(pipe.path, "pipe or a device"), ("/dev/zero", "pipe or a device"), ("/dev", "folder")] {
      let error = #expect(throws: FileFailure.self) { try SimulatedProvider.GPXTrack(contentsOf: URL(filePath: path)) }
      #expect(error?.isMissing == true && error?.description.contains(reason) == true)
    }
  }

  @Test("Valid points are used, and the others are counted by reason")
  func sloppy() throws {
    let track = try Self.read(
      Self.track(
        [
          Self.point("1", Self.times[0]), Self.point("91", Self.times[1]), Self.point("x", Self.times[1]),
          "<trkpt lat=\"1\"/>", Self.point("1.001", nil), Self.point("1.002", "yesterday"),
          Self.point("1.003", Self.times[1]), Self.point("1.004", Self.times[1]), Self.point("1.005", Self.times[0]),
          Self.point("1.006", Self.times[2]), Self.point("1.007", "2020-01-01T00:00:30Z"),
          Self.point("1.008", "2020-01-01T00:00:40Z"),
        ].joined()))
    #expect(track.dropped == [.badCoordinate: 3, .noTime: 2, .timeGoingBack: 1])
    #expect(track.route.points.map(\.time) == [0, 10, 10.5, 20, 30, 40])
    #expect(
      track.notes == [
        "Moved 1 point with the time of another within that second.",
        "Dropped 3 points without a usable coordinate; line 2: lat=\"91\" isn't from -90 to 90.",
        "Dropped 2 points without a usable time; line 2: “yesterday” isn't a date and a time like 2026-05-03T19:00:00Z.",
        "Dropped 1 point with a time that contradicts the other points.",
      ])
  }

  @Test("Segments and tracks are joined in the order of their times")
  func segments() throws {
    let track = try Self.read(
      """
      <gpx><trk><trkseg>\(Self.point("5", Self.times[2]))</trkseg><trkseg/></trk>
      <trk><trkseg>\(Self.point("3", Self.times[0]))\(Self.point("4", Self.times[1]))</trkseg></trk></gpx>
      """)
    #expect(track.route.points.map(\.latitude) == [3, 4, 5])
  }

  @Test("Points outside a segment are read as one")
  func withoutSegments() throws {
    #expect(try Self.read("<gpx><trk>\(Self.good)</trk></gpx>").route.points.count == 3)
  }

  @Test("A track without times has a speed of 50 km/h or the given one, with a note")
  func timeless() throws {
    let track = try Self.read(Self.track((0..<3).map { Self.point("1.00\($0)", nil) }.joined()))
    #expect(track.route.points.count == 3)
    #expect(abs(track.route.duration.inSeconds - 2 * 111.2 / 14) < 0.1)
    #expect(track.notes == ["0 of 3 points have a usable time; the speed is assumed to be 50 km/h."])
    let data = Data(Self.track((0..<3).map { Self.point("1.00\($0)", nil) }.joined()).utf8)
    let walked = try SimulatedProvider.GPXTrack(data: data, speedWithoutTimes: 1.4)
    #expect(abs(walked.route.duration.inSeconds - 2 * 111.2 / 1.4) < 1)
    #expect(!walked.isTimed)
    #expect(walked.notes == ["0 of 3 points have a usable time; the speed is assumed to be 5 km/h."])
    let file = FileManager.default.temporaryDirectory.appending(path: "planned-\(UUID()).gpx")
    defer { try? FileManager.default.removeItem(at: file) }
    try data.write(to: file)
    #expect(try SimulatedProvider.GPXTrack(contentsOf: file, speedWithoutTimes: 1.4).route == walked.route)
    let timed = Data(Self.track(Self.good).utf8)
    #expect(try SimulatedProvider.GPXTrack(data: timed).isTimed)
    #expect(
      try SimulatedProvider.GPXTrack(data: timed, speedWithoutTimes: 1.4).route
        == SimulatedProvider.GPXTrack(data: timed).route)
    // A long leg of a planned route isn't a gap in a recording.
    let planned = try Self.read(Self.track([1.000, 1.001, 1.002, 1.022].map { Self.point("\($0)", nil) }.joined()))
    #expect(planned.route.outages.isEmpty && planned.route.indoors.isEmpty && planned.route.points.count == 4)
  }

  @Test("Routes are read if there is no track, and waypoints are never read")
  func routes() throws {
    let text = "<gpx><wpt lat='0' lon='0'/><rte><rtept lat='1' lon='2'/><rtept lat='1.1' lon='2'/></rte></gpx>"
    #expect(try Self.read(text).route.points.count == 2)
    #expect(throws: FileFailure.self) { try Self.read("<gpx><wpt lat='0' lon='0'/><wpt lat='1' lon='0'/></gpx>") }
  }

  @Test("Namespaces, comments, CDATA, a byte order mark and ISO 8859-1 are accepted, and extensions are ignored")
  func forms() throws {
    let prefixed = Self.track(Self.good).replacingOccurrences(of: "<", with: "<g:").replacingOccurrences(
      of: "<g:/", with: "</g:")
    #expect(try Self.read(prefixed).route.points.count == 3)
    let marked = "\u{FEFF}<?xml version=\"1.0\"?><!-- a -->" + Self.track(Self.good)
    #expect(try Self.read(marked).route.points.count == 3)
    let data = Self.track(Self.good.replacingOccurrences(of: Self.times[1], with: "<![CDATA[\(Self.times[1])]]>"))
    #expect(try Self.read(data).route.points.count == 3)
    let latin =
      "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><gpx><name>Zürich</name>" + Self.track(Self.good).dropFirst(5)
    #expect(try Self.read(latin, encoding: .isoLatin1).route.points.count == 3)
    let extended = Self.good.replacingOccurrences(
      of: "<time>", with: "<extensions><x><time>2050-01-01T00:00:00Z</time></x></extensions><time>")
    #expect(try Self.read(Self.track(extended)).route.duration == .seconds(20))
  }

  @Test(
    "Bytes that aren't UTF-8 don't crash the reader",
    arguments: [
      ("lat", "l\u{1}t"), ("<name>", "<n\u{1}me>"), ("Road", "R\u{1}ad"), ("<gpx", "<gpx x\u{1}=\"1\""),
      ("<gpx", "<gpx \u{1}:x=\"1\""), ("<trkseg>", "<trkseg \u{1}\u{1}\u{1}=\"\u{1}\">"),
    ])
  func notUTF8(_ place: String, _ broken: String) throws {
    for byte in [0x80, 0xE9, 0xC3, 0xF0, 0xFF] as [UInt8] {
      let text = Self.track("<name>Road</name>\n" + Self.good).replacingOccurrences(of: place, with: broken)
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).gpx")
      try Data(text.utf8.map { $0 == 1 ? byte : $0 }).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      do {
        let track = try SimulatedProvider.GPXTrack(contentsOf: file)
        #expect(!track.route.points.isEmpty)
      } catch {
        #expect(error.description.contains(".gpx"))
      }
    }
  }

  @Test(
    "A control character in a comment or in CDATA doesn't make the parser read a processing instruction",
    arguments: ["<!--\u{1}<?x?>", "<!-- a\u{1}<?x?> -->", "<![CDATA[\u{1}<?x?>", "<![CDATA[a\u{1}<?x?>]]>"])
  func controlCharacter(_ text: String) throws {
    let track = try Self.read("<gpx><trk><trkseg>\n\(Self.good)\(text)</trkseg></trk></gpx>")
    #expect(track.route.points.count == 3)
  }

  @Test(
    "Processing instructions, with or without data, don't crash the reader",
    arguments: ["<?x?>", "<?x y?>", "<?xml-stylesheet href='a.css'?>", "<??>", "<?x?y?>", "<?x\n\n?>"])
  func instructions(_ instruction: String) throws {
    for place in ["<gpx", "<trkseg>", "<trkpt", "</gpx>"] {
      let text = Self.track(Self.good).replacingOccurrences(of: place, with: instruction + place)
      let track = try Self.read("<?xml version='1.0'?>\n" + text + instruction)
      #expect(track.route.points.count == 3)
      #expect(track.notes.isEmpty)
    }
  }

  /// Encodings that the reader accepts: the name in the declaration, and a function that returns the bytes of a text.
  static let documented: [(name: String, bytes: @Sendable (String) -> Data)] = [
    ("utf-8", { Data($0.utf8) }), ("UTF-8", { Data("\u{FEFF}\($0)".utf8) }), ("US-ASCII", { Data($0.utf8) }),
    ("utf-16", { encoded("\u{FEFF}\($0)", .utf16LittleEndian) }),
    ("utf-16", { encoded("\u{FEFF}\($0)", .utf16BigEndian) }),
    // Programs that convert a file may leave the declaration unchanged.
    ("utf-16", { Data($0.utf8) }), ("windows-1251", { Data("\u{FEFF}\($0)".utf8) }),
    ("ISO-8859-1", { encoded($0, .isoLatin1) }), ("iso-8859-15", { encoded($0, .isoLatin1) }),
    ("windows-1252", { encoded($0, .windowsCP1252) }), ("GBK", { encoded($0, .utf8) }), ("", { Data($0.utf8) }),
  ]

  /// Encodings that the reader refuses because of the first bytes.
  static let refusedEncodings: [(name: String, bytes: @Sendable (String) -> Data)] = [
    ("utf-16", { encoded($0, .utf16LittleEndian) }), ("utf-16", { encoded($0, .utf16BigEndian) }),
    ("utf-32", { encoded($0, .utf32LittleEndian) }), ("utf-32", { encoded($0, .utf32BigEndian) }),
    ("utf-32", { encoded("\u{FEFF}\($0)", .utf32LittleEndian) }),
    ("utf-32", { encoded("\u{FEFF}\($0)", .utf32BigEndian) }),
    // UTF-32 in the byte orders 2143 and 3412, which libxml2 knows.
    ("ucs-4", { Data($0.unicodeScalars.flatMap { [0, 0, UInt8($0.value & 255), UInt8($0.value >> 8)] }) }),
    ("ucs-4", { Data($0.unicodeScalars.flatMap { [UInt8($0.value >> 8), UInt8($0.value & 255), 0, 0] }) }),
  ]

  private static func encoded(_ text: String, _ encoding: String.Encoding) -> Data {
    text.data(using: encoding, allowLossyConversion: true) ?? Data()
  }

  /// Valid texts, texts that crash Foundation's parser on Linux, texts that make it expand or load something, and a text with many attributes.
  static let texts = [
    track(good), track("<name>é</name>" + good), "<?x?>", "<?x?>" + track(good), track(good + "<?x?>"), "<gpx><?x",
    "<!DOCTYPE gpx>" + track(good),
    "<!DOCTYPE gpx [<!ENTITY % x \"y\"><!ATTLIST gpx a CDATA #FIXED \"1\"><!NOTATION n SYSTEM \"x\"><!ELEMENT gpx ANY>]>"
      + track(good),
    "<!DOCTYPE gpx [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>" + track("<name>&x;</name>" + good),
    track("<!--\u{1}<?x?>-->" + good),
    track("<x " + (0..<70).map { "b\($0)='1'" }.joined(separator: " ") + "/>" + good),
  ]

  /// Returns the number of points and the notes of a file, or the reason for its refusal.
  private static func outcome(_ data: Data) -> String {
    do throws(FileFailure) {
      let track = try SimulatedProvider.GPXTrack(data: data)
      return "\(track.route.points.count) \(track.notes)"
    } catch {
      return error.reason
    }
  }

  @Test("A text, even a malicious one, has the same outcome in each accepted encoding", arguments: documented.indices)
  func readAlike(index: Int) {
    let (name, bytes) = Self.documented[index]
    for text in Self.texts {
      for declaration in ["", "<?xml version='1.0' encoding='\(name)'?>", "<?xml\nencoding = \"\(name)\" ?>\n"] {
        #expect(Self.outcome(bytes(declaration + text)) == Self.outcome(Data(text.utf8)), "\(name): \(text)")
      }
    }
  }

  @Test("A text in another encoding is refused before it is parsed", arguments: refusedEncodings.indices)
  func refusedEncoding(index: Int) {
    let (name, bytes) = Self.refusedEncodings[index]
    for text in Self.texts {
      let outcome = Self.outcome(bytes("<?xml version='1.0' encoding='\(name)'?>\n" + text))
      #expect(outcome.hasSuffix("; convert it to UTF-8"), "\(name): \(outcome)")
    }
    if bytes("<") != Data("<".utf8) {
      #expect(Self.outcome(bytes(Self.track(Self.good))).hasSuffix("; convert it to UTF-8"))
    }
  }

  @Test("A text and a tag of more than 10 MB cost no point")
  func large() throws {
    let blank = String(repeating: " ", count: 11_000_000)
    let track = try Self.read(Self.track(blank + Self.good + "<x a='\(blank)'/>"))
    #expect(track.route.points.count == 3 && track.notes.isEmpty)
  }

  @Test("A gap in the recording has no sky, and a pause of more than a day is cut to a day")
  func gaps() throws {
    let points = (0..<5).map { Self.point("1.00\($0)", "2020-01-01T00:00:0\($0)Z") }
    let gap = try Self.read(Self.track((points + [Self.point("1.1", "2020-01-01T00:05:00Z")]).joined()))
    #expect(gap.route.outages == [4..<300])
    #expect(
      gap.route.hasSky(at: 3.9) && !gap.route.hasSky(at: 4) && !gap.route.hasSky(at: 299) && gap.route.hasSky(at: 300))
    let pause = try Self.read(Self.track((points + [Self.point("1.1", "2023-01-01T00:05:00Z")]).joined()))
    #expect(pause.route.duration == .seconds(86_404))
    #expect(pause.notes.count == 1)
  }

  @Test("A gap between two near points is a stay indoors, which the device leaves on foot")
  func stays() throws {
    let points = (0..<5).map { Self.point("1.0000\($0)", "2020-01-01T00:00:0\($0)Z") }
    func route(_ latitude: String, _ time: String) throws -> SimulatedProvider.Route {
      try Self.read(Self.track((points + [Self.point(latitude, "2020-01-01T\(time)Z")]).joined())).route
    }
    // 111 m in 1,000 s.
    let stay = try route("1.00104", "00:16:44")
    #expect(stay.indoors == [4..<1_004] && stay.outages.isEmpty)
    #expect(stay.isIndoors(at: 500) && !stay.hasSky(at: 500) && stay.hasSky(at: 1_004))
    #expect(stay.position(at: 920).latitude == 1.00004)
    let end = stay.position(at: 1_004 - 55.6 / 1.4).latitude
    #expect(abs(end - 1.00054) < 0.00001, "\(end)")
    // Gaps with both ends in the same place, with too high a speed, and with too great a distance.
    #expect(try route("1.00004", "01:00:00").indoors == [4..<3_600])
    #expect(try route("1.00104", "00:03:00").outages == [4..<180])
    #expect(try route("1.00304", "01:00:00").outages == [4..<3_600])
  }

  @Test("Data is read like a file, and errors contain its name")
  func data() throws {
    let text = Self.track(Self.good)
    let track = try SimulatedProvider.GPXTrack(data: Data(text.utf8))
    #expect(try track.route == Self.read(text).route && track.notes.isEmpty)
    #expect(try SimulatedProvider.GPXTrack(data: Data(("x" + text).utf8).dropFirst()).route == track.route)
    let error = #expect(throws: FileFailure.self) {
      try SimulatedProvider.GPXTrack(data: Data("<kml/>".utf8), name: "ride.gpx")
    }
    #expect(error?.description.hasPrefix("ride.gpx:1: ") == true)
    var limits = SimulatedProvider.GPXTrack.Limits()
    limits.bytes = 100
    #expect(throws: FileFailure.self) {
      try SimulatedProvider.GPXTrack(bytes: Array(text.utf8), file: "GPX", limits: limits)
    }
  }

  @Test("An error has the file, the line and the reason")
  func refusals() throws {
    let cases: [(String, Int, String)] = [
      ("", 1, "empty"),
      ("not xml", 1, "XML"),
      ("<kml></kml>", 1, "root is <kml>"),
      ("<gpx></gpx>", 0, "no usable track points"),
      (Self.track(Self.point("1", Self.times[0])), 0, "1 usable track point"),
      ("<gpx>\n<trk>\n<trkseg>", 3, "cut off"),
      ("<gpx>\n" + String(repeating: "<a>", count: 70) + String(repeating: "</a>", count: 70) + "</gpx>", 2, "nested"),
    ]
    for (text, line, reason) in cases {
      let error = #expect(throws: FileFailure.self) { try Self.read(text) }
      #expect(error?.line == line, "\(text.prefix(40)): \(error.map { "\($0)" } ?? "")")
      #expect(error?.reason.contains(reason) == true, "\(error.map { "\($0)" } ?? "")")
      #expect(error?.isMissing == false)
    }
    let missing = #expect(throws: FileFailure.self) {
      try SimulatedProvider.GPXTrack(contentsOf: URL(filePath: "/nowhere/a.gpx"))
    }
    #expect(missing.map { "\($0)" } == "/nowhere/a.gpx: no such file")
    #expect(missing?.isMissing == true)
  }

  @Test("The points before the end of a file that is cut off are used, with a note of the line")
  func cutOff() throws {
    let whole = "<gpx><trk><trkseg>\n\(Self.good)\n\(Self.point("1.5", "2020-01-01T00:00:30Z"))</trkseg></trk></gpx>"
    let last = try #require(whole.range(of: "</trkpt></trkseg>")).lowerBound
    for end in whole.indices[whole.index(last, offsetBy: -40)..<last] {
      let track = try Self.read(String(whole[...end]))
      #expect(track.route.points.count == 3, "\(whole[...end].suffix(40))")
      #expect(track.notes == ["Line 5: the file is cut off; the 3 points before are used."])
    }
    #expect(try Self.read(String(whole.dropLast(4))).route.points.count == 4)
  }

  @Test(
    "Malformed XML costs no point, and a note has its first line",
    arguments: [
      ("<name>Park & Ride</name>", nil), ("<desc>&nbsp;&eacute;&#1;\u{1}\u{0}</desc>", nil),
      ("<desc>a < b</desc>", "a < begins no tag"), ("<desc>I <3 you<!-- </desc>", "a < begins no tag"),
      ("<desc>one<br>two</desc>", "<br> isn't closed"), ("<desc>one</br>two</desc>", "</br> ends no element"),
      ("<desc><b><i>a</b></i></desc>", "<i> isn't closed"), ("<desc a=\"b>c</desc>", nil),
      ("<desc><![CDATA[a</desc>", "a < begins no tag"), ("<desc><?a</desc>", "a < begins no tag"),
      ("<trkpt lat=\"1.0005\" lon=\"2\"><time>2020-01-01T00:00:05Z</time>", "a point begins inside another"),
    ] as [(String, String?)])
  func malformed(_ text: String, _ words: String?) throws {
    let points = Self.good.split(separator: "\n")
    let count = text.hasPrefix("<trkpt") ? 4 : 3
    for place in 0..<points.count {
      var lines = points.map { $0[...] }
      // In the point, before its time, and between points.
      if count == 3 { lines[place].replace("<time>", with: text + "<time>") } else { lines.insert(text[...], at: 1) }
      lines[place] = lines[place] + (count == 3 ? text : "")
      let track = try Self.read(Self.track(lines.joined(separator: "\n")))
      #expect(track.route.points.count == count && track.dropped.isEmpty)
      #expect(track.route.duration == .seconds(20))
      guard let words else {
        #expect(track.notes.isEmpty)
        continue
      }
      let note = try #require(track.notes.first)
      #expect(note.hasPrefix("Line \(count == 3 ? place + 2 : 4): \(words)"), "\(note)")
    }
  }

  @Test(
    "A note says which coordinate on which line can't be used, and why",
    arguments: [
      ("lat=\"48,1\" lon=\"2\"", "lat=\"48,1\" has a comma; write a point"), ("lon='2'", "it has no lat"),
      ("lat='-' lon='2'", "lat=\"-\" isn't a number"), ("lat='48' lon='200'", "lon=\"200\" isn't from -180 to 180"),
      ("lat='48°' lon='x'", "lat=\"48°\" isn't a number"),
    ])
  func coordinateFaults(_ attributes: String, _ words: String) throws {
    let track = try Self.read(Self.track(Self.good + "\n<trkpt \(attributes)/>\n<trkpt/>"))
    #expect(track.notes == ["Dropped 2 points without a usable coordinate; line 5: \(words)."])
    let error = #expect(throws: FileFailure.self) { try Self.read(Self.track("<trkpt \(attributes)/>")) }
    #expect(error?.reason.hasSuffix("; line 2: \(words)") == true)
  }

  @Test("The first valid time of a point counts")
  func twoTimes() throws {
    let points = Self.good.replacing("<time>", with: "<time>x</time><time>").replacing(
      "</time></trkpt>", with: "</time><time>2020-01-02T00:00:00Z</time></trkpt>")
    #expect(try Self.read(Self.track(points)).route.points.map(\.time) == [0, 10, 20])
  }

  @Test("An unusable altitude is ignored, with a note")
  func altitudes() throws {
    let points = Self.good.replacing("<time>", with: "<ele/><ele>12,5</ele><time>")
    let track = try Self.read(Self.track(points))
    #expect(track.route.points.allSatisfy { $0.altitude == nil } && track.route.points.count == 3)
    #expect(track.notes == ["Ignored 3 unusable altitudes; line 2: “12,5” isn't a number of metres."])
  }

  @Test("Bytes, points, depth and days are limited, and a file that declares entities is refused")
  func bounds() throws {
    var limits = SimulatedProvider.GPXTrack.Limits()
    limits.bytes = 100
    #expect(throws: FileFailure.self) { try Self.read(Self.track(Self.good), limits: limits) }
    limits = .init()
    limits.points = 2
    #expect(throws: FileFailure.self) { try Self.read(Self.track(Self.good), limits: limits) }
    limits = .init()
    limits.depth = 3
    #expect(throws: FileFailure.self) { try Self.read(Self.track(Self.good), limits: limits) }
    limits = .init()
    limits.days = 0
    #expect(throws: FileFailure.self) { try Self.read(Self.track(Self.good), limits: limits) }

    var entities = "<!ENTITY a \"\(String(repeating: "a", count: 50))\">"
    for (name, inner) in zip("bcdefgh", "abcdefg") {
      entities += "<!ENTITY \(name) \"\(String(repeating: "&\(inner);", count: 10))\">"
    }
    let bomb =
      "<?xml version=\"1.0\"?><!DOCTYPE gpx [\(entities)]><gpx><name>&h;</name>" + Self.track(Self.good).dropFirst(5)
    #expect(throws: FileFailure.self) { try Self.read(bomb) }
  }

  @Test("A file is refused after a thousand points without a usable coordinate, unless an earlier point has one")
  func unusable() throws {
    let wrong = String(repeating: Self.point("91", Self.times[0]) + "\n", count: 999)
    let track = try Self.read(Self.track(wrong + Self.good + wrong + wrong))
    #expect(track.route.points.count == 3 && track.dropped == [.badCoordinate: 2_997])
    // The reader stops at the thousandth point, so the invalid XML after it doesn't matter.
    let error = #expect(throws: FileFailure.self) {
      try Self.read(Self.track(wrong + Self.point("91", nil) + "\n<<<" + Self.good))
    }
    #expect(error?.line == 1_001 && error?.reason == "the first 1000 points are without a usable coordinate")
  }

  @Test("A track of more than a century is refused, even with a longer limit")
  func century() {
    var limits = SimulatedProvider.GPXTrack.Limits()
    limits.days = .max
    // From pole to pole takes 16.5 days at the assumed speed of 14 m/s.
    let points = (0..<2_300).map { Self.point($0.isMultiple(of: 2) ? "90" : "-90", nil) }.joined()
    let error = #expect(throws: FileFailure.self) { try Self.read(Self.track(points), limits: limits) }
    #expect(error?.reason.hasSuffix("days; at most 36525 are read") == true, "\(error.map { "\($0)" } ?? "")")
  }

  @Test(
    "Every document type is refused, with its line",
    arguments: [
      "<!DOCTYPE gpx>", "<!DOCTYPE gpx [<!ATTLIST gpx a CDATA #IMPLIED>]>",
      "<!DOCTYPE gpx [<!NOTATION n SYSTEM \"x\">]>",
      "<!DOCTYPE gpx SYSTEM \"<!--\">", "<!DOCTYPE gpx [<!ELEMENT gpx ANY><?x?>]>",
    ])
  func documentType(_ type: String) throws {
    let error = try #require(throws: FileFailure.self) {
      try Self.read("<?xml version=\"1.0\"?>\n\(type)\(Self.track("<?x?>" + Self.good))")
    }
    #expect(error.line == 2 && error.reason.contains("remove <!DOCTYPE"))
    // A document type in a comment has no effect.
    #expect(
      try Self.read("<!-- \(type.replacingOccurrences(of: "--", with: "")) -->" + Self.track(Self.good)).route.points
        .count
        == 3)
  }

  @Test("A point is dropped if its time is so far from the start that it rounds to the previous point's time")
  func collapsing() throws {
    let points = ["0001-01-01T00:00:00Z", "2020-01-01T00:00:00.000001Z", "2020-01-01T00:00:00.000002Z"]
      .enumerated().map { Self.point("\($0)", $1) }.joined()
    #expect(try Self.read(Self.track(points)).route.points.count == 2)
  }

  @Test("Nothing outside the file is loaded")
  func external() throws {
    let secret = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).txt")
    try "2020-01-01T00:00:10Z".write(to: secret, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: secret) }
    let points = Self.point("1", Self.times[0]) + Self.point("2", "&time;") + Self.point("3", Self.times[2])
    let text =
      "<?xml version=\"1.0\"?><!DOCTYPE gpx [<!ENTITY time SYSTEM \"\(secret.absoluteString)\">]>" + Self.track(points)
    // With the time in place of the entity, the track takes 20 s.
    #expect(
      try Self.read(Self.track(points.replacingOccurrences(of: "&time;", with: Self.times[1]))).route.duration
        == .seconds(20))
    #expect((try? Self.read(text))?.route.duration != .seconds(20))
  }

  static let traces = Repository.shared.appending(path: "traces")
  static let hasTraces = FileManager.default.fileExists(atPath: traces.path)

  @Test("Every recorded track is read", .enabled(if: hasTraces, "the recorded tracks are missing"))
  func recorded() throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.traces.appending(path: "tracks"), includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "gpx" }
    #expect(files.count == 8)
    for file in files { #expect(try SimulatedProvider.GPXTrack(contentsOf: file).route.points.count > 100, "\(file)") }
  }

  @Test(
    "Every damaged file is read, or refused with a reason", .enabled(if: hasTraces, "the damaged files are missing"))
  func nasty() throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.traces.appending(path: "nasty"), includingPropertiesForKeys: nil)
    #expect(files.count == 39)
    var readable = 0
    for file in files {
      do throws(FileFailure) {
        let track = try SimulatedProvider.GPXTrack(contentsOf: file)
        #expect(track.route.points.count >= 2)
        readable += 1
      } catch {
        #expect(!error.reason.isEmpty && !error.isMissing, "\(error)")
      }
    }
    #expect(readable >= 18)
  }
}
