extension SimulatedProvider {
  /// How a simulated device finds out that it has left a region.
  ///
  /// Measured by MobilityNet of iPhone 6 with iOS 12.3.1 and regions of 100 m: an exit is reported 38 s (10th percentile), 98–112 s (median),
  /// 138 s (75th) and 183–225 s (90th) after the edge was crossed, and 5–13 % never. The distance of the device at the report follows
  /// from its speed: it was 248 m from the centre (median), 416 m (75th percentile) and 743 m (90th; n = 100).
  package struct RegionModel: Hashable, Sendable {
    /// The median time from the crossing of the edge to the report of the exit. Each region draws its own time, log-normally.
    package var latency = Duration.seconds(100)
    /// The standard deviation of the logarithm of ``latency``. With 0.65 the percentiles above are met within 15 %.
    package var latencySpread = 0.65
    /// The share of regions whose exit is never reported, 0…1.
    package var lost = 0.08

    /// A phone's.
    package init() {}

    /// A phone's: 100 s, 8 % lost.
    package static let phone = SimulatedProvider.RegionModel()
  }
}
