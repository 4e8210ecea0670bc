/// A manager's listeners: held weakly, in order, once each.
///
/// A listener may add or remove any other, itself too, while it is being told. One that was removed is not told again, not
/// even of what is being told; one that was added is told from the next time on; one that no longer exists is forgotten.
public final class ListenerRegistry {
  private final class Entry {
    weak var listener: (any LocationManagerListener)?
    let identifier: ObjectIdentifier

    init(_ listener: any LocationManagerListener) {
      self.listener = listener
      identifier = ObjectIdentifier(listener)
    }
  }

  private var entries: [Entry] = []
  private var hasGaps = false

  init() {}

  /// How many listeners there are now.
  ///
  /// - Complexity: O(n).
  public var count: Int {
    entries.count { $0.listener != nil }
  }

  /// Adds a listener behind the others, without keeping it alive; one that is there already stays where it is.
  ///
  /// - Complexity: O(n).
  public func add(_ listener: any LocationManagerListener) {
    // A listener that is gone may have left its address to a new one.
    let identifier = ObjectIdentifier(listener)
    if entries.contains(where: { $0.identifier == identifier && $0.listener != nil }) { return }
    entries.append(Entry(listener))
  }

  /// Removes a listener, which hears nothing from now on. Does nothing if it is not there.
  ///
  /// - Complexity: O(n).
  public func remove(_ listener: any LocationManagerListener) {
    let identifier = ObjectIdentifier(listener)
    for entry in entries where entry.identifier == identifier {
      entry.listener = nil
    }
    sweep()
  }

  /// Calls `body` with each listener, in order. Allocates nothing.
  ///
  /// - Complexity: O(n).
  func tell(_ body: (any LocationManagerListener) -> Void) {
    // Those who are there now: whoever is added meanwhile is told from the next time on.
    let entries = entries
    for index in entries.indices {
      if let listener = entries[index].listener {
        body(listener)
      } else {
        hasGaps = true
      }
    }
    if hasGaps { sweep() }
  }

  private func sweep() {
    entries.removeAll { $0.listener == nil }
    hasGaps = false
  }
}

@available(*, unavailable)
extension ListenerRegistry: Sendable {}
