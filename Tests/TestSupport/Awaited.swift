/// The error of ``awaited(_:within:_:)`` after its limit.
struct TimedOut: Error, CustomStringConvertible {
  let description: String
}

/// Returns the result of `work`. After the limit, the function throws even if `work` ignores its cancellation.
///
/// - Throws: The error of `work`, ``TimedOut`` after the limit, or `CancellationError` if the caller's task is cancelled. The default limit
///   is long, because a busy machine may start a program or a thread many seconds late.
func awaited<Value: Sendable>(
  _ what: String, within limit: Duration = .seconds(120), _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let (outcomes, outcome) = AsyncStream<Result<Value, any Error>>.makeStream()
  let working = Task {
    do {
      outcome.yield(.success(try await work()))
    } catch {
      outcome.yield(.failure(error))
    }
  }
  let limiting = Task {
    try await Task.sleep(for: limit)
    outcome.yield(.failure(TimedOut(description: "Timeout: no \(what) within \(limit)")))
  }
  defer {
    working.cancel()
    limiting.cancel()
  }
  for await result in outcomes { return try result.get() }
  throw CancellationError()
}
