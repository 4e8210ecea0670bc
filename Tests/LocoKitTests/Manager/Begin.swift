/// A task on the main actor that has begun when this returns: it waits for something, or is over.
@MainActor
func begin<Value: Sendable>(
  _ body: @escaping @MainActor () async throws -> Value
) async -> Task<Value, any Error> {
  var hasBegun = false
  let task = Task { @MainActor in
    hasBegun = true
    return try await body()
  }
  while !hasBegun { await Task.yield() }
  return task
}
