import Foundation

/// A file's bytes, made fit for Foundation's XML parser, piece by piece.
///
/// On Linux that parser stops the program where a name is not UTF-8, and where a processing instruction has no data. So all
/// text is given to it as UTF-8, with a question mark in place of bytes that are not UTF-8. Processing instructions, which
/// say nothing of a track, become blanks; so does the declaration at the beginning, since the encoding that it names no
/// longer holds. From a document type on, in which other things stop the program and entities can multiply, nothing is given
/// to it at all; nor from a tag with very many attributes, which take the square of their number.
struct XMLBytes {
  /// How many attributes an element may have, namespaces among them. GPX needs two, and a root element some ten.
  static let maximumAttributes = 64
  /// In how many bytes at the beginning a file says its encoding.
  private static let beginning = 256

  private enum Encoding {
    case utf8
    case utf16(isBigEndian: Bool)
    case singleByte([[UInt8]])
  }

  private enum Place {
    case text
    /// In the tag that begins an element.
    case tag
    /// In a quoted value of such a tag.
    case value
    case comment
    case characterData
    case instruction
    case refused
  }

  /// Why nothing is given to the parser from a line on; `nil` where the file has nothing of the kind.
  private(set) var refusal: (line: Int, reason: String)?

  private var encoding: Encoding?
  private var undecoded: [UInt8] = []
  private var place = Place.text
  /// The attributes of the tag so far.
  private var attributes = 0
  /// The mark that ends the quoted value.
  private var quote: UInt8 = 0
  private var line = 1
  /// The newest bytes, which may be the beginning of a mark.
  private var recent: [UInt8] = []

  /// What is given to the parser for a piece of the file.
  mutating func text(of piece: some Sequence<UInt8>) -> [UInt8] {
    undecoded += piece
    if encoding == nil {
      guard undecoded.count >= Self.beginning else { return [] }
      encoding = Self.encoding(of: undecoded)
    }
    return blanked(decoded())
  }

  /// What is left at the end of the file.
  mutating func end() -> [UInt8] {
    encoding = encoding ?? Self.encoding(of: undecoded)
    let rest = blanked(decoded()) + blanked(undecoded.map { _ in UInt8(ascii: "?") }) + recent
    (undecoded, recent) = ([], [])
    return rest
  }

  // MARK: - Encodings

  private static func encoding(of beginning: [UInt8]) -> Encoding {
    if beginning.starts(with: [0xFE, 0xFF]) { return .utf16(isBigEndian: true) }
    if beginning.starts(with: [0xFF, 0xFE]) { return .utf16(isBigEndian: false) }
    let declaration = String(
      decoding: beginning.prefix(Self.beginning).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
    let parts = declaration.split(whereSeparator: { "\"'".contains($0) })
    let name = zip(parts, parts.dropFirst()).first { before, _ in
      before.filter { !$0.isWhitespace }.hasSuffix("encoding=")
    }?.1
    switch name?.lowercased() {
    case "iso-8859-1", "iso-8859-15", "latin1": return .singleByte(table(.isoLatin1))
    case "windows-1252": return .singleByte(table(.windowsCP1252))
    default: return .utf8
    }
  }

  private static func table(_ encoding: String.Encoding) -> [[UInt8]] {
    (0...255).map { String(bytes: [$0], encoding: encoding).map { Array($0.utf8) } ?? [UInt8(ascii: "?")] }
  }

  private mutating func decoded() -> [UInt8] {
    switch encoding {
    case .singleByte(let table):
      defer { undecoded = [] }
      return undecoded.flatMap { table[Int($0)] }
    case .utf16(let isBigEndian):
      var units: [UInt16] = []
      for index in stride(from: 0, to: undecoded.count - 1, by: 2) {
        let (first, second) = (UInt16(undecoded[index]), UInt16(undecoded[index + 1]))
        units.append(isBigEndian ? first << 8 | second : second << 8 | first)
      }
      var rest = Array(undecoded.suffix(undecoded.count % 2))
      // The first half of a pair waits for the second.
      if let last = units.last, UTF16.isLeadSurrogate(last) {
        units.removeLast()
        rest = Array(undecoded.suffix(undecoded.count % 2 + 2))
      }
      undecoded = rest
      return Array(String(decoding: units, as: UTF16.self).utf8)
    case .utf8, nil:
      let unfinished = Self.unfinished(undecoded)
      let whole = undecoded.dropLast(unfinished)
      undecoded = Array(undecoded.suffix(unfinished))
      // Nearly every file is valid, and this is checked many bytes at a time.
      if String(bytes: whole, encoding: .utf8) != nil { return Array(whole) }
      var result: [UInt8] = []
      result.reserveCapacity(whole.count)
      var parser = Unicode.UTF8.ForwardParser()
      var iterator = whole.makeIterator()
      while true {
        switch parser.parseScalar(from: &iterator) {
        case .valid(let character): result += character
        case .error(let length): result += repeatElement(UInt8(ascii: "?"), count: length)
        case .emptyInput: return result
        }
      }
    }
  }

  /// How many bytes at the end begin a character whose other bytes may still come.
  private static func unfinished(_ bytes: [UInt8]) -> Int {
    for (back, byte) in bytes.suffix(3).reversed().enumerated() {
      let length =
        switch byte {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        case 0x80...0xBF: 0
        default: 1
        }
      if length == 0 { continue }
      return length > back + 1 ? back + 1 : 0
    }
    return 0
  }

  // MARK: - Processing instructions

  private static let beginComment = Array("<!--".utf8)
  private static let endComment = Array("-->".utf8)
  private static let beginCharacterData = Array("<![CDATA[".utf8)
  private static let endCharacterData = Array("]]>".utf8)
  private static let beginDocumentType = Array("<!DOCTYPE".utf8)
  private static let blank = UInt8(ascii: " ")
  /// The bytes that are kept back: the longest mark may begin with the first of them.
  private static let longestMark = beginCharacterData.count

  /// The bytes but for the newest, among which a mark may be beginning.
  private mutating func blanked(_ bytes: [UInt8]) -> [UInt8] {
    var index = recent.count
    var all = recent + bytes
    all.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      let end = buffer.count
      while index < end {
        move(to: index, in: start)
        index += 1
      }
    }
    let ready = max(0, all.count - Self.longestMark)
    recent = Array(all[ready...])
    all.removeLast(all.count - ready)
    return all
  }

