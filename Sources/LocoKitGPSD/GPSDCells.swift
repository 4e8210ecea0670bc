#if os(Linux) || os(macOS)
  import LocoKit
  import LocoFoundation

  /// Loco's rule for the cells of a modem: another cell is a significant change, at most one in five minutes.
  struct GPSDCells: Hashable, Sendable {
    /// The serving cell; `nil` while no modem reports one.
    private var current: String?
    /// The cell at the last fix of an acquisition, or at the last significant change.
    private var known: String?
    /// The earliest time of the next significant change.
    private var earliest = Duration.zero

    /// The least time between two significant changes: Apple's.
    static let interval = Duration.seconds(300)

    /// Whether a modem reports cells, so that the receiver needn't check for movement.
    var areReported: Bool { current != nil }

    /// Sets the serving cell. The first one isn't a change.
    mutating func report(_ name: String?) {
      current = name
      if known == nil { known = name }
    }

    /// Notes that the device was located in the serving cell. The manager ignores a change during the cool-down that follows.
    mutating func locate(at uptime: Duration, cooldown: Duration) {
      if current != nil { known = current }
      earliest = max(earliest, uptime + cooldown)
    }

    /// The time when a significant change is due; `nil` if the cell hasn't changed.
    var due: Duration? { current != nil && current != known ? earliest : nil }

    /// Returns whether a significant change is due, and notes it.
    mutating func change(at uptime: Duration) -> Bool {
      guard let due, uptime >= due else { return false }
      (known, earliest) = (current, uptime + Self.interval)
      return true
    }
  }
#endif
