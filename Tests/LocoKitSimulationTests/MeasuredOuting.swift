#if os(Linux) || os(macOS)
  import Foundation

  @testable import LocoKit
  @testable import LocoKitSimulation
  @testable import TestSupport

  /// A recorded outing of several phones.
  ///
  /// Times are in seconds from the outing's start.
  struct MeasuredOuting: Sendable {
    /// A stretch of the outing with a name, such as a leg.
    struct Span: Sendable {
      /// The start, in seconds.
      let from: Double
      /// The end, in seconds.
      let to: Double
      /// The name, such as `walk_start`.
      let name: String
    }

    /// A fix as a phone delivered it.
    struct Fix: Sendable {
      /// The time of the delivery, in seconds.
      let delivered: Double
      /// The time of the measurement, in seconds.
      let time: Double
      /// The place.
      let place: Location
      /// The claimed accuracy, in metres.
      let accuracy: Double
    }

    /// An event of the recording app.
    struct Event: Sendable {
      /// The time, in seconds.
      let time: Double
      /// Whether the app waited for the start of a trip.
      let isWaiting: Bool
      /// The name, such as `EXITED_GEOFENCE`.
      let name: String
    }

    /// An activity of the motion sensor.
    struct Activity: Sendable {
      /// The start, in seconds.
      let time: Double
      /// Whether the activity is a vehicle, with sufficient confidence.
      let isAutomotive: Bool
      /// Whether the activity has low confidence, no flag, or only the flag *unknown*.
      let isSilent: Bool
    }

    /// A phone of the outing.
    struct Phone: Sendable {
      /// The name, such as `ios-2`.
      let name: String
      /// The requested accuracy: `best`, `10m`, `100m` or `off`.
      let accuracy: String
      /// The distance filter, in metres.
      let filter: Double
      /// Whether a region's exit or a departure turned tracking on.
      let isDutyCycled: Bool
      /// Whether the phone had no data connection.
      let isOffline: Bool
      /// The time of the recording.
      let span: Span
      /// The fixes, in the order of their delivery.
      var fixes: [Fix] = []
      /// The events, in the order of time.
      var events: [Event] = []
      /// The activities, in the order of time.
      var activities: [Activity] = []

      /// Returns the end of a trip that began at a time, or infinity if the recording has no end.
      func endOfTrip(after time: Double) -> Double {
        events.first { $0.time > time && ["TRIP_ENDED", "FORCE_STOP_TRACKING"].contains($0.name) }?.time ?? .infinity
      }
    }

    /// The recorded outings, in the order of their names.
    static let all = Result { try Outings.files().map(MeasuredOuting.init) }

    /// The duration of rest that precedes the outing in a route: an hour, in seconds.
    static let rest = 3_600.0
    /// The longest gap in the true places during which the device saw the sky, in seconds.
    private static let longestGap = 5

    /// The outing's name.
    let name: String
    /// The phones of the outing.
    private(set) var phones: [Phone] = []
    /// The journeys, in the order of time.
    private(set) var journeys: [Span] = []
    /// The parts of the journeys.
    private(set) var legs: [Span] = []
    /// The true places during the journeys.
    private(set) var truth: [(time: Double, place: Location)] = []
    /// The true place of each second, at rest and during journeys; `nil` if it is unknown, or if the route walks to or from a journey.
    private var places: [Location?] = []
    /// The true route, after an hour of rest.
    private(set) var route = SimulatedProvider.Route(points: [
      SimulatedProvider.Route.Point(time: 0, latitude: 0, longitude: 0)
    ])

    /// Reads a packed outing.
    init(contentsOf file: URL) throws {
      name = String(file.lastPathComponent.prefix { $0 != "." })
      let text = try Outings.text(of: file)
      var stays: [(from: Double, to: Double, place: Location)] = []
      for line in text.split(separator: "\n") {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        let index = phones.firstIndex { $0.name == fields[1] } ?? 0
        switch fields[0] {
        case "P":
          phones.append(
            Phone(
              name: String(fields[1]), accuracy: String(fields[3]), filter: Self.number(fields[4]),
              isDutyCycled: fields[5] == "1", isOffline: fields[9] == "no-data-connection",
              span: Self.span(fields[6...])))
        case "J": journeys.append(Self.span(fields[1...]))
        case "L": legs.append(Self.span(fields[1...]))
        case "R": truth.append((Self.number(fields[1]), Self.place(fields[2], fields[3])))
        case "D": stays.append((Self.number(fields[1]), Self.number(fields[2]), Self.place(fields[3], fields[4])))
        case "S":
          phones[index].events.append(
            Event(
              time: Self.number(fields[2]), isWaiting: fields[3] == "WAITING_FOR_TRIP_START", name: String(fields[4])))
        case "A":
          let isUnsure = fields[4] == "l"
          phones[index].activities.append(
            Activity(
              time: Self.number(fields[2]), isAutomotive: !isUnsure && fields[3].contains("A"),
              isSilent: isUnsure || fields[3] == "-" || fields[3] == "U"))
        case "F":
          phones[index].fixes.append(
            Fix(
              delivered: Self.number(fields[2]), time: Self.number(fields[3]), place: Self.place(fields[4], fields[5]),
              accuracy: Self.number(fields[6])))
        default: break
        }
      }
      journeys.sort { $0.from < $1.from }
      setPlaces(stays)
    }

    /// Sets the places and the route from the true places during journeys and at rest.
    private mutating func setPlaces(_ stays: [(from: Double, to: Double, place: Location)]) {
      let end = max(truth.last?.time ?? 0, stays.map(\.to).max() ?? 0)
      places = Array(repeating: nil, count: Int(end) + 1)
      for (time, place) in truth where time >= 0 { places[Int(time)] = place }
      for stay in stays {
        for second in Int(max(0, stay.from).rounded(.up))...Int(stay.to) where places[second] == nil {
          places[second] = stay.place
        }
      }
      let walked = walkToJourneys(from: stays)
      let known = places.indices.filter { places[$0] != nil }
      guard let first = known.first, let start = places[first] else { return }
      var points = [SimulatedProvider.Route.Point(time: 0, latitude: start.latitude, longitude: start.longitude)]
      for (index, second) in known.enumerated() {
        guard let place = places[second] else { continue }
        // A stay needs only its ends.
        let isWithin = index > 0 && index + 1 < known.count
        if isWithin, places[known[index - 1]] == place, places[known[index + 1]] == place { continue }
        points.append(
          SimulatedProvider.Route.Point(
            time: Double(second) + Self.rest, latitude: place.latitude, longitude: place.longitude))
      }
      // Before, between and after the journeys, the phones were in buildings.
      let starts = [-Self.rest] + journeys.map(\.to)
      let ends = journeys.map(\.from) + [Double(end)]
      let indoors = zip(starts, ends).filter { $0 < $1 }.map { $0 + Self.rest..<$1 + Self.rest }
      // Where the true place is unknown, the phones were underground, or their fixes were too inaccurate to determine
      // it.
      let outages = zip(known, known.dropFirst()).filter { $1 - $0 > Self.longestGap && !walked.contains($0 + 1) }.map {
        Double($0) + Self.rest + 1..<Double($1) + Self.rest
      }
      route = SimulatedProvider.Route(points: points, outages: outages, indoors: indoors)
    }

    /// Removes the true places at the ends of stays, so that the route walks to the next journey and from the previous one. Returns the
    /// removed seconds. The true place of a stay is a single point, although the phones were carried within the building.
    private mutating func walkToJourneys(from stays: [(from: Double, to: Double, place: Location)]) -> Set<Int> {
      let pace = 1.4
      var walked = Set<Int>()
      for stay in stays {
        let (start, end) = (Int(max(0, stay.from).rounded(.up)), Int(stay.to))
        let middle = (start + end) / 2
        if let next = places.indices.dropFirst(end + 1).first(where: { places[$0] != nil }), let place = places[next] {
          let seconds = Int(place.distance(to: stay.place) / pace) - (next - end)
          if seconds > 0 { walked.formUnion(max(middle, end - seconds)..<end + 1) }
        }
        if let last = places[..<start].lastIndex(where: { $0 != nil }), let place = places[last] {
          let seconds = Int(place.distance(to: stay.place) / pace) - (start - last)
          if seconds > 0 { walked.formUnion(start..<min(middle, start + seconds)) }
        }
      }
      for second in walked { places[second] = nil }
      return walked
    }

    /// Returns the true place; `nil` if it is unknown, or if the route walks to or from a journey.
    func place(at time: Double) -> Location? {
      places.indices.contains(Int(time)) ? places[Int(time)] : nil
    }

    /// Returns the distance of the device from a place. Between known places, the device moves on a straight line.
    func distance(from place: Location, at time: Double) -> Double {
      route.position(at: time + Self.rest).location.distance(to: place)
    }

    /// Returns the true mean speed during the seven seconds around a time, in metres per second.
    func speed(at time: Double) -> Double {
      distance(from: route.position(at: time + Self.rest - 3.5).location, at: time + 3.5) / 7
    }

    /// Returns the number in a field.
    private static func number(_ field: Substring) -> Double { Double(field) ?? .nan }

    /// Returns the span of a start, an end and a name.
    private static func span(_ fields: ArraySlice<Substring>) -> Span {
      let fields = Array(fields)
      return Span(from: number(fields[0]), to: number(fields[1]), name: String(fields[2]))
    }

    /// Returns the place of a latitude and a longitude.
    private static func place(_ latitude: Substring, _ longitude: Substring) -> Location {
      Location(
        latitude: number(latitude), longitude: number(longitude), horizontalAccuracy: 0, timestamp: .distantPast)
    }
  }
#endif
