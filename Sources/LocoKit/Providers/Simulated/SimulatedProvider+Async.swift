extension SimulatedProvider {
  /// Code that ``advance(atMost:isolation:while:)`` ran had not ended when its time was over.
  public struct TimeLimitExceeded: Error, Hashable, CustomStringConvertible {
    /// How much of the device's time went by.
    public let limit: Duration
    /// A sentence for a failed test.
    public var description: String { "What was run had not ended after \(limit) of the device's time." }
  }

  /// Runs `async` code, and lets time pass until it has ended.
  ///
  /// ```swift
  /// let place = try await device.advance(atMost: .seconds(60)) { try await manager.acquire() }
  /// ```
  ///
  /// Begins `body` in the isolation of the caller, which is the device's, and lets one thing after the other happen. In between, the tasks
  /// of this actor run until they wait, among them `body`. What it does elsewhere takes real time, and the device's goes on
  /// meanwhile. Returns, or throws, what `body` does, as soon as it has ended.
  ///
  /// - Parameters:
  ///   - limit: How much of the device's time may pass. More than 0.
  ///   - isolation: The actor that owns the device: the caller's.
  ///   - body: What waits for the device. Its task is cancelled where the time is over, or the caller's task is cancelled.
  /// - Throws: What `body` throws; ``TimeLimitExceeded`` where the time is over; `CancellationError` where the caller's task is
  ///   cancelled.
  /// - Precondition: The caller belongs to an actor.
  public func advance<Value>(
    atMost limit: Duration, isolation: isolated (any Actor)? = #isolation,
    while body: @escaping () async throws -> Value
  ) async throws -> Value {
    precondition(isolation != nil, "Code that waits for a simulated device belongs to the actor that owns the device.")
    precondition(limit > .zero, "The time that may pass is more than 0.")
    let outcome = Outcome<Value>()
    let task = Task {
      _ = isolation
      do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
    }
    let deadline = uptime + limit
    while true {
      for _ in 0..<Self.yieldsPerEvent {
        if let result = outcome.result { return try result.get() }
        await Task.yield()
      }
      if Task.isCancelled || uptime >= deadline { break }
      run(until: min(deadline, agenda.next.map { .nanoseconds($0) } ?? deadline))
    }
    task.cancel()
    await task.value
    try Task.checkCancellation()
    throw TimeLimitExceeded(limit: limit)
  }

  /// How often the actor's other tasks get their turn between two events. What the device tells goes through a stream to a task, and
  /// from there to those that wait for it: each step is a turn, and code has a few of them.
  private static let yieldsPerEvent = 16

  private final class Outcome<Value> {
    var result: Result<Value, any Error>?
  }
}
