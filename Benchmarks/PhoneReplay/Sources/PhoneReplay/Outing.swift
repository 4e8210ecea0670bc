/// The recordings of the phones on one outing, and their true positions.
///
/// Each time except ``start`` is in seconds from the outing's start.
public struct Outing: Sendable {
  /// The outing's name, such as `car-01`.
  public var name: String
  /// The outing's start, in seconds since 1970.
  public var start: Double
  /// MobilityNet's name of the route.
  public var route: String
  /// The phones, in the order of the file.
  public var phones: [Phone]
  /// The times of the journeys.
  public var journeys: [Leg]
  /// The parts of the journeys, one for each mode of transport.
  public var legs: [Leg]
  /// The true positions of the phones.
  public var truth: Truth

  /// Whether the outing has no journey.
  public var isStill: Bool { journeys.isEmpty }
  /// The time when the last phone stopped recording.
  public var end: Double { phones.map(\.to).max() ?? 0 }

  /// A named part of an outing.
  public struct Leg: Hashable, Sendable {
    /// The start, in seconds.
    public var from: Double
    /// The end, in seconds.
    public var to: Double
    /// MobilityNet's name, such as `commuter_rail_aboveground`.
    public var name: String

    /// Whether the leg is on rails. The wait in a station and the change between two trains count as rails; the walk to a station doesn't.
    public var isRails: Bool {
      !name.hasPrefix("walk") && ["rail", "subway", "train"].contains { name.contains($0) }
    }
  }
}

/// A phone of an outing: its setting and its recordings.
public struct Phone: Sendable {
  /// The phone's name, such as `ios-3`.
  public var name: String
  /// MobilityNet's name of the setting, such as `MAHFDC`.
  public var mode: String
  /// The requested accuracy.
  public var accuracy: Accuracy
  /// The distance filter, in metres. A value of at most 1 means no filter.
  public var distanceFilter: Double
  /// Whether tracking was on only from a trip's start to its end.
  public var isDutyCycled: Bool
  /// The start of the recording, in seconds.
  public var from: Double
  /// The end of the recording, in seconds.
  public var to: Double
  /// Whether the data set has the phone's fixes.
  public var hasFixes: Bool
  /// The data set's remark, such as `no-data-connection`.
  public var note: String
  /// The fixes, in the order of their delivery.
  public var fixes: [Fix] = []
  /// The motion activities, in the order of time.
  public var activities: [Activity] = []
  /// The battery readings, in the order of time.
  public var battery: [Charge] = []
  /// The events of the app's state machine, in the order of time.
  public var events: [StateEvent] = []

  /// A requested accuracy.
  public enum Accuracy: String, CaseIterable, Sendable {
    /// The best accuracy, `kCLLocationAccuracyBest`.
    case best
    /// 10 m, `kCLLocationAccuracyNearestTenMeters`.
    case tenMeters = "10m"
    /// 100 m, `kCLLocationAccuracyHundredMeters`.
    case hundredMeters = "100m"
    /// No location updates.
    case off

    /// Whether the receiver uses its full power. An accuracy of 10 m costs the same as the best one.
    var isBest: Bool { self == .best || self == .tenMeters }
  }

  /// A location that a phone received.
  public struct Fix: Hashable, Sendable {
    /// The time of the delivery to the app, in seconds.
    public var delivered: Double
    /// The time of the measurement, in seconds.
    public var measured: Double
    /// The measured place.
    public var place: Place
    /// The claimed accuracy, in metres.
    public var claim: Double
    /// The speed in metres per second, or `nil` if unknown.
    public var speed: Double?
    /// The course in degrees clockwise from north, or `nil` if unknown.
    public var course: Double?
  }

  /// A motion activity of Core Motion.
  public struct Activity: Hashable, Sendable {
    /// The activity's start, in seconds.
    public var time: Double
    /// A letter for each flag: `A`utomotive, `W`alking, `C`ycling, `R`unning, `S`tationary, `U`nknown; `-` for none.
    public var flags: String
    /// Whether Core Motion's confidence is low.
    public var isUnsure: Bool
  }

  /// A reading of a battery.
  public struct Charge: Hashable, Sendable {
    /// The time of the reading, in seconds.
    public var time: Double
    /// The level in percent, 0…100.
    public var percent: Double
  }

  /// An event in the state machine of e-mission, the recording app.
  public struct StateEvent: Hashable, Sendable {
    /// The time of the event, in seconds.
    public var time: Double
    /// The state before, such as `WAITING_FOR_TRIP_START`.
    public var state: String
    /// The event, such as `EXITED_GEOFENCE`.
    public var event: String
  }
}

extension Phone {
  /// Whether the fixes are the full stream of a phone in 100 m mode: unfiltered and present in the data set.
  public var isCoarse: Bool { hasFixes && accuracy == .hundredMeters && distanceFilter <= 1 }
  /// Whether the fixes are the full stream of a phone in Best mode.
  public var isBest: Bool { hasFixes && accuracy == .best && distanceFilter <= 1 }
  /// Whether the phone had no data connection. Its coarse fixes are then from cells only.
  public var isOffline: Bool { note.contains("no-data") }
}

extension Outing {
  /// The phone that supplies the fixes of an app in 100 m mode: preferably one without a distance filter. The stream of a phone with a
  /// filter lacks the fixes at rest and on slow walks.
  public var coarsePhone: Phone? {
    let phones = phones.filter { $0.hasFixes && $0.accuracy == .hundredMeters && !$0.isOffline && !$0.fixes.isEmpty }
    return phones.first(where: \.isCoarse) ?? phones.first
  }
  /// The phone that supplies the fixes of the GPS: preferably one that isn't duty-cycled.
  public var bestPhone: Phone? {
    let phones = phones.filter { $0.isBest && !$0.isOffline && !$0.fixes.isEmpty }
    return phones.first { !$0.isDutyCycled } ?? phones.first
  }
}
