import LocoFoundation
import LocoKit

/// A report of gpsd: a line of JSON in its protocol 3.
///
/// Units and meanings are those of gpsd's `gpsd_json(5)`. An optional value that gpsd omits is `nil`.
enum GPSDReport: Equatable, Sendable {
  case version(protocolMajor: Int)
  /// All receivers that gpsd has.
  case devices([Device])
  /// A receiver that gpsd opened, closed or recognized.
  case device(Device)
  case fix(Fix)
  case noise(Noise)
  /// gpsd didn't understand a command.
  case error(message: String)
  /// A class that isn't used, such as `SKY`, `WATCH` or `TOFF`.
  case other(class: String)

  struct Device: Equatable, Sendable {
    /// The receiver's path, such as `/dev/ttyUSB0` or `tcp://host:port`.
    var path: String
    /// Whether gpsd has the receiver open.
    var isActivated: Bool?
    /// gpsd's driver for the receiver, such as `u-blox` or `NMEA0183`; `nil` if gpsd hasn't recognized the receiver.
    var driver: String?

    /// Whether the receiver sends its binary protocol; `nil` if gpsd doesn't say. gpsd keeps the driver while the receiver sends NMEA.
    var isNative: Bool?

    /// Whether gpsd passes on the receiver's own error estimates, and doesn't compute 95 % figures.
    ///
    /// The driver for u-blox's binary protocol does (`driver_ubx.c`). u-blox doesn't document what the estimates mean; beside `GST` of the
    /// same receivers they are the root mean square.
    var estimatesErrors: Bool { driver == "u-blox" && isNative == true }
  }

  /// `TPV`: time, position, velocity.
  struct Fix: Equatable, Sendable {
    enum Mode: Int, Sendable {
      case unknown, none, twoDimensional, threeDimensional
    }

    /// How the receiver finds positions, as far as it matters here. gpsd's other numbers are kinds of satellite fixes.
    enum Status: Int, Sendable {
      /// By dead reckoning, without satellites.
      case estimated = 5
      case simulated = 8
    }

    /// The receiver's path.
    var device: String?
    var mode: Mode
    var status: Status?
    var time: Date?
    var latitude: Double?
    var longitude: Double?
    /// Metres above mean sea level.
    var altitude: Double?
    /// Whether the errors are the receiver's own estimates: root mean squares. Otherwise, and for the course, they are gpsd's 95 % figures.
    var errorsAreDeviations = false
    /// Metres.
    var horizontalError: Double?
    /// Metres.
    var verticalError: Double?
    /// Metres per second.
    var speed: Double?
    /// Metres per second.
    var speedError: Double?
    /// Degrees clockwise from true north.
    var track: Double?
    /// Degrees.
    var trackError: Double?

    /// Whether the receiver knows its position. A report may lack the coordinates, such as if the receiver sends no sentence with them.
    var isPositioned: Bool { mode == .twoDimensional || mode == .threeDimensional }
    var hasPosition: Bool { isPositioned && latitude != nil && longitude != nil }
  }

  /// `GST`: the receiver's own error estimate for the fix of the same time, as standard deviations in metres.
  struct Noise: Equatable, Sendable {
    /// The receiver's path.
    var device: String?
    var time: Date?
    var latitudeDeviation: Double?
    var longitudeDeviation: Double?
    var altitudeDeviation: Double?
  }

  /// The paths in a list of receivers or in a report about one, 64 at most. A fix's path isn't included.
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
  fileprivate enum Key: String, CodingKey {
    case `class`, devices, message, path, activated, driver, native, device, time, mode, status, track, speed
    case lat, lon, alt, altMSL, eph, epx, epy, epv, eps, epd
    case protocolMajor = "proto_major"
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    switch try values.decode(String.self, forKey: .class) {
    case "VERSION": self = .version(protocolMajor: try values.decode(Int.self, forKey: .protocolMajor))
    case "DEVICES": self = .devices(try values.decode([Device].self, forKey: .devices))
    case "DEVICE": self = .device(try Device(from: decoder))
    case "TPV": self = .fix(try Fix(values))
    case "GST": self = .noise(try Noise(values))
    case "ERROR": self = .error(message: try values.text(.message) ?? "")
    case let name: self = .other(class: name)
    }
  }
}

extension GPSDReport.Device: Decodable {
  /// Decodes a receiver. `activated` is a time, or 0 if the receiver is closed.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: GPSDReport.Key.self)
    path = try values.text(.path) ?? ""
    driver = try values.text(.driver)
    isNative = try values.decodeIfPresent(Int.self, forKey: .native).map { $0 == 1 }
    if let number = try? values.decode(Double.self, forKey: .activated) {
      isActivated = number > 0
    } else {
      isActivated = try values.text(.activated).map { !$0.isEmpty }
    }
  }
}

extension GPSDReport.Fix {
  /// Decodes a fix. `epx` and `epy` replace an `eph` that is missing or not above 0.
  fileprivate init(_ values: KeyedDecodingContainer<GPSDReport.Key>) throws {
    device = try values.text(.device)
    mode = Mode(rawValue: try values.decodeIfPresent(Int.self, forKey: .mode) ?? 0) ?? .unknown
    status = try values.decodeIfPresent(Int.self, forKey: .status).flatMap(Status.init)
    time = try values.date(.time)
    latitude = try values.number(.lat)
    longitude = try values.number(.lon)
    altitude = try values.number(.altMSL) ?? values.number(.alt)
    horizontalError = try values.number(.eph)
    verticalError = try values.number(.epv)
    speed = try values.number(.speed)
    speedError = try values.number(.eps)
    trackError = try values.number(.epd)
    track = try values.number(.track)
    if !(horizontalError ?? 0 > 0), let east = try values.number(.epx), let north = try values.number(.epy) {
      horizontalError = (east * east + north * north).squareRoot()
    }
  }
}

extension GPSDReport.Noise {
  fileprivate init(_ values: KeyedDecodingContainer<GPSDReport.Key>) throws {
    device = try values.text(.device)
    time = try values.date(.time)
    latitudeDeviation = try values.number(.lat)
    longitudeDeviation = try values.number(.lon)
    altitudeDeviation = try values.number(.alt)
  }
}

extension KeyedDecodingContainer<GPSDReport.Key> {
  fileprivate func text(_ key: Key) throws -> String? { try decodeIfPresent(String.self, forKey: key) }
  fileprivate func number(_ key: Key) throws -> Double? { try decodeIfPresent(Double.self, forKey: key) }

  /// Decodes a time in ISO 8601, with or without a fraction of a second; `nil` if it is missing or invalid. gpsd's times have milliseconds.
  fileprivate func date(_ key: Key) throws -> Date? {
    guard let text = try text(key) else { return nil }
    return (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
      ?? (try? Date(text, strategy: .iso8601))
  }
}
