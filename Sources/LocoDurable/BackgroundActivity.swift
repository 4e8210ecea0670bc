#if canImport(ObjectiveC) && !os(macOS)
  import Dispatch
  import LocoFoundation
  import LocoMachine

  /// An activity that delays the suspension of an app in the background until ``end()``, its release, or the system's time limit.
  package final class BackgroundActivity: Sendable {
    /// The part that the system retains.
    private final class Wait: Sendable {
      let work = DispatchGroup()
      let isOver = Locked(false)

      func end() {
        let isFirst = isOver.change { isOver in
          defer { isOver = true }
          return !isOver
        }
        if isFirst { work.leave() }
      }
    }

    private let wait = Wait()

    /// - Parameter onExpiry: Called on a thread of the system if the system grants no time, or if the time limit is reached before
    ///   ``end()``. The system may suspend the app two seconds later, or at ``end()`` if that is earlier.
    package init(_ reason: String, onExpiry: (@Sendable () -> Void)? = nil) {
      wait.work.enter()
      // The system calls the block on one of its threads, where the block waits until `end()`. At the time limit, the system calls the
      // block again, with `true`. If it grants no time, it calls the block only once, with `true`.
      ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { [wait] hasExpired in
        guard hasExpired else { return wait.work.wait() }
        if let onExpiry, !wait.isOver.change({ $0 }) {
          onExpiry()
          _ = wait.work.wait(timeout: .now() + .seconds(2))
        }
        wait.end()
      }
    }

    package func end() { wait.end() }

    // Otherwise the system's thread would wait until the time limit, such as for a store that is released during a back-off.
    deinit { wait.end() }
  }
#elseif os(macOS)
  import LocoFoundation
  import LocoMachine

  /// An activity that keeps App Nap from delaying the timers of an app without visible windows, until ``end()`` or its release.
  package final class BackgroundActivity: Sendable {
    /// An activity may end on another thread than it began on.
    ///
    /// `@unchecked`, because the token's type isn't `Sendable`. Only the end of the activity uses the token, once.
    private struct Token: @unchecked Sendable { let activity: any NSObjectProtocol }

    private let token: Locked<Token?>

    /// - Parameter onExpiry: Never called: macOS sets no time limit.
    package init(_ reason: String, onExpiry: (@Sendable () -> Void)? = nil) {
      let process = ProcessInfo.processInfo
      token = Locked(
        Token(activity: process.beginActivity(options: .userInitiatedAllowingIdleSystemSleep, reason: reason)))
    }

    package func end() {
      let last = token.change { token in
        defer { token = nil }
        return token
      }
      if let last { ProcessInfo.processInfo.endActivity(last.activity) }
    }

    deinit { end() }
  }
#else
  /// Does nothing: the platform has no `performExpiringActivity`.
  package final class BackgroundActivity: Sendable {
    package init(_ reason: String, onExpiry: (@Sendable () -> Void)? = nil) {}
    package func end() {}
  }
#endif
