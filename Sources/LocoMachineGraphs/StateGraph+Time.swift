public import LocoMachine

extension StateGraph {
  /// Returns the longest time from the entry of a state to the entry of another one, given the deadlines; `nil` if there is no bound.
  ///
  /// ```swift
  /// // A green light is red within 23.5 s, unless it is turned off.
  /// graph.longestTime(from: .green, to: .red, avoiding: [.flashing])  // 23.5 seconds
  /// graph.longestTime(from: .green, to: .red)                         // nil
  /// ```
  ///
  /// There is no bound if a path from `source` doesn't lead to `target`, goes through a state without a deadline, or contains a cycle. A
  /// deadline with a setting has its default duration. The time from a state to itself is zero.
  ///
  /// - Parameters:
  ///   - source: The state that is entered first.
  ///   - target: The state that is entered last.
  ///   - avoided: States that the machine is assumed not to enter, such as that of a cancellation.
  /// - Complexity: O(states + transitions).
  public func longestTime(
    from source: Machine.State, to target: Machine.State, avoiding avoided: Set<Machine.State> = []
  ) -> Duration? {
    guard let start = states.firstIndex(of: source), let goal = states.firstIndex(of: target) else { return nil }
    func next(_ state: Int) -> [Int] {
      state == goal
        ? []
        : outgoing[state].filter { edges[$0].isExternal }.map { edges[$0].target }.filter {
          !avoided.contains(states[$0])
        }
    }
    // The number of transitions into each state between the two.
    var entries = [start: 0]
    var found = [start]
    while let state = found.popLast() {
      for target in next(state) {
        if entries[target] == nil { found.append(target) }
        entries[target, default: 0] += 1
      }
    }
    guard entries[start] == 0, entries[goal] != nil else { return nil }
    // In topological order: a state follows when all transitions into it have been counted. A state of a cycle never does.
    var times = [start: Duration.zero]
    var ready = [start]
    var count = 0
    while let state = ready.popLast() {
      count += 1
      guard state != goal else { continue }
      let targets = next(state)
      guard !targets.isEmpty, let duration = durations[state] else { return nil }
      for target in targets {
        times[target] = max(times[target] ?? .zero, (times[state] ?? .zero) + duration)
        entries[target, default: 0] -= 1
        if entries[target] == 0 { ready.append(target) }
      }
    }
    return count == entries.count ? times[goal] : nil
  }
}
