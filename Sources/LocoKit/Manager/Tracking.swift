extension LocationManager {
  /// Locations for as long as somebody consumes them: see ``LocationManager/track(desiredAccuracy:distanceFilter:)``.
  ///
  /// ```swift
  /// for await location in manager.track(desiredAccuracy: 20) {
  ///   show(location)
  ///   if location.distance(to: goal) < 100 { break }    // the GPS goes off, unless somebody else wants it
  /// }
  /// ```
  ///
  /// Each iteration is a consumer of its own. Tracking begins with it, and ends with it: when the loop is left, or its task is
  /// cancelled.
  public struct Tracking: AsyncSequence {
    /// A location.
    public typealias Element = Location
    /// Nothing is thrown.
    public typealias Failure = Never

    let manager: LocationManager
    let want: Demand.Want

    /// Begins to track.
    public func makeAsyncIterator() -> Iterator {
      Iterator(consumer: Consumer(manager, want))
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
      private let id: Demand.ID
      private let locations: AsyncStream<Location>

      init(_ manager: LocationManager, _ want: Demand.Want) {
        let (stream, consumer) = AsyncStream<Location>.makeStream(bufferingPolicy: .bufferingNewest(16))
        self.manager = manager
        locations = stream
        id = manager.makeDemand(.consumer(consumer))
        manager.begin(id, want)
      }

      deinit { manager?.end(id) }

      func next() async -> Location? {
        // An iterator that is kept would need `next(isolation:)`, which is of 2024's systems.
        for await location in locations { return location }
        manager?.end(id)
        return nil
      }
    }
  }
}

@available(*, unavailable)
extension LocationManager.Tracking: Sendable {}
