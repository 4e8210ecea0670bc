/// How a simulated device finds out that it has left a region.
///
/// ```swift
/// var configuration = SimulatedProvider.Configuration()
/// configuration.region.latency = .seconds(300)
/// configuration.region.lost = 0
/// let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
/// ```
///
/// Measured on iOS with regions of 100 m (11 exits): the first fix after an exit was 186–1442 m from the centre, the median
/// 344 m, 75 % within 674 m. The system finds an exit some way beyond the edge, and some time after it.
public struct RegionModel: Hashable, Sendable {
  /// How far beyond the edge an exit is found: the median, metres. Each region draws its own, log-normally.
  public var buffer = 100.0
  /// The standard deviation of the logarithm of ``buffer``.
  public var bufferSpread = 0.4
  /// How long the device is beyond the buffer before the exit is reported: the median. Each region draws its own, log-normally.
  /// Apple speaks of 3–5 minutes on average.
  public var latency = Duration.seconds(50)
  /// The standard deviation of the logarithm of ``latency``.
  public var latencySpread = 0.7
  /// The share of regions whose exit is never reported, 0…1.
  public var lost = 0.05

  /// A phone's.
  public init() {}

  /// A phone's: 100 m, 50 s, 5 % lost.
  public static let phone = RegionModel()
}
