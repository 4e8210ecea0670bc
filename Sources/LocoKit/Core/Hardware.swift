/// The state that a provider should be in.
///
/// ``LocationCore`` computes it at the end of each step; what differs from the value before becomes commands, in the order of
/// ``commands(from:)``.
struct Hardware: Hashable, Sendable {
  var mode = ReceiverMode.off
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
    case armed(CircularRegion)
    /// The device has left the region, which is still armed.
    case left
  }

  /// Inserts the commands that take a provider from `old` to this value: what starts comes before what stops.
  ///
  /// The bound and the settings come before the mode that uses them. The region is armed before the GPS goes off, so that an
  /// app that is suspended or ended right then is woken again.
  func commands(from old: Hardware, into actions: inout [LocationCore.Action], at index: Int) {
    var index = index
    func command(_ action: LocationCore.Action) {
      actions.insert(action, at: index)
      index += 1
    }
    if errorBound != old.errorBound { command(.setErrorBound(errorBound)) }
    if receiver != old.receiver, let receiver { command(.setReceiver(receiver)) }
    if region != old.region, case .armed(let region) = region { command(.setRegion(region)) }
    if mode != old.mode { command(.setMode(mode)) }
    if region != old.region, region == .none { command(.setRegion(nil)) }
    if timer != old.timer { command(.setTimer(timer)) }
  }
}
