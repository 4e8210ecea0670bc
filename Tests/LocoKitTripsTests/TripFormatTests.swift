import Foundation
import LocoFoundation
import Testing

@testable import LocoKit
@testable import LocoKitSimulation
@testable import LocoKitTrips
@testable import TestSupport

@Suite("Trips in GPX and GeoJSON")
struct TripFormatTests {
  /// Returns a fix. Consecutive numbers are 1.337 s apart, so that the times have fractions of a second.
  private static func fix(
    _ number: Int, _ latitude: Double, _ longitude: Double, _ altitude: Double? = 100.25
  ) -> Location {
    Location(
      latitude: latitude, longitude: longitude, horizontalAccuracy: 8, altitude: altitude,
      timestamp: Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(number) * 1.337))
  }

  private static func trip(_ segments: [[Location]], isEnded: Bool = true) -> Trip {
    var trip = Trip(began: Date(timeIntervalSinceReferenceDate: 800_000_000))
    for segment in segments {
      if let first = segment.first { _ = trip.addGap(to: first) }
      for fix in segment { trip.add(fix, metres: 1) }
    }
    trip.setDuration(.seconds(10))
    if isEnded { trip.ended = Date(timeIntervalSinceReferenceDate: 800_001_000) }
    trip.kind = isEnded ? .automotive : nil
    return trip
  }

  static let trips: [String: Trip] = [
    "empty": trip([], isEnded: false),
    "single": trip([[fix(0, 34, -118)]]),
    "segments": trip([
      (0..<50).map { fix($0, 34 + Double($0) * 1.234_567_8e-4, -118.123_456_7) },
      [fix(60, 34.5, -118)],
      (70..<80).map { fix($0, -34.000_000_1, 151 - Double($0) * 1e-3, -12.5) },
    ]),
    "no-altitude": trip([(0..<5).map { fix($0, 0, Double($0) * 1e-7 - 2e-7, nil) }]),
    "meridian": trip([
      [fix(0, -16, 179.5), fix(1, -16.5, 179.9, nil), fix(2, -17, -179.9), fix(3, -17.5, -179.5), fix(4, -18, 179.5)]
    ]),
    "on-meridian": trip([
      [fix(0, 1, 180), fix(1, 2, -179.9), fix(2, 3, -180), fix(3, 4, 179.9), fix(4, 5, 179.999_999_99)]
    ]),
  ]

  private static let stay = Location.Visit(
    place: Location(
      latitude: 34.5, longitude: -118.25, horizontalAccuracy: 20, timestamp: Date(timeIntervalSinceReferenceDate: 7)),
    arrival: Date(timeIntervalSinceReferenceDate: 799_990_000),
    departure: Date(timeIntervalSinceReferenceDate: 800_000_000))

  @Test("A trip with more gaps and fixes than its limits stays within them, and can be read again")
  func limits() throws {
    for (segments, fixes) in [(1_500, 1), (3, 4_000)] {
      let trip = Self.trip(
        (0..<segments).map { segment in
          (0..<fixes).map { Self.fix(segment * fixes + $0, 34 + Double($0) / 10_000, -118) }
        })
      #expect(trip.gaps.count == min(segments - 1, Trip.maximumGaps) && trip.fixes.count <= Trip.maximumFixes)
      #expect(try JSONDecoder().decode(Trip.self, from: JSONEncoder().encode(trip)) == trip)
    }
  }

  @Test(
    "GPX has decimals with a point and seven places, whatever the language",
    arguments: [
      (0.0, "0.0000000"), (-0.0, "0.0000000"), (-4e-8, "0.0000000"), (6e-8, "0.0000001"), (-6e-8, "-0.0000001"),
      (12.5, "12.5000000"), (-12.345_678_94, "-12.3456789"), (1e9, "1000000000.0000000"),
    ])
  func decimals(altitude: Double, text: String) {
    setlocale(LC_ALL, "de_DE.UTF-8")
    defer { setlocale(LC_ALL, "C") }
    var fix = Self.fix(0, 34, -118)
    fix.altitude = altitude
    #expect(Self.trip([[fix]]).gpx.contains("<ele>\(text)</ele>"))
  }

  @Test("Times are rounded to the nearest millisecond")
  func milliseconds() {
    for millisecond in 0..<1_000 {
      let date = Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(millisecond) / 1_000)
      #expect(date.textWithMilliseconds == String(format: "2026-05-09T06:13:20.%03dZ", millisecond))
    }
  }

  @Test("GPX, GeoJSON and the stored file contain a trip's visit, and a file without a visit can be read")
  func visit() throws {
    var trip = Self.trip([[Self.fix(0, 34, -118), Self.fix(1, 34.1, -118)]])
    let without = try JSONEncoder().encode(trip)
    #expect(try JSONDecoder().decode(Trip.self, from: without).visit == nil)
    #expect(!trip.gpx.contains("<wpt") && !trip.geoJSON.contains("visit"))
    trip.visit = Self.stay
    let read = try JSONDecoder().decode(Trip.self, from: JSONEncoder().encode(trip))
    #expect(read == trip && read.visit == Self.stay)
    #expect(
      trip.gpx.contains(
        #"<wpt lat="34.5000000" lon="-118.2500000"><time>2026-05-09T03:26:40.000Z</time><type>visit</type></wpt>"#),
      "\(trip.gpx)")
    #expect(
      trip.geoJSON.contains(#""visitAccuracy":20,"visitArrival":"2026-05-09T03:26:40.000Z""#), "\(trip.geoJSON)")
    #expect(trip.geoJSON.contains(#""visitDeparture":"2026-05-09T06:13:20.000Z","visitPosition":[-118.25,34.5]"#))
    #expect(try GPXReader(Array(trip.gpx.utf8), file: "", limits: .init()).document.tracks.map(\.count) == [2])
    var text = String(decoding: try JSONEncoder().encode(trip), as: UTF8.self)
    text = text.replacing("34.5", with: "95.5")
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Trip.self, from: Data(text.utf8)) }
  }

  /// Writes the trips to files that other programs read.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["LOCOKIT_TRIPS"] != nil, "only for .ci/trips"))
  func export() throws {
    let folder = URL(filePath: ProcessInfo.processInfo.environment["LOCOKIT_TRIPS"] ?? "")
    for (name, trip) in Self.trips {
      try Data(trip.gpx.utf8).write(to: folder.appending(path: "\(name).gpx"))
      try Data(trip.geoJSON.utf8).write(to: folder.appending(path: "\(name).geojson"))
      let fixes = trip.segments.map { segment in
        segment.map { [$0.longitude, $0.latitude, $0.timestamp.timeIntervalSince1970, $0.altitude] }
      }
      try JSONEncoder().encode(fixes).write(to: folder.appending(path: "\(name).expected"))
    }
  }

  @Test("GPX keeps places and times", arguments: trips.keys.sorted())
  func gpx(_ name: String) throws {
    let trip = try #require(Self.trips[name])
    let tracks = try GPXReader(Array(trip.gpx.utf8), file: name, limits: .init()).document.tracks
    #expect(tracks.map(\.count) == trip.segments.map(\.count))
    for (point, fix) in zip(tracks.joined(), trip.fixes) {
      #expect(abs(point.latitude - fix.latitude) <= 1e-7)
      #expect(abs((point.longitude - fix.longitude).remainder(dividingBy: 360)) <= 1e-7)
      #expect(abs(try #require(point.time) - fix.timestamp.timeIntervalSince1970) < 0.001)
      #expect(
        (point.altitude == nil) == (fix.altitude == nil) && abs((point.altitude ?? 0) - (fix.altitude ?? 0)) < 1e-6)
    }
    if trip.fixes.count > 1 { #expect(try SimulatedProvider.GPXTrack(data: Data(trip.gpx.utf8)).dropped.isEmpty) }
    #expect(!trip.gpx.contains(#"lon="180.0000000""#))
  }

  @Test("An export has no negative zero")
  func zeros() throws {
    var trip = Trip(began: .distantPast)
    for (number, value) in [-0.0, -4e-8, 0, -1].enumerated() {
      trip.add(
        Location(
          latitude: value, longitude: value, horizontalAccuracy: 5, altitude: value,
          timestamp: .distantPast + Double(number)), metres: 1)
    }
    trip.visit = Location.Visit(place: trip.fixes[0], arrival: .distantPast)
    for text in [trip.gpx, trip.geoJSON] {
      #expect(!text.contains(#/-0(\.0+)?[^.0-9]/#), "\(text)")
      #expect(text.contains("-1"))
    }
  }

  private struct Feature: Decodable {
    struct Geometry: Decodable {
      let type: String
      let coordinates: [[[Double]]]
    }
    let type: String
    let geometry: Geometry?
  }

  @Test("GeoJSON splits a trip at the 180th meridian, and keeps its places", arguments: trips.keys.sorted())
  func geoJSON(_ name: String) throws {
    let trip = try #require(Self.trips[name])
    let feature = try JSONDecoder().decode(Feature.self, from: Data(trip.geoJSON.utf8))
    let lines = feature.geometry?.coordinates ?? []
    for line in lines {
      #expect(line.count > 1 && line.allSatisfy { (2...3).contains($0.count) })
      for (first, second) in zip(line, line.dropFirst()) { #expect(abs(first[0] - second[0]) <= 180) }
    }
    let positions = lines.joined().filter { abs($0[0]) != 180 }.map { [$0[0], $0[1]] }
    let fixes = trip.segments.filter { $0.count > 1 }.joined().filter { abs($0.longitude) != 180 }
    #expect(positions == fixes.map { [$0.longitude, $0.latitude] })
    guard name == "meridian" else { return }
    #expect(lines.map(\.count) == [3, 4, 2])
    #expect(lines[0][2] == [180, -16.75] && lines[1][0] == [-180, -16.75] && lines[1][3] == [-180, -17.75, 100.25])
    #expect(lines[2] == [[180, -17.75, 100.25], [179.5, -18, 100.25]])
  }

  @Test(
    "GeoJSON: a point on the 180th meridian has an altitude between those of its neighbors, and none if one is unknown",
    arguments: [(0, 200, 50), (nil, 200, nil), (0, nil, nil)] as [(Double?, Double?, Double?)])
  func meridianAltitude(_ first: Double?, _ second: Double?, _ expected: Double?) throws {
    for sign in [1.0, -1] {
      var trip = Trip(began: .distantPast)
      for (number, (longitude, altitude)) in [(179.5, first), (-178.5, second)].enumerated() {
        trip.add(
          Location(
            latitude: 1, longitude: sign * longitude, horizontalAccuracy: 5, altitude: altitude,
            timestamp: .distantPast + Double(number)), metres: 1)
      }
      let lines = try JSONDecoder().decode(Feature.self, from: Data(trip.geoJSON.utf8)).geometry?.coordinates ?? []
      let altitude = expected.map { [$0] } ?? []
      #expect(lines[0][1] == [sign * 180, 1] + altitude && lines[1][0] == [sign * -180, 1] + altitude)
    }
  }
}
