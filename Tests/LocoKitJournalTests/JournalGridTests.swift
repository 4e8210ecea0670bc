import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoKitJournal
@_spi(Benchmarks) @testable import LocoKitSimulation
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

/// A receiver rounds coordinates to a grid, and measures speeds on the ellipsoid. A rotation preserves both, and both reveal true north and
/// the latitude.
@Suite("The grid and the figure of the Earth in a journal")
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

  /// Records fixes, and returns the fixes in the journal.
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
    let disguise = PlaceObfuscation(around: places[0], using: &random)
    return places.map(disguise.disguised)
  }

  /// Returns how far the other places are east and north of the first one, in steps of a grid.
  private static func steps(_ places: [Location], grid: Double) -> [(east: Double, north: Double)] {
    let scale = cos(places[0].latitude * .pi / 180)
    return places.dropFirst().map {
      (
        ($0.longitude - places[0].longitude).remainder(dividingBy: 360) * scale / grid,
        ($0.latitude - places[0].latitude) / grid
      )
    }
  }

  /// Returns how near values are to whole numbers: 1 if all are whole, and about 0 if they are random.
  private static func wholeness(_ values: some Collection<Double>) -> Double {
    values.reduce(0) { $0 + cos(2 * .pi * $1) } / Double(values.count)
  }

  /// Attacks moved places: along true north all distances are whole numbers of steps, and along east whole numbers of steps times the
  /// cosine of the latitude. The attack searches the direction, then the cosine. The score is 2 if both are certain.
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

  @Test("20,000 fixes don't show the grid, even if its directions are known", arguments: grids)
  func known(grid: Double) {
    let places = Self.places(20_000, grid: grid, within: 1_000)
    let blur = Blur(key: 3)
    let (exact, blurred) = (Self.steps(places, grid: grid), Self.steps(places.map { blur.blurred($0) }, grid: grid))
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
    let disguise = PlaceObfuscation(around: home, using: &random)
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
          // The angle by which courses are turned here, which would reveal the latitude and north.
          let turn = disguise.disguised(north).course ?? 0
          return ((disguise.disguised(change(place)).course ?? 0) - turn) / grid
        })
    }
    #expect(wholeness { $0 } > 0.99)
    #expect(abs(wholeness { blur.blurred($0) }) < 0.04)
  }

  @Test("The grid of speeds doesn't reveal the latitude, even at a single place", arguments: [0.001, 0.01, 0.1])
  func speeds(grid: Double) {
    let home = Self.places(1, grid: 1e-7, within: 0)[0]
    let blur = Blur(key: 3)
    /// Returns how whole the speeds or their differences are, in steps, for an attacker who tries the right latitude and course.
    func wholeness(inPairs: Bool, _ change: (Location) -> Location) -> Double {
      var random = SeededGenerator(seed: 9)
      return Self.wholeness(
        (0..<10_000).map { _ in
          var (place, course) = (home, Double.random(in: 1...359, using: &random))
          if !inPairs { place.latitude += Double.random(in: -0.5...0.5, using: &random) }
          let speeds = (0..<2).map { _ in
            place.speed = Double(Int.random(in: 20...100, using: &random)) * max(grid, 0.1)
            (place.course, course) = (course, course + 0.001)
            let changed = change(place)
            var unit = place
            unit.speed = 1
            return (changed.speed ?? 0) / (unit.onSphere.speed ?? 1)
          }
          return (speeds[0] - (inPairs ? speeds[1] : 0)) / grid
        })
    }
    for inPairs in [false, true] {
      #expect(wholeness(inPairs: inPairs, \.onSphere) > 0.99)
      #expect(abs(wholeness(inPairs: inPairs) { blur.blurred($0, isOnSphere: false) }) < 0.04)
    }
  }

  // MARK: - The figure of the Earth

  /// Returns a day on fast trains in random directions, with the speeds and courses that a receiver measures on the ellipsoid.
  private static func drive(hasCourses: Bool = true) -> [Location] {
    var random = SeededGenerator(seed: 13)
    var fix = places(1, grid: 1e-7, within: 0)[0]
    return (0..<4_000).map { _ in
      let (speed, course) = (Double.random(in: 60...100, using: &random), Double.random(in: 0..<360, using: &random))
      (fix.speed, fix.course) = (speed, hasCourses ? course : nil)
      let here = fix
      let (metres, radii) = (speed * 20, Ellipsoid.radii(atLatitude: fix.latitude))
      let north = metres * cos(course * .pi / 180) / radii.north
      let parallel = radii.east * cos(fix.latitude * .pi / 180 + north / 2)
      fix.latitude += north * 180 / .pi
      fix.longitude += metres * sin(course * .pi / 180) / parallel * 180 / .pi
      fix.timestamp += 20
      return here
    }
  }

  /// Attacks moved places: the ratio of the speed on the sphere to the reported speed varies with the direction like a wave. The crests of
  /// the wave are at true north and south, and its height depends on the latitude.
  private static func figure(of fixes: [Location]) -> (height: Double, mean: Double, latitude: Double) {
    var (cosine, sine, mean) = (0.0, 0.0, 0.0)
    let count = Double(fixes.count - 1)
    for (first, second) in zip(fixes, fixes.dropFirst()) {
      let seconds = second.timestamp.timeIntervalSince(first.timestamp)
      let excess = first.distance(to: second) / ((first.speed ?? .nan) * seconds) - 1
      let parallel = cos((first.latitude + second.latitude) / 2 * .pi / 180)
      let east = (second.longitude - first.longitude).remainder(dividingBy: 360) * parallel
      let direction = atan2(east, second.latitude - first.latitude)
      cosine += excess * cos(2 * direction) * 2 / count
      sine += excess * sin(2 * direction) * 2 / count
      mean += excess / count
    }
    let height = (cosine * cosine + sine * sine).squareRoot()
    // The height is half of e² cos² φ / (1 − e²).
    let squaredCosine = 2 * height * (1 - 0.006_694_38) / 0.006_694_38
    return (height, mean, acos(min(1, squaredCosine).squareRoot()) * 180 / .pi)
  }

  @Test("An attack that finds the latitude from the figure of the Earth finds nothing in a journal")
  func figureAttacked() throws {
    let drive = Self.drive()
    let turned = Self.figure(of: Self.turned(drive))
    #expect(abs(turned.latitude - Self.latitude) < 0.5 && abs(turned.mean) > 1e-3, "\(turned)")
    // The signal of the turned drive is 15·10⁻⁴.
    let recorded = Self.figure(of: try Self.recorded(drive))
    #expect(recorded.height < 1.5e-4 && abs(recorded.mean) < 1.5e-4, "\(recorded)")
    // Without courses, the mean reveals nothing.
    let withoutCourses = Self.figure(of: try Self.recorded(Self.drive(hasCourses: false)))
    #expect(abs(withoutCourses.mean) < 1.5e-4, "\(withoutCourses)")
  }

  @Test(
    "A converted speed and course match the change of the device's coordinates on a sphere",
    arguments: [-89, -48, 0, 34, 71])
  func sphere(latitude: Double) {
    for course in stride(from: 0.0, to: 360, by: 7.5) {
      // In the second around the fix, the device moves from (-north, -east) to (north, east), in degrees of arc.
      func place(_ north: Double, _ east: Double) -> Location {
        Location(
          latitude: latitude + north, longitude: 10 + east / cos(latitude * .pi / 180), horizontalAccuracy: 5,
          timestamp: .distantPast)
      }
      let (north, east) = (cos(course * .pi / 180) * 1e-3, sin(course * .pi / 180) * 1e-3)
      let onEllipsoid = (
        north: place(-north, 0).geodesicDistance(to: place(north, 0)) * (north < 0 ? -1 : 1),
        east: place(0, -east).geodesicDistance(to: place(0, east)) * (east < 0 ? -1 : 1)
      )
      var fix = place(0, 0)
      fix.speed = (onEllipsoid.north * onEllipsoid.north + onEllipsoid.east * onEllipsoid.east).squareRoot()
      fix.course = Location.course(fromDegrees: atan2(onEllipsoid.east, onEllipsoid.north) * 180 / .pi)
      let metres = place(-north, -east).distance(to: place(north, east))
      #expect(abs((fix.onSphere.speed ?? 0) / metres - 1) < 1e-5, "\(course)")
      #expect(abs(((fix.onSphere.course ?? .nan) - course).remainder(dividingBy: 360)) < 1e-3, "\(course)")
    }
  }

  @Test("The speeds of a simulated device aren't converted, because they are those on a sphere")
  func simulated() throws {
    func speeds(isRecorded: Bool) throws -> [Double?] {
      let folder = JournalFolder()
      defer { folder.remove() }
      var configuration = SimulatedProvider.Configuration()
      configuration.authorization = .always
      let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
      let provider: any LocationProvider =
        isRecorded ? RecordingProvider(device, to: folder.journal()) : device
      var speeds: [Double?] = []
      provider.onReport = ProviderReport.Handler { if case .fixes(let fixes) = $0 { speeds += fixes.map(\.speed) } }
      var plan = ReceiverPlan()
      plan.mode = .gps
      provider.apply(plan)
      device.advance(by: .seconds(1_800))
      return speeds
    }
    let changes = try zip(speeds(isRecorded: true), speeds(isRecorded: false)).compactMap { recorded, exact in
      exact.flatMap { exact in exact > 10 ? (recorded ?? .nan) / exact - 1 : nil }
    }
    // The drive leads east, where the conversion changes speeds by 0.2 %.
    #expect(changes.count > 1_000 && abs(changes.reduce(0, +) / Double(changes.count)) < 3e-4)
  }

  @Test("A stored location isn't converted, because two speeds of one location would reveal the conversion")
  func stored() throws {
    let folder = JournalFolder()
    defer { folder.remove() }
    let (base, store) = (ScriptedProvider(.always), MemoryStore())
    var location = base.location(5, age: 100)
    // The conversion is larger than the shift.
    (location.speed, location.course) = (10_000, 90)
    store.location = location
    let manager = LocationManager(provider: RecordingProvider(base, to: folder.journal()), store: store)
    #expect(try abs(#require(manager.location?.speed) - 10_000) < 1)
    manager.tryPromptAuthorization()
    location.timestamp = base.date
    base.report(.fixes([location]))
    let delivered = try #require(manager.location)
    #expect(delivered.timestamp == base.date && abs((delivered.speed ?? 0) - 10_000) > 10)
  }

  @Test("Shifted courses are 0 to 360 degrees, even next to north", arguments: [0.01, 359.99])
  func courseRange(course: Double) {
    var fix = Self.places(1, grid: 1e-7, within: 0)[0]
    var found: [Bool: Int] = [:]
    for key in 0..<100 as Range<UInt64> {
      fix.course = course
      let blurred = Blur(key: key).blurred(fix).course ?? .nan
      #expect((0..<360).contains(blurred), "\(blurred)")
      found[blurred < 180, default: 0] += 1
    }
    #expect(found.count == 2)
    #expect(Location.course(fromDegrees: -1e-20) == 0 && Location.course(fromDegrees: -90) == 270)
  }

  @Test("Floors are removed, and a course's accuracy is removed with its course")
  func accuracies() {
    var fix = Self.places(1, grid: 1e-7, within: 0)[0]
    (fix.speed, fix.speedAccuracy, fix.course, fix.courseAccuracy, fix.floor) = (10, 1, 90, 5, 37)
    let blur = Blur(key: 3)
    #expect(blur.blurred(fix).courseAccuracy == 5 && blur.blurred(fix).speedAccuracy == 1)
    #expect(blur.blurred(fix).floor == nil)
    fix.speed = 0.5
    #expect(blur.blurred(fix).courseAccuracy == nil)
    var random = SeededGenerator(seed: 1)
    let moved = PlaceObfuscation(around: fix, using: &random).disguised(fix)
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

  @Test("A shift is about a metre, the same for the same place, even at the poles and the 180th meridian")
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
