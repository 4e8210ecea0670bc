/// A random number generator that returns the same numbers for the same seed, on every platform. Don't use it for secrets.
///
/// The algorithm is SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, 2014).
@_spi(Benchmarks) public struct SeededGenerator: RandomNumberGenerator, Sendable {
  @usableFromInline var state: UInt64

  /// Creates a generator from a seed.
  @_spi(Benchmarks) public init(seed: UInt64) { state = seed }

  /// Returns the next number.
  @inlinable
  @_spi(Benchmarks) public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// Returns a number from 0 to `count - 1`. The range has 64 bits, because `Int.random(in:using:)` returns different numbers on platforms
  /// with a 32-bit `Int`.
  package mutating func index(below count: Int) -> Int { Int(Int64.random(in: .zero..<Int64(count), using: &self)) }

  @inlinable
  package static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
