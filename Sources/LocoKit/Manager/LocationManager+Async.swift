extension LocationManager {
  /// A stream of the locations delivered from now on, for one consumer.
  ///
  /// ```swift
  /// for await location in manager.updates { show(location) }
  /// ```
  ///
  /// The stream keeps the newest 16 locations. Reading it doesn't turn on the GPS. Each access creates a stream, as with StoreKit's
  /// `Transaction.updates`: the article *Concurrency* explains where that matters.
  public var updates: AsyncStream<Location> { updateConsumers.makeStream(keepingNewest: 16) }

  /// A stream of the transitions from now on, for one consumer. Each access creates a stream.
  ///
  /// ```swift
  /// for await transition in manager.transitions where transition.event == .acquisitionFailed { failures += 1 }
  /// ```
  ///
  /// The stream keeps the newest 64 transitions.
  public var transitions: AsyncStream<Transition> { transitionConsumers.makeStream(keepingNewest: 64) }

  /// A stream of every further fix and its verdict, for one consumer. Each access creates a stream.
  ///
  /// ```swift
  /// for await judged in manager.judgedFixes { plot(judged.fix) }
  /// ```
  ///
  /// The stream keeps the newest 64 fixes. Reading it doesn't turn on the GPS.
  public var judgedFixes: AsyncStream<JudgedFix> { judgedFixConsumers.makeStream(keepingNewest: 64) }

  /// Returns a sequence of the locations that pass the accuracy and the distance filter. Tracking lasts while a consumer iterates over it.
  ///
  /// ```swift
  /// for await location in manager.track(desiredAccuracy: 50, distanceFilter: 100) {
  ///   show(location)
  /// }
  /// ```
  ///
  /// During tracking the state is `acquiring`, the GPS is on without a time limit, and the listeners also receive these locations. After
  /// the last consumer has ended, one acquisition with a time limit follows, and then the GPS turns off. Without a permission, or during a
  /// pause, the loop waits: tracking starts when the permission that the app asked for is granted, or when the app resumes. A pause also
  /// interrupts tracking.
  ///
  /// The sequence buffers the 16 newest locations. The receiver satisfies the most demanding consumer and a third of the error bound, so
  /// other consumers may get more accurate locations than they asked for. A distance filter saves no power. On Apple's platforms, a desired
  /// accuracy of 100 m or worse may save power.
  ///
  /// - Parameters:
  ///   - desiredAccuracy: The largest ``Location/horizontalAccuracy`` that passes, in metres, more than 0.
  ///   - distanceFilter: The minimum distance from the previous location, in metres, 0 or more. A location that is at least twice as
  ///     accurate as the previous one passes if the previous accuracy is at least half the filter.
  public func track(desiredAccuracy: Double = 100, distanceFilter: Double = 0) -> Tracking {
    Self.check(desiredAccuracy)
    let filter = TrackFilter(desiredAccuracy: desiredAccuracy, distanceFilter: distanceFilter)
    return Tracking(manager: self, kind: .every(filter))
  }

  /// Returns a sequence of the locations that a ``TrackingPolicy`` accepts. Tracking lasts while a consumer iterates over it.
  ///
  /// ```swift
  /// for await location in manager.track(accepting: TrackingPolicy(requiredAccuracy: 20)) { save(location) }
  /// ```
  ///
  /// Tracking works as in ``track(desiredAccuracy:distanceFilter:)``. The policy's rules start from the manager's last location: a device
  /// that hasn't moved from there delivers no location, unless ``TrackingPolicy/distanceFilter`` is 0 or ``TrackingPolicy/maximumInterval``
  /// has passed.
  public func track(accepting policy: TrackingPolicy) -> Tracking {
    Tracking(manager: self, kind: .accepted(Acceptance(policy)))
  }

  /// Returns one location, as soon as a fix is accurate enough.
  ///
  /// ```swift
  /// let here = try await manager.acquire(desiredAccuracy: 50, timeout: .seconds(20))
  /// let recent = try await manager.acquire(desiredAccuracy: 1_500, maximumAge: .seconds(600))
  /// ```
  ///
  /// If the permission is granted and the manager isn't paused, returns the last ``location`` immediately if it's accurate enough and not
  /// older than `maximumAge`, and turns nothing on. Otherwise an acquisition begins, or the call joins the running one. The GPS turns off
  /// when no call, consumer or acquisition of the manager needs it. A fix that is older on arrival than the larger of 5 s and `maximumAge`
  /// is discarded, except one of reduced accuracy that the policy accepts. While the system shows the permission prompt, the call
  /// waits, and the timeout begins again with the answer. Listeners are notified of the acquisition as usual.
  ///
  /// Cancelling the task ends the wait immediately. If nothing else needs the GPS, it turns off when the caller's actor runs again. The call
  /// retains the manager and uses the GPS until it returns, even if the owner is deinitialized: cancel the task then.
  ///
  /// - Parameters:
  ///   - desiredAccuracy: The accuracy that ends the wait immediately, in metres, more than 0. With
  ///     ``AcquisitionPolicy/acceptsReducedAccuracy``, a fix of reduced accuracy is returned immediately too.
  ///   - maximumAge: The maximum age of the last location, by the provider's clock: 0, the default, to a day. With a store, the last
  ///     location may be from an earlier launch. A fix from the platform's cache may be this old too, if the policy's
  ///     ``AcquisitionPolicy/maximumAge`` permits it.
  ///   - timeout: The maximum wait, more than 0 and at most a day: until the system shows the prompt, and after the answer. At its end, the
  ///     call returns the best fix if it satisfies the policy's acceptable accuracy or `desiredAccuracy`.
  /// - Throws: ``AcquisitionFailure`` at the timeout or the end of the app's background time if there is no acceptable fix, and after
  ///   several errors; immediately if the app hasn't asked for the permission, if the user hasn't answered in time or has refused it, if the
  ///   manager is paused, or if another manager is created with the same provider. `CancellationError` if the task is cancelled.
  public func acquire(
    desiredAccuracy: Double = 100, maximumAge: Duration = .zero, timeout: Duration = .seconds(30)
  ) async throws -> Location {
    Self.check(desiredAccuracy)
    Validation.require(Validation.pause("maximum age", maximumAge))
    Validation.require(Validation.limit("timeout", timeout))
    try Task.checkCancellation()
    let (stream, waiter) = AsyncThrowingStream<Location, any Error>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let id = makeDemand(.waiter(waiter))
    begin(id, .one(OneLocation(desiredAccuracy: desiredAccuracy, within: timeout, maximumAge: maximumAge)))
    defer { end(id) }
    for try await location in stream { return location }
    throw CancellationError()
  }

  private static func check(_ desiredAccuracy: Double) {
    precondition(
      desiredAccuracy > 0 && desiredAccuracy.isFinite,
      "The desired accuracy must be a finite number of metres above 0, not \(desiredAccuracy) or a Core Location constant."
    )
  }
}
