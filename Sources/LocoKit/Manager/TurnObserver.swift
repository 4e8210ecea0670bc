/// A provider that connects its manager to a journal. It records the manager's turns, or replays recorded ones.
package protocol TurnObserver: AnyObject {
  /// Passes an input to the manager during a replay. The manager sets this property.
  var onInput: ((LocationCore.Input) -> Void)? { get set }
  /// The first identifier for the manager's demands. The identifiers in a replayed journal are lower.
  var firstDemandID: Demand.ID { get }
  /// Returns the stored location of an earlier launch, blurred if the journal blurs fixes.
  func recalled(_ location: Location) -> Location

  func begin(_ core: LocationCore)
  func willTake(_ input: LocationCore.Input, at now: LocationCore.Now)
  func didDecide(_ action: LocationCore.Action)
  func didEndTurn()
}
