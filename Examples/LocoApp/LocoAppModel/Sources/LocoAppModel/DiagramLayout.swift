import LocoKit

/// The layout of the location machine's states and arrows in a unit square.
public struct DiagramLayout: Sendable {
  public struct Point: Hashable, Sendable {
    public let x: Double
    public let y: Double
  }

  public struct Arrow: Hashable, Sendable {
    public let from: LocationMachine.State
    public let to: LocationMachine.State
  }

  /// One arrow from each state to each other state that one of its transitions enters.
  public let arrows: [Arrow]

  public init() {
    var arrows: [Arrow] = []
    for row in TransitionTable<LocationMachine>().rows {
      guard let target = row.target, target != row.state else { continue }
      let arrow = Arrow(from: row.state, to: target)
      if !arrows.contains(arrow) { arrows.append(arrow) }
    }
    self.arrows = arrows
  }

  /// Returns the centre of a state's box.
  public func place(of state: LocationMachine.State) -> Point {
    switch state {
    case .initial: Point(x: 0.2, y: 0.1)
    case .prompted: Point(x: 0.8, y: 0.1)
    case .denied: Point(x: 0.2, y: 0.5)
    case .acquiring: Point(x: 0.8, y: 0.5)
    case .waitingSignificantChange: Point(x: 0.3, y: 0.9)
    case .paused: Point(x: 0.8, y: 0.9)
    }
  }
}
