// For async code: streams, tracking, and one location.

extension LocationManager {
  /// The locations delivered from now on, for one consumer. Ask anew for each.
  ///
  /// ```swift
  /// for await location in manager.updates { show(location) }
  /// ```
  ///
  /// A consumer that is slow gets the 16 newest. Consuming turns nothing on. Each access registers a consumer, as with StoreKit's
  /// `Transaction.updates`: the article *Concurrency* says where that matters.
  public var updates: AsyncStream<Location> { updateConsumers.makeStream(keepingNewest: 16) }

  /// The transitions made from now on, for one consumer. Ask anew for each.
  ///
  /// ```swift
  /// for await transition in manager.transitions where transition.event == .acquisitionFailed { failures += 1 }
  /// ```
  ///
  /// A consumer that is slow gets the 64 newest.
  public var transitions: AsyncStream<LocationManager.Transition> { transitionConsumers.makeStream(keepingNewest: 64) }

  /// Every fix from now on with what became of it, for one consumer that shows them. Ask anew for each.
  ///
  /// ```swift
  /// for await measurement in manager.measurements { plot(measurement.fix) }
  /// ```
  ///
  /// A consumer that is slow gets the 64 newest. Consuming turns nothing on.
  public var measurements: AsyncStream<LocationManager.JudgedFix> { measurementConsumers.makeStream(keepingNewest: 64) }

  /// Every location, for as long as somebody consumes them.
  ///
  /// ```swift
  /// for await location in manager.track(desiredAccuracy: 50, distanceFilter: 100) {
  ///   show(location)
  /// }
  /// ```
  ///
  /// While somebody tracks, the state is `acquiring`, the GPS is on without a time limit, and the listeners hear of each of
  /// these locations. When the last consumer has ended, tracking turns into a bounded acquisition, and then sleeps. Where
  /// the permission is not given yet, or the app has paused, locations come when it is and when it resumes: a pause turns the
  /// receiver off for consumers too.
  ///
  /// One that is slow gets the 16 newest. The receiver is used as the most demanding of all wants it, so a consumer may
  /// benefit from another's accuracy, but gets its own locations only. A distance filter saves no power; accuracies of 100
  /// m and more may, on Apple's platforms.
  ///
  /// - Parameters:
  ///   - desiredAccuracy: How accurate a location is at least, metres, more than 0.
  ///   - distanceFilter: How far from the last one a location is at least, unless it is at least twice as accurate. Metres, 0 or more.
  public func track(desiredAccuracy: Double = 100, distanceFilter: Double = 0) -> LocationManager.Tracking {
    Self.check(desiredAccuracy)
    let settings = ReceiverSettings(desiredAccuracy: desiredAccuracy, distanceFilter: distanceFilter)
    return LocationManager.Tracking(manager: self, want: .every(TrackFilter(settings)))
  }

  /// Every location that TTLocationHandler's rules accept, for as long as somebody consumes them.
  ///
  /// ```swift
  /// for await location in manager.track(accepting: AcceptancePolicy(requiredAccuracy: 20)) { save(location) }
  /// ```
  ///
  /// See ``track(desiredAccuracy:distanceFilter:)`` for what tracking is, and ``AcceptancePolicy`` for the rules, which begin
  /// from the manager's last location: a device that has not moved since gives none.
  public func track(accepting policy: AcceptancePolicy) -> LocationManager.Tracking {
    LocationManager.Tracking(manager: self, want: .accepted(Acceptance(policy)))
  }

  /// One location, as soon as a fix is accurate enough.
  ///
  /// ```swift
  /// let here = try await manager.acquire(desiredAccuracy: 50, timeout: .seconds(20))
  /// let recent = try await manager.acquire(desiredAccuracy: 1_500, maximumAge: .seconds(600))
  /// ```
  ///
  /// Returns the last ``location`` immediately if it is accurate enough and not older than `maximumAge`, and turns nothing on. Otherwise it
  /// begins an acquisition, or joins the one that is running; the receiver stays on until this is satisfied or its time is
  /// over, and is turned off as soon as nobody else wants it. Fixes older than ``maximumFixAge`` and than `maximumAge` when they come are not
  /// used. Where the permission is still being asked for, waits for the answer. Listeners hear of the acquisition as of any
  /// other.
  ///
  /// Cancelling the task ends the wait at once, and then, in the isolation of the caller, what was on for it alone.
  ///
  /// - Parameters:
  ///   - desiredAccuracy: A fix with this accuracy or a better one is returned at once, and so is one of reduced accuracy where the policy
  ///     accepts it: ``AcquisitionPolicy/acceptsReducedAccuracy``. Metres, more than 0.
  ///   - maximumAge: The greatest age of the last location, by the provider's clock. The last location may
  ///     be one of an earlier launch, through the store. 0, the default, to a day. A fix from the platform's cache counts up to this age
  ///     too, and up to the policy's ``AcquisitionPolicy/maximumAge``.
  ///   - timeout: How long to wait. When it is over, the best fix is returned if it is acceptable to the policy or desired
  ///     here. More than 0, at most a day.
  /// - Throws: ``AcquisitionFailure``, at once where the permission was not asked for or is refused and where the manager
  ///   is paused, and where another manager is made with this one's provider; `CancellationError` where the task is cancelled.
  public func acquire(
    desiredAccuracy: Double = 100, maximumAge: Duration = .zero, timeout: Duration = .seconds(30)
  ) async throws -> Location {
    Self.check(desiredAccuracy)
    precondition(
      maximumAge >= .zero && maximumAge <= .seconds(86_400),
      "The maximum age must be 0 to a day, not \(maximumAge.inSeconds) s.")
    precondition(
      timeout > .zero && timeout <= .seconds(86_400),
      "The timeout must be more than 0 and at most a day, not \(timeout.inSeconds) s.")
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
      "The desired accuracy must be a finite number of metres above 0, not \(desiredAccuracy): no constant of Core Location."
    )
  }
}
