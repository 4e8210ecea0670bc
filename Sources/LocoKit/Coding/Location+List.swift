import LocoFoundation

// A location as a list: latitude, longitude, horizontal accuracy, altitude, vertical accuracy, speed, course, date in seconds since 2001,
// source, speed accuracy, course accuracy, floor and origins, in the units of ``Location``. An unknown value is `null`. A list may end
// before the source (it is then `gps`), before the three values that follow it (they are then unknown), or before the origins (they are
// then 0).

extension Location {
  /// The values of the list. The source and the values that follow it are omitted if a reader would assume the same values.
  package var listed: [ListedValue] {
    var list: [ListedValue] = [.number(latitude), .number(longitude), .number(horizontalAccuracy)]
    list += [altitude, verticalAccuracy, speed, course].map(ListedValue.init)
    list.append(.number(timestamp.timeIntervalSinceReferenceDate))
    let hasMore = speedAccuracy != nil || courseAccuracy != nil || floor != nil || origins != 0
    if hasMore || source != .gps { list.append(.source(source)) }
    if hasMore {
      list += [ListedValue(speedAccuracy), ListedValue(courseAccuracy), floor.map(ListedValue.integer) ?? .null]
    }
    if origins != 0 { list.append(.integer(Int(origins))) }
    return list
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
      source: isAtEnd ? .gps : Location.Source(stored: try decode(String.self)))
    if !isAtEnd {
      location.speedAccuracy = try decodeNullable()
      location.courseAccuracy = try decodeNullable()
      location.floor = try decodeNullable()
    }
    if !isAtEnd { location.origins = try decode(UInt8.self) }
    return location
  }

  private mutating func decodeNullable<Value: Decodable>() throws -> Value? {
    try decodeNil() ? nil : try decode(Value.self)
  }
}
