#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import LocoKitDemo
  @testable import LocoKitGPSD
  @testable import LocoKitSimulation
  @testable import TestSupport

  /// Compares the receiver's time with the cells of a modem and with checks every five minutes, on routes. The cells are simulated, because
  /// there is no recording with a track and its cells; see ``CellNetwork`` for the recorded ones that the model is calibrated against.
  ///
  /// `RECORD=1 swift test --filter CellsBesideChecks` writes the table in *Running on Linux*, if there are recorded tracks.
  @Suite("The cells of a modem beside checks for movement")
  struct CellsBesideChecksTests {
    private typealias Route = SimulatedProvider.Route

    private static let tracks = Repository.shared.appending(path: "traces/tracks")

    private static func routes() throws -> [(name: String, route: Route)] {
      let recorded = try [
        ("drive-munich-1hz", "a drive in a city and on a motorway (Munich)"),
        ("drive-leipzig-2s", "a drive in a city (Leipzig)"),
        ("hike-blue-hills", "a hike"),
      ].compactMap { file, name -> (String, Route)? in
        let file = tracks.appending(path: "\(file).gpx")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return (name, try SimulatedProvider.GPXTrack(contentsOf: file).route)
      }
      return [("the built-in day", .day), ("the built-in drive on a freeway", .losAngeles)] + recorded
    }

    @Test("with cells, the receiver is on for a shorter time than with checks, on a day at home and at work")
    func day() {
      let (checks, cells) = (Drive(.day, usesCells: false), Drive(.day, usesCells: true))
      #expect(cells.share < checks.share / 2)
      #expect(cells.changes > 5 && cells.error < 1_500)
    }

    #if os(Linux)  // The functions of other C libraries differ in the last digits.
      @Test("The article has the receiver's times of both", .long)
      func article() throws {
        let file = Repository.root.appending(path: "Sources/LocoKitGPSD/LocoKitGPSD.docc/RunningOnLinux.md")
        let recorded = try String(contentsOf: file, encoding: .utf8)
        let rows = try Self.routes().map { name, route in
          let drives = [(false, nil), (true, nil), (false, 500), (true, 500)].map {
            Drive(route, usesCells: $0.0, bound: $0.1)
          }
          return "| \(name) | " + drives.map(\.cell).joined(separator: " | ") + " |"
        }
        guard ProcessInfo.processInfo.environment["RECORD"] == "1" else {
          for row in rows { #expect(recorded.contains(row), "run RECORD=1 swift test --filter CellsBesideChecks") }
          return
        }
        try #require(rows.count == 5, "the article has recorded tracks, and there are none")
        let start = try #require(recorded.range(of: "\n| the built-in day |")).lowerBound
        let end = try #require(recorded[start...].range(of: "\n\n")).lowerBound
        let article = recorded.replacingCharacters(in: start..<end, with: "\n" + rows.joined(separator: "\n"))
        try article.write(to: file, atomically: true, encoding: .utf8)
      }
    #endif
  }

  /// A tracker that moves along a route, with a receiver that needs three seconds for a fix, and with the control socket.
  private struct Drive {
    /// The share of the time with the receiver on.
    let share: Double
    /// The distance that the last location's error doesn't exceed for 95 % of the time, in metres.
    let error: Double
    /// The number of changes of the cell.
    private(set) var changes = 0

    private static let hotStart = 3

    init(_ route: SimulatedProvider.Route, usesCells: Bool, bound: Double? = nil) {
      let tracker = Tracker(controlSocket: "/run/gpsd.sock")
      tracker.manager.errorBound = bound
      if usesCells { tracker.provider.reportCell("none") }
      tracker.start()
      var (cells, walker) = (CellNetwork(seed: 1), RouteWalker(origin: route.position(at: 0)))
      var (measuresAt, watched, errors) = (usesCells ? 0 : Double.infinity, 0, [Float]())
      let seconds = Int(route.duration.inSeconds)
      for second in 0..<seconds {
        let time = Double(second)
        let place = route.position(at: time)
        tracker.daemon.origin = (place.latitude, place.longitude)
        if time >= measuresAt {
          let (east, north, _) = walker.step(at: time, on: route)
          let isFirst = cells.serving == nil
          if cells.measure(east: east, north: north, at: time) || isFirst, let serving = cells.serving {
            changes += 1
            tracker.provider.reportCell("\(serving)")
          }
          measuresAt = cells.nextMeasurement(after: time, standingUntil: walker.standsUntil(from: time, on: route))
        }
        watched = tracker.daemon.isWatched ? watched + 1 : 0
        tracker.daemon.error = watched > Self.hotStart && route.hasSky(at: time) ? 17.3 : nil
        tracker.daemon.advance(by: .seconds(1))
        if let location = tracker.manager.location { errors.append(Float(location.distance(to: place.location))) }
      }
      error = Score.Spread(errors)?.p95 ?? .infinity
      share = tracker.provider.receiverOnTime.inSeconds / Double(seconds)
    }

    /// The cell of the table.
    var cell: String {
      let distance =
        error < 1_000
        ? "\(Int(error.rounded())) m" : "\((error / 1_000).formatted(.number.precision(.fractionLength(1)))) km"
      return "on \((share * 100).formatted(.number.precision(.fractionLength(1)))) %, \(distance)"
    }
  }
#endif
