// The synthesized conformance of `Location` calls these functions. The source `gps` isn't encoded, because earlier versions of LocoKit have
// no source.

extension KeyedEncodingContainer {
  mutating func encode(_ number: FiniteNumber, forKey key: Key) throws {
    try encodeIfPresent(number.value, forKey: key)
  }

  mutating func encode(_ source: Location.Source, forKey key: Key) throws {
    try encodeIfPresent(source == .gps ? nil : source, forKey: key)
  }
}

extension KeyedDecodingContainer {
  func decode(_ type: FiniteNumber.Type, forKey key: Key) throws -> FiniteNumber {
    FiniteNumber(try decodeIfPresent(Double.self, forKey: key))
  }

  func decode(_ type: Location.Source.Type, forKey key: Key) throws -> Location.Source {
    try decodeIfPresent(type, forKey: key) ?? .gps
  }
}
