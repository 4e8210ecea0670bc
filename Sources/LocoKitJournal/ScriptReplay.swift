import LocoFoundation
import LocoKit

/// Replays some inputs of a script to a new manager, and makes a new journal.
///
/// Create a manager with ``provider`` and its store before the first ``step()``.
package final class ScriptReplay {
  package let provider: JournalProvider
  /// Called in place of each omitted input, and where lines were lost.
  package var onOmission: (() -> Void)?
  /// The position in the script.
  package private(set) var position = 0
  private let script: JournalScript
  private var isKept: [Bool]
  private var entries: [JournalEntry]
  private static let maximumTimers = 10_000

  /// - Parameters:
  ///   - script: A timed script.
  ///   - kept: The positions of the inputs that are replayed.
  package init(_ script: JournalScript, keeping kept: some Sequence<Int>) {
    self.script = script
    provider = JournalProvider(script.launch, at: script.start)
    isKept = Array(repeating: false, count: script.count)
    for position in kept { isKept[position] = true }
    entries = [JournalEntry(now: script.start, what: .launch(script.launch))]
  }

  /// Replays the timers that are due, and the next input, unless it is omitted. Returns `false` at the end.
  @discardableResult
  package func step() -> Bool {
    let item = position < script.count ? script.items[position] : nil
    fireTimers(before: item)
    guard let item else { return false }
    defer { position += 1 }
    if script.timers.contains(position) { return true }
    if isKept[position], let input = item.input { play(input, at: item.now) } else { onOmission?() }
    return true
  }

  private func fireTimers(before item: JournalScript.Item?) {
    for _ in 0..<Self.maximumTimers {
      guard let now = nextTimer(before: item) else { return }
      play(.report(.wake(.timer)), at: now)
    }
  }

  /// Returns the time when the manager's timer fires; `nil` if it doesn't fire before the item.
  private func nextTimer(before item: JournalScript.Item?) -> LocationCore.Now? {
    guard let deadline = provider.plan.timer else { return nil }
    let current = LocationCore.Now(uptime: provider.uptime, date: provider.date)
    if let fired = script.fired[deadline] {
      guard fired < position else { return nil }
      let recorded = script.items[fired].now
      return recorded.uptime >= current.uptime ? recorded : current
    }
    // No timer fires in a suspended app. The next input wakes the app, which then handles the deadline.
    guard provider.service != .asleep, let item, deadline <= item.now.uptime else { return nil }
    let wait = max(.zero, deadline - current.uptime)
    return LocationCore.Now(uptime: current.uptime + wait, date: current.date + wait.inSeconds)
  }

  private func play(_ input: LocationCore.Input, at now: LocationCore.Now) {
    let decisions = provider.play(input, at: now)
    entries.append(JournalEntry(now: now, what: .input(input)))
    if !decisions.isEmpty { entries.append(JournalEntry(now: now, what: .decisions(decisions))) }
  }

  /// Returns the journal of the replay: its inputs with the timers that fired, and its decisions.
  package func journal() throws -> [UInt8] {
    var lines: [UInt8] = []
    for entry in entries { try entry.write(to: &lines) }
    return lines
  }
}

@available(*, unavailable)
extension ScriptReplay: Sendable {}
