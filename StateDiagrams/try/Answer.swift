// The answers of the page's functions. An answer is the address of four bytes with the length of a JSON text, followed by the text.

func answer(_ text: String) -> UnsafeMutableRawPointer {
  var text = text
  return text.withUTF8 { bytes in
    let answer = UnsafeMutableRawPointer.allocate(byteCount: 4 + bytes.count, alignment: 8)
    answer.storeBytes(of: UInt32(bytes.count), as: UInt32.self)
    if let base = bytes.baseAddress { (answer + 4).copyMemory(from: base, byteCount: bytes.count) }
    return answer
  }
}
