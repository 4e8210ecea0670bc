/// A provider that connects its manager to a journal: it records the manager's turns, or plays recorded ones.
protocol TurnObserver: AnyObject {
  /// Gives the manager the inputs that its owner gives otherwise; set by the manager. `nil` for a provider that only records.
  var onInput: ((LocationCore.Input) -> Void)? { get set }
  /// The first identifier that the manager may give to a demand: lower ones are those of the journal.
  var firstDemandID: Demand.ID { get }
  /// Changes the stored location of an earlier launch as the journal changes fixes.
  func recalled(_ location: Location) -> Location

  /// A manager begins with this core.
  func begin(_ core: LocationCore)
  func willTake(_ input: LocationCore.Input, at now: LocationCore.Now)
  func didDecide(_ action: LocationCore.Action)
  /// The manager has carried out all that an input made due.
  func didEndTurn()
}
