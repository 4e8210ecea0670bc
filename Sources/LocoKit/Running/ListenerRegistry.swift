/// A registry of listeners. It holds each listener weakly and once, in order of registration.
///
/// ```swift
/// func appear() {
///   manager.listeners.add(self)
///   trip.listeners.add(self)
/// }
///
/// func disappear() {
///   manager.listeners.remove(self)
///   trip.listeners.remove(self)
/// }
/// ```
///
/// A listener may add or remove listeners during a call, itself too. The registry doesn't call a removed listener again, not even for the
/// present event, and calls an added one from the next event on. It drops listeners that no longer exist.
///
/// `Listener` is the protocol that they conform to, so that nothing else can be added.
public final class ListenerRegistry<Listener> {
  /// A listener, held weakly by a subclass: a generic type can hold no reference to any protocol weakly.
  @usableFromInline
  class Entry {
    let identifier: ObjectIdentifier
    @usableFromInline var listener: Listener? { preconditionFailure("A subclass holds the listener.") }
    func forget() { preconditionFailure("A subclass holds the listener.") }

    init(_ identifier: ObjectIdentifier) { self.identifier = identifier }
  }

  // Overlapping accesses aren't checked at run time, which would take a tenth of a turn. They don't occur: `tell` works on a copy.
  @exclusivity(unchecked) @usableFromInline var entries: [Entry] = []
  @exclusivity(unchecked) @usableFromInline var hasGaps = false

  init() {}

  /// How many listeners there are now.
  ///
  /// - Complexity: O(n).
  public var count: Int {
    entries.count { $0.listener != nil }
  }

  /// Removes a listener, which is not called again. Does nothing for a listener that was not added.
  ///
  /// - Complexity: O(n).
  public func remove(_ listener: AnyObject) {
    let identifier = ObjectIdentifier(listener)
    for entry in entries where entry.identifier == identifier { entry.forget() }
    sweep()
  }

  @usableFromInline
  func add(_ entry: Entry) {
    // A listener that is gone may have left its address to a new one.
    if entries.contains(where: { $0.identifier == entry.identifier && $0.listener != nil }) { return }
    entries.append(entry)
  }

  /// Calls `body` with each listener, in order. Allocates nothing.
  ///
  /// - Complexity: O(n).
  @inlinable
  func tell(_ body: (Listener) -> Void) {
    // A copy: the loop doesn't call a listener that is added during it.
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

  @usableFromInline
  func sweep() {
    entries.removeAll { $0.listener == nil }
    hasGaps = false
  }
}

@available(*, unavailable)
extension ListenerRegistry: Sendable {}
