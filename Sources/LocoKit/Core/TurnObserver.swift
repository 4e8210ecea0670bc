/// Hears all that a manager takes in and decides, in order: a provider that keeps a journal, or plays one.
protocol TurnObserver: AnyObject {
  /// The last location of an earlier launch, as the manager is to have it.
  func recalled(_ location: Location) -> Location
  /// A manager begins with this core.
  func begin(_ core: LocationCore)
  /// It takes an input.
  func willTake(_ input: LocationCore.Input, at now: LocationCore.Now)
  /// It has done all that an input makes due.
  func didEndTurn()
  /// It has decided to do something.
  func didDecide(_ action: LocationCore.Action)
}

/// A provider that gives a manager inputs which otherwise its owner does.
protocol InputSource: AnyObject {
  /// Set by the manager.
  var onInput: ((LocationCore.Input) -> Void)? { get set }
}
