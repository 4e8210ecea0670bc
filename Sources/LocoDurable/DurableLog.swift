import Dispatch
import LocoMachine

/// The unwritten changes of a ``DurableStore``, and the queue that writes them.
package final class DurableLog<Changes: UnwrittenChanges>: Sendable {
  fileprivate struct State: Sendable {
    var changes: Changes
    var schedule = WriteSchedule()
    var isWritten: Bool { changes.isEmpty && !schedule.isWriting }
  }

  let queue: DispatchQueue
  fileprivate let activity: String?
  fileprivate let isUrgent: Bool
  fileprivate let failure: String
  fileprivate let state: Locked<State>
  package let report: @Sendable (String) -> Void

  /// - Parameters:
  ///   - changes: An empty value.
  ///   - label: The queue's name.
  ///   - activity: The reason for not suspending the app, for the system's log; `nil` if the app may be suspended before the changes are
  ///     written.
  ///   - isUrgent: Whether each change is written immediately, also during the back-off.
  ///   - failure: The beginning of a report about a failure.
  ///   - report: Receives a sentence about a problem, on any thread; `nil` writes it to the system's log.
  package init(
    _ changes: Changes, label: String, activity: String? = nil, isUrgent: Bool = false, failure: String,
    report: (@Sendable (String) -> Void)?
  ) {
    queue = DispatchQueue(label: label, qos: .utility)
    state = Locked(State(changes: changes))
    (self.activity, self.isUrgent, self.failure) = (activity, isUrgent, failure)
    self.report = report ?? reportProblem
  }

  /// The reason why the last write failed; `nil` if it succeeded.
  package var lastFailure: String? { state.change { $0.schedule.failure } }

  /// Reads or corrects the changes, without scheduling a write.
  package func update<Result: Sendable>(_ body: @Sendable (inout Changes) -> Result) -> Result {
    state.change { body(&$0.changes) }
  }
}

extension DurableStore {
  /// Makes a change, and returns its result without waiting for the disk.
  @discardableResult
  package func change<Result: Sendable>(_ body: @Sendable (inout Changes) -> Result) -> Result {
    let (result, isFirst) = log.state.change { (body(&$0.changes), $0.schedule.schedule(isUrgent: log.isUrgent)) }
    guard isFirst else { return result }
    keepAppRunning()
    writeSoon()
    return result
  }

  /// Asks the system not to suspend the app before all changes are written. The system ends an app that it suspends while the app holds
  /// the lock of a file.
  private func keepAppRunning() {
    guard let reason = log.activity, log.state.change({ !$0.changes.isEmpty }) else { return }
    let activity = BackgroundActivity(reason)
    log.state.change { $0.schedule.keep(activity) }
  }

  /// Writes all changes on the queue.
  package func writeSoon() { log.queue.async { self.writeChanges() } }

  /// Tries once to write all changes, and waits for the result.
  ///
  /// - Parameters:
  ///   - limit: The maximum time to wait.
  ///   - flush: Makes the written changes durable, on the queue, and returns whether they are.
  /// - Returns: Whether all changes were written and flushed in time.
  package func synchronize(
    within limit: Duration, flush: @escaping @Sendable () -> Bool = { true }
  ) -> Bool {
    let (isDone, isWritten) = (DispatchSemaphore(value: 0), Locked(false))
    log.queue.async {
      self.writeChanges()
      let isFlushed = flush() && self.log.state.change { $0.isWritten }
      isWritten.change { $0 = isFlushed }
      isDone.signal()
    }
    return isDone.wait(timeout: .now() + limit.inSeconds) == .success && isWritten.change { $0 }
  }

  /// Runs `body` on the queue, after `first` and an attempt to write all changes.
  package func perform<Value: Sendable>(
    first: @escaping @Sendable (Self) -> Void = { _ in }, _ body: @escaping @Sendable (Self) throws -> Value
  ) async throws -> Value {
    let activity = log.activity.map { BackgroundActivity($0) }
    defer { activity?.end() }
    return try await withCheckedThrowingContinuation { continuation in
      log.queue.async {
        first(self)
        self.writeChanges()
        continuation.resume(with: Result { try body(self) })
      }
    }
  }

  private func writeChanges() {
    let work = log.state.change { $0.schedule.begin(isEmpty: $0.changes.isEmpty) ? $0.changes.begin() : nil }
    guard let work else { return }
    do {
      try write(work)
      let hasMore = log.state.change {
        $0.changes.succeed(work)
        return $0.schedule.succeed(isEmpty: $0.changes.isEmpty)
      }
      if hasMore { writeSoon() }
    } catch {
      let reason = "\(error)"
      let retry = log.state.change {
        $0.changes.fail(work)
        return $0.schedule.fail(reason)
      }
      if retry.isNew { log.report("\(log.failure): \(reason)") }
      log.queue.asyncAfter(deadline: .now() + retry.delay.inSeconds) { [weak self] in
        guard let self, log.state.change({ $0.schedule.latestRetry == retry.number }) else { return }
        keepAppRunning()
        writeChanges()
      }
    }
  }
}
