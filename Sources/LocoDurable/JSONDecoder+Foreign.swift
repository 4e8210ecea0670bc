package import LocoFoundation

extension JSONDecoder {
  /// The deepest nesting that ``decode(_:foreign:)`` accepts. No format of a file or of gpsd needs more than eight levels.
  package static let maximumDepth = 16

  /// Decodes JSON in UTF-8 that another process may have written or damaged.
  ///
  /// Foundation's decoder stops the program on text, in any encoding, whose last character is its 513th open bracket (Swift 6.3). So it
  /// decodes only text that nests at most ``maximumDepth`` levels.
  package func decode<Value: Decodable>(_ type: Value.Type, foreign text: Data) throws -> Value {
    var depth = 0
    var (isInString, isEscaped) = (false, false)
    for byte in text {
      if byte == 0 { throw ForeignJSONError.containsZero }
      if isInString {
        if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      if depth > Self.maximumDepth { throw ForeignJSONError.nestsTooDeep }
    }
    return try decode(type, from: text)
  }
}
