/// A value of a location's list.
package enum ListedValue: Encodable {
  case null
  case number(Double)
  case integer(Int)
  case source(Location.Source)

  init(_ number: Double?) { self = number.map(Self.number) ?? .null }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .number(let number): try container.encode(number)
    case .integer(let integer): try container.encode(integer)
    case .source(let source): try container.encode(source)
    }
  }
}
