import Synchronization

public protocol CLCondition: Sendable {}

/// Watches conditions: see `CLMonitor.h`. The stand-in also imitates behavior that the header doesn't document.
public actor CLMonitor {
  public struct CircularGeographicCondition: CLCondition {
    public let center: CLLocationCoordinate2D
    public let radius: CLLocationDistance

    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
      (self.center, self.radius) = (center, radius)
    }
  }

  public struct Event: Sendable {
    public enum State: Sendable { case unknown, satisfied, unsatisfied, unmonitored }

    public let identifier: String
    public let state: State

    // The reasons why a condition isn't watched, or is watched with a limitation. From iOS 18 on.
    public var accuracyLimited = false
    public var conditionLimitExceeded = false
    public var conditionUnsupported = false
    public var insufficientlyInUse = false
    public var persistenceUnavailable = false
    public var serviceSessionRequired = false
  }

  public struct Record: Sendable {
    public let condition: any CLCondition
    public let lastEvent: Event
  }

  /// The system that a test's monitors use.
  @TaskLocal public static var system = StandInMonitoring()

  private let system: StandInMonitoring
  /// The number of the app's launch that opened the monitor. The monitor ends with that launch.
  private let launch: Int

  public init(_ name: String) async {
    system = Self.system
    launch = system.open(name)
  }

  public var identifiers: [String] { system.conditions.map(\.identifier) }
  public var events: AsyncThrowingStream<Event, any Error> { system.subscribe(in: launch) }

  public func record(for identifier: String) -> Record? {
    system.conditions.first { $0.identifier == identifier }.map {
      Record(condition: $0.circle, lastEvent: Event(identifier: identifier, state: $0.recorded))
    }
  }

  public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State = .unknown) {
    guard let circle = condition as? CircularGeographicCondition else { return }
    if system.launch == launch { system.add(circle, identifier, state) }
  }

  public func remove(_ identifier: String) {
    if system.launch == launch { system.remove(identifier) }
  }
}

/// The scripted system that watches conditions across launches.
public final class StandInMonitoring: Sendable {
  public struct Condition: Sendable {
    public let identifier: String
    public let circle: CLMonitor.CircularGeographicCondition
    public fileprivate(set) var state: CLMonitor.Event.State
    /// The state in the record, which contains the prior event until the app has handled the last one: here until the launch ends.
    fileprivate var recorded: CLMonitor.Event.State
    /// `false` after a restart, after an event without a monitor to receive it, or if the app has too many conditions.
    public fileprivate(set) var isWatched = true
  }

  /// The maximum number of an app's conditions and regions.
  private static let maximumConditions = 20

  private struct State {
    var name: String?
    var subscription: AsyncThrowingStream<CLMonitor.Event, any Error>.Continuation?
    var isSubscribed = false
    var conditions: [Condition] = []
    var fewest = Int.max
    var launch = 0
    var conditionsOfTheApp = 0
    var hasBeenUnlocked = true
    /// The device's position, in metres north of its start.
    var north = 0.0
  }

  private let state = Mutex(State())

  public init() {}

  public var isOpen: Bool { state.withLock { $0.name != nil } }
  public var isHeard: Bool { state.withLock { $0.isSubscribed } }
  public var conditions: [Condition] { state.withLock { $0.conditions } }
  /// The fewest conditions that were left after a monitor removed one.
  public var fewestConditions: Int { state.withLock { $0.fewest } }

  /// The number of the app's other regions and conditions.
  public var conditionsOfTheApp: Int {
    get { state.withLock { $0.conditionsOfTheApp } }
    set { state.withLock { $0.conditionsOfTheApp = newValue } }
  }

  /// Whether the device has been unlocked since it started. Before the first unlock, the file with the conditions can't be read.
  public var hasBeenUnlocked: Bool {
    get { state.withLock { $0.hasBeenUnlocked } }
    set { state.withLock { $0.hasBeenUnlocked = newValue } }
  }

  /// Moves the device, and reports the conditions whose states change. A condition that changes while no monitor is open is no longer
  /// watched.
  public func carry(north: Double) {
    state.withLock {
      $0.north = north
      evaluate(&$0)
    }
  }

  /// Reports the state of all conditions again, as when the device is unlocked.
  public func tellAgain() {
    state.withLock { for condition in $0.conditions { notify(condition, &$0) } }
  }

