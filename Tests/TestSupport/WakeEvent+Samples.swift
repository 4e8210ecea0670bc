import Foundation
import LocoKit

extension WakeEvent {
  /// Returns events of a kind with all contents that differ in what the manager does: an arrival and a departure, two cells, each motion.
  static func samples(of kind: WakeKind) -> [WakeEvent] {
    var events: [WakeEvent] = []
    for index in 0..<LocationManager.Motion.allCases.count {
      var source = Samples(index: index)
      let event = WakeEvent(kind, from: &source)
      if !events.contains(event) { events.append(event) }
    }
    return events
  }

  private struct Samples: WakeEventSource {
    let index: Int

    func location() -> Location? { nil }

    func visit() -> Location.Visit {
      let place = Location(latitude: 34, longitude: -118, horizontalAccuracy: 50, timestamp: .distantPast)
      return Location.Visit(place: place, arrival: .distantPast, departure: index % 2 == 0 ? nil : .distantPast)
    }

    func name() -> String { index % 2 == 0 ? "a" : "b" }
    func motion() -> LocationManager.Motion { LocationManager.Motion.allCases[index] }
  }
}
