// The page's interface to the simulation. Compiled as Embedded Swift with the engine, the manager, the simulated device and the demo's
// drives: the browser runs the code that ships, and measures it as LocoKitDemo does.
//
// An answer is the address of a length and JSON. If the route can't be used, or there is no drive, the answer has the member `error`.

private typealias Route = SimulatedProvider.Route

/// A route, and its true positions, which all drives on the route share.
private struct Way {
  let route: Route
  let truth: GroundTruth
}

// A page has one thread.
nonisolated(unsafe) private var way: Way?
nonisolated(unsafe) private var trip: Trip?

/// The limits of a route: the number of points, and the duration in seconds, a week.
private let (maximumPoints, maximumSeconds) = (100_000, 604_800.0)

@_expose(wasm, "allocate")
@_cdecl("allocate")
func allocate(_ bytes: Int32) -> UnsafeMutableRawPointer {
  UnsafeMutableRawPointer.allocate(byteCount: Int(bytes), alignment: 8)
}

@_expose(wasm, "release")
@_cdecl("release")
func release(_ memory: UnsafeMutableRawPointer) { memory.deallocate() }

/// Sets a built-in route: 0 is the freeway, 1 the day.
@_expose(wasm, "setBuiltIn")
@_cdecl("setBuiltIn")
func setBuiltIn(_ number: Int32) -> UnsafeMutableRawPointer { begin(number == 0 ? .losAngeles : .day) }

/// Sets a route through places. Each place has five numbers: the latitude and the longitude in degrees, the speed to the next place in
/// metres per second, the pause in seconds, and 1 if the device pauses indoors, otherwise 0.
@_expose(wasm, "setPlaces")
@_cdecl("setPlaces")
func setPlaces(_ numbers: UnsafePointer<Double>, _ count: Int32) -> UnsafeMutableRawPointer {
  guard count >= 1, count <= maximumPoints else { return refuse("A route has 1 to \(maximumPoints) places.") }
  var (waypoints, seconds): ([Route.Waypoint], Double) = ([], 0)
  for index in 0..<Int(count) {
    let place = numbers + 5 * index
    let (latitude, longitude, speed, pause) = (place[0], place[1], place[2], place[3])
    if let fault = Route.coordinateFault(latitude, longitude) { return refuse("Place \(index + 1) \(fault)") }
    guard speed >= 0.1, speed <= 400 else { return refuse("A speed is 0.1 to 400 m/s.") }
    guard pause >= 0, pause <= maximumSeconds else { return refuse("A stay takes at most a week.") }
    if let last = waypoints.last, let legSpeed = last.legSpeed {
      let here = Route.Point(time: 0, latitude: last.latitude, longitude: last.longitude).location
      let there = Route.Point(time: 0, latitude: latitude, longitude: longitude).location
      seconds += here.distance(to: there) / legSpeed
    }
    seconds += pause
    guard seconds <= maximumSeconds else { return refuse("The route takes more than a week: shorten a stay.") }
    waypoints.append(
      Route.Waypoint(
        latitude: latitude, longitude: longitude, speed: speed, legSpeed: speed, pause: .seconds(pause),
        isIndoors: place[4] != 0))
  }
  guard seconds >= 1 else { return refuse("The route takes less than a second: add a place or a stay.") }
  return begin(Route(waypoints: waypoints))
}

/// Sets a recorded route: the contents of a GPX file. The speed, in metres per second, is that between points without times; 0 for the
/// reader's own.
@_expose(wasm, "setFile")
@_cdecl("setFile")
func setFile(_ bytes: UnsafePointer<UInt8>, _ count: Int32, _ speed: Double) -> UnsafeMutableRawPointer {
  guard speed == 0 || speed >= 0.1 && speed <= 400 else { return refuse("A speed is 0.1 to 400 m/s.") }
  do throws(FileFailure) {
    var limits = SimulatedProvider.GPXTrack.Limits()
    (limits.points, limits.days) = (maximumPoints, 7)
    let bytes = Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    let track = try SimulatedProvider.GPXTrack(
      bytes: bytes, file: "", limits: limits, speedWithoutTimes: speed == 0 ? nil : speed)
    return begin(track.route, track.notes, isTimed: track.isTimed)
  } catch {
    return refuse(error.line > 0 ? "line \(error.line): \(error.reason)" : error.reason)
  }
}

