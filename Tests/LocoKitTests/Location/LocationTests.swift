import Foundation
import Testing

@testable import LocoKit

@Suite("Locations")
struct LocationTests {
  private static let optionals: [(name: String, property: any WritableKeyPath<Location, Double?> & Sendable)] = [
    ("altitude", \.altitude), ("verticalAccuracy", \.verticalAccuracy), ("speed", \.speed),
    ("speedAccuracy", \.speedAccuracy), ("course", \.course), ("courseAccuracy", \.courseAccuracy),
  ]
  private static let place = {
    var place = plain
    place.isProducedByAccessory = true
    return place
  }()
  private static let plain = Location(
    latitude: 1, longitude: 2, horizontalAccuracy: 3, altitude: 4, verticalAccuracy: 5, speed: 6, speedAccuracy: 7,
    course: 8, courseAccuracy: 9, floor: 10, timestamp: Date(timeIntervalSinceReferenceDate: 11), source: .coarse)

  @Test(
    "Each optional number is stored independently of the others, and is nil if it isn't a number of at most 10⁹",
    arguments: optionals.indices)
  func optionalValue(index: Int) throws {
    let property = Self.optionals[index].property
    let values: [Double?] = [nil, 0, -1.5, 1e9, -1e9, .leastNonzeroMagnitude]
    for value in values {
      var location = Self.place
      location[keyPath: property] = value
      #expect(location[keyPath: property] == value)
      for other in Self.optionals where other.name != Self.optionals[index].name {
        #expect(location[keyPath: other.property] == Self.place[keyPath: other.property], "\(other.name)")
      }
      let read = try JSONDecoder().decode(Location.self, from: JSONEncoder().encode(location))
      #expect(read == location && read.hashValue == location.hashValue)
    }
    var unknown = Self.place
    unknown[keyPath: property] = nil
    for value in [Double.nan, .infinity, -.infinity, .signalingNaN, 1.1e9, -1.1e9, .greatestFiniteMagnitude] {
      var location = Self.place
      location[keyPath: property] = value
      #expect(location == unknown && location[keyPath: property] == nil)
    }
  }

  @Test("A source of a later version is read as coarse, so that the location isn't lost")
  func laterSource() throws {
    let encoded = String(decoding: try JSONEncoder().encode(Self.plain), as: UTF8.self)
    let later = Data(encoded.replacing("\"coarse\"", with: "\"network\"").utf8)
    #expect(try JSONDecoder().decode(Location.self, from: later) == Self.plain)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Location.self, from: Data(encoded.replacing("\"coarse\"", with: "7").utf8))
    }
  }

  @Test(
    "A floor is stored up to ±32,767, and independently of the other values",
    arguments: [
      (nil, nil), (0, 0), (-3, -3), (32_767, 32_767), (-32_767, -32_767), (-32_768, -32_767), (Int.max, 32_767),
      (Int.min, -32_767),
    ] as [(Int?, Int?)])
  func floor(_ floor: Int?, _ stored: Int?) throws {
    var location = Self.place
    location.floor = floor
    #expect(location.floor == stored)
    let read = try JSONDecoder().decode(Location.self, from: JSONEncoder().encode(location))
    #expect(read == location && read.floor == stored)
    location.floor = Self.place.floor
    #expect(location == Self.place)
  }

  @Test("The two origins are independent, and a file keeps them", arguments: 0..<4)
  func origins(_ number: UInt8) throws {
    var location = Self.plain
    (location.isSimulatedBySoftware, location.isProducedByAccessory) = (number & 1 != 0, number & 2 != 0)
    #expect(location.origins == number)
    let read = try JSONDecoder().decode(Location.self, from: JSONEncoder().encode(location))
    #expect(read.isSimulatedBySoftware == (number & 1 != 0) && read.isProducedByAccessory == (number & 2 != 0))
    (location.isSimulatedBySoftware, location.isProducedByAccessory) = (false, false)
    #expect(location == Self.plain)
  }

  @Test("The initializer sets each value, and the JSON has the names of the properties")
  func json() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(
      try String(decoding: encoder.encode(Self.place), as: UTF8.self)
        == #"{"altitude":4,"course":8,"courseAccuracy":9,"floor":10,"horizontalAccuracy":3,"latitude":1,"longitude":2,"#
        + #""origins":2,"source":"coarse","speed":6,"speedAccuracy":7,"timestamp":11,"verticalAccuracy":5}"#)
    let least = Location(
      latitude: 1, longitude: 2, horizontalAccuracy: 3, altitude: .nan, course: .infinity,
      timestamp: Date(timeIntervalSinceReferenceDate: 11))
    #expect(
      try String(decoding: encoder.encode(least), as: UTF8.self)
        == #"{"horizontalAccuracy":3,"latitude":1,"longitude":2,"timestamp":11}"#)
  }
}
