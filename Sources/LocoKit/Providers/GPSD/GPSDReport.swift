import Foundation

/// What gpsd says, a line of JSON each: the classes of its protocol 3 that matter here.
///
/// Names, units and meanings are those of gpsd's `gpsd_json(5)`. What gpsd leaves out is `nil`: unknown.
enum GPSDReport: Hashable, Sendable {
  /// What runs there, said once to everybody who connects.
  case version(Version)
  /// All receivers that gpsd has; none means that it will never have a fix.
  case devices([Device])
  /// A receiver that was opened, closed or recognised.
  case device(Device)
  /// Whether this client is watching.
  case watch(isEnabled: Bool)
  /// Where the receiver is, or that it does not know.
  case fix(Fix)
  /// What the receiver hears of the sky.
  case sky(Sky)
  /// How far off a fix may be, as the receiver itself estimates it.
  case noise(Noise)
  /// The answer to a poll.
  case poll(fixes: [Fix], noise: [Noise], skies: [Sky])
  /// gpsd did not understand, or cannot.
  case error(message: String)
  /// A class that is of no use here, such as `AIS`, `ATT`, `PPS` or `TOFF`.
  case other(class: String)

  /// `VERSION`.
  struct Version: Hashable, Sendable {
    /// gpsd's release, such as `3.22`.
    var release: String
    /// The protocol's major version; what is read here is 3.
    var protocolMajor: Int
    /// The protocol's minor version.
    var protocolMinor: Int
  }

  /// `DEVICE`.
  struct Device: Hashable, Sendable {
    /// The receiver's path, such as `/dev/ttyUSB0` or `tcp://host:port`.
    var path: String
    /// Whether the receiver is open; `nil` where this was not said.
    var isActivated: Bool?
    /// The driver that understands it.
    var driver: String?
  }

  /// `TPV`: time, position, velocity.
  struct Fix: Hashable, Sendable {
    /// What a receiver knows.
    enum Mode: Int, Sendable {
      /// Nothing was said yet.
      case unknown = 0
      /// It has no fix.
      case none = 1
      /// Latitude and longitude.
      case twoDimensional = 2
      /// Altitude too.
      case threeDimensional = 3
    }

    /// The receiver's path.
    var device: String?
    /// What the receiver knows.
    var mode: Mode
    /// When, by the satellites.
    var time: Date?
    /// Degrees north.
    var latitude: Double?
    /// Degrees east.
    var longitude: Double?
    /// Metres above mean sea level.
    var altitude: Double?
    /// The horizontal error in metres, 95 %.
    var horizontalError: Double?
    /// The vertical error in metres, 95 %.
    var verticalError: Double?
    /// Metres per second.
    var speed: Double?
    /// The error of the speed in metres per second, 95 %.
    var speedError: Double?
    /// Degrees clockwise from true north.
    var track: Double?
    /// The error of the track in degrees, 95 %.
    var trackError: Double?
  }

  /// `SKY`.
  struct Sky: Hashable, Sendable {
    /// The receiver's path.
    var device: String?
    /// The horizontal dilution of precision.
    var horizontalDilution: Double?
    /// How many satellites are seen.
    var seen: Int?
    /// How many of them are used.
    var used: Int?
  }

  /// `GST`.
  struct Noise: Hashable, Sendable {
    /// The receiver's path.
    var device: String?
    /// The time of the fix that this is about.
    var time: Date?
    /// The standard deviation north and south, metres.
    var latitudeDeviation: Double?
    /// The standard deviation east and west, metres.
    var longitudeDeviation: Double?
    /// The standard deviation up and down, metres.
    var altitudeDeviation: Double?
  }
}

extension GPSDReport {
  /// The receivers that a report names.
  var receiverPaths: [String] {
    switch self {
    case .devices(let devices): devices.prefix(64).map(\.path)
    case .device(let device): [device.path]
    default: []
    }
  }
}

// MARK: - Decoding

extension GPSDReport: Decodable {
  private enum Key: String, CodingKey {
    case `class`, release, devices, enable, message, tpv, gst, sky
    case protocolMajor = "proto_major"
    case protocolMinor = "proto_minor"
  }

