import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoKitGPSD
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@Suite("GPSDReader")
struct GPSDReaderTests {
  private static func reports(_ text: String) -> [Result<GPSDReport, GPSDReader.Problem>] {
    var reader = GPSDReader()
    return reader.read(Array((text + "\n").utf8))
  }

  private static func fix(_ text: String) -> GPSDReport.Fix? {
    guard case .success(.fix(let fix))? = reports(text).first else { return nil }
    return fix
  }

  @Test(
    "each line is decoded as a report of its class",
    arguments: [
      (
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#,
        GPSDReport.version(protocolMajor: 3)
      ),
      (#"{"class":"DEVICES","devices":[]}"#, .devices([])),
      (
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyUSB0","driver":"u-blox","activated":"2026-11-21T07:00:00.000Z"},{"class":"DEVICE","path":"tcp://127.0.0.1:29471"}]}"#,
        .devices([
          .init(path: "/dev/ttyUSB0", isActivated: true, driver: "u-blox"),
          .init(path: "tcp://127.0.0.1:29471", isActivated: nil),
        ])
      ),
      (
        #"{"class":"DEVICE","path":"/dev/ttyUSB0","activated":0}"#,
        .device(.init(path: "/dev/ttyUSB0", isActivated: false))
      ),
      (#"{"class":"DEVICE","path":"a","native":1}"#, .device(.init(path: "a", isNative: true))),
      (#"{"class":"DEVICE","path":"a","native":0}"#, .device(.init(path: "a", isNative: false))),
      (#"{"class":"WATCH","enable":true,"json":true}"#, .other(class: "WATCH")),
      (#"{"class":"WATCH","x":"\\","y":"\"[[[[[[[[[[[[[[[[[[[["}"#, .other(class: "WATCH")),
      (#"{"class":"ERROR","message":"Unrecognized request '?FOO;'"}"#, .error(message: "Unrecognized request '?FOO;'")),
      (
        #"{"class":"SKY","device":"/dev/a","hdop":0.9,"nSat":12,"uSat":8,"satellites":[{"PRN":1,"used":true}]}"#,
        .other(class: "SKY")
      ),
      (
        #"{"class":"GST","device":"/dev/a","time":"2026-11-21T07:00:00.000Z","rms":2.1,"lat":3,"lon":4,"alt":6.5}"#,
        .noise(
          .init(
            device: "/dev/a", time: Date(timeIntervalSince1970: 1_795_244_400), latitudeDeviation: 3,
            longitudeDeviation: 4, altitudeDeviation: 6.5))
      ),
      (
        #"{"class":"POLL","time":"2026-11-21T07:00:00.000Z","active":0,"tpv":[],"gst":[],"sky":[]}"#,
        .other(class: "POLL")
      ),
      (#"{"class":"TOFF","real_sec":1}"#, .other(class: "TOFF")),
    ])
  func classes(_ line: String, _ report: GPSDReport) {
    #expect(Self.reports(line) == [.success(report)])
    #expect(Self.reports(line + "\r") == [.success(report)])
  }

  @Test("a TPV's members are decoded, and missing ones are nil")
  func fix() throws {
    let fix = try #require(
      Self.fix(
        #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-21T07:00:00.250Z","ept":0.005,"lat":34.5,"lon":-118.25,"altHAE":57.1,"altMSL":90.4,"epx":9,"epy":12,"epv":23,"track":359.5,"speed":12.5,"climb":0.1,"eps":0.39,"epd":9.8,"eph":19}"#
      ))
    #expect(fix.mode == .threeDimensional)
    #expect(fix.time == Date(timeIntervalSince1970: 1_795_244_400.25))
    #expect((fix.latitude, fix.longitude) == (34.5, -118.25))
    #expect((fix.altitude, fix.horizontalError, fix.verticalError) == (90.4, 19, 23))
    #expect((fix.speed, fix.track) == (12.5, 359.5))
    #expect((fix.speedError, fix.trackError) == (0.39, 9.8))
    let none = try #require(Self.fix(#"{"class":"TPV","device":"/dev/a","mode":1}"#))
    #expect(none.mode == .none && none.time == nil && none.latitude == nil && none.horizontalError == nil)
    #expect(Self.fix(#"{"class":"TPV","mode":7}"#)?.mode == .unknown)
    #expect(Self.fix(#"{"class":"TPV","mode":2,"epx":3,"epy":4}"#)?.horizontalError == 5)
    #expect(Self.fix(#"{"class":"TPV","mode":2,"alt":7}"#)?.altitude == 7)
    #expect(Self.fix(#"{"class":"TPV","mode":2,"time":"yesterday"}"#)?.time == nil)
    #expect(Self.fix(#"{"class":"TPV","mode":2,"time":"2026-11-21T07:00:00Z"}"#)?.time != nil)
  }

  @Test(
    "the horizontal error comes from epx and epy if eph is missing or not above 0",
    arguments: ["", #","eph":0"#, #","eph":-1"#])
  func horizontalError(_ eph: String) {
    #expect(Self.fix(#"{"class":"TPV","mode":2,"epx":3,"epy":4\#(eph)}"#)?.horizontalError == 5)
    #expect(Self.fix(#"{"class":"TPV","mode":2,"epx":3,"epy":4,"eph":9}"#)?.horizontalError == 9)
  }

  @Test("the reports don't depend on how the bytes are split", arguments: 0..<100)
  func pieces(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let text = """
      {"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}\r
      garbage\r
      {"class":"TPV","device":"é","mode":3,"lat":1.5}\r

      {"class":"WATCH","enable":true}
      {"class":"TPV","mode":"three"}
      \(String(repeating: "x", count: 10_300))
      {"class":"DEVICES","devices":[]}

      """
    let bytes = Array(text.utf8)
    var whole = GPSDReader()
    let expected = whole.read(bytes)
    #expect(expected.count == 7)
    var reader = GPSDReader()
    var outputs: [Result<GPSDReport, GPSDReader.Problem>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = min(rest.count, Int.random(in: 1...[1, 7, 600][Int(seed % 3)], using: &random))
      outputs += reader.read(rest.prefix(count))
      rest.removeFirst(count)
    }
    #expect(outputs == expected)
  }

  @Test(
    "brackets in strings don't count as nesting, and don't hide it",
    arguments: [#""}}}]""#, #""\"}}}]""#, #""]\\""#])
  func bracketsInStrings(_ text: String) {
    let deep = String(repeating: "[", count: 16)
    #expect(Self.reports(#"{"class":\#(text),"x":\#(deep)"#) == [.failure(.tooDeep(line: 1))])
    #expect(Self.reports(#"{"class":"WATCH","x":\#(text),"y":"\#(deep)["}"#) == [.success(.other(class: "WATCH"))])
  }

  @Test(
    "a line that isn't a report is skipped, and its problem contains the line number and no data",
    arguments: [
      ("{", GPSDReader.Problem.malformed(line: 1)), ("null", .malformed(line: 1)), ("[]", .malformed(line: 1)),
      ("{}", .malformed(line: 1)), ("\"TPV\"", .malformed(line: 1)), ("\u{0}\u{1}", .malformed(line: 1)),
      (#"{"class":"TPV","mode":3,"lat":NaN}"#, .malformed(line: 1)),
      (#"{"class":"TPV","mode":3,"lat":1e999}"#, .malformed(line: 1)),
      (#"{"class":"TPV","mode":"3"}"#, .wrongType(line: 1, member: "mode")),
      (#"{"class":"TPV","mode":3,"lat":"34"}"#, .wrongType(line: 1, member: "lat")),
      (#"{"class":"TPV","mode":1e300}"#, .wrongType(line: 1, member: "mode")),
      (#"{"class":"DEVICES","devices":{}}"#, .wrongType(line: 1, member: "devices")),
      (#"{"class":7}"#, .wrongType(line: 1, member: "class")),
      (String(repeating: "[", count: 513), .tooDeep(line: 1)),
      (#"{"class":"TPV","x":"# + String(repeating: "{\"a\":", count: 1_000), .tooDeep(line: 1)),
      (String(repeating: "1", count: 10_241), .tooLong(line: 1)),
      (String(repeating: "1", count: 2_000_000), .tooLong(line: 1)),
    ])
  func problems(_ line: String, _ problem: GPSDReader.Problem) {
    let outputs = Self.reports(line)
    #expect(outputs.count == 1)
    guard case .failure(let found)? = outputs.first else {
      Issue.record("a report: \(outputs)")
      return
    }
    switch (found, problem) {
    // For a number that is too large, some versions of Foundation report malformed JSON, and others a wrong type.
    case (.wrongType, .malformed), (.malformed, .wrongType): break
    default: #expect(found == problem)
    }
    #expect(!"\(found)".contains("34") && !"\(found)".contains("999"))
  }

  @Test("lines are counted, and reading continues after a skipped line")
  func skipped() {
    var reader = GPSDReader()
    let outputs = reader.read(Array("x\n\(String(repeating: "y", count: 20_000))\n{\"class\":\"AIS\"}\n".utf8))
    #expect(
      outputs == [.failure(.malformed(line: 1)), .failure(.tooLong(line: 2)), .success(.other(class: "AIS"))])
    #expect(reader.lines == 3)
  }

  @Test("a line of the maximum length is read, and a longer one is skipped")
  func length() {
    let line = #"{"class":"AIS","text":""#
    let fitting = line + String(repeating: "a", count: GPSDReader.maximumLength - line.count - 2) + "\"}"
    #expect(Self.reports(fitting) == [.success(.other(class: "AIS"))])
    #expect(Self.reports(fitting + " ") == [.failure(.tooLong(line: 1))])
  }
}

@Suite("GPSDFixAssembler")
struct GPSDFixAssemblerTests {
  private let time = Date(timeIntervalSince1970: 1_795_244_400)

  private func fix(
    _ mode: GPSDReport.Fix.Mode = .threeDimensional, at seconds: TimeInterval? = 0, device: String = "a",
    change: (inout GPSDReport.Fix) -> Void = { _ in }
  ) -> GPSDReport {
    var fix = GPSDReport.Fix(mode: mode)
    fix.device = device
    fix.time = seconds.map { time + $0 }
    fix.latitude = 34
    fix.longitude = -118
    fix.horizontalError = 17.3
    change(&fix)
    return .fix(fix)
  }

  private func noise(
    _ north: Double?, _ east: Double?, at seconds: TimeInterval = 0, device: String = "a"
  ) -> GPSDReport {
    .noise(
      GPSDReport.Noise(
        device: device, time: time + seconds, latitudeDeviation: north, longitudeDeviation: east, altitudeDeviation: 7))
  }

  private func location(_ reports: GPSDReport...) -> Location? {
    var fixes = GPSDFixAssembler()
    for report in reports { _ = fixes.add(report) }
    return fixes.end()
  }

  @Test("the next epoch, or the end, returns the location of an epoch")
  func epochs() {
    var fixes = GPSDFixAssembler()
    #expect(fixes.add(fix()) == nil)
    #expect(fixes.add(fix(at: 1))?.timestamp == time)
    #expect(fixes.add(fix(at: 1, device: "b"))?.timestamp == time + 1)
    #expect(fixes.end()?.timestamp == time + 1)
    #expect(fixes.end() == nil)
  }

  @Test("reports of one epoch are joined, and later members replace earlier ones")
  func joined() {
    let joined = location(
      fix {
        $0.speed = 3
        $0.altitude = 90
      },
      fix {
        $0.horizontalError = nil
        $0.latitude = 35
        $0.track = 90
      },
      fix { $0.speed = 4 })
    #expect(joined?.latitude == 34)
    #expect((joined?.speed, joined?.altitude, joined?.course) == (4, 90, 90))
    #expect(joined?.horizontalAccuracy == 10)
  }

  @Test("gpsd's errors are 95 % figures, and a receiver's own errors are deviations", arguments: [false, true])
  func deviations(_ areDeviations: Bool) {
    let place = location(
      fix {
        $0.errorsAreDeviations = areDeviations
        ($0.verticalError, $0.speed, $0.speedError, $0.track, $0.trackError) = (3.92, 3, 1.96, 90, 3.92)
      })
    #expect(place?.horizontalAccuracy == (areDeviations ? 17.3 : 10))
    #expect((place?.verticalAccuracy, place?.speedAccuracy) == (areDeviations ? (3.92, 1.96) : (2, 1)))
    #expect(place?.courseAccuracy == 2)
  }

  @Test("a report without a time, a fix or a position gives no location")
  func none() {
    #expect(location(fix(at: nil)) == nil)
    #expect(location(fix(.none)) == nil)
    #expect(location(fix(.unknown)) == nil)
    #expect(location(fix { $0.latitude = nil }) == nil)
    #expect(location(fix(), fix(at: nil) { $0.latitude = 99 })?.latitude == 34)
  }

  @Test("the error estimate of another receiver isn't used, before or after the fix")
  func noiseOfAnotherReceiver() {
    let other = noise(3, 4, device: "b")
    for location in [location(fix(), other), location(other, fix())] {
      #expect(location?.horizontalAccuracy == 10 && location?.verticalAccuracy == nil)
    }
  }

  @Test("the receiver's own error estimate is used within its epoch, before or after the fix")
  func noiseOfTheReceiver() {
    #expect(location(fix(), noise(3, 4))?.horizontalAccuracy == 5)
    #expect(location(noise(3, 4), fix())?.horizontalAccuracy == 5)
    #expect(location(noise(3, 4), fix())?.verticalAccuracy == 7)
    #expect(location(noise(3, 4, at: -1), fix())?.horizontalAccuracy == 10)
    #expect(location(noise(3, nil), fix())?.horizontalAccuracy == 10)
    #expect(location(noise(0, 0), fix())?.horizontalAccuracy == 10)
    // gpsd may send an epoch's estimate before the fix.
    var fixes = GPSDFixAssembler()
    _ = fixes.add(noise(3, 4))
    _ = fixes.add(fix())
    #expect(fixes.add(noise(6, 8, at: 1))?.horizontalAccuracy == 5)
    #expect(fixes.add(fix(at: 1)) == nil)
    #expect(fixes.end()?.horizontalAccuracy == 10)
  }

  @Test(
    "gpsd's 95 % errors are converted, and without a usable horizontal error the horizontal accuracy is invalid",
    arguments: [0, -1, nil, .infinity])
  func accuracy(_ missing: Double?) {
    #expect(location(fix { $0.horizontalError = 19 * 0.91 })?.horizontalAccuracy.rounded() == 10)
    #expect(location(fix { $0.verticalError = 19.6 })?.verticalAccuracy?.rounded() == 10)
    #expect(location(fix { $0.horizontalError = missing })?.horizontalAccuracy == -1)
    #expect(location(fix { $0.horizontalError = missing })?.hasValidAccuracy == false)
  }

  @Test("speed and course have 68 % accuracies if both value and error are known")
  func movement() {
    let known = location(fix { ($0.speed, $0.speedError, $0.track) = (3, 1.96, 90) }, fix { $0.trackError = 19.6 })
    #expect((known?.speedAccuracy, known?.courseAccuracy) == (1, 19.6 / 1.96))
    let lone = location(fix { ($0.speedError, $0.trackError) = (1.96, 19.6) })
    #expect((lone?.speedAccuracy, lone?.courseAccuracy) == (nil, nil))
    for missing in [0, -1, nil, .infinity] as [Double?] {
      let fix = location(
        fix { ($0.speed, $0.speedError, $0.track, $0.trackError) = (3, missing, 90, missing) })
      #expect((fix?.speedAccuracy, fix?.courseAccuracy) == (nil, nil))
    }
  }

  @Test(
    "a negative speed and a course out of range are dropped, and a course of 360 is north",
    arguments: [(-0.1, nil), (0, 0), (359.9, 359.9), (360, 0), (360.1, nil)] as [(Double, Double?)])
  func wrongNumbers(_ track: Double, _ course: Double?) {
    let location = location(
      fix {
        $0.speed = -1
        ($0.track, $0.trackError) = (track, 19.6)
      })
    #expect(location?.speed == nil && location?.course == course)
    #expect((location?.courseAccuracy == nil) == (course == nil))
  }
}
