import Testing

/// What runs on the main actor beside a test, and ends: a test that waits for it longer than it can take fails with a sentence.
@MainActor
final class Attempt<Value: Sendable> {
  private struct Unended: Error {}

  /// What the task leaves when it ends.
  private final class End {
    var result: Result<Value, any Error>?
  }

  private let end: End
  private let task: Task<Void, Never>

  fileprivate init(_ body: @escaping @MainActor () async throws -> Value, hasBegun: @escaping () -> Void) {
    let end = End()
    self.end = end
    task = Task { @MainActor in
      hasBegun()
      do { end.result = .success(try await body()) } catch { end.result = .failure(error) }
    }
  }

  nonisolated func cancel() { task.cancel() }

  /// What it gave, when it has ended.
  ///
  /// All that it waits for is on virtual time, so that only its own steps are left: half a minute of the real time is much more
  /// than those need.
  func result(sourceLocation: SourceLocation = #_sourceLocation) async -> Result<Value, any Error> {
    let limit = ContinuousClock.now + .seconds(30)
    while end.result == nil, .now < limit { await Task.yield() }
    if let result = end.result { return result }
    Issue.record("What was begun has not ended in half a minute, and never will.", sourceLocation: sourceLocation)
    task.cancel()
    return .failure(Unended())
  }

  var value: Value { get async throws { try await result().get() } }
}

/// Something on the main actor that has begun when this returns: it waits for something, or is over.
@MainActor
func begin<Value: Sendable>(_ body: @escaping @MainActor () async throws -> Value) async -> Attempt<Value> {
  var hasBegun = false
  let attempt = Attempt(body) { hasBegun = true }
  for _ in 0..<1_000_000 where !hasBegun { await Task.yield() }
  if !hasBegun { Issue.record("The main actor has no time for what a test begins.") }
  return attempt
}

/// So many elements of a stream, or all until its end.
@MainActor
func elements<Element: Sendable>(_ stream: AsyncStream<Element>, _ count: Int = .max) async throws -> [Element] {
  try await begin {
    var elements: [Element] = []
    for await element in stream {
      elements.append(element)
      if elements.count == count { break }
    }
    return elements
  }.value
}
