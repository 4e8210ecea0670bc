@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

/// Monitors one region, second by second.
struct RegionWatch {
  let region: Location.Region
  /// The time of the exit's report in milliseconds, or `nil` if none is due.
  private(set) var exitAt: Int64?

  private let centre: Place
  private let armedAt: Int64
  /// Whether the device is outside and the system missed the exit.
  private var isLost = false

  init(_ region: Location.Region, armedAt: Int64) {
    self.region = region
    self.armedAt = armedAt
    centre = Place(latitude: region.latitude, longitude: region.longitude)
  }

  func contains(_ place: Place) -> Bool { centre.distance(to: place) <= region.radius }

  /// Cancels the exit, since the device is back inside when the report is due.
  mutating func goOn() { exitAt = nil }

  /// Updates the watch with the device's place at a whole second.
  ///
  /// - Parameters:
  ///   - place: The device's true place.
  ///   - now: The time in milliseconds.
  ///   - exits: The times of the recorded exit reports, in milliseconds.
  ///   - draw: Creates the random generator for this crossing.
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
