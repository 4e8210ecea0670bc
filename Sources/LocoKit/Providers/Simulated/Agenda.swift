/// What is due when: a binary heap, in which what was added first comes first among equal times.
struct Agenda<Item> {
  private var entries: [(time: Int64, number: Int, item: Item)] = []
  private var added = 0

  /// When the next item is due.
  var next: Int64? { entries.first?.time }

  mutating func add(_ item: Item, at time: Int64) {
    // Room for a device without faults, at once: growing by and by leaves holes in memory.
    if entries.capacity == 0 { entries.reserveCapacity(4) }
    entries.append((time, added, item))
    added += 1
    var child = entries.count - 1
    while child > 0, isBefore(child, (child - 1) / 2) {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func removeNext() -> Item? {
    guard !entries.isEmpty else { return nil }
    entries.swapAt(0, entries.count - 1)
    let next = entries.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count && isBefore(child, least) {
        least = child
      }
      if least == parent { break }
      entries.swapAt(parent, least)
      parent = least
    }
    return next.item
  }

  private func isBefore(_ first: Int, _ second: Int) -> Bool {
    (entries[first].time, entries[first].number) < (entries[second].time, entries[second].number)
  }
}
