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
  /// The center of both circles. The system keeps them across launches.
  private lazy var centre = armed.map { region in
    Location(
      latitude: region.center.latitude, longitude: region.center.longitude, horizontalAccuracy: 0,
      timestamp: .distantPast)
  }
  /// Receives the center of the condition's next circle, or `nil` to remove the condition. The study opens the monitor at its first use,
  /// which is after the permission and after the first unlock.
  private var places: AsyncStream<CLLocationCoordinate2D?>.Continuation?

  init(note: @escaping @MainActor (String) -> Void) {
    self.note = note
    super.init()
    regions.delegate = self
  }

  /// Arms both circles around a location, unless they are already around a place that is nearer than half of their radius. Without a
  /// location, removes both circles, because the system would launch the app at each exit.
  func follow(_ location: Location?) {
    guard location != nil || armed != nil, Self.wasUnlocked else { return }
    openMonitor()
    guard let location else { return disarm() }
    if let centre, centre.distance(to: location) < Self.radius / 2 { return }
    centre = location
    let place = CLLocationCoordinate2D(latitude: location.latitude, longitude: location.longitude)
    let region = CLCircularRegion(center: place, radius: Self.radius, identifier: Self.name)
    region.notifyOnEntry = false
    regions.startMonitoring(for: region)
    places?.yield(place)
  }

  private func disarm() {
    if let armed { regions.stopMonitoring(for: armed) }
    centre = nil
    places?.yield(nil)
  }

  private var armed: CLCircularRegion? {
    regions.monitoredRegions.lazy.compactMap { region in region as? CLCircularRegion }.first { region in
      region.identifier == Self.name
    }
  }

  private func openMonitor() {
    guard #available(iOS 18, *), places == nil else { return }
    let (stream, places) = AsyncStream.makeStream(
      of: CLLocationCoordinate2D?.self, bufferingPolicy: .bufferingNewest(1))
    self.places = places
    Task { [weak self] in
      let monitor = await CLMonitor(Self.name)
      Task {
        for try await event in await monitor.events where event.state == .unsatisfied { self?.note("exit condition") }
      }
      for await place in stream {
        for identifier in await monitor.identifiers { await monitor.remove(identifier) }
        guard let place else { continue }
        let circle = CLMonitor.CircularGeographicCondition(center: place, radius: Self.radius)
        await monitor.add(circle, identifier: "\(Date().timeIntervalSince1970)", assuming: .satisfied)
      }
    }
  }

  /// Whether the device has been unlocked since it started. Before that, a monitor can't read its file, and neither can this property.
  private static var wasUnlocked: Bool {
    let file = URL.applicationSupportDirectory.appending(path: "ExitStudy")
    if (try? Data(contentsOf: file)) != nil { return true }
    return (try? Data([1]).write(to: file, options: .completeFileProtectionUntilFirstUserAuthentication)) != nil
  }
}

extension ExitStudy: @MainActor CLLocationManagerDelegate {
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    if region.identifier == Self.name { note("exit region") }
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
}