  /// A report from one object of gpsd's JSON.
  ///
  /// - Throws: `DecodingError` where a member has not the type that gpsd gives it.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    switch try values.decode(String.self, forKey: .class) {
    case "VERSION":
      self = .version(
        Version(
          release: try values.decodeIfPresent(String.self, forKey: .release) ?? "",
          protocolMajor: try values.decode(Int.self, forKey: .protocolMajor),
          protocolMinor: try values.decode(Int.self, forKey: .protocolMinor)))
    case "DEVICES":
      self = .devices(try values.decode([Device].self, forKey: .devices))
    case "DEVICE":
      self = .device(try Device(from: decoder))
    case "WATCH":
      self = .watch(isEnabled: try values.decodeIfPresent(Bool.self, forKey: .enable) ?? false)
    case "TPV":
      self = .fix(try Fix(from: decoder))
    case "SKY":
      self = .sky(try Sky(from: decoder))
    case "GST":
      self = .noise(try Noise(from: decoder))
    case "POLL":
      self = .poll(
        fixes: try values.decodeIfPresent([Fix].self, forKey: .tpv) ?? [],
        noise: try values.decodeIfPresent([Noise].self, forKey: .gst) ?? [],
        skies: try values.decodeIfPresent([Sky].self, forKey: .sky) ?? [])
    case "ERROR":
      self = .error(message: try values.decodeIfPresent(String.self, forKey: .message) ?? "")
    case let name:
      self = .other(class: name)
    }
  }
}

extension GPSDReport.Device: Decodable {
  private enum Key: String, CodingKey { case path, activated, driver }

  /// A receiver from gpsd's JSON, where `activated` is a time, or 0 where the receiver is closed.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    path = try values.decodeIfPresent(String.self, forKey: .path) ?? ""
    driver = try values.decodeIfPresent(String.self, forKey: .driver)
    if let number = try? values.decode(Double.self, forKey: .activated) {
      isActivated = number > 0
    } else {
      isActivated = try values.decodeIfPresent(String.self, forKey: .activated).map { !$0.isEmpty }
    }
  }
}

extension GPSDReport.Fix: Decodable {
  private enum Key: String, CodingKey {
    case device, mode, time, lat, lon, altMSL, alt, eph, epx, epy, epv, speed, eps, track, epd
  }

  /// A fix from gpsd's JSON. Where there is no `eph` above 0, it is made of `epx` and `epy`.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    device = try values.decodeIfPresent(String.self, forKey: .device)
    mode = Mode(rawValue: try values.decodeIfPresent(Int.self, forKey: .mode) ?? 0) ?? .unknown
    time = try values.date(.time)
    latitude = try values.decodeIfPresent(Double.self, forKey: .lat)
    longitude = try values.decodeIfPresent(Double.self, forKey: .lon)
    altitude =
      try values.decodeIfPresent(Double.self, forKey: .altMSL) ?? values.decodeIfPresent(Double.self, forKey: .alt)
    horizontalError = try values.decodeIfPresent(Double.self, forKey: .eph)
    verticalError = try values.decodeIfPresent(Double.self, forKey: .epv)
    speed = try values.decodeIfPresent(Double.self, forKey: .speed)
    speedError = try values.decodeIfPresent(Double.self, forKey: .eps)
    trackError = try values.decodeIfPresent(Double.self, forKey: .epd)
    track = try values.decodeIfPresent(Double.self, forKey: .track)
    if !(horizontalError.map { $0 > 0 } ?? false), let east = try values.decodeIfPresent(Double.self, forKey: .epx),
      let north = try values.decodeIfPresent(Double.self, forKey: .epy)
    {
      horizontalError = (east * east + north * north).squareRoot()
    }
  }
}

extension GPSDReport.Sky: Decodable {
  private enum Key: String, CodingKey { case device, hdop, nSat, uSat }

  /// A sky from gpsd's JSON.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    device = try values.decodeIfPresent(String.self, forKey: .device)
    horizontalDilution = try values.decodeIfPresent(Double.self, forKey: .hdop)
    seen = try values.decodeIfPresent(Int.self, forKey: .nSat)
    used = try values.decodeIfPresent(Int.self, forKey: .uSat)
  }
}

extension GPSDReport.Noise: Decodable {
  private enum Key: String, CodingKey { case device, time, lat, lon, alt }

  /// A noise estimate from gpsd's JSON.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    device = try values.decodeIfPresent(String.self, forKey: .device)
    time = try values.date(.time)
    latitudeDeviation = try values.decodeIfPresent(Double.self, forKey: .lat)
    longitudeDeviation = try values.decodeIfPresent(Double.self, forKey: .lon)
    altitudeDeviation = try values.decodeIfPresent(Double.self, forKey: .alt)
  }
}

extension KeyedDecodingContainer {
  /// gpsd's times are ISO 8601 in UTC, with milliseconds; one that is not is no time.
  fileprivate func date(_ key: Key) throws -> Date? {
    guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
    return (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
      ?? (try? Date(text, strategy: .iso8601))
  }
}
