import LocoMachine

/// Simulated time: a clock or a device.
package protocol Timeline: AnyObject {
  var elapsed: Duration { get }
  /// The time of the next event, including events of a timeline that shares the time.
  var nextEvent: Duration? { get }
  /// The time of the next event of this timeline.
  var nextOwnEvent: Duration? { get }
  /// Handles the next event.
  func happenNext()
  /// Sets the time to a later time, before which no event is due.
  func skip(to time: Duration)
  func run(until deadline: Duration)
}

extension Timeline {
  /// Runs `async` code, and advances the time until the code ends.
  package func pass<Value>(
    atMost limit: Duration, isolation: isolated (any Actor)?, while body: @escaping () async throws -> Value
  ) async throws -> Value {
    precondition(
      isolation != nil,
      "Code that waits for simulated time must run in the actor that advances the time: pass it as `isolation`, or mark the test @MainActor."
    )
    precondition(limit > .zero, "The time limit must be more than 0.")
    let outcome = TimelineOutcome<Value>()
    let task = Task {
      _ = isolation
      do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
    }
    let deadline = elapsed + limit
    var waits = 0
    while true {
      // A report of a device passes through a stream to a task, which passes it to consumers. Each step takes a yield.
      for _ in 0..<16 {
        if let result = outcome.result { return try result.get() }
        await Task.yield()
      }
      if Task.isCancelled { break }
      // A task on another executor may be about to sleep on the clock, or to end. It gets at least 50 ms of real time, and a second at the
      // limit.
      let isOver = elapsed >= deadline
      if isOver ? waits < 1_000 : nextEvent == nil && waits < 50 {
        waits += 1
        try? await Task.sleep(for: .milliseconds(1))
        continue
      }
      if isOver { break }
      waits = 0
      run(until: min(deadline, nextEvent ?? deadline))
    }
    task.cancel()
    // Code that ignores the cancellation may never end.
    for _ in 0..<1_000 where outcome.result == nil {
      for _ in 0..<16 { await Task.yield() }
      // Not a sleep, which ends immediately in a cancelled task.
      await Task { try? await Task.sleep(for: .milliseconds(1)) }.value
    }
    try Task.checkCancellation()
    throw ManualClock.TimeLimitExceeded(limit: limit)
  }
}

private final class TimelineOutcome<Value> {
  var result: Result<Value, any Error>?
}
