#if canImport(CoreLocation) && canImport(ObjectiveC)
  import LocoFoundation

  /// Runs actions on the run loop of the thread that created the runner.
  ///
  /// `@unchecked`, because `Thread` isn't `Sendable` on every platform. `perform(_:on:with:)` may be called on any thread.
  final class ThreadRunner: NSObject, @unchecked Sendable {
    private final class Action: NSObject, Sendable {
      let run: @Sendable () -> Void
      init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let thread = Thread.current

    /// Runs an action: synchronously if called on that thread, otherwise asynchronously.
    func run(_ action: @escaping @Sendable () -> Void) {
      perform(
        #selector(call), on: thread, with: Action(action), waitUntilDone: thread == Thread.current,
        modes: [RunLoop.Mode.common.rawValue])
    }

    @objc private func call(_ action: Any) { (action as? Action)?.run() }
  }
#endif
