// The answers of the pages' functions. An answer is the address of four bytes with the length of a JSON text, followed by the text.

func answer(_ text: String) -> UnsafeMutableRawPointer {
  var text = text
  return text.withUTF8 { bytes in
    let answer = UnsafeMutableRawPointer.allocate(byteCount: 4 + bytes.count, alignment: 8)
    answer.storeBytes(of: UInt32(bytes.count), as: UInt32.self)
    if let base = bytes.baseAddress { (answer + 4).copyMemory(from: base, byteCount: bytes.count) }
    return answer
  }
}

func object(_ members: [(String, String)]) -> String {
  "{" + members.map { quoted($0.0) + ":" + $0.1 }.joined(separator: ",") + "}"
}

func list(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

func number(_ number: Int) -> String { String(number) }

func quoted(_ text: String?) -> String {
  guard let text else { return "null" }
  var quoted = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": quoted += "\\\""
    case "\\": quoted += "\\\\"
    case _ where scalar.value < 32: quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
    default: quoted.unicodeScalars.append(scalar)
    }
  }
  return quoted + "\""
}
