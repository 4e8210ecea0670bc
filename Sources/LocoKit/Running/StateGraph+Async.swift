extension StateGraph {
  /// Shortens a walk that fails, with asynchronous code: see ``shrunk(_:maximumTries:where:)``.
  ///
  /// - Parameters:
  ///   - walk: Events from the initial state.
  ///   - maximumTries: How many walks are tried at most, `walk` among them; one or more.
  ///   - isolation: The caller's actor, in which `fails` runs.
  ///   - fails: Runs what is tested along a walk, from a new start, and tells whether it fails.
  /// - Throws: What `fails` throws.
  public func shrunk(
    _ walk: [Machine.Event], maximumTries: Int = 1_000, isolation: isolated (any Actor)? = #isolation,
    where fails: ([Machine.Event]) async throws -> Bool
  ) async rethrows -> [Machine.Event] {
    var search = Shrinking(walk, maximumTries: maximumTries, in: self)
    while let candidate = search.candidate { search.conclude(fails: try await fails(candidate)) }
    return search.shortest
  }
}
