import LocoDurable

/// The entries that a ``Journal`` hasn't written yet.
package struct UnwrittenEntries: UnwrittenChanges {
  package struct Work: Sendable {
    let entries: [JournalEntry]
    /// The number of entries after them that were dropped, because the queue was full.
    let lost: Int
  }

  private var entries: [JournalEntry] = []
  private var lost = 0
  private static let maximum = 10_000

  package var isEmpty: Bool { entries.isEmpty && lost == 0 }

  mutating func append(_ entry: JournalEntry) {
    if entries.count < Self.maximum { entries.append(entry) } else { lost += 1 }
  }

  package mutating func begin() -> Work {
    defer { (entries, lost) = ([], 0) }
    return Work(entries: entries, lost: lost)
  }

  package mutating func succeed(_: Work) {}
  package mutating func fail(_: Work) {}
}
