import Foundation

/// Locations for as long as somebody consumes them: see ``LocationManager/track(desiredAccuracy:distanceFilter:)``.
///
/// Each iteration is a consumer of its own. Tracking begins with it, and ends with it: when the loop is left, or its task is
/// cancelled.
public struct Tracking: AsyncSequence {
  /// A location.
  public typealias Element = Location
  /// Nothing is thrown.
  public typealias Failure = Never

  let manager: LocationManager
  let settings: ReceiverSettings
  var acceptance: AcceptancePolicy?

  /// Begins to track.
  public func makeAsyncIterator() -> Iterator {
    Iterator(consumer: Consumer(manager, settings, acceptance))
  }

  /// One consumer.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let consumer: Consumer

    /// The next location; `nil` when the task was cancelled or the manager is gone.
    public mutating func next() async -> Location? {
      await consumer.next()
    }

    /// The next location, in the isolation of the caller.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Location? {
      await consumer.next()
    }
  }

  /// Leaves the manager when it is let go, where the loop is: in the isolation of the manager's owner.
  fileprivate final class Consumer {
    private weak var manager: LocationManager?
    private let number: Int
    private let locations: AsyncStream<Location>

    init(_ manager: LocationManager, _ settings: ReceiverSettings, _ acceptance: AcceptancePolicy?) {
      let (stream, continuation) = AsyncStream<Location>.makeStream(bufferingPolicy: .bufferingNewest(16))
      self.manager = manager
      locations = stream
      number = manager.addTracker(settings, accepting: acceptance, continuation)
      manager.serveTrackers()
    }

    deinit { manager?.endTracking(number) }

    func next() async -> Location? {
      // An iterator that is kept would need `next(isolation:)`, which is of 2024's systems.
      for await location in locations { return location }
      manager?.endTracking(number)
      return nil
    }
  }
}

@available(*, unavailable)
extension Tracking: Sendable {}

/// Those who want every location.
struct Trackers {
  /// What lets fixes pass.
  private enum Filter {
    case distance(TrackFilter)
    case acceptance(Acceptance)
  }

  private struct Tracker {
    let number: Int
    let settings: ReceiverSettings
    var filter: Filter
    /// `nil` where the listeners are all who are given the locations.
    let continuation: AsyncStream<Location>.Continuation?
  }

  private var trackers: [Tracker] = []
  private var made = 0

  var isEmpty: Bool { trackers.isEmpty }
  var settings: [ReceiverSettings] { trackers.map(\.settings) }

  /// When a wait for a better fix is over.
  var deadline: Duration? {
    trackers.compactMap { if case .acceptance(let acceptance) = $0.filter { acceptance.waitEnds } else { nil } }.min()
  }

  mutating func add(
    _ settings: ReceiverSettings, _ acceptance: AcceptancePolicy?, last: Location?,
    _ continuation: AsyncStream<Location>.Continuation?
  ) -> Int {
    made += 1
    let filter = acceptance.map { Filter.acceptance(Acceptance($0, last: last)) } ?? .distance(TrackFilter(settings))
    trackers.append(Tracker(number: made, settings: settings, filter: filter, continuation: continuation))
    return made
  }

  /// Whether there was one of this number.
  mutating func remove(_ number: Int) -> Bool {
    guard let index = trackers.firstIndex(where: { $0.number == number }) else { return false }
    trackers.remove(at: index).continuation?.finish()
    return true
  }

  /// Gives a fix to those whose filter it passes; the locations that were given to anybody.
  mutating func give(_ fix: Location, at date: Date, uptime: Duration) -> [Location] {
    change { filter in
      switch filter {
      case .distance(var track):
        defer { filter = .distance(track) }
        return track.passes(fix) ? fix : nil
      case .acceptance(var acceptance):
        defer { filter = .acceptance(acceptance) }
        if case .accepted(let location) = acceptance.add(fix, at: date, uptime: uptime) { return location }
        return nil
      }
    }
  }

  /// Gives what is the best when the wait for a better fix is over.
  mutating func expire(at date: Date, uptime: Duration) -> [Location] {
    guard let deadline, uptime >= deadline else { return [] }
    return change { filter in
      guard case .acceptance(var acceptance) = filter else { return nil }
      defer { filter = .acceptance(acceptance) }
      if case .accepted(let location)? = acceptance.expire(at: date, uptime: uptime) { return location }
      return nil
    }
  }

  /// Nothing waits any longer: the receiver goes off.
  mutating func endWaits() {
    _ = change { filter in
      guard case .acceptance(var acceptance) = filter else { return nil }
      acceptance.endWait()
      filter = .acceptance(acceptance)
      return nil
    }
  }

  private mutating func change(_ pass: (inout Filter) -> Location?) -> [Location] {
    var given: [Location] = []
    for index in trackers.indices {
      guard let location = pass(&trackers[index].filter) else { continue }
      trackers[index].continuation?.yield(location)
      if !given.contains(location) { given.append(location) }
    }
    return given.sorted { $0.timestamp < $1.timestamp }
  }

  func finish() {
    for tracker in trackers { tracker.continuation?.finish() }
  }
}
