@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoMachine

extension SimulatedProvider {
  /// The faults of a simulated device, and their rates.
  ///
  /// ```swift
  /// device.faults = .many(seed: 7)
  /// device.advance(by: .seconds(3_600))
  /// device.faults = .none       // the worst is over: what does the app do now?
  /// ```
  public struct Faults: Hashable, Sendable {
    /// The share of GPS starts that deliver the last known fix first.
    package var cachedFixes = 0.0
    /// The share of fixes with timestamps up to ten minutes in the past.
    package var staleFixes = 0.0
    /// The share of fixes with timestamps up to a day in the future.
    package var futureFixes = 0.0
    /// The share of fixes that are delivered twice.
    package var duplicateFixes = 0.0
    /// The share of fixes that are delivered after the next one.
    package var reorderedFixes = 0.0
    /// The share of fixes without a valid accuracy or coordinate.
    package var invalidFixes = 0.0
    /// The share of GPS stops that another fix follows, among the stops after a satellite fix.
    package var fixesAfterStop = 0.0
    /// The share of seconds that start a burst of `ProviderReport.Failure.locationUnknown`, while the GPS is on and has sky.
    package var unknownBursts = 0.0
    /// The share of seconds with a receiver error in place of a fix, while the GPS is on and has sky.
    package var receiverErrors = 0.0
    /// The share of minutes of waiting that end with a significant change, whether or not the device has moved.
    package var falseWakes = 0.0
    /// The share of timers that fire up to two minutes late.
    package var lateTimers = 0.0
    /// The share of timers that never fire.
    package var missingTimers = 0.0
    /// Changes of the wall clock per hour.
    package var clockJumps = 0.0
    /// Suspensions of the app per hour, while it runs.
    package var suspensions = 0.0
    /// Terminations of the app per hour, if ``SimulatedProvider/onRelaunch`` is set, and while significant changes, visits or a region can
    /// launch the app again.
    package var relaunches = 0.0
    /// Changes of the permission in the settings per hour.
    package var permissionChanges = 0.0
    /// Losses of the sky per hour, for up to five minutes each.
    package var skyLosses = 0.0
    /// Reports of an unchanged authorization per hour.
    package var repeatedAuthorizations = 0.0
    /// Unexpected significant changes per hour, such as one that is delivered after the service was turned off.
    package var strayChanges = 0.0
    /// The share of fixes that are 2 to 20 km off and claim the same accuracy as without the fault.
    package var jumps = 0.0

    /// No faults.
    public static let none = Faults()

    /// Returns the faults of a year within hours, with rates that the seed determines. Each hourly rate is between 0 and 1.
    public static func some(seed: UInt64) -> Faults { Faults(upTo: 0.02, hourly: 1, seed: seed) }

    /// Returns more faults than any device has, with rates that the seed determines.
    public static func many(seed: UInt64) -> Faults { Faults(upTo: 0.25, hourly: 30, seed: seed) }

    private init() {}

    /// Creates faults with rates between 0 and maximums, which are multiples of a share or a number per hour.
    private init(upTo share: Double, hourly: Double, seed: UInt64) {
      var random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0xFA17))
      func draw(_ rate: inout Double, upTo most: Double) { rate = Double.random(in: 0...most, using: &random) }
      // The order of the draws determines the rates for a seed.
      draw(&cachedFixes, upTo: share * 4)
      draw(&staleFixes, upTo: share)
      draw(&futureFixes, upTo: share)
      draw(&duplicateFixes, upTo: share)
      draw(&reorderedFixes, upTo: share)
      draw(&invalidFixes, upTo: share)
      draw(&fixesAfterStop, upTo: share * 4)
      draw(&unknownBursts, upTo: share / 4)
      draw(&receiverErrors, upTo: share)
      draw(&falseWakes, upTo: share)
      draw(&lateTimers, upTo: share)
      draw(&missingTimers, upTo: share)
      draw(&clockJumps, upTo: hourly)
      draw(&suspensions, upTo: hourly)
      draw(&relaunches, upTo: hourly)
      draw(&permissionChanges, upTo: hourly)
      draw(&skyLosses, upTo: hourly)
      draw(&repeatedAuthorizations, upTo: hourly)
      draw(&strayChanges, upTo: hourly)
      draw(&jumps, upTo: share)
    }
  }
}
