import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit

/// A receiver's coordinates lie on a grid, which a rotation preserves. The grid shows true north and the latitude.
@Suite("The grid of a receiver in a journal")
struct JournalGridTests {
  /// The steps of receivers in degrees: seven and six decimals, a hundred-thousandth and a ten-thousandth of a minute, five decimals.
  static let grids = [1e-7, 1e-6, 1 / 6e6, 1 / 6e5, 1e-5]
  private static let latitude = 48.1372

  /// Places on a grid. The first is in the middle.
  private static func places(_ count: Int, grid: Double, within steps: Int) -> [Location] {
    var random = SeededGenerator(seed: 11)
    let (latitude, longitude) = ((latitude / grid).rounded(), (11.5755 / grid).rounded())
    return (0..<count).map { index in
      let reach = index == 0 ? 0...0 : -steps...steps
      return Location(
        latitude: (latitude + Double(Int.random(in: reach, using: &random))) * grid,
        longitude: (longitude + Double(Int.random(in: reach, using: &random))) * grid,
        horizontalAccuracy: 5, speed: 10, course: 90,
        timestamp: Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(index)))
    }
  }

  /// Records fixes, and returns the ones in the journal.
  private static func recorded(_ places: [Location]) throws -> [Location] {
    let folder = JournalFolder()
    defer { folder.remove() }
    let base = ScriptedProvider(.always)
    let journal = folder.journal()
    let manager = LocationManager(provider: RecordingProvider(base, to: journal))
    manager.tryPromptAuthorization()
    for places in stride(from: 0, to: places.count, by: 1_000).map({ places[$0..<min($0 + 1_000, places.count)] }) {
      base.report(.fixes(Array(places)))
    }
    #expect(journal.synchronize(within: .seconds(30)))
    var reader = try JournalReader(contentsOf: folder.url)
    var found: [Location] = []
    while let entry = try reader.next() {
      if case .input(.report(.fixes(let fixes))) = entry.what { found += fixes }
    }
    return found
  }

  private static func turned(_ places: [Location]) -> [Location] {
    var random = SeededGenerator(seed: 5)
    let disguise = Disguise(around: places[0], using: &random)
    return places.map(disguise.disguised)
  }

  /// East and north of the first place, in steps of a grid.
  private static func steps(_ places: [Location], grid: Double) -> [(east: Double, north: Double)] {
    let scale = cos(places[0].latitude * .pi / 180)
    return places.dropFirst().map {
      (
        ($0.longitude - places[0].longitude).remainder(dividingBy: 360) * scale / grid,
        ($0.latitude - places[0].latitude) / grid
      )
    }
  }

  /// How whole numbers are: 1 where all of them are, about 0 where they are any.
  private static func wholeness(_ values: some Collection<Double>) -> Double {
    values.reduce(0) { $0 + cos(2 * .pi * $1) } / Double(values.count)
  }

  /// The attack: along true north all distances are whole numbers of steps, and along east whole numbers of steps times the cosine of
  /// the latitude. Looks for the direction, then for the cosine; the score is 2 where both are certain.
  private static func attack(_ places: [Location], grid: Double) -> (score: Double, latitude: Double) {
    let steps = steps(places, grid: grid)
    let directions = stride(from: 0, to: 2 * Double.pi, by: 1e-3).map { turn in
      (turn, wholeness(steps.lazy.map { $0.east * sin(turn) + $0.north * cos(turn) }))
    }.sorted { $0.1 > $1.1 }.prefix(6)
    var best = (score: -1.0, latitude: 0.0)
    for (turn, north) in directions {
      let east = steps.map { $0.east * cos(turn) - $0.north * sin(turn) }
      for cosine in stride(from: 0.05, through: 1, by: 5e-4) {
        let score = north + wholeness(east.lazy.map { $0 / cosine })
        if score > best.score { best = (score, acos(cosine) * 180 / .pi) }
      }
    }
    return best
  }

  @Test(
    "An attack that finds the latitude of rotated places finds nothing in a journal",
    arguments: grids)
  func attacked(grid: Double) throws {
    let places = Self.places(30, grid: grid, within: 40)
    let turned = Self.attack(Self.turned(places), grid: grid)
    #expect(turned.score > 1.9 && abs(turned.latitude - Self.latitude) < 0.1, "\(turned)")
    let recorded = try Self.recorded(places)
    #expect(recorded.count == places.count)
    #expect(Self.attack(recorded, grid: grid).score < 1.6)
  }

  @Test("A day of fixes doesn't show a known grid", arguments: grids)
  func known(grid: Double) {
    let places = Self.places(20_000, grid: grid, within: 1_000)
    let blur = Blur(key: 3)
    let (exact, blurred) = (Self.steps(places, grid: grid), Self.steps(places.map(blur.blurred), grid: grid))
    #expect(Self.wholeness(exact.map(\.north)) > 0.999)
    // The score of random numbers has a standard deviation of 0.005.
    #expect(abs(Self.wholeness(blurred.map(\.north))) < 0.025)
    let cosine = cos(Self.latitude * .pi / 180)
    #expect(abs(Self.wholeness(blurred.map { $0.east / cosine })) < 0.025)
  }

  @Test("The grid of courses doesn't show the latitude", arguments: [0.01, 0.1, 1])
  func courses(grid: Double) {
    var random = SeededGenerator(seed: 7)
    let home = Self.places(1, grid: 1e-7, within: 0)[0]
    let disguise = Disguise(around: home, using: &random)
    let blur = Blur(key: 3)
    func wholeness(_ change: (Location) -> Location) -> Double {
      var random = SeededGenerator(seed: 9)
      return Self.wholeness(
        (0..<10_000).map { _ in
          var place = home
          place.latitude += Double.random(in: -0.5...0.5, using: &random)
          place.longitude += Double.random(in: -0.5...0.5, using: &random)
          var north = place
          (place.course, north.course) = ((Double.random(in: 1...359, using: &random) / grid).rounded() * grid, 0)
          // The rotation of courses here would show the latitude and north.
          let turn = disguise.disguised(north).course ?? 0
          return ((disguise.disguised(change(place)).course ?? 0) - turn) / grid
        })
    }
    #expect(wholeness { $0 } > 0.99)
    #expect(abs(wholeness(blur.blurred)) < 0.04)
  }

  @Test("Floors are removed, and a course's accuracy with its course")
  func accuracies() {
    var fix = Self.places(1, grid: 1e-7, within: 0)[0]
    (fix.speed, fix.speedAccuracy, fix.course, fix.courseAccuracy, fix.floor) = (10, 1, 90, 5, 37)
    let blur = Blur(key: 3)
    #expect(blur.blurred(fix).courseAccuracy == 5 && blur.blurred(fix).speedAccuracy == 1)
    #expect(blur.blurred(fix).floor == nil)
    fix.speed = 0.5
    #expect(blur.blurred(fix).courseAccuracy == nil)
    var random = SeededGenerator(seed: 1)
    let moved = Disguise(around: fix, using: &random).disguised(fix)
    #expect(moved.floor == nil && moved.speedAccuracy == 1 && moved.courseAccuracy == 5)
  }

  @Test("Invented courses and the place 0, 0 are removed")
  func madeUp() {
    var fix = Self.places(1, grid: 1e-7, within: 0)[0]
    let blur = Blur(key: 3)
    #expect(blur.blurred(fix).course != nil)
    for (course, speed) in [(0, 10), (90, 0.5), (90, nil), (.nan, 10)] as [(Double, Double?)] {
      (fix.course, fix.speed) = (course, speed)
      #expect(blur.blurred(fix).course == nil, "\(course) at \(speed ?? -1) m/s")
    }
    (fix.latitude, fix.longitude) = (0, 0)
    #expect(!blur.blurred(fix).hasValidCoordinate)
    fix.latitude = 91
    #expect(blur.blurred(fix).latitude == 91)
  }

  @Test("A shift is about a metre, the same for the same place, also at the poles and the 180th meridian")
  func shifts() {
    var random = SeededGenerator(seed: 1)
    let blur = Blur(key: 3)
    var squares = 0.0
    for index in 0..<2_000 {
      let latitude = index == 0 ? 90 : index == 1 ? -90 : Double.random(in: -89...89, using: &random)
      let longitude = index % 10 == 0 ? 180 : Double.random(in: -180...180, using: &random)
      let place = Location(latitude: latitude, longitude: longitude, horizontalAccuracy: 5, timestamp: .distantPast)
      let blurred = blur.blurred(place)
      #expect(blurred.hasValidCoordinate && blurred == blur.blurred(place) && blurred.horizontalAccuracy == 5)
      #expect(place.distance(to: blurred) < 10)
      squares += place.distance(to: blurred) * place.distance(to: blurred)
    }
    #expect(abs((squares / 2_000).squareRoot() - 2.0.squareRoot()) < 0.1)
    let here = Self.places(1, grid: 1e-7, within: 0)[0]
    #expect(blur.blurred(here) != Blur(key: 4).blurred(here))
  }

  @Test("The manager decides on the recorded locations, including the stored one", arguments: [true, false])
  func taken(keepsPlaces: Bool) throws {
    final class LaunchStore: LocationStore {
      var location: Location?
      var isPaused = false
    }
    let folder = JournalFolder()
    defer { folder.remove() }
    let (base, store) = (ScriptedProvider(.always), LaunchStore())
    let journal = folder.journal { $0.keepsPlaces = keepsPlaces }
    store.location = base.location(5, age: 100)
    let manager = LocationManager(provider: RecordingProvider(base, to: journal), store: store)
    let stored = try #require(manager.location)
    #expect((stored == store.location) == keepsPlaces)
    manager.tryPromptAuthorization()
    base.fix(5, latitude: 34.2)
    let delivered = try #require(manager.location)
    #expect((delivered == base.location(5, latitude: 34.2)) == keepsPlaces)
    #expect(journal.synchronize(within: .seconds(30)))
    var reader = try JournalReader(contentsOf: folder.url)
    var places: [Location] = []
    while let entry = try reader.next() {
      if case .launch(let launch) = entry.what { places += [launch.location].compactMap(\.self) }
      if case .input(.report(.fixes(let fixes))) = entry.what { places += fixes }
    }
    try #require(places.count == 2)
    #expect(abs(places[0].distance(to: places[1]) - stored.distance(to: delivered)) < 1e-3)
  }
}
