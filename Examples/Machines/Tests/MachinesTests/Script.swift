/// A server in a test: it gives its answers one after the other.
actor Script<Answer: Sendable> {
  private var answers: [Answer]
  private(set) var asked = 0

  init(_ answers: [Answer]) { self.answers = answers }

  func next() -> Answer {
    asked += 1
    return answers.removeFirst()
  }
}

/// A door for tasks: all of them wait until the test opens it.
actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// How many tasks wait.
  var count: Int { waiting.count }

  func pass() async {
    if !isOpen { await withCheckedContinuation { waiting.append($0) } }
  }

  func open() {
    isOpen = true
    waiting.forEach { $0.resume() }
    waiting = []
  }
}
