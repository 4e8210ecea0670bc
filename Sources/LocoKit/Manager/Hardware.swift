/// The state that a provider should be in.
///
/// ``LocationCore`` computes it at the end of each step; what differs from the value before becomes commands, in the order of
/// ``change(to:_:)``.
struct Hardware: Hashable, Sendable {
  var mode = ReceiverMode.off
  /// Whether the app is kept running while the GPS is off.
  var isKeptRunning = false
  /// The receiver's settings while the GPS is on.
  var receiver: ReceiverSettings?
  var region = Arming.unknown
  /// The largest error of the last location, in metres; `nil` if significant changes alone wake the manager.
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

  /// Becomes `new`, and calls `command` with each command that takes a provider there: what starts comes before what stops.
  ///
  /// The bound and the settings come before the mode that uses them. The region is armed before the GPS goes off, so that an
  /// app that is suspended or ended right then is woken again.
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
