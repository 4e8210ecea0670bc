#if os(Linux) || os(macOS)
  import LocoKit
  import LocoFoundation

  /// Loco's rule for the cells of a modem: another cell is a significant change, at most one in five minutes. The change is repeated, after
  /// up to an hour, until the device has been located in the cell. A cell without a look since then ends that wait.
  struct GPSDCells: Equatable, Sendable {
    /// The serving cell; `nil` while no modem reports one.
    private var current: String?
    /// The cell at the last good fix of an acquisition.
    private var known: String?
    /// Whether an acquisition had a good fix. The first cell before such a fix is a change, too.
    private var isLocated = false
    /// The earliest time of the next significant change.
    private var earliest = Duration.zero
    /// The time of the last significant change.
    private var changedAt: Duration?
    /// The time until it is repeated.
    private var wait = Self.interval
    /// The cells of the significant changes since the last good fix, the newest ones.
    private var tried: [String] = []

    /// The least time between two significant changes: Apple's.
    static let interval = WakeEvent.significantInterval
    /// The longest time until a change is repeated: a look without reception uses the receiver for a minute.
    private static let longestWait = Duration.seconds(3_600)
    private static let maximumTried = 16

    /// Whether a modem reports cells, so that the receiver needn't check for movement.
    var areReported: Bool { current != nil }

    /// Sets the serving cell. The first one after a fix isn't a change.
    mutating func report(_ name: String?) {
      current = name
      if isLocated, known == nil { known = name }
      guard let name, let changedAt, !tried.isEmpty, !tried.contains(name) else { return }
      (wait, earliest) = (Self.interval, min(earliest, changedAt + Self.interval))
    }

    /// Notes that an acquisition had a good fix in the serving cell.
    mutating func locate() {
      if current != nil { known = current }
      (isLocated, wait, tried) = (true, Self.interval, [])
      earliest = changedAt.map { $0 + Self.interval } ?? .zero
    }

    /// Notes the end of an acquisition. The manager ignores a change during the cool-down that follows.
    mutating func endAcquisition(at uptime: Duration, cooldown: Duration) {
      earliest = max(earliest, uptime + cooldown)
    }

    /// The time when a significant change is due; `nil` if the device was located in the cell.
    var due: Duration? { current != nil && current != known ? earliest : nil }

    /// Returns whether a significant change is due, and notes it.
    mutating func change(at uptime: Duration) -> Bool {
      guard let due, uptime >= due else { return false }
      (changedAt, earliest) = (uptime, uptime + wait)
      wait = min(wait * 2, Self.longestWait)
      if let current { tried = [current] + tried.prefix(Self.maximumTried - 1) }
      return true
    }
  }
#endif