  /// Passes one byte.
  ///
  /// This runs for every byte of a file, in debug builds of an app's tests too, so it calls nothing unless the byte may end a
  /// mark.
  private mutating func move(to index: Int, in bytes: UnsafeMutablePointer<UInt8>) {
    let byte = bytes[index]
    if byte == 0x0A { line += 1 }
    switch place {
    case .text:
      let previous: UInt8 = index > 0 ? bytes[index - 1] : 0
      switch byte {
      case 0x3F where previous == 0x3C:  // <?
        place = .instruction
        (bytes[index - 1], bytes[index]) = (Self.blank, Self.blank)
      case 0x2D where Self.ends(bytes, at: index, with: Self.beginComment):  // -
        place = .comment
      case 0x5B where Self.ends(bytes, at: index, with: Self.beginCharacterData):  // [
        place = .characterData
      case 0x45 where Self.ends(bytes, at: index, with: Self.beginDocumentType):  // E
        refuse("GPX has no document type, and none is read: remove <!DOCTYPE …>")
        // The mark alone: the byte before it may be the end of a character.
        for position in index - Self.beginDocumentType.count + 1...index { bytes[position] = Self.blank }
      case 0x21, 0x3F, 0x2F:  // ! ? /
        break
      default:
        if previous == 0x3C { (place, attributes) = (.tag, 0) }  // <
      }
    case .tag:
      switch byte {
      case 0x3C, 0x3E:  // < >
        // The parser fails at a < in a tag. The filter still checks what follows.
        place = .text
      case 0x22, 0x27:  // " '
        (place, quote) = (.value, byte)
      case 0x3D where attributes == Self.maximumAttributes:  // =
        refuse("an element has more than \(Self.maximumAttributes) attributes")
      case 0x3D:
        attributes += 1
      default: break
      }
    case .value:
      if byte == quote {
        place = .tag
      } else if byte == 0x3C {
        place = .text
      }
    case .comment:
      if byte == 0x3E, Self.ends(bytes, at: index, with: Self.endComment) { place = .text }
    case .characterData:
      if byte == 0x3E, Self.ends(bytes, at: index, with: Self.endCharacterData) { place = .text }
    case .instruction:
      // The ends of lines count.
      if byte != 0x0A { bytes[index] = Self.blank }
      if byte == 0x3E, wasQuestionMark { place = .text }
      wasQuestionMark = byte == 0x3F
    case .refused:
      bytes[index] = Self.blank
    }
  }

  private mutating func refuse(_ reason: String) {
    place = .refused
    refusal = (line, reason)
  }

  /// Whether the last byte of an instruction was a question mark, which is blank by now.
  private var wasQuestionMark = false

  private static func ends(_ bytes: UnsafeMutablePointer<UInt8>, at index: Int, with mark: [UInt8]) -> Bool {
    index + 1 >= mark.count && mark.indices.allSatisfy { bytes[index + 1 - mark.count + $0] == mark[$0] }
  }
}
