public import Foundation

/// The states of a location manager: those of the ``LocationMachine``.
///
/// ```swift
/// var hint: String {
///   switch manager.state {
///   case .initial: "Press the button to be found."
///   case .prompted: "Allow locations to be found."
///   case .denied: "Locations are refused: open the settings."
///   case .waitingSignificantChange: "Asleep until you have moved."
///   case .acquiring: "Looking for you…"
///   case .paused: "Paused."
///   }
/// }
/// ```
public typealias LocationState = LocationMachine.State

extension LocationManager {
  /// A state left and another one entered, because of an event, and when. Holds no location.
  ///
  /// ```swift
  /// for transition in manager.recentTransitions where transition.to == .acquiring {
  ///   print("\(transition.date): the GPS came on, because of \(transition.event.rawValue)")
  /// }
  /// ```
  public struct Transition: Hashable, Codable, Sendable {
    /// The state that was left.
    public let from: LocationState
    /// What happened.
    public let event: LocationMachine.Event
    /// The state that was entered.
    public let to: LocationState
    /// When, by the wall clock.
    public let date: Date

    /// A transition from its parts.
    public init(from: LocationState, event: LocationMachine.Event, to: LocationState, date: Date) {
      self.from = from
      self.event = event
      self.to = to
      self.date = date
    }
  }
}

extension LocationManager.Transition: CustomStringConvertible {
  /// A line to read, such as `2026-05-03T19:00:05.250Z acquiring → waitingSignificantChange (acquired)`.
  public var description: String {
    let date = date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    return "\(date) \(from.rawValue) → \(to.rawValue) (\(event.rawValue))"
  }
}

// The machines' own folder knows no Codable, which Embedded Swift lacks.
extension LocationMachine.State: Codable {}
extension LocationMachine.Event: Codable {}
extension ReceiverMode: Codable {}
