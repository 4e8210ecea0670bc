import Testing

/// A task that runs concurrently with a test, in the test's isolation. A test that waits for a hanging task fails after ten minutes.
final class Attempt<Value: Sendable> {
  private struct Unended: Error {}

  fileprivate final class Outcome {
    var hasBegun = false
    var result: Result<Value, any Error>?
  }

  private let outcome: Outcome
  private let task: Task<Void, Never>

  fileprivate init(_ outcome: Outcome, _ task: Task<Void, Never>) {
    self.outcome = outcome
    self.task = task
  }

  func cancel() { task.cancel() }

  /// The task's result, once it has ended.
  ///
  /// A task should wait only for virtual time. Ten minutes are then enough even if the machine is busy or a test blocks the main actor.
  func result(sourceLocation: SourceLocation = #_sourceLocation) async -> Result<Value, any Error> {
    let limit = ContinuousClock.now + .seconds(600)
    while outcome.result == nil, .now < limit { await Task.yield() }
    if let result = outcome.result { return result }
    Issue.record("The task has not ended in ten minutes.", sourceLocation: sourceLocation)
    task.cancel()
    return .failure(Unended())
  }

  var value: Value { get async throws { try await result().get() } }
}

/// Starts a task in the caller's isolation, and returns when the task has reached its first suspension or its end.
func begin<Value: Sendable>(
  isolation: isolated (any Actor)? = #isolation, _ body: @escaping () async throws -> Value
) async -> Attempt<Value> {
  precondition(isolation != nil, "A test that begins a task must be isolated to an actor.")
  let outcome = Attempt<Value>.Outcome()
  let task = Task {
    _ = isolation
    outcome.hasBegun = true
    do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
  }
  let limit = ContinuousClock.now + .seconds(600)
  while !outcome.hasBegun, .now < limit { await Task.yield() }
  if !outcome.hasBegun { Issue.record("The task did not start in ten minutes.") }
  return Attempt(outcome, task)
}

/// Returns the first `count` elements of a stream, or all elements if it ends earlier.
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

/// An actor that runs a long test without blocking the main actor.
actor Arena {
  func host<Result: Sendable>(
    _ body: @Sendable (isolated Arena) async throws -> Result
  ) async rethrows -> Result { try await body(self) }
}
