#if canImport(CoreLocation)
  /// A weak reference to an object that is used on a single thread. Other threads only pass the reference on.
  ///
  /// `@unchecked`, because the compiler can't check the thread: a provider may be created on any thread with a run loop.
  struct ThreadBound<Object: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Object?

    init(_ object: Object) { self.object = object }
  }
#endif
