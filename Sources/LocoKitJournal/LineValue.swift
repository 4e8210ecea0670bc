import LocoFoundation
import LocoKit

/// A value in a line of a journal, written as `JSONEncoder` writes it.
///
/// `JSONEncoder` takes about five times as long for a line, and a phone writes thousands of lines a day. So `JSONEncoder` encodes only rare
/// values: policies, changes of motion, and texts that need escapes.
enum LineValue {
  case integer(Int64)
  case number(Double)
  case flag(Bool)
  case text(String)
  case locations([Location])
  indirect case policy(AcquisitionPolicy)
  case changes([LocationManager.Motion.Change])
  case kinds(Set<WakeKind>)

  static func integer(_ value: Int) -> Self { .integer(Int64(value)) }
  static func nanoseconds(_ duration: Duration) -> Self { .integer(duration.inNanoseconds) }
  static func name(_ name: some RawRepresentable<String>) -> Self { .text(name.rawValue) }

  func write(to line: inout [UInt8]) throws {
    switch self {
    case .integer(let integer): line += integer.description.utf8
    case .number(let number): line.append(number: number)
    case .flag(let flag): line.append(flag ? "true" : "false")
    case .text(let text): try line.append(text: text)
    case .locations(let locations):
      try line.append(list: locations) { line, location in
        try line.append(list: location.listed) { try $0.append(listed: $1) }
      }
    case .policy(let policy): try line.append(encoded: policy)
    case .changes(let changes): try line.append(encoded: changes)
    case .kinds(let kinds):
      try line.append(list: WakeKind.allCases.filter(kinds.contains)) { try $0.append(text: $1.rawValue) }
    }
  }
}

extension [UInt8] {
  mutating func append(_ text: StaticString) { text.withUTF8Buffer { append(contentsOf: $0) } }

  fileprivate mutating func append(number: Double) {
    guard number.isFinite else { return append(number.isNaN ? "\"nan\"" : number > 0 ? "\"inf\"" : "\"-inf\"") }
    self += number.description.utf8
    if last == UInt8(ascii: "0"), self[count - 2] == UInt8(ascii: ".") { removeLast(2) }
  }

  fileprivate mutating func append(text: String) throws {
    var text = text
    let isPlain = text.withUTF8 { bytes in
      if bytes.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) { return false }
      append(UInt8(ascii: "\""))
      append(contentsOf: bytes)
      append(UInt8(ascii: "\""))
      return true
    }
    if !isPlain { try append(encoded: text) }
  }

  fileprivate mutating func append(listed value: ListedValue) throws {
    switch value {
    case .null: append("null")
    case .number(let number): append(number: number)
    case .integer(let integer): self += integer.description.utf8
    case .source(let source): try append(text: source.rawValue)
    }
  }

  /// Appends a list. `write` appends each value.
  fileprivate mutating func append<Value>(list: [Value], _ write: (inout Self, Value) throws -> Void) throws {
    append(UInt8(ascii: "["))
    for (index, value) in list.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      try write(&self, value)
    }
    append(UInt8(ascii: "]"))
  }

  fileprivate mutating func append(encoded value: some Encodable) throws {
    let encoder = JSONEncoder()
    // Without sorting, the order of the fields would differ between processes.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    self += try encoder.encode(value)
  }
}
