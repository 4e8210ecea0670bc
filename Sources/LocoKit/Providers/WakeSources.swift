public import Foundation

/// What can wake an app while its device sleeps, and what the app hears of meanwhile.
///
/// ```swift
/// // Without timers only regions and significant changes wake the app, which keeps no narrow bound.
/// manager.errorBound = provider.wakeSources.isDisjoint(with: [.timersWhileAsleep, .keeper]) ? 1_500 : 500
/// ```
///
/// A provider says what it has in ``LocationProvider/wakeSources``; with an error bound the manager makes the best of that.
public struct WakeSources: OptionSet, Hashable, Sendable {
  /// One bit for each source.
  public let rawValue: Int

  /// Sources from their bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The system wakes the app when the device has moved to another cell, by a rule of its own:
  /// ``ProviderReport/significantChange(_:)``.
  public static let significantChanges = WakeSources(rawValue: 1 << 0)
  /// Each change of the cell is told, with the cell's name: ``ProviderReport/cell(_:)``.
  public static let cells = WakeSources(rawValue: 1 << 1)
  /// The system wakes the app when the device has left a region: ``ProviderReport/regionExited``.
  public static let regionExit = WakeSources(rawValue: 1 << 2)
  /// Whether the device moves is told, asleep too: ``ProviderReport/motion(_:)``.
  public static let motion = WakeSources(rawValue: 1 << 3)
  /// Timers run while the device sleeps: on Linux, and on Apple's platforms only where something keeps the app running.
  public static let timersWhileAsleep = WakeSources(rawValue: 1 << 4)
  /// The system wakes the app when the device arrives at a place where it stays, or leaves it: ``ProviderReport/arrival`` and
  /// ``ProviderReport/departure``.
  public static let visits = WakeSources(rawValue: 1 << 5)
  /// The app can be kept running while the GPS is off, which costs as much as coarse location updates do:
  /// ``LocationProvider/setKeptRunning(_:)``. ``timersWhileAsleep`` and ``motion`` then hold only while it is kept running.
  public static let keeper = WakeSources(rawValue: 1 << 6)
  /// The app is to be kept running while the device rests, too. Of no effect without ``keeper``.
  public static let keeperAtRest = WakeSources(rawValue: 1 << 7)

  /// All but visits and the keeper, which are of use where the system suspends apps.
  public static let all: WakeSources = [.significantChanges, .cells, .regionExit, .motion, .timersWhileAsleep]
}

/// How a device moves, as its motion sensor says.
///
/// ```swift
/// func ignitionChanged(to isOn: Bool) {
///   gpsd.reportMotion(isOn ? .vehicle : .still)
/// }
/// ```
public enum Motion: String, CaseIterable, Codable, Hashable, Sendable {
  /// Not at all.
  case still
  /// On foot, or in any way that is not known to be a vehicle.
  case walking
  /// In a vehicle.
  case vehicle
  /// In a vehicle that stands: neither motion nor rest.
  case standing

  /// A reading that a motion sensor stored.
  public struct Change: Hashable, Codable, Sendable {
    /// How the device moved from then on; `nil` where the sensor didn't know.
    public var motion: Motion?
    /// When it began.
    public var date: Date

    /// A reading from its parts.
    public init(_ motion: Motion?, at date: Date) {
      self.motion = motion
      self.date = date
    }
  }
}

extension Location {
  /// A circle on Earth.
  ///
  /// A provider is given the one that it has to watch over:
  ///
  /// ```swift
  /// var wakeSources: WakeSources { [.regionExit, .timersWhileAsleep] }
  ///
  /// func setRegion(_ region: Location.Region?) {
  ///   buoy.fence = region.map { Buoy.Fence(latitude: $0.latitude, longitude: $0.longitude, radius: $0.radius) }
  /// }
  /// ```
  public struct Region: Hashable, Sendable {
    /// Degrees north of the equator of the centre, −90…90, WGS 84.
    public let latitude: Double
    /// Degrees east of the prime meridian of the centre, −180…180, WGS 84.
    public let longitude: Double
    /// Metres from the centre to the edge, more than 0.
    public let radius: Double

    /// A region from its parts.
    public init(latitude: Double, longitude: Double, radius: Double) {
      self.latitude = latitude
      self.longitude = longitude
      self.radius = radius
    }
  }
}
