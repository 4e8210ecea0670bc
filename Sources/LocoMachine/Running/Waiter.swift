#if !hasFeature(Embedded)
  /// Suspends a task until a value or an error arrives. Any thread may end the wait.
  final class Waiter<Value: Sendable>: Sendable {
    private enum Phase {
      case new
      case waiting(CheckedContinuation<Value, any Error>)
      case ended(Result<Value, any Error>)
    }

    private let phase = Locked(Phase.new)

    var hasEnded: Bool {
      phase.change { if case .ended = $0 { true } else { false } }
    }

    /// Resumes a continuation with the result, as soon as there is a result.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) {
      let result = phase.change { phase -> Result<Value, any Error>? in
        if case .ended(let result) = phase { return result }
        phase = .waiting(continuation)
        return nil
      }
      if let result { continuation.resume(with: result) }
    }

    /// Ends the wait. Only the first result counts.
    func end(_ result: Result<Value, any Error>) {
      let continuation = phase.change { phase -> CheckedContinuation<Value, any Error>? in
        defer { if case .ended = phase {} else { phase = .ended(result) } }
        if case .waiting(let continuation) = phase { return continuation }
        return nil
      }
      continuation?.resume(with: result)
    }
  }
#endif
