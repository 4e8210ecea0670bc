import LocoFoundation
import LocoKit

/// The clock of a trip: the date of its beginning plus the time since then. A change of the machine's clock during the trip doesn't affect
/// it, so the times of a trip's fixes never fall.
struct TripClock: Equatable, Sendable {
  /// The difference to the machine's clock, in seconds.
  private(set) var offset: TimeInterval = 0
  /// The last time by the machine's clock; `nil` without a trip.
  private var last: TripCore.Now?

  /// The least change that counts as one, in seconds. Time services slew smaller differences.
  private static let minimumChange: TimeInterval = 1

  /// Returns the time by this clock.
  ///
  /// - Parameter awaitsFix: Whether no fix has this clock's time yet in this launch. Then this clock follows a clock that is set forward,
  ///   such as that of a computer without a clock battery, which the first fix sets.
  mutating func time(at now: TripCore.Now, awaitsFix: Bool = false) -> TripCore.Now {
    if let last {
      let change = now.date.timeIntervalSince(last.date) - (now.uptime - last.uptime).inSeconds
      if abs(change) >= Self.minimumChange { offset = awaitsFix ? max(0, offset - change) : offset - change }
    }
    last = now
    var now = now
    now.date += offset
    return now
  }

  /// Continues the clock of a trip of an earlier launch. If the trip's last fix is in the future, because the clock was set back, the trip
  /// continues at the fix's time.
  mutating func resume(after fix: Location?, at now: TripCore.Now) {
    last = now
    let lead = fix?.timestamp.timeIntervalSince(now.date) ?? 0
    offset = (0...TripLog.longestGap.inSeconds).contains(lead) ? lead : 0
  }

  /// Returns a fix with its time by this clock.
  func time(of fix: Location) -> Location {
    var fix = fix
    fix.timestamp += offset
    return fix
  }
}
