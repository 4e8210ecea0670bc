#if !hasFeature(Embedded)
  import Dispatch
  #if canImport(Darwin)
    import Darwin
  #endif

  /// The actor that an object belongs to: the main actor, another one, or none.
  ///
  /// A `deinit` runs on the thread that drops the last reference, possibly in a background task. An object of the main actor must then
  /// release its resources on the main actor, where other code may be using them. `isolated deinit` needs an actor that is known at compile
  /// time, and a Swift runtime of 2025 or later. The same applies to any other global actor. An actor that isn't global releases its objects
  /// itself or is deinitialized before them, so no other code uses their resources.
  package struct HomeIsolation: Sendable {
    private let isMainActor: Bool

    /// Notes the actor of the object that the current code creates.
    package init() { isMainActor = Self.isOnMainActor }

    /// Runs code that releases something. If the actor is the main actor and the caller runs elsewhere, the code runs in a task on the
    /// main actor; if it is another global actor, it always runs in a task on that actor; otherwise it runs immediately.
    ///
    /// - Parameters:
    ///   - isAdopted: Whether an actor has adopted the object since its creation, possibly in another actor: the synchronous initializer of
    ///     an actor runs on its caller's.
    ///   - actor: The actor that adopted the object; `nil` if none has, or if it no longer exists.
    package func release(isAdopted: Bool = false, on actor: (any Actor)? = nil, _ body: @escaping () -> Void) {
      // The caller is being deinitialized, so only the task uses what the closure captures.
      nonisolated(unsafe) let body = body
      if isAdopted ? actor is MainActor : isMainActor {
        if Self.isOnMainActor { body() } else { Task { @MainActor in body() } }
      } else if let actor, actor is any GlobalActor {
        // No function tells whether the current code runs on an actor that isn't the main actor.
        Task { await Self.run(body, on: actor) }
      } else {
        body()
      }
    }

    private static func run(_ body: () -> Void, on actor: isolated any Actor) { body() }

    /// Whether the current code runs on the main actor.
    ///
    /// On Linux, where the main queue may run on another thread, code inside another queue's `sync` counts as being elsewhere. On Apple's
    /// platforms, the main thread is always the main actor's.
    package static var isOnMainActor: Bool {
      #if canImport(Darwin)
        if pthread_main_np() != 0 { return true }
      #endif
      return DispatchQueue.getSpecific(key: key) != nil
    }

    private static let key: DispatchSpecificKey<Void> = {
      let key = DispatchSpecificKey<Void>()
      DispatchQueue.main.setSpecific(key: key, value: ())
      return key
    }()
  }
#endif
