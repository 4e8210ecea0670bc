#if canImport(ObjectiveC) && !os(macOS)
  import Dispatch
  import LocoFoundation
  import LocoMachine

  /// An activity that delays the suspension of an app in the background until ``end()``, or until the system's time limit.
  package final class BackgroundActivity: Sendable {
    private let work = DispatchGroup()
    private let isOver = Locked(false)

    /// - Parameter onExpiry: Called on a thread of the system if the system grants no time, or if the time limit is reached before
    ///   ``end()``. The system may suspend the app two seconds later, or at ``end()`` if that is earlier.
    package init(_ reason: String, onExpiry: (@Sendable () -> Void)? = nil) {
      work.enter()
      // The system calls the block on one of its threads, where the block waits until `end()`. At the time limit, the system calls the
      // block again, with `true`. If it grants no time, it calls the block only once, with `true`.
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
  import LocoMachine

  /// Does nothing: the platform has no `performExpiringActivity`. A debug build stops if an activity isn't ended, because on Apple's platforms
  /// it would block a thread until the time limit.
  package final class BackgroundActivity: Sendable {
    private let isOver = Locked(false)

    package init(_ reason: String, onExpiry: (@Sendable () -> Void)? = nil) {}
    package func end() { isOver.change { $0 = true } }
    deinit { assert(isOver.change { $0 }, "A background activity is released before its end.") }
  }
#endif
