// The synthesized conformance of `Location` calls these functions. The source `gps` and empty source information aren't encoded.

extension KeyedEncodingContainer {
  mutating func encode(_ number: FiniteNumber, forKey key: Key) throws {
    try encodeIfPresent(number.value, forKey: key)
  }

  mutating func encode(_ source: Location.Source, forKey key: Key) throws {
    try encodeIfPresent(source == .gps ? nil : source, forKey: key)
  }

  mutating func encode(_ information: Location.SourceInformation, forKey key: Key) throws {
    try encodeIfPresent(information.isEmpty ? nil : information, forKey: key)
  }
}

extension KeyedDecodingContainer {
  func decode(_ type: FiniteNumber.Type, forKey key: Key) throws -> FiniteNumber {
    FiniteNumber(try decodeIfPresent(Double.self, forKey: key))
  }

  func decode(_ type: Location.Source.Type, forKey key: Key) throws -> Location.Source {
    try decodeIfPresent(type, forKey: key) ?? .gps
  }

  func decode(_ type: Location.SourceInformation.Type, forKey key: Key) throws -> Location.SourceInformation {
    try decodeIfPresent(type, forKey: key) ?? []
  }
}
