import LocoDurable
import LocoFoundation

/// The contents of a ``LastLocationStore``.
struct StoreContents: Codable, Equatable, Sendable {
  private var version = 1
  var location: Location?
  var isPaused = false
  var presence: LocationManager.Presence?

  init(location: Location? = nil, isPaused: Bool = false) { (self.location, self.isPaused) = (location, isPaused) }

  /// The contents of an unreadable store: a pause, because the unreadable contents may have been a pause.
  static let unreadable = StoreContents(isPaused: true)

  // A location and a pause that can be read outlast the other values: a later version may store those in another form.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    version = try values.decode(Int.self, forKey: .version)
    location = try values.decodeIfPresent(Location.self, forKey: .location)
    isPaused = try values.decode(Bool.self, forKey: .isPaused)
    presence = (try? values.decodeIfPresent(LocationManager.Presence.self, forKey: .presence)).flatMap {
      $0.isValid ? $0 : nil
    }
  }

  /// The maximum size in bytes, which is more than any contents need.
  static let maximumSize = 16_384

  init(_ data: Data) throws(Unreadable) {
    guard data.count <= Self.maximumSize else {
      throw Unreadable("it is larger than \(Self.maximumSize) bytes")
    }
    do {
      self = try JSONDecoder().decode(Self.self, foreign: data)
    } catch {
      throw Unreadable(data, otherwise: "it isn't in LocoKit's format")
    }
    guard version == 1 else { throw Unreadable(data, otherwise: "its version is invalid") }
    if let location, !location.isStorable {
      throw Unreadable("its location has an invalid coordinate, accuracy or date")
    }
  }

  func data() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    do {
      return try encoder.encode(self)
    } catch {
      throw StoreError("a number of the location isn't finite")
    }
  }
}

extension LocationManager.Presence {
  /// Whether a manager could have stored the presence: it has a place on Earth, a radius of at most half the Earth's
  /// circumference, and a reason.
  fileprivate var isValid: Bool {
    place.hasValidCoordinate && place.hasValidAccuracy && !reasons.isEmpty
      && (WakeRegion.minimumRadius...Location.farthest).contains(radius)
  }
}
