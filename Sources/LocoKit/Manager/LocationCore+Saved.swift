extension LocationCore {
  /// The contents of the store.
  struct Saved: Hashable, Sendable {
    private(set) var isPaused: Bool
    /// Whether a location was delivered that the store doesn't have.
    var needsLocation = false
    /// When a location was last saved.
    private(set) var time: Duration?

    /// The least time between two writes while fixes are frequent: while the GPS stays on, or the app is kept running.
    private static let interval = Duration.seconds(10)

    init(isPaused: Bool) { self.isPaused = isPaused }

    mutating func update(
      isPaused: Bool, isFrequent: Bool, location: @autoclosure () -> Location?, at uptime: Duration,
      into actions: inout [Action]
    ) {
      if isPaused != self.isPaused {
        actions.append(.savePause(isPaused))
        self.isPaused = isPaused
      }
      guard needsLocation, let location = location() else { return }
      if isFrequent, let time, uptime - time < Self.interval { return }
      actions.append(.save(location))
      (time, needsLocation) = (uptime, false)
    }
  }
}
