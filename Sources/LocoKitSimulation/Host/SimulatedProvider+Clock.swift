import Foundation
import LocoKit
@_exported public import LocoMachineTesting

extension SimulatedProvider {
  /// Runs `async` code, and advances the device's time until the code ends.
  ///
  /// ```swift
  /// let place = try await device.advance(atMost: .seconds(60)) { try await manager.acquire() }
  /// ```
  ///
  /// Starts `body` in the isolation of the caller, which is the device's, and handles the device's events in order. Between two events, the
  /// method yields to the tasks of this actor, including `body`. Work outside the actor, including the library's own disk writes, takes
  /// real time while the device's time advances: *Testing your app* shows how to test that. Returns or throws the result of `body`.
  ///
  /// - Parameters:
  ///   - limit: The maximum duration on the device's clock, more than 0.
  ///   - isolation: The caller's actor, which owns the device.
  ///   - body: Code that waits for the device. Its task is cancelled at the limit, or if the caller's task is cancelled.
  /// - Throws: The error of `body`; an error with a description at the limit; `CancellationError` if the caller's task is
  ///   cancelled.
  /// - Precondition: The caller belongs to an actor.
  @discardableResult
  public func advance<Value>(
    atMost limit: Duration, isolation: isolated (any Actor)? = #isolation,
    while body: @escaping () async throws -> Value
  ) async throws -> Value {
    try await pass(atMost: limit, isolation: isolation, while: body)
  }

  /// The device's time as a clock, for deadlines and for code that sleeps.
  ///
  /// ```swift
  /// let device = SimulatedProvider(route: .losAngeles, seed: 1)
  /// let light = MachineRunner<TrafficLight>(clock: device.clock) { _, _ in }
  /// device.advance(by: .seconds(600))  // the device drives on, and the light's deadlines fire
  /// ```
  ///
  /// The device and the clock share their time: advancing one advances the other. When you first read this property, the clock's date is
  /// set to the device's date. The clock's date doesn't follow later changes of the device's wall clock.
  public var clock: ManualClock {
    if let sharedClock { return sharedClock }
    let clock = ManualClock(for: self, sinceEpoch: .seconds(date.timeIntervalSince1970))
    sharedClock = clock
    return clock
  }
}
