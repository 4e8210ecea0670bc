#if !hasFeature(Embedded)
  public import LocoMachine

  extension StateGraph {
    /// Shortens a walk that makes asynchronous code fail; see ``shrunk(_:maximumTries:where:)``.
    ///
    /// - Parameters:
    ///   - walk: Events from the initial state.
    ///   - maximumTries: The greatest number of calls of `fails`, 1 or more.
    ///   - fails: Restarts the tested code, sends it the events of a walk, and returns whether it fails.
    /// - Throws: The errors of `fails`.
    public func shrunk(
      _ walk: [Machine.Event], maximumTries: Int = 1_000,
      where fails: ([Machine.Event]) async throws -> Bool
    ) async rethrows -> [Machine.Event] {
      var search = shrinking(walk, maximumTries: maximumTries)
      while let candidate = search.candidate { search.conclude(fails: try await fails(candidate)) }
      return search.shortest
    }
  }
#endif
