import Foundation

/// A random number generator whose seed decides all that comes of it, the same on every platform.
///
/// ```swift
/// var random = SeededGenerator(seed: 7)
/// let dice = (1...5).map { _ in Int.random(in: 1...6, using: &random) }    // the same in each run
/// ```
///
/// This is SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, 2014): one addition and a
/// mixing function a number. It is for simulations, not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator that gives the same numbers for the same seed.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// A normal number with variance 1, by Box and Muller.
  mutating func nextNormal() -> Double {
    let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &self))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
  }

  static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
