extension LocationManager {
  /// A sequence of locations: see ``LocationManager/track(desiredAccuracy:distanceFilter:)``.
  ///
  /// ```swift
  /// for await location in manager.track(desiredAccuracy: 20) {
  ///   show(location)
  ///   if location.distance(to: goal) < 100 { break }    // one more acquisition, then the GPS goes off
  /// }
  /// ```
  ///
  /// Each iteration is a separate consumer. Tracking begins with the iteration and ends when the loop exits, also because its task is
  /// cancelled and runs again.
  public struct Tracking: AsyncSequence {
    let manager: LocationManager
    let kind: Demand.Kind

    /// Begins tracking.
    public func makeAsyncIterator() -> Iterator { Iterator(iteration: Iteration(manager, kind)) }

    /// A consumer of locations.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let iteration: Iteration

      /// Returns the next location, or `nil` after the task was cancelled, the manager was deinitialized, or another manager was created
      /// with its provider.
      public mutating func next() async -> Location? { await iteration.next() }

      /// Returns the next location, in the caller's isolation.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Location? { await iteration.next() }
    }

    /// The demand of an iteration. Deinitializing the iteration ends the demand, in the isolation of the manager's owner.
    fileprivate final class Iteration {
      private weak var manager: LocationManager?
      private let id: Demand.ID
      private let locations: AsyncStream<Location>

      init(_ manager: LocationManager, _ kind: Demand.Kind) {
        let (stream, continuation) = AsyncStream<Location>.makeStream(bufferingPolicy: .bufferingNewest(16))
        self.manager = manager
        locations = stream
        id = manager.makeDemand(.stream(continuation))
        // The loop receives no location, so the GPS stays off.
        if Task.isCancelled { continuation.finish() } else { manager.begin(id, kind) }
      }

      deinit { manager?.end(id) }

      func next() async -> Location? {
        // A stored iterator would require `next(isolation:)`, which needs the systems of 2024.
        for await location in locations { return location }
        manager?.end(id)
        return nil
      }
    }
  }
}

@available(*, unavailable)
extension LocationManager.Tracking: Sendable {}
