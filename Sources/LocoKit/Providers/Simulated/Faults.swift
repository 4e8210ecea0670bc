extension SimulatedProvider {
  /// What goes wrong on a simulated device, and how often.
  ///
  /// ```swift
  /// device.faults = SimulatedProvider.Faults(.many, seed: 7)
  /// device.advance(by: .seconds(3_600))
  /// device.faults = .none       // the worst is over: what does the app do now?
  /// ```
  public struct Faults: Hashable, Sendable {
    /// How much goes wrong.
    public enum Level: String, CaseIterable, Hashable, Sendable {
      /// Nothing.
      case none
      /// What a user meets in a year, within hours: each rate by the hour is drawn from 0 to 1.
      case some
      /// More than any device has ever done.
      case many
    }

    /// Share of GPS starts that report the last known fix first.
    package var cachedFixes = 0.0
    /// Share of fixes dated up to ten minutes back.
    package var staleFixes = 0.0
    /// Share of fixes dated up to a day ahead.
    package var futureFixes = 0.0
    /// Share of fixes reported twice.
    package var duplicateFixes = 0.0
    /// Share of fixes reported after the next one.
    package var reorderedFixes = 0.0
    /// Share of fixes without a valid accuracy or coordinate.
    package var invalidFixes = 0.0
    /// Share of GPS stops after which one more fix comes.
    package var fixesAfterStop = 0.0
    /// Share of seconds at which a burst of "unknown" begins.
    package var unknownBursts = 0.0
    /// Share of seconds with a receiver error in place of a fix.
    package var receiverErrors = 0.0
    /// Share of significant changes that come without the device having moved, per minute of waiting.
    package var falseWakes = 0.0
    /// Share of timers that fire up to two minutes late.
    public var lateTimers = 0.0
    /// Share of timers that never fire.
    package var missingTimers = 0.0
    /// How often in an hour somebody sets the clock.
    public var clockJumps = 0.0
    /// How often in an hour the app is suspended.
    public var suspensions = 0.0
    /// How often in an hour the app is terminated, where something is on that launches it again: significant changes, or a region.
    public var relaunches = 0.0
    /// How often in an hour the user changes the permission in the settings.
    public var permissionChanges = 0.0
    /// How often in an hour the sky is lost, for up to five minutes.
    public var skyLosses = 0.0
    /// How often in an hour the system says once more what the permission is, though nothing has changed.
    package var repeatedAuthorizations = 0.0
    /// How often in an hour a significant change is reported though nobody asked for it, such as one that was on its way when the
    /// service was turned off.
    package var strayChanges = 0.0
    /// Share of fixes that lie kilometres away, though they claim to be accurate.
    package var jumps = 0.0

    /// No faults.
    public static let none = SimulatedProvider.Faults()

    private init() {}

    /// Faults at rates drawn from a seed, each between nothing and the most of the level.
    public init(_ level: Level, seed: UInt64) {
      guard level != .none else { return }
      var random = SeededGenerator(seed: SeededGenerator.mix(seed ^ 0xFA17))
      let (share, hourly) = level == .some ? (0.02, 1.0) : (0.25, 30.0)
      func draw(_ most: Double) -> Double { Double.random(in: 0...most, using: &random) }
      cachedFixes = draw(share * 4)
      staleFixes = draw(share)
      futureFixes = draw(share)
      duplicateFixes = draw(share)
      reorderedFixes = draw(share)
      invalidFixes = draw(share)
      fixesAfterStop = draw(share * 4)
      unknownBursts = draw(share / 4)
      receiverErrors = draw(share)
      falseWakes = draw(share)
      lateTimers = draw(share)
      missingTimers = draw(share)
      clockJumps = draw(hourly)
      suspensions = draw(hourly)
      relaunches = draw(hourly)
      permissionChanges = draw(hourly)
      skyLosses = draw(hourly)
      repeatedAuthorizations = draw(hourly)
      strayChanges = draw(hourly)
      jumps = draw(share)
    }
  }
}
