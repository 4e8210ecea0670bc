import Synchronization

/// Watches over conditions: see `CLMonitor.h`, and what is known of it beyond that.
public actor CLMonitor {
  public struct CircularGeographicCondition: Sendable {
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
  }

  /// The system behind the monitors of a test.
  @TaskLocal public static var system = StandInMonitoring()

  private let system: StandInMonitoring

  public init(_ name: String) async {
    system = Self.system
    system.open(name)
  }

  public var identifiers: [String] { system.conditions.map(\.identifier) }
  public var events: AsyncThrowingStream<Event, any Error> { system.subscribe() }

  public func add(
    _ condition: CircularGeographicCondition, identifier: String, assuming state: Event.State = .unknown
  ) {
    system.add(condition, identifier, state)
  }

  public func remove(_ identifier: String) { system.remove(identifier) }
}

/// What watches over conditions, from launch to launch, as a test scripts it.
public final class StandInMonitoring: Sendable {
  public struct Condition: Sendable {
    public let identifier: String
    public let circle: CLMonitor.CircularGeographicCondition
    public fileprivate(set) var state: CLMonitor.Event.State
    /// Not where an event came that no monitor was there to receive.
    public fileprivate(set) var isWatched = true
  }

  private struct State {
    var name: String?
    var subscription: AsyncThrowingStream<CLMonitor.Event, any Error>.Continuation?
    var isSubscribed = false
    var conditions: [Condition] = []
    var fewest = Int.max
    /// How many metres to the north of where it was in the beginning the device is.
    var north = 0.0
  }

  private let state = Mutex(State())

  public init() {}

  public var isOpen: Bool { state.withLock { $0.name != nil } }
  public var isHeard: Bool { state.withLock { $0.isSubscribed } }
  public var conditions: [Condition] { state.withLock { $0.conditions } }
  /// How few conditions a removal has left at least.
  public var fewestConditions: Int { state.withLock { $0.fewest } }

  /// The device is somewhere else, which wakes an app, or launches it.
  public func carry(north: Double) {
    state.withLock {
      $0.north = north
      evaluate(&$0)
    }
  }

  /// The state of all conditions is told again, as it is when the device is unlocked.
  public func tellAgain() {
    state.withLock { for condition in $0.conditions { tell(condition, &$0) } }
  }

  /// An event is told that has been on its way.
  public func tell(_ identifier: String, _ event: CLMonitor.Event.State) {
    state.withLock { _ = $0.subscription?.yield(CLMonitor.Event(identifier: identifier, state: event)) }
  }

  /// The app is ended; conditions stay.
  public func terminate() {
    state.withLock {
      $0.subscription?.finish()
      ($0.name, $0.subscription, $0.isSubscribed) = (nil, nil, false)
    }
  }

  fileprivate func open(_ name: String) {
    precondition(name.allSatisfy { $0.isLetter || $0.isNumber }, "Monitor name is not valid")
    state.withLock {
      precondition($0.name == nil, "Monitor named \(name) is already in use")
      $0.name = name
    }
  }

  fileprivate func subscribe() -> AsyncThrowingStream<CLMonitor.Event, any Error> {
    let (events, subscription) = AsyncThrowingStream.makeStream(of: CLMonitor.Event.self)
    state.withLock {
      guard !$0.isSubscribed else { return subscription.finish() }
      ($0.subscription, $0.isSubscribed) = (subscription, true)
      for condition in $0.conditions { tell(condition, &$0) }
    }
    return events
  }

  fileprivate func add(
    _ circle: CLMonitor.CircularGeographicCondition, _ identifier: String, _ assumed: CLMonitor.Event.State
  ) {
    state.withLock {
      guard !$0.conditions.contains(where: { $0.identifier == identifier }) else { return }
      $0.conditions.append(Condition(identifier: identifier, circle: circle, state: assumed))
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
      tell(state.conditions[index], &state)
    }
  }

  private func tell(_ condition: Condition, _ state: inout State) {
    state.subscription?.yield(CLMonitor.Event(identifier: condition.identifier, state: condition.state))
  }
}
