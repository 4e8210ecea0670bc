/// Those within the library who see more of a manager than its listeners do: every fix, every failure, and the time.
///
/// They are called in the middle of a turn, so what they command comes after it.
struct Observers {
  struct Observer {
    let number: Int
    let onFix: (JudgedFix) -> Void
    let onFailure: (ProviderFailure) -> Void
    let onDeadline: () -> Void
    /// The GPS goes off.
    let onInterruption: () -> Void
    var deadline: Duration?
  }

  private(set) var all: [Observer] = []
  private var made = 0

  var isEmpty: Bool { all.isEmpty }
  var deadline: Duration? { all.compactMap(\.deadline).min() }

  mutating func add(
    onFix: @escaping (JudgedFix) -> Void, onFailure: @escaping (ProviderFailure) -> Void,
    onDeadline: @escaping () -> Void, onInterruption: @escaping () -> Void
  ) -> Int {
    made += 1
    all.append(
      Observer(number: made, onFix: onFix, onFailure: onFailure, onDeadline: onDeadline, onInterruption: onInterruption)
    )
    return made
  }

  mutating func remove(_ number: Int) { all.removeAll { $0.number == number } }

  mutating func setDeadline(_ deadline: Duration?, of number: Int) {
    guard let index = all.firstIndex(where: { $0.number == number }) else { return }
    all[index].deadline = deadline
  }

  /// Those whose time has come, which is over then.
  mutating func takeDue(at now: Duration) -> [() -> Void] {
    var due: [() -> Void] = []
    for index in all.indices {
      guard let deadline = all[index].deadline, now >= deadline else { continue }
      all[index].deadline = nil
      due.append(all[index].onDeadline)
    }
    return due
  }
}
