public import LocoFoundation

/// The events that can wake an app while the mode is ``ReceiverMode/significantChanges``, and the reports that a provider sends in that
/// mode.
///
/// ```swift
/// // Without timers only regions and significant changes wake the app, which keeps no narrow bound.
/// manager.errorBound = provider.wakeSources.isDisjoint(with: [.timersWhileAsleep, .keeper]) ? 1_500 : 500
/// ```
///
/// A provider lists its sources in ``LocationProvider/wakeSources``. With an error bound, the manager uses all of them.
public struct WakeSources: OptionSet, Hashable, Sendable {
  /// A bit for each source.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The system wakes the app when it finds that the device has moved to another cell: ``ProviderReport/significantChange(_:)``.
  public static let significantChanges = WakeSources(rawValue: 1 << 0)
  /// The provider reports each change of the cell, by name: ``ProviderReport/cell(_:)``.
  public static let cells = WakeSources(rawValue: 1 << 1)
  /// The system wakes the app when the device leaves a region: ``ProviderReport/regionExited``.
  public static let regionExit = WakeSources(rawValue: 1 << 2)
  /// The provider reports motion, also while the GPS is off: ``ProviderReport/motion(_:)``.
  public static let motion = WakeSources(rawValue: 1 << 3)
  /// Timers fire while the mode is `significantChanges`: with gpsd always, with Core Location only while the app isn't suspended.
  public static let timersWhileAsleep = WakeSources(rawValue: 1 << 4)
  /// The system wakes the app when the device arrives at a place or leaves it: ``ProviderReport/visit(_:)``.
  public static let visits = WakeSources(rawValue: 1 << 5)
  /// The provider can keep the app running while the GPS is off, at the energy cost of coarse location updates:
  /// ``LocationProvider/setKeptRunning(_:)``. In the background, ``timersWhileAsleep`` and ``motion`` are then available only while
  /// the app is kept running.
  public static let keeper = WakeSources(rawValue: 1 << 6)
  /// The manager also keeps the app running while the device rests. Has no effect without ``keeper``.
  public static let keeperAtRest = WakeSources(rawValue: 1 << 7)

  /// The manager treats a bound below 200 m like a larger one: it usually keeps the app running for only a minute after the last motion,
  /// and 15 s after an arrival. Has no effect without ``keeper``.
  public static let keeperBriefly = WakeSources(rawValue: 1 << 8)

  /// All sources except visits and the keeper, which help only on systems that suspend apps.
  public static let all: WakeSources = [.significantChanges, .cells, .regionExit, .motion, .timersWhileAsleep]
}

/// The motion of a device, from its motion sensor.
///
/// ```swift
/// func ignitionChanged(to isOn: Bool) {
///   gpsd.reportMotion(isOn ? .vehicle : .still)
/// }
/// ```
public enum Motion: String, CaseIterable, Codable, Hashable, Sendable {
  /// At rest.
  case still
  /// On foot, or in motion without a recognized vehicle.
  case walking
  /// In a vehicle.
  case vehicle
  /// In a vehicle that has stopped. In the schedule of looks, this counts neither as motion nor as rest.
  case standing

  /// A reading that a motion sensor stored.
  public struct Change: Hashable, Codable, Sendable {
    /// The motion from ``date`` on; `nil` if the sensor didn't know.
    public var motion: Motion?
    /// The start of the motion.
    public var date: Date

    /// Creates a reading.
    public init(_ motion: Motion?, at date: Date) {
      self.motion = motion
      self.date = date
    }
  }
}

extension Location {
  /// A circle on Earth.
  ///
  /// A provider watches the region that the manager sets:
  ///
  /// ```swift
  /// var wakeSources: WakeSources { [.regionExit, .timersWhileAsleep] }
  ///
  /// func setRegion(_ region: Location.Region?) {
  ///   buoy.fence = region.map { Buoy.Fence(latitude: $0.latitude, longitude: $0.longitude, radius: $0.radius) }
  /// }
  /// ```
  public struct Region: Hashable, Sendable {
    /// The latitude of the centre in degrees, −90…90, WGS 84.
    public let latitude: Double
    /// The longitude of the centre in degrees, −180…180, WGS 84.
    public let longitude: Double
    /// The radius in metres, more than 0.
    public let radius: Double

    /// Creates a region.
    public init(latitude: Double, longitude: Double, radius: Double) {
      self.latitude = latitude
      self.longitude = longitude
      self.radius = radius
    }
  }
}
