/// What was awaited in vain.
struct AwaitedInVain: Error, CustomStringConvertible {
  let description: String
}

/// The outcome of some work, awaited for a bounded time: whether it can be cancelled or not.
///
/// - Throws: ``AwaitedInVain``, which says what was awaited.
func awaited<Value: Sendable>(
  _ what: String, within limit: Duration = .seconds(20), _ work: @escaping @Sendable () async throws -> Value
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
    outcome.yield(.failure(AwaitedInVain(description: "\(what) did not come within \(limit)")))
  }
  defer {
    working.cancel()
    limiting.cancel()
  }
  for await result in outcomes { return try result.get() }
  throw CancellationError()
}
