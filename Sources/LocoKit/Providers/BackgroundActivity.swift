#if canImport(ObjectiveC) && !os(macOS)
  import Dispatch
  import Foundation

  /// Keeps an app in the background from being suspended, from when it is made until it ends, as long as the system allows.
  final class BackgroundActivity: Sendable {
    private let over = DispatchSemaphore(value: 0)

    init(_ reason: String) {
      // The block runs on a thread of the system's and holds it; once more, with `true`, where the time is up.
      ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { [over] hasExpired in
        if hasExpired { over.signal() } else { over.wait() }
      }
    }

    func end() { over.signal() }
  }
#else
  /// Where the system suspends no app of its own accord there is nothing to keep it from.
  final class BackgroundActivity: Sendable {
    init(_ reason: String) {}
    func end() {}
  }
#endif
