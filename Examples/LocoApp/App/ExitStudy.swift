import CoreLocation
import LocoKit

/// Arms a `CLCircularRegion` and a condition of a `CLMonitor` around the same place, and notes the exits of both: developers report that a
/// monitor delivers fewer of them.
///
/// After a restart of the device, the system may list a condition without watching it, which the study counts as a missed exit.
///
/// The study uses another region and another condition than LocoKit. Both have the same circle, so the numbers of notes differ if the system
/// doesn't report an exit. The study notes the first exit from each, because the system may report an exit again, such as in the next launch.
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
    record = [Self.circle: "\(Date().timeIntervalSince1970)"]
    let place = location.coordinate
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
        while !Task.isCancelled {
          do {
            for try await event in await monitor.events where event.state == .unsatisfied {
              if event.identifier == self?.record[Self.circle] { self?.noteOnce("exit condition") }
            }
          } catch {}
          try? await Task.sleep(for: .seconds(60))
        }
      }
      for await place in stream {
        // As in LocoKit, the new condition is added first, because the system may lose a condition that follows a removal.
        let others = await monitor.identifiers
        if let place, let identifier = self?.record[Self.circle] {
          let circle = CLMonitor.CircularGeographicCondition(center: place, radius: Self.radius)
          await monitor.add(circle, identifier: identifier, assuming: .satisfied)
        }
        for other in others { await monitor.remove(other) }
      }
    }
  }

  private func noteOnce(_ exit: String) {
    guard record[exit] == nil else { return }
    record[exit] = "noted"
    note(exit)
  }

  /// The key of the current circle's identifier in ``record``.
  private static let circle = "circle"
  private static let file = URL.applicationSupportDirectory.appending(path: "ExitStudy")

  /// The current circle, and the exits from it that are noted.
  private var record: [String: String] {
    get { (try? JSONDecoder().decode([String: String].self, from: Data(contentsOf: Self.file))) ?? [:] }
    set {
      try? JSONEncoder().encode(newValue).write(
        to: Self.file, options: .completeFileProtectionUntilFirstUserAuthentication)
    }
  }

  /// Whether the device has been unlocked since it started. Before that, a monitor can't read its file, and neither can this property.
  private static var wasUnlocked: Bool {
    if (try? Data(contentsOf: file)) != nil { return true }
    return (try? Data("{}".utf8).write(to: file, options: .completeFileProtectionUntilFirstUserAuthentication)) != nil
  }
}

extension ExitStudy: @MainActor CLLocationManagerDelegate {
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    guard let circle = region as? CLCircularRegion, circle.identifier == Self.name, let centre else { return }
    // The system may round a centre.
    let isCurrent =
      abs(circle.center.latitude - centre.latitude) < 1e-4 && abs(circle.center.longitude - centre.longitude) < 1e-4
    if isCurrent { noteOnce("exit region") }
  }

  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
}