  /// Delivers an event with any identifier, such as the event of a removed condition.
  public func notify(
    _ identifier: String, _ event: CLMonitor.Event.State, because reason: WritableKeyPath<CLMonitor.Event, Bool>? = nil
  ) {
    var event = CLMonitor.Event(identifier: identifier, state: event)
    if let reason { event[keyPath: reason] = true }
    state.withLock { [event] in _ = $0.subscription?.yield(event) }
  }

  /// Ends the sequence of events. The monitor's events can then be iterated again.
  public func endEvents(throwing error: (any Error)? = nil) {
    state.withLock {
      $0.subscription?.finish(throwing: error)
      ($0.subscription, $0.isSubscribed) = (nil, false)
    }
  }

  /// Removes all conditions, as other code of the app may do.
  public func removeAll() {
    state.withLock { $0.conditions = [] }
  }

  /// Ends the app. The system keeps the conditions.
  public func terminate() {
    state.withLock {
      $0.subscription?.finish()
      if $0.isSubscribed {
        for index in $0.conditions.indices { $0.conditions[index].recorded = $0.conditions[index].state }
      }
      ($0.name, $0.subscription, $0.isSubscribed) = (nil, nil, false)
      $0.launch += 1
    }
  }

  /// Restarts the device. The system still lists the conditions, but no longer watches them.
  public func restart() {
    terminate()
    state.withLock { for index in $0.conditions.indices { $0.conditions[index].isWatched = false } }
  }

  fileprivate var launch: Int { state.withLock { $0.launch } }

  /// Opens the monitor. Returns the number of the launch.
  fileprivate func open(_ name: String) -> Int {
    precondition(name.allSatisfy { $0.isLetter || $0.isNumber }, "Monitor name is not valid")
    return state.withLock {
      precondition($0.name == nil, "Monitor named \(name) is already in use")
      precondition($0.hasBeenUnlocked, "A monitor must not be opened before its file can be read.")
      $0.name = name
      return $0.launch
    }
  }

  fileprivate func subscribe(in launch: Int) -> AsyncThrowingStream<CLMonitor.Event, any Error> {
    let (events, subscription) = AsyncThrowingStream.makeStream(of: CLMonitor.Event.self)
    state.withLock {
      guard !$0.isSubscribed, $0.launch == launch else { return subscription.finish() }
      ($0.subscription, $0.isSubscribed) = (subscription, true)
      for condition in $0.conditions { notify(condition, &$0) }
    }
    return events
  }

  fileprivate func add(
    _ circle: CLMonitor.CircularGeographicCondition, _ identifier: String, _ assumed: CLMonitor.Event.State
  ) {
    state.withLock {
      guard !$0.conditions.contains(where: { $0.identifier == identifier }) else { return }
      $0.conditions.append(Condition(identifier: identifier, circle: circle, state: assumed, recorded: assumed))
      guard $0.conditions.count + $0.conditionsOfTheApp <= Self.maximumConditions else {
        let index = $0.conditions.count - 1
        ($0.conditions[index].state, $0.conditions[index].isWatched) = (.unmonitored, false)
        var event = CLMonitor.Event(identifier: identifier, state: .unmonitored)
        event.conditionLimitExceeded = true
        $0.subscription?.yield(event)
        return
      }
      evaluate(&$0)
    }
  }

  fileprivate func remove(_ identifier: String) {
    state.withLock {
      $0.conditions.removeAll { $0.identifier == identifier }
      $0.fewest = min($0.fewest, $0.conditions.count)
    }
  }

  private func evaluate(_ state: inout State) {
    for index in state.conditions.indices where state.conditions[index].isWatched {
      let circle = state.conditions[index].circle
      let distance = abs(state.north - (circle.center.latitude - 34) * 111_320)
      let now: CLMonitor.Event.State = distance > circle.radius ? .unsatisfied : .satisfied
      guard now != state.conditions[index].state else { continue }
      state.conditions[index].state = now
      state.conditions[index].isWatched = state.name != nil
      notify(state.conditions[index], &state)
    }
  }

  private func notify(_ condition: Condition, _ state: inout State) {
    state.subscription?.yield(CLMonitor.Event(identifier: condition.identifier, state: condition.state))
  }
}
