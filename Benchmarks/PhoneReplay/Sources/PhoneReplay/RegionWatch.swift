@_spi(Benchmarks) import LocoKit

/// Watches over one region, second by second.
struct RegionWatch {
  let region: Location.Region
  /// The time of the exit's report, in milliseconds; `nil` before a crossing.
  private(set) var exitAt: Int64?

  private let centre: Place
  private let armedAt: Int64
  /// Whether the device is outside and the system misses the exit.
  private var isLost = false

  init(_ region: Location.Region, armedAt: Int64) {
    self.region = region
    self.armedAt = armedAt
    centre = Place(latitude: region.latitude, longitude: region.longitude)
  }

  func contains(_ place: Place) -> Bool { centre.distance(to: place) <= region.radius }

  /// Drops the exit, since the device is back inside when its report is due.
  mutating func goOn() { exitAt = nil }

  /// Updates the watch with the device's place in a whole second.
  ///
  /// - Parameters:
  ///   - place: The device's true place.
  ///   - now: Milliseconds.
  ///   - exits: The times of the exit reports to the recording phone.
  ///   - draw: Makes the generator for this crossing.
  mutating func pass(_ place: Place, at now: Int64, exits: [Int64], draw: () -> SeededGenerator) {
    guard exitAt == nil else { return }
    guard !contains(place) else {
      isLost = false
      return
    }
    guard !isLost else { return }
    let window = Measured.exitWindow
    let first = max(armedAt, now - Recording.milliseconds(window.before))
    let last = now + Recording.milliseconds(window.after)
    if region.radius <= Measured.exitRadius, let exit = exits.first(where: { first <= $0 && $0 <= last }) {
      exitAt = max(now, exit)
      return
    }
    var random = draw()
    isLost = random.share() < Measured.exitLost
    if !isLost { exitAt = now + Recording.milliseconds(Measured.exitLateness.value(at: random.share()) ?? 0) }
  }
}
