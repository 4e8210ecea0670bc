/// The newest eight cells since the last fix, as hashes.
struct KnownCells: Hashable, Sendable {
  private var newest = SIMD8<UInt64>(repeating: 0)
  private var count = 0
  private var current: UInt64?

  /// Sets the current cell, and returns whether it has changed to a cell that isn't among the newest.
  mutating func enter(_ name: String) -> Bool {
    let cell = Self.hash(name)
    guard cell != current else { return false }
    current = cell
    guard !(0..<min(count, 8)).contains(where: { newest[$0] == cell }) else { return false }
    add(cell)
    return true
  }

  /// Removes all cells except the current one.
  mutating func restart() {
    count = 0
    if let current { add(current) }
  }

  private mutating func add(_ cell: UInt64) {
    // Replaces the oldest cell if there are eight.
    newest[count % 8] = cell
    count += 1
  }

  /// The 64-bit FNV-1a hash, which is the same in every launch.
  static func hash(_ name: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }
}
