#if canImport(ObjectiveC) && !os(macOS)
  import Dispatch
  import LocoFoundation

  /// An activity that keeps an app in the background from being suspended until it ends, as long as the system allows.
  package final class BackgroundActivity: Sendable {
    private let work = DispatchGroup()
    private let isOver = Locked(false)

    /// - Parameter onExpiry: Called on a thread of the system if the time is over before ``end()``. The app then has two seconds, or until
    ///   ``end()``, before it is suspended.
    package init(_ reason: String, onExpiry: (@Sendable () -> Void)? = nil) {
      work.enter()
      // The system calls the block on one of its threads, which the block occupies, and again with `true` when the time is over.
      ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { [self] hasExpired in
        guard hasExpired else { return work.wait() }
        if let onExpiry, !isOver.change({ $0 }) {
          onExpiry()
          _ = work.wait(timeout: .now() + .seconds(2))
        }
        end()
      }
    }

    package func end() {
      let isFirst = isOver.change { isOver in
        defer { isOver = true }
        return !isOver
      }
      if isFirst { work.leave() }
    }
  }
#else
  /// Does nothing: the system doesn't suspend apps.
  package final class BackgroundActivity: Sendable {
    package init(_ reason: String, onExpiry: (@Sendable () -> Void)? = nil) {}
    package func end() {}
  }
#endif