private func begin(_ route: Route, _ notes: [String] = [], isTimed: Bool = true) -> UnsafeMutableRawPointer {
  trip = nil
  way = Way(route: route, truth: GroundTruth(route))
  let metres = zip(route.points, route.points.dropFirst()).reduce(0) { $0 + $1.0.location.distance(to: $1.1.location) }
  return answer(
    JSONText.object([
      ("seconds", number(route.duration.seconds)), ("metres", number(metres)),
      ("isTimed", isTimed ? "true" : "false"),
      ("notes", JSONText.list(notes.map { JSONText.quoted($0) })),
    ]))
}

/// Returns the words, shapes and colours of the page.
@_expose(wasm, "words")
@_cdecl("words")
func words() -> UnsafeMutableRawPointer {
  func strings(_ strings: [String]) -> String { JSONText.list(strings.map { JSONText.quoted($0) }) }
  func entries(_ entries: [ReportWords.Entry]) -> String {
    JSONText.list(
      entries.map { entry in
        JSONText.object([
          ("name", JSONText.quoted(entry.name)), ("words", JSONText.quoted(entry.words)),
          ("sentence", JSONText.quoted(entry.sentence)),
          ("shape", JSONText.quoted(entry.shape)), ("colors", entry.colors.map { strings($0) } ?? "null"),
          ("isGPS", entry.isGPS == true ? "true" : "false"),
        ])
      })
  }
  let words = ReportWords()
  return answer(
    JSONText.object([
      ("states", entries(words.states)), ("causes", entries(words.causes)), ("wakes", entries(words.wakes)),
      ("reasons", entries(words.reasons)), ("outcomes", entries(words.outcomes)),
    ]))
}

/// Returns the phones, and the code that the page shows for each.
@_expose(wasm, "phones")
@_cdecl("phones")
func phones() -> UnsafeMutableRawPointer {
  answer(
    JSONText.list(
      Phone.allCases.map { phone in
        JSONText.object(
          [
            ("name", phone.rawValue), ("title", phone.title), ("app", phone.appCode),
            ("test", phone.testCode(hasBound: true)), ("testWithoutBound", phone.testCode(hasBound: false)),
          ].map { ($0, JSONText.quoted($1)) })
      }))
}

/// Begins a drive.
///
/// - Parameters:
///   - phone: The position of the phone in `Phone.allCases`.
///   - bound: The error bound in metres; 0 for none.
///   - faults: 0 for none, 1 for some, 2 for many.
@_expose(wasm, "beginDrive")
@_cdecl("beginDrive")
func beginDrive(_ phone: Int32, _ bound: Double, _ seed: Int32, _ faults: Int32) {
  guard let way, Phone.allCases.indices.contains(Int(phone)) else { return }
  let phone = Phone.allCases[Int(phone)]
  let seed = UInt64(UInt32(bitPattern: seed))
  let hasBound = bound >= LocationManager.minimumErrorBound
  var configuration = phone.configuration(hasBound: hasBound)
  if faults > 0 { configuration.faults = faults == 1 ? .some(seed: seed) : .many(seed: seed) }
  let setup = Setup(seed: seed, phone: phone, configuration: configuration, bound: hasBound ? bound : nil)
  let next = Trip(setup, route: way.route, truth: way.truth, isRecorded: true)
  next.manager.tryPromptAuthorization()
  // The drive replaces one that is finished or abandoned.
  trip = next
}

/// Continues the drive for a number of seconds. Returns the driven share of the route, 0…1, or 1 if there is no drive.
@_expose(wasm, "drive")
@_cdecl("drive")
func drive(_ seconds: Int32) -> Double {
  guard let trip, let way else { return 1 }
  let count = way.truth.places.count
  for _ in 0..<min(Int(seconds), count - trip.samples.count) { trip.advance() }
  return Double(trip.samples.count) / Double(count)
}

/// Returns the figures of the drive so far, as `LocoKitDemo --json` prints them.
@_expose(wasm, "figures")
@_cdecl("figures")
func figures() -> UnsafeMutableRawPointer {
  guard let trip else { return refuse("There is no drive.") }
  return answer(json(trip.summary))
}

/// Returns the columns for the map and the timeline.
@_expose(wasm, "recording")
@_cdecl("recording")
func recording() -> UnsafeMutableRawPointer {
  guard let recording = trip?.recording else { return refuse("There is no drive.") }
  return answer(json(recording))
}

