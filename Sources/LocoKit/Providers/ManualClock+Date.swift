public import LocoFoundation

extension ManualClock {
  /// Creates a clock at zero.
  ///
  /// - Parameter date: The wall clock at zero.
  public convenience init(date: Date) { self.init(sinceEpoch: .seconds(date.timeIntervalSince1970)) }

  /// The wall clock. It advances with the clock; `setDate(by:)` sets it.
  public var date: Date { Date(timeIntervalSince1970: sinceEpoch.inSeconds) }
}
