import Foundation

/// SHA-256 as in FIPS 180-4, which Foundation lacks.
enum SHA256 {
  static func hash(_ message: [UInt8]) -> [UInt8] {
    var bytes = message + [0x80]
    while bytes.count % 64 != 56 { bytes.append(0) }
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(message.count * 8) >> (56 - 8 * $0)) }
    let primes = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }
    func fraction(_ value: Double) -> UInt32 { UInt32((value - value.rounded(.down)) * 4_294_967_296) }
    let constants = primes.prefix(64).map { fraction(cbrt(Double($0))) }
    var state = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
    func turned(_ value: UInt32, _ bits: UInt32) -> UInt32 { value >> bits | value << (32 - bits) }
    for start in stride(from: 0, to: bytes.count, by: 64) {
      var words = (0..<16).map { word in
        (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[start + 4 * word + $1]) }
      }
      for index in 16..<64 {
        let (early, late) = (words[index - 15], words[index - 2])
        let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
        let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
        words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
      }
      var s = state
      for index in 0..<64 {
        let sum = turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)
        let one = s[7] &+ sum &+ (s[4] & s[5] ^ ~s[4] & s[6]) &+ constants[index] &+ words[index]
        let other = turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)
        let two = other &+ (s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2])
        s = [one &+ two, s[0], s[1], s[2], s[3] &+ one, s[4], s[5], s[6]]
      }
      state = zip(state, s).map { $0 &+ $1 }
    }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
  }
}
