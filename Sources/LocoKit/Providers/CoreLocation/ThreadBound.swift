#if canImport(CoreLocation)
  /// A weak reference that may be carried to other threads, and is read on the thread of its object alone: the compiler cannot check
  /// that, since a provider may be made on any thread with a run loop.
  struct ThreadBound<Object: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Object?

    init(_ object: Object) { self.object = object }
  }
#endif
