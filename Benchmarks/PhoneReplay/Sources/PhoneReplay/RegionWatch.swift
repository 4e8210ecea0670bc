import LocoKit

/// Watches over one region, second by second.
struct RegionWatch {
  let region: CircularRegion
  /// When the exit is reported, in milliseconds; `nil` while no crossing is known.
  private(set) var exitAt: Int64?

  private let centre: Place
  private let armedAt: Int64
  /// Whether the device is outside, and the system never finds out.
  private var isLost = false

  init(_ region: CircularRegion, armedAt: Int64) {
    self.region = region
    self.armedAt = armedAt
    centre = Place(latitude: region.latitude, longitude: region.longitude)
  }

  func contains(_ place: Place) -> Bool { centre.distance(to: place) <= region.radius }

  /// The device is back inside when the exit is due: it is not reported.
  mutating func goOn() { exitAt = nil }

  /// The device is somewhere in a whole second.
  ///
  /// - Parameters:
  ///   - place: Where it truly is.
  ///   - now: Milliseconds.
  ///   - exits: When exits were reported to the phone that recorded.
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
