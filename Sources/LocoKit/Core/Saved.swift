import LocoFoundation

extension LocationCore {
  /// What the core knows of its store: whether it contains a pause, and when the location was written.
  struct Saved: Equatable, Sendable {
    private(set) var isPaused: Bool
    /// Whether a delivered location isn't in the store yet.
    var needsLocation = false
    /// The time of the last write of a location.
    private(set) var time: Duration?

    /// The minimum time between two writes of a location while the GPS is on or the app is kept running.
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
