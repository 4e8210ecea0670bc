import LocoMachineTesting

/// A clock whose timers never fire.
struct StoppedTimers: Clock {
  let base: ManualClock
  var now: ManualClock.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }
  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    try await Task.sleep(for: .seconds(86_400))
  }
}
