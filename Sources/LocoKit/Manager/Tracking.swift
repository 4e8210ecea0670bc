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

  /// Begins to track.
  public func makeAsyncIterator() -> Iterator {
    Iterator(consumer: Consumer(manager, settings))
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
    private var locations: AsyncStream<Location>.Iterator

    init(_ manager: LocationManager, _ settings: ReceiverSettings) {
      let (stream, continuation) = AsyncStream<Location>.makeStream(bufferingPolicy: .bufferingNewest(16))
      self.manager = manager
      locations = stream.makeAsyncIterator()
      number = manager.beginTracking(settings, continuation)
    }

    deinit { manager?.endTracking(number) }

    func next() async -> Location? {
      let location = await locations.next(isolation: #isolation)
      if location == nil { manager?.endTracking(number) }
      return location
    }
  }
}

@available(*, unavailable)
extension Tracking: Sendable {}

/// Those who want every location.
struct Trackers {
  private struct Tracker {
    let number: Int
    var filter: TrackFilter
    /// `nil` where the listeners are all who are given the locations.
    let continuation: AsyncStream<Location>.Continuation?
  }

  private var trackers: [Tracker] = []
  private var made = 0

  var isEmpty: Bool { trackers.isEmpty }
  var settings: [ReceiverSettings] { trackers.map(\.filter.settings) }

  mutating func add(_ settings: ReceiverSettings, _ continuation: AsyncStream<Location>.Continuation?) -> Int {
    made += 1
    trackers.append(Tracker(number: made, filter: TrackFilter(settings), continuation: continuation))
    return made
  }

  /// Whether there was one of this number.
  mutating func remove(_ number: Int) -> Bool {
    guard let index = trackers.firstIndex(where: { $0.number == number }) else { return false }
    trackers.remove(at: index).continuation?.finish()
    return true
  }

  /// Gives a fix to those whose filter it passes, and says whether there was one.
  mutating func give(_ fix: Location) -> Bool {
    var isWanted = false
    for index in trackers.indices where trackers[index].filter.passes(fix) {
      isWanted = true
      trackers[index].continuation?.yield(fix)
    }
    return isWanted
  }

  func finish() {
    for tracker in trackers { tracker.continuation?.finish() }
  }
}
