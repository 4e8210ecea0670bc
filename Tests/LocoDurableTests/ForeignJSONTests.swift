import Foundation
import LocoDurable
import Testing

@Suite("JSON from outside the program")
struct ForeignJSONTests {
  @Test("Text with any number of brackets, in any encoding, is an error, also where it ends with the last bracket")
  func brackets() {
    for encoding in [String.Encoding.utf8, .utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32LittleEndian] {
      for open in ["[", "{\"a\":", "[\"∀\",", "[\"\\\"\","] {
        for count in [1, 16, 17, 512, 513, 514, 10_000] {
          for end in ["", "[", "{"] {
            let text = (String(repeating: open, count: count) + end).data(using: encoding) ?? Data()
            #expect(throws: (any Error).self) { try JSONDecoder().decode([String].self, foreign: text) }
          }
        }
      }
    }
  }

  @Test("A character whose bytes contain a quote hides no bracket in UTF-16", arguments: [true, false])
  func hidden(isBigEndian: Bool) {
    let text = "[\"∀\"," + String(repeating: "[", count: 512)
    let bytes = text.data(using: isBigEndian ? .utf16BigEndian : .utf16LittleEndian) ?? Data()
    #expect(throws: ForeignJSONError.containsZero) { try JSONDecoder().decode([String].self, foreign: bytes) }
  }

  @Test("Brackets in strings don't count as nesting, and the deepest nesting is decoded")
  func decodes() throws {
    let text = "[" + String(repeating: #""[{\"[{\\","#, count: 20) + #""]"]"#
    #expect(try JSONDecoder().decode([String].self, foreign: Data(text.utf8)).count == 21)
    indirect enum Nest: Decodable {
      case inner([Nest])
      init(from decoder: any Decoder) throws { self = .inner(try decoder.singleValueContainer().decode([Nest].self)) }
    }
    func decode(depth: Int) throws {
      let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      _ = try JSONDecoder().decode(Nest.self, foreign: Data(text.utf8))
    }
    #expect(
      try JSONDecoder().decode(
        [[[Int]]].self, foreign: Data("[[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]]]".utf8))[0].count == 17)
    for depth in [1, JSONDecoder.maximumDepth] { #expect(throws: Never.self) { try decode(depth: depth) } }
    #expect(throws: ForeignJSONError.nestsTooDeep) { try decode(depth: JSONDecoder.maximumDepth + 1) }
  }
}
