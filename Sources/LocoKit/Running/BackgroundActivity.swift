#if canImport(ObjectiveC) && !os(macOS)
  import Dispatch
  import Foundation

  /// Keeps an app in the background from being suspended, from when it is made until it ends, as long as the system allows.
  final class BackgroundActivity: Sendable {
    private let work = DispatchGroup()
    private let isOver = Locked(false)

    /// The time limit of the work that `onExpiry` begins.
    private static let grace = DispatchTimeInterval.seconds(2)

    /// - Parameter onExpiry: Called on a thread of the system's when the time is up and the activity has not ended: whatever
    ///   must be done before the app is suspended then has two seconds, until ``end()``.
    init(_ reason: String, onExpiry: (@Sendable () -> Void)? = nil) {
      work.enter()
      // The block runs on a thread of the system's and holds it; once more, with `true`, where the time is up.
      ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { [self] hasExpired in
        guard hasExpired else { return work.wait() }
        if let onExpiry, !isOver.change({ $0 }) {
          onExpiry()
          _ = work.wait(timeout: .now() + Self.grace)
        }
        end()
      }
    }

    func end() {
      let isFirst = isOver.change { isOver in
        defer { isOver = true }
        return !isOver
      }
      if isFirst { work.leave() }
    }
  }
#else
  /// Where the system suspends no app of its own accord there is nothing to keep it from.
  final class BackgroundActivity: Sendable {
    init(_ reason: String, onExpiry: (@Sendable () -> Void)? = nil) {}
    func end() {}
  }
#endif
