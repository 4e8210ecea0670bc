/// The cells since the last fix: the newest eight, as hashes.
struct KnownCells: Hashable, Sendable {
  private var newest = SIMD8<UInt64>(repeating: 0)
  private var count = 0
  private var current: UInt64?

  /// Notes that the device is in a cell, and returns whether it hasn't been there since the last fix.
  mutating func enter(_ name: String) -> Bool {
    let cell = Self.hash(name)
    guard cell != current else { return false }
    current = cell
    guard !isKnown(cell) else { return false }
    add(cell)
    return true
  }

  /// Forgets all cells but the current one.
  mutating func restart() {
    count = 0
    if let current { add(current) }
  }

  private func isKnown(_ cell: UInt64) -> Bool {
    (0..<min(count, 8)).contains { newest[$0] == cell }
  }

  private mutating func add(_ cell: UInt64) {
    // The oldest is the one that goes.
    newest[count % 8] = cell
    count += 1
  }

  /// Fowler, Noll and Vo's hash, 64 bits, 1a: the same in every launch.
  private static func hash(_ name: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}
