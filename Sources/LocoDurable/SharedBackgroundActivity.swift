import LocoMachine

/// One background activity for all the work that runs at the same time: each activity occupies one of the system's threads until it ends.
package final class SharedBackgroundActivity: Sendable {
  package static let shared = SharedBackgroundActivity { reason, onExpiry in
    let activity = BackgroundActivity(reason, onExpiry: onExpiry)
    return { activity.end() }
  }

  package typealias End = @Sendable () -> Void

  private struct State {
    var users = 0
    /// The number of the last activity.
    var number = 0
    /// Ends the current activity; `nil` outside work, and after the system's time limit.
    var end: End?
  }

  private let state = Locked(State())
  private let make: @Sendable (_ reason: String, _ onExpiry: @escaping End) -> End

  /// - Parameter make: Begins an activity, and returns how to end it.
  package init(make: @escaping @Sendable (_ reason: String, _ onExpiry: @escaping End) -> End) { self.make = make }

  /// Begins an activity, unless there is one. Each call is followed by one of ``end()``.
  package func begin(_ reason: String) {
    let new: Int? = state.change { state in
      state.users += 1
      guard state.end == nil else { return nil }
      state.number += 1
      // Until the activity has begun, outside the lock.
      state.end = {}
      return state.number
    }
    guard let new else { return }
    let end = make(reason) { [weak self] in self?.expire(new) }
    let isOver = state.change { state in
      guard state.number == new, state.end != nil else { return true }
      state.end = end
      return false
    }
    if isOver { end() }
  }

  package func end() {
    finish { state in
      state.users -= 1
      return state.users == 0
    }
  }

  /// Ends an activity at the system's time limit. The next work begins another one.
  private func expire(_ number: Int) { finish { $0.number == number } }

  private func finish(if isOver: @Sendable (inout State) -> Bool) {
    let end: End? = state.change { state in
      guard isOver(&state) else { return nil }
      defer { state.end = nil }
      return state.end
    }
    end?()
  }
}
