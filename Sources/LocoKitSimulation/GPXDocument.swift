import Foundation

/// The contents of a GPX file.
struct GPXDocument {
  struct Point {
    /// In degrees.
    var latitude: Double
    var longitude: Double
    /// In metres.
    var altitude: Double?
    /// In seconds since 1970; `nil` if the point has no valid time.
    var time: TimeInterval?

    func point(at time: TimeInterval) -> SimulatedProvider.Route.Point {
      SimulatedProvider.Route.Point(time: time, latitude: latitude, longitude: longitude, altitude: altitude)
    }
  }

  /// Faults of one kind.
  struct Faults {
    var count = 0
    /// The line and a description of the first fault.
    var first: (line: Int, words: String)?

    mutating func add(_ line: Int, _ words: String) {
      count += 1
      if first == nil { first = (line, words) }
    }
  }

  /// The points of each segment.
  var tracks: [[Point]] = []
  var routes: [[Point]] = []
  var waypoints = 0
  var badCoordinates = Faults()
  var badAltitudes = Faults()
  /// Times that aren't valid. A point without a time isn't a fault.
  var badTimes = Faults()
  var malformed = Faults()
  /// The line at which the file is cut off.
  var cutOff: Int?

  var points: Int { tracks.joined().count + routes.joined().count }
}
