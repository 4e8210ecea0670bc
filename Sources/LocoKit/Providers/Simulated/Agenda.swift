/// A queue of items by time. Items with the same time leave in the order of their arrival.
struct Agenda<Item> {
  /// The latest item first.
  private var entries: [(time: Int64, item: Item)] = []

  /// The time of the next item.
  var next: Int64? { entries.last?.time }

  /// Adds an item.
  ///
  /// - Complexity: O(number of items before it): most items are due soon.
  mutating func add(_ item: Item, at time: Int64) {
    let index = entries.lastIndex { $0.time > time }.map { $0 + 1 } ?? 0
    entries.insert((time, item), at: index)
  }

  mutating func removeNext() -> Item? { entries.popLast()?.item }
}
