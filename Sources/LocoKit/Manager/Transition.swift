public import Foundation

/// What a location manager can be in: the states of the ``LocationMachine``.
public typealias LocationState = LocationMachine.State

/// A state left and another one entered, because of an event, and when. Holds no location.
public struct Transition: Hashable, Sendable {
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

/// The newest transitions, up to a bound.
struct TransitionLog {
  static let capacity = 32
  private var ring: [Transition] = []
  private var oldest = 0

  mutating func append(_ transition: Transition) {
    if ring.count < Self.capacity {
      ring.append(transition)
    } else {
      ring[oldest] = transition
      oldest = (oldest + 1) % Self.capacity
    }
  }

  /// In the order in which they happened.
  var inOrder: [Transition] {
    Array(ring[oldest...] + ring[..<oldest])
  }
}
