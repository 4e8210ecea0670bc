// The synthesized conformance of `Location` calls these functions. The source `gps` and the origins 0 aren't encoded.

extension KeyedEncodingContainer {
  mutating func encode(_ number: FiniteNumber, forKey key: Key) throws {
    try encodeIfPresent(number.value, forKey: key)
  }

  mutating func encode(_ floor: FloorNumber, forKey key: Key) throws {
    try encodeIfPresent(floor.value, forKey: key)
  }

  mutating func encode(_ source: Location.Source, forKey key: Key) throws {
    try encodeIfPresent(source == .gps ? nil : source, forKey: key)
  }

  mutating func encode(_ origins: UInt8, forKey key: Key) throws {
    try encodeIfPresent(origins == 0 ? nil : origins, forKey: key)
  }
}

extension KeyedDecodingContainer {
  func decode(_ type: FiniteNumber.Type, forKey key: Key) throws -> FiniteNumber {
    FiniteNumber(try decodeIfPresent(Double.self, forKey: key))
  }

  func decode(_ type: FloorNumber.Type, forKey key: Key) throws -> FloorNumber {
    FloorNumber(try decodeIfPresent(Int.self, forKey: key))
  }

  func decode(_ type: Location.Source.Type, forKey key: Key) throws -> Location.Source {
    try decodeIfPresent(String.self, forKey: key).map(Location.Source.init(stored:)) ?? .gps
  }

  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try decodeIfPresent(type, forKey: key) ?? 0
  }
}

extension Location.Source {
  /// Creates a stored source. A source of a later version counts as coarse, so that the location isn't lost.
  init(stored name: String) { self = Self(rawValue: name) ?? .coarse }
}
