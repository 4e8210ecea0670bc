package import LocoFoundation

extension ManualClock {
  /// Creates a clock at zero.
  ///
  /// - Parameter date: The date of the wall clock when the clock is at zero.
  package convenience init(date: Date) { self.init(sinceEpoch: .seconds(date.timeIntervalSince1970)) }

  /// The date of the wall clock, which advances with the clock. `setDate(by:)` sets it forward or back.
  package var date: Date { Date(timeIntervalSince1970: sinceEpoch.inSeconds) }
}
