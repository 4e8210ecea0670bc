import Foundation

/// A runner's clock: how much time has passed since the runner was made, and what the wall clock says.
struct RunnerClock {
  /// The time since the runner was made.
  let now: () -> Duration
  /// Waits until so much time has passed.
  let sleep: @Sendable (Duration) async throws -> Void
  /// The clock, if it is one that a test moves: its alarms run in the middle of `advance`.
  let manual: ManualClock?
  private let start: Duration

  init<C: Clock<Duration>>(_ clock: C) {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    manual = clock as? ManualClock
    self.start = manual?.now.offset ?? .zero
  }

  /// The time of a manual clock.
  func instant(_ time: Duration) -> ManualClock.Instant { ManualClock.Instant(offset: start + time) }

  /// The wall clock: the time since the beginning of 1970.
  var sinceEpoch: Duration { .seconds((manual?.date ?? Date()).timeIntervalSince1970) }
}
