import Testing

/// What runs beside a test, in its isolation, and ends: a test that waits for it longer than it can take fails with a sentence.
final class Attempt<Value: Sendable> {
  private struct Unended: Error {}

  /// What the task leaves.
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

  /// What it gave, when it has ended.
  ///
  /// The code waits on virtual time alone, so only its own steps take real time. Ten minutes end a test that would hang: less could
  /// pass on a machine with other work, or while another test keeps the main actor.
  func result(sourceLocation: SourceLocation = #_sourceLocation) async -> Result<Value, any Error> {
    let limit = ContinuousClock.now + .seconds(600)
    while outcome.result == nil, .now < limit { await Task.yield() }
    if let result = outcome.result { return result }
    Issue.record("What was begun has not ended in ten minutes, and never will.", sourceLocation: sourceLocation)
    task.cancel()
    return .failure(Unended())
  }

  var value: Value { get async throws { try await result().get() } }
}

/// Something in the caller's isolation that has begun when this returns: it waits for something, or is over.
func begin<Value: Sendable>(
  isolation: isolated (any Actor)? = #isolation, _ body: @escaping () async throws -> Value
) async -> Attempt<Value> {
  precondition(isolation != nil, "A test that begins something beside itself belongs to an actor.")
  let outcome = Attempt<Value>.Outcome()
  let task = Task {
    _ = isolation
    outcome.hasBegun = true
    do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
  }
  let limit = ContinuousClock.now + .seconds(600)
  while !outcome.hasBegun, .now < limit { await Task.yield() }
  if !outcome.hasBegun { Issue.record("Nobody has time for what a test begins.") }
  return Attempt(outcome, task)
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

/// An actor of a test's own, so that tests which take long need not share the main actor.
actor Arena {
  func host<Result: Sendable>(
    _ body: @Sendable (isolated Arena) async throws -> Result
  ) async rethrows -> Result { try await body(self) }
}