/// Returns the power of the drive by its parts, and that of the same drive with the GPS or the keeper always on. The unit is percent of a
/// new battery per hour for phones, otherwise milliwatts.
@_expose(wasm, "energy")
@_cdecl("energy")
func energy() -> UnsafeMutableRawPointer {
  guard let trip else { return refuse("There is no drive.") }
  let own = trip.setup.configuration.energyProfile
  let most = SimulatedProvider.EnergyProfile.phone13ProMax
  let profiles = own == .phone ? [own, most.least, most.most] : [own]
  let use = trip.provider.energy
  func rows(_ use: SimulatedProvider.EnergyUse) -> String {
    JSONText.list(
      profiles.map { profile in
        let parts = use.parts(profile)
        let watts = 1 / use.duration.seconds
        let unit = profile.batteryCapacity.map { watts / $0 * 100 } ?? watts * 1_000
        return JSONText.object([
          ("gps", number(parts.gps * unit)), ("keeper", number(parts.keeper * unit)),
          ("wakes", number(parts.wakes * unit)),
        ])
      })
  }
  return answer(
    JSONText.object([
      ("isPercent", own.batteryCapacity == nil ? "false" : "true"), ("drive", rows(use)),
      ("gps", rows(use.alwaysOn.gps)), ("keeper", rows(use.alwaysOn.keeper)),
    ]))
}

// MARK: - JSON

private func json(_ summary: Summary) -> String {
  func share(_ value: Double?) -> String { value.map { number($0) } ?? "null" }
  func counts(_ counts: [String: Int]) -> String { JSONText.object(counts.map { ($0.key, number($0.value)) }) }
  let acquisitions = summary.acquisitions
  return JSONText.object([
    ("durationSeconds", number(summary.durationSeconds)), ("gpsOnSeconds", number(summary.gpsOnSeconds)),
    ("wakes", number(summary.wakes)),
    (
      "acquisitions",
      counts(["met": acquisitions.met, "timedOut": acquisitions.timedOut, "failed": acquisitions.failed])
    ),
    ("locations", number(summary.locations)), ("rejections", counts(summary.rejections)),
    ("looks", counts(summary.looks)), ("boundMeters", share(summary.boundMeters)),
    ("phone", JSONText.quoted(summary.phone?.rawValue)),
    ("wakeOutcomes", counts(summary.wakeOutcomes ?? [:])),
    ("coverage", share(summary.coverage)), ("dwellGPSOnShare", share(summary.dwellGPSOnShare)),
    ("medianErrorMeters", share(summary.medianErrorMeters)), ("p95ErrorMeters", share(summary.p95ErrorMeters)),
    ("p95ErrorUnderWayMeters", share(summary.p95ErrorUnderWayMeters)),
    ("withinBoundShare", share(summary.withinBoundShare)),
    ("estimateP95ErrorMeters", share(summary.estimateP95ErrorMeters)),
    ("oracleGPSOnSeconds", share(summary.oracleGPSOnSeconds)), ("keptRunningShare", share(summary.keptRunningShare)),
    ("energyProfile", JSONText.quoted(summary.energyProfile)), ("milliwatts", share(summary.milliwatts)),
    ("percentPerHour", share(summary.percentPerHour)),
    ("percentPerHour13ProMax", summary.percentPerHour13ProMax.map { JSONText.list($0.map { number($0) }) } ?? "null"),
    ("seed", summary.seed.map { "\($0)" } ?? "null"),
  ])
}

private func json(_ recording: Recording) -> String {
  func column(_ numbers: [Int]) -> String { JSONText.list(numbers.map { number($0) }) }
  func events(_ events: Recording.Events) -> String {
    JSONText.object([("t", column(events.t)), ("v", column(events.v))])
  }
  func path(_ path: Recording.Path?) -> String {
    guard let path else { return "null" }
    return JSONText.object([
      ("t", column(path.t)), ("lat", column(path.lat)), ("lon", column(path.lon)),
      ("acc", path.acc.map { column($0) } ?? "null"),
    ])
  }
  return JSONText.object([
    ("seconds", number(recording.seconds)), ("startedAt", number(recording.startedAt)),
    ("boundMeters", recording.boundMeters.map { number($0) } ?? "null"), ("truth", path(recording.truth)),
    ("unknown", column(recording.unknown)), ("dwelling", column(recording.dwelling)), ("fixes", "null"),
    ("locations", path(recording.locations)), ("estimates", JSONText.list(recording.estimates.map { path($0) })),
    ("states", events(recording.states)), ("looks", events(recording.looks)), ("wakes", events(recording.wakes)),
    ("rejections", events(recording.rejections)), ("failures", column(recording.failures)),
  ])
}

private func number(_ number: Int) -> String { "\(number)" }

private func number(_ number: Double) -> String { number.isFinite ? "\(number)" : "null" }

private func refuse(_ reason: String) -> UnsafeMutableRawPointer {
  answer(JSONText.object([("error", JSONText.quoted(reason))]))
}
