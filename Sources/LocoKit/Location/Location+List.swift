import LocoFoundation

// A location as a list: latitude, longitude, horizontal accuracy, altitude, vertical accuracy, speed, course, date in seconds since 2001,
// source, speed accuracy, course accuracy and floor, in the units of ``Location``. An unknown value is `null`. A list may end before the
// source (it is then `gps`) or before the last three values (they are then unknown).

extension UnkeyedEncodingContainer {
  /// Appends a location.
  ///
  /// - Parameter isShort: Whether the source and the last three values are omitted where a reader can infer them.
  package mutating func encode(_ location: Location, isShort: Bool) throws {
    for value in [location.latitude, location.longitude, location.horizontalAccuracy] { try encode(value) }
    for value in [location.altitude, location.verticalAccuracy, location.speed, location.course] { try encode(value) }
    try encode(location.timestamp.timeIntervalSinceReferenceDate)
    let hasMore = location.speedAccuracy != nil || location.courseAccuracy != nil || location.floor != nil
    if !isShort || hasMore || location.source != .gps { try encode(location.source) }
    guard !isShort || hasMore else { return }
    try encode(location.speedAccuracy)
    try encode(location.courseAccuracy)
    try encode(location.floor)
  }
}

extension UnkeyedDecodingContainer {
  /// Reads a location, up to the end of the list.
  package mutating func decodeLocation() throws -> Location {
    var location = Location(
      latitude: try decode(Double.self), longitude: try decode(Double.self),
      horizontalAccuracy: try decode(Double.self), altitude: try decodeNullable(),
      verticalAccuracy: try decodeNullable(),
      speed: try decodeNullable(), course: try decodeNullable(),
      timestamp: Date(timeIntervalSinceReferenceDate: try decode(Double.self)),
      source: isAtEnd ? .gps : try decode(Location.Source.self))
    if !isAtEnd {
      location.speedAccuracy = try decodeNullable()
      location.courseAccuracy = try decodeNullable()
      location.floor = try decodeNullable()
    }
    return location
  }

  private mutating func decodeNullable<Value: Decodable>() throws -> Value? {
    try decodeNil() ? nil : try decode(Value.self)
  }
}
