/// The state that a provider should be in.
///
/// ``LocationCore`` computes the value at the end of each step, except a step that handles a report of fixes while there is no error bound.
/// The differences from the previous value become commands.
struct Hardware: Hashable, Sendable {
  var mode = ReceiverMode.off
  /// Whether the app is kept running while the GPS is off.
  var isKeptRunning = false
  /// The receiver's settings while the GPS is on.
  var receiver: ReceiverSettings?
  var region = Arming.unknown
  /// The error bound in metres; `nil` without one.
  var errorBound: Double?
  /// The uptime of the manager's next timer.
  var timer: Duration?

  /// The region that a provider has armed.
  enum Arming: Hashable, Sendable {
    /// A region of an earlier launch may still be armed.
    case unknown
    case none
    case armed(Location.Region)
    /// The device has left the region, which is still armed.
    case left
  }

  /// Sets the value to `new`, and calls `command` with each command that changes a provider accordingly: starts before stops.
  ///
  /// The bound and the settings precede the mode that uses them. The region is armed before the GPS is turned off: the system may suspend
  /// or terminate the app at that moment, and the region then wakes it.
  @inline(__always)
  mutating func change(to new: Hardware, _ command: (LocationCore.Action) -> Void) {
    let isNewRegion = new.region != region
    if new.errorBound != errorBound { command(.setErrorBound(new.errorBound)) }
    if new.receiver != receiver, let receiver = new.receiver { command(.setReceiver(receiver)) }
    if isNewRegion, case .armed(let region) = new.region { command(.setRegion(region)) }
    if new.isKeptRunning, !isKeptRunning { command(.setKeptRunning(true)) }
    if new.mode != mode { command(.setMode(new.mode)) }
    if isNewRegion, new.region == .none { command(.setRegion(nil)) }
    if !new.isKeptRunning, isKeptRunning { command(.setKeptRunning(false)) }
    if new.timer != timer { command(.setTimer(new.timer)) }
    self = new
  }
}

extension LocationCore {
  /// What the core knows of its store: whether it contains a pause, and when the location was written.
  struct Saved: Hashable, Sendable {
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
