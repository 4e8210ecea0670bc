/// The recordings of four phones on one outing, and their true positions.
///
/// Each time is in seconds from the outing's start.
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
  /// Where the phones were.
  public var truth: Truth

  /// Whether the outing has no journey.
  public var isStill: Bool { journeys.isEmpty }
  /// When the last phone stopped recording.
  public var end: Double { phones.map(\.to).max() ?? 0 }

  /// A part of an outing with a name.
  public struct Leg: Hashable, Sendable {
    /// The beginning, in seconds.
    public var from: Double
    /// The end, in seconds.
    public var to: Double
    /// MobilityNet's name, such as `commuter_rail_aboveground`.
    public var name: String

    /// Whether the way is on rails. The walk to a station is not; the wait in it, and the change between two trains, are.
    public var isRails: Bool {
      !name.hasPrefix("walk") && ["rail", "subway", "train"].contains { name.contains($0) }
    }
  }
}

/// One phone of an outing: its setting, and what it recorded.
public struct Phone: Sendable {
  /// The phone's name, such as `ios-3`.
  public var name: String
  /// MobilityNet's name of the setting, such as `MAHFDC`.
  public var mode: String
  /// The accuracy that the phone asked for.
  public var accuracy: Accuracy
  /// The distance filter in metres; a value of at most 1 turns it off.
  public var distanceFilter: Double
  /// Whether tracking was on from a trip's start to its end alone.
  public var isDutyCycled: Bool
  /// When the phone began to record, in seconds.
  public var from: Double
  /// When the phone stopped, in seconds.
  public var to: Double
  /// Whether the source has the phone's fixes.
  public var hasFixes: Bool
  /// A remark of the data set, such as `no-data-connection`.
  public var note: String
  /// The fixes, in the order of their delivery.
  public var fixes: [Fix] = []
  /// The motion activities, in the order of their time.
  public var activities: [Activity] = []
  /// The battery, in the order of time.
  public var battery: [Charge] = []
  /// The events of the app's state machine, in the order of time.
  public var events: [StateEvent] = []

  /// An accuracy that a phone asked for.
  public enum Accuracy: String, CaseIterable, Sendable {
    /// The best accuracy, `kCLLocationAccuracyBest`.
    case best
    /// 10 m, `kCLLocationAccuracyNearestTenMeters`.
    case tenMeters = "10m"
    /// 100 m, `kCLLocationAccuracyHundredMeters`.
    case hundredMeters = "100m"
    /// No location updates.
    case off

    /// Whether the receiver works as hard as it can: 10 m costs the same as the best accuracy.
    var isBest: Bool { self == .best || self == .tenMeters }
  }

  /// One location that a phone was given.
  public struct Fix: Hashable, Sendable {
    /// When the app was given the fix, in seconds.
    public var delivered: Double
    /// When the device was there, in seconds.
    public var measured: Double
    /// Where the device was.
    public var place: Place
    /// The accuracy that the fix claims, in metres.
    public var claim: Double
    /// Metres per second; `nil` where unknown.
    public var speed: Double?
    /// Degrees clockwise from north; `nil` where unknown.
    public var course: Double?
  }

  /// A motion activity of Core Motion.
  public struct Activity: Hashable, Sendable {
    /// When it began, in seconds.
    public var time: Double
    /// A letter for each flag: `A`utomotive, `W`alking, `C`ycling, `R`unning, `S`tationary, `U`nknown; `-` for none.
    public var flags: String
    /// Whether Core Motion's confidence is low.
    public var isUnsure: Bool
  }

  /// A reading of a battery.
  public struct Charge: Hashable, Sendable {
    /// When it was read, in seconds.
    public var time: Double
    /// Percent, 0…100.
    public var percent: Double
  }

  /// An event in the state machine of e-mission, the app that recorded.
  public struct StateEvent: Hashable, Sendable {
    /// When it happened, in seconds.
    public var time: Double
    /// The state before, such as `WAITING_FOR_TRIP_START`.
    public var state: String
    /// The event, such as `EXITED_GEOFENCE`.
    public var event: String
  }
}

extension Phone {
  /// Whether the fixes are the full stream of a phone in 100 m mode: unfiltered, and present in the source.
  public var isCoarse: Bool { hasFixes && accuracy == .hundredMeters && distanceFilter <= 1 }
  /// Whether the fixes are the full stream of a phone in Best mode.
  public var isBest: Bool { hasFixes && accuracy == .best && distanceFilter <= 1 }
  /// Whether the phone had no data connection. Its fixes are then from cells alone.
  public var isOffline: Bool { note.contains("no-data") }
}

extension Outing {
  /// The phone that supplies the fixes of an app in 100 m mode.
  public var coarsePhone: Phone? { phones.first { $0.isCoarse && !$0.isOffline && !$0.fixes.isEmpty } }
  /// The phone that supplies the fixes of the GPS: the one that was on longest.
  public var bestPhone: Phone? {
    let phones = phones.filter { $0.isBest && !$0.isOffline && !$0.fixes.isEmpty }
    return phones.first { !$0.isDutyCycled } ?? phones.first
  }
}
