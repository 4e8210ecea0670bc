import Foundation
import LocoKit

/// The contents of a GPX file.
struct GPXDocument {
  struct Point {
    var latitude: Double
    var longitude: Double
    var altitude: Double?
    var time: Date?

    func point(at time: TimeInterval) -> SimulatedProvider.Route.Point {
      SimulatedProvider.Route.Point(time: time, latitude: latitude, longitude: longitude, altitude: altitude)
    }
  }

  /// The points of each segment.
  var tracks: [[Point]] = []
  var routes: [[Point]] = []
  var waypoints = 0
  var badCoordinates = 0
  /// The line and the reason of an XML error, if the part before it is usable.
  var note: String?
}
