#if !hasFeature(Embedded)
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
  /// During a call, a listener may add and remove listeners, including itself. A removed listener isn't called again, not even for the
  /// current event. A listener that removes itself may still receive the last call for that event. An added listener is called from the next event
  /// on. Listeners that no longer exist are dropped.
  ///
  /// `Listener` is the listeners' protocol.
  public final class ListenerRegistry<Listener> {
    // Exclusivity checks at run time would take a tenth of a turn's time. Accesses don't overlap, because `tell` works on a copy.
    @exclusivity(unchecked) @usableFromInline package var entries: [any ListenerEntry<Listener>] = []
    @exclusivity(unchecked) @usableFromInline var hasGaps = false

    package init() {}

    /// The number of listeners.
    ///
    /// - Complexity: O(n).
    package var count: Int { entries.reduce(0) { $0 + ($1.listener == nil ? 0 : 1) } }

    /// Removes a listener. Does nothing if the listener isn't registered.
    ///
    /// - Complexity: O(n).
    public func remove(_ listener: AnyObject) {
      let identifier = ObjectIdentifier(listener)
      for entry in entries where entry.identifier == identifier { entry.forget() }
      sweep()
    }

    @inlinable
    package func add(_ entry: any ListenerEntry<Listener>) {
      // A new listener may have the address of a listener that no longer exists. A view may make many that are never notified.
      sweep()
      if entries.contains(where: { $0.identifier == entry.identifier }) { return }
      entries.append(entry)
    }

    /// Calls `body` with each listener, in order, without an allocation.
    ///
    /// - Parameter type: The class of all entries, which a release build doesn't check. Without it, the compiled code would retain and
    ///   release each entry.
    @_alwaysEmitIntoClient
    @inline(__always)
    package func notify<Entry: ListenerEntry<Listener>>(through type: Entry.Type, _ body: (Listener) -> Void) {
      // A copy, so that listeners that are added during the loop aren't called.
      let entries = entries
      for index in entries.indices {
        if let listener = unsafeDowncast(entries[index], to: type).listener { body(listener) } else { hasGaps = true }
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
#endif
