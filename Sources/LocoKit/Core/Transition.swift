public import LocoFoundation

extension LocationManager {
  /// A change of the manager's state. It contains no location.
  ///
  /// ```swift
  /// for transition in manager.recentTransitions where transition.to == .acquiring {
  ///   print("\(transition.date): the GPS came on, because of \(transition.event.rawValue)")
  /// }
  /// ```
  public struct Transition: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The previous state.
    public let from: LocationMachine.State
    /// The event that caused the transition.
    public let event: LocationMachine.Event
    /// The new state.
    public let to: LocationMachine.State
    /// The date of the transition, by the wall clock.
    public let date: Date

    /// A readable line, such as `2026-05-03T19:00:05.250Z acquiring → waitingSignificantChange (acquired)`.
    public var description: String {
      "\(date.textWithMilliseconds) \(from.rawValue) → \(to.rawValue) (\(event.rawValue))"
    }
  }
}

// Embedded Swift lacks Codable, and the machines' files must compile as Embedded Swift.
extension LocationMachine.State: Codable {}
extension LocationMachine.Event: Codable {}
extension ReceiverMode: Codable {}
