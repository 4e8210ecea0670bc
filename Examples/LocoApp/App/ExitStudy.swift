import CoreLocation
import LocoKit

/// Arms a `CLCircularRegion` and a condition of a `CLMonitor` around the same place, and notes the exits of both: developers report that a
/// monitor delivers fewer of them.
///
/// The study uses another region and another condition than LocoKit. Both have the same circle, so the numbers of notes differ if the system
/// doesn't report an exit. The system may report an exit twice.
@MainActor
final class ExitStudy: NSObject {
  private static let name = "LocoAppExitStudy"
  private static let radius = 200.0

  private let note: @MainActor (String) -> Void
  private let regions = CLLocationManager()
  private var centre: Location?
  private var places: AsyncStream<CLLocationCoordinate2D>.Continuation?

  init(note: @escaping @MainActor (String) -> Void) {
    self.note = note
    super.init()
    regions.delegate = self
    guard #available(iOS 18, *) else { return }
    let (stream, places) = AsyncStream.makeStream(of: CLLocationCoordinate2D.self, bufferingPolicy: .bufferingNewest(1))
    self.places = places
    Task { [weak self] in
      let monitor = await CLMonitor(Self.name)
      Task {
        for try await event in await monitor.events where event.state == .unsatisfied { self?.note("exit condition") }
      }
      for await place in stream {
        for identifier in await monitor.identifiers { await monitor.remove(identifier) }
        let circle = CLMonitor.CircularGeographicCondition(center: place, radius: Self.radius)
        await monitor.add(circle, identifier: "\(Date().timeIntervalSince1970)", assuming: .satisfied)
      }
    }
  }

  /// Arms both circles around a location, unless they are already around a place that is nearer than half of their radius.
  func arm(at location: Location) {
    if let centre, centre.distance(to: location) < Self.radius / 2 { return }
    centre = location
    let place = CLLocationCoordinate2D(latitude: location.latitude, longitude: location.longitude)
    let region = CLCircularRegion(center: place, radius: Self.radius, identifier: Self.name)
    region.notifyOnEntry = false
    regions.startMonitoring(for: region)
    places?.yield(place)
  }
}

extension ExitStudy: @MainActor CLLocationManagerDelegate {
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    if region.identifier == Self.name { note("exit region") }
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
}
