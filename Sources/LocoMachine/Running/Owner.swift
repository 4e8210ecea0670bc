#if !hasFeature(Embedded)
  import Dispatch

  /// The actor that an object belongs to: the main actor, or another one.
  ///
  /// A `deinit` runs on the thread that drops the last reference, which may be a background task's. What an object of the main actor releases
  /// then must be released on the main actor, where other code may be using it. `isolated deinit` needs an actor that the compiler knows,
  /// and the runtime of 2025. Any other actor is itself deinitialized before what it owns.
  package struct Owner: Sendable {
    private let isMainActor: Bool

    /// The actor of the current code.
    package init() { isMainActor = Self.isOnMainActor }

    /// Releases something in the owner's isolation: now, or if that is the main actor and this is another thread, in a task.
    package func release(_ body: @escaping () -> Void) {
      if !isMainActor || Self.isOnMainActor { return body() }
      // The caller is deinitialized, so only the task uses what the closure captures.
      nonisolated(unsafe) let body = body
      Task { @MainActor in body() }
    }

    /// Whether the code runs on the main actor. `Thread.isMainThread` doesn't tell: on Linux the main queue may run on another thread.
    private static var isOnMainActor: Bool { DispatchQueue.getSpecific(key: key) != nil }

    private static let key: DispatchSpecificKey<Void> = {
      let key = DispatchSpecificKey<Void>()
      DispatchQueue.main.setSpecific(key: key, value: ())
      return key
    }()
  }
#endif
