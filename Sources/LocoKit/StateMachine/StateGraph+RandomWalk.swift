extension StateGraph {
  /// Returns walks of random events from the initial state.
  ///
  /// All transitions of a state are equally likely. A walk ends soon after it enters a state without a way out, and the next walk
  /// starts.
  ///
  /// - Parameters:
  ///   - length: The number of events in all walks, zero or more. There are fewer if no event changes anything.
  ///   - ignoredShare: The share of events that the machine ignores, 0…1. They show what a program does with an event that it should
  ///     ignore, such as an approval after a cancellation.
  ///   - seed: The same seed returns the same walks.
  public func walks(length: Int, ignoredShare: Double = 0, seed: UInt64) -> [[Machine.Event]] {
    var generator = SeededGenerator(seed: seed)
    return walks(length: length, ignoredShare: ignoredShare, using: &generator)
  }

  func walks(
    length: Int, ignoredShare: Double = 0, using generator: inout some RandomNumberGenerator
  ) -> [[Machine.Event]] {
    precondition(length >= 0, "Walks have no negative number of events.")
    precondition((0...1).contains(ignoredShare), "The share of ignored events is 0 to 1.")
    var walks: [[Machine.Event]] = []
    var walk: [Machine.Event] = []
    var state = initial
    var remaining = length
    while remaining > 0 {
      guard let (event, target) = step(from: state, ignoredShare: ignoredShare, using: &generator) else {
        if walk.isEmpty { break }
        walks.append(walk)
        (walk, state) = ([], initial)
        continue
      }
      walk.append(event)
      remaining -= 1
      state = target
      // A few events show what a state does that is never left.
      if isTrap(state), Bool.random(using: &generator) {
        walks.append(walk)
        (walk, state) = ([], initial)
      }
    }
    if !walk.isEmpty { walks.append(walk) }
    return walks
  }

  private func step(
    from state: Int, ignoredShare: Double, using generator: inout some RandomNumberGenerator
  ) -> (event: Machine.Event, target: Int)? {
    if ignoredShare > 0, let event = ignored[state].randomElement(using: &generator) {
      let chance = Double(generator.next() >> 11) * 0x1p-53
      if chance < ignoredShare || outgoing[state].isEmpty { return (event, state) }
    }
    guard let edge = outgoing[state].randomElement(using: &generator) else { return nil }
    return (edges[edge].event, edges[edge].target)
  }

  /// Shortens a walk that fails: the result fails too, and has as few events as the search finds.
  ///
  /// This is delta debugging: halves of the walk are left out, then quarters, down to single events, again and again.
  /// Events that would be ignored without those left out are left out with them, unless the walk contains ignored events.
  /// In the end no single event can be left out in this way, unless the tries were used up before.
  ///
  /// A walk that does not fail is returned as it is. For code that waits, see ``shrunk(_:maximumTries:isolation:where:)``.
  ///
  /// - Parameters:
  ///   - walk: Events from the initial state.
  ///   - maximumTries: How many walks are tried at most, `walk` among them; one or more.
  ///   - fails: Runs what is tested along a walk, from a new start, and tells whether it fails.
  public func shrunk(
    _ walk: [Machine.Event], maximumTries: Int = 1_000, where fails: ([Machine.Event]) -> Bool
  ) -> [Machine.Event] {
    var search = Shrinking(walk, maximumTries: maximumTries, in: self)
    while let candidate = search.candidate { search.conclude(fails: fails(candidate)) }
    return search.shortest
  }

  /// The search for a shorter walk that fails: one candidate after the other.
  struct Shrinking {
    private(set) var shortest: [Machine.Event]
    /// The walk to be tried next; `nil` at the end.
    private(set) var candidate: [Machine.Event]?
    private let graph: StateGraph
    private let keepsIgnored: Bool
    private var triesLeft: Int
    private var start = 0
    private var size: Int
    /// The length before this round of candidates; `nil` while the walk itself is tried.
    private var lengthBefore: Int?

    init(_ walk: [Machine.Event], maximumTries: Int, in graph: StateGraph) {
      precondition(maximumTries >= 1, "A walk is shrunk in one try or more.")
      self.graph = graph
      (shortest, candidate) = (walk, walk)
      keepsIgnored = graph.transitions(of: walk[...]).count < walk.count
      triesLeft = maximumTries - 1
      size = max(1, walk.count / 2)
    }

    /// Takes the result of the candidate, and chooses the next one.
    mutating func conclude(fails: Bool) {
      guard let candidate else { return }
      self.candidate = nil
      if lengthBefore == nil {
        guard fails else { return }
      } else if fails {
        shortest = candidate
      } else {
        start += size
      }
      if lengthBefore == nil || start >= shortest.count {
        if size == 1, shortest.count == lengthBefore { return }
        if lengthBefore != nil { size = max(1, size / 2) }
        (lengthBefore, start) = (shortest.count, 0)
      }
      guard triesLeft > 0, !shortest.isEmpty else { return }
      triesLeft -= 1
      let rest = shortest[..<start] + shortest[start...].dropFirst(size)
      self.candidate = keepsIgnored ? Array(rest) : graph.transitions(of: rest)
    }
  }

  /// The events without those that are ignored.
  fileprivate func transitions(of events: ArraySlice<Machine.Event>) -> [Machine.Event] {
    var state = initial
    return events.filter { event in
      guard let edge = outgoing[state].first(where: { edges[$0].event == event }) else { return false }
      state = edges[edge].target
      return true
    }
  }
}
