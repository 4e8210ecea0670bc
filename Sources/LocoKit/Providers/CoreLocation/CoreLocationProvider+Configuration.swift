#if canImport(CoreLocation)
  public import CoreLocation
  #if os(iOS) || LOCOKIT_STAND_INS
    import CoreMotion
  #endif

  extension CoreLocationProvider {
    /// Which permission is asked for.
    public enum Permission: String, CaseIterable, Hashable, Sendable {
      /// While the app is in use.
      case whenInUse
      /// In the background too: one prompt now, and a second one when the system finds it time.
      case always
      /// While the app is in use first, and the rest as soon as that is given. The system asks for the rest only once.
      case whenInUseThenAlways
    }

    /// When coarse location updates keep an app running in the background while the GPS is off.
    ///
    /// Measured in 2019 and 2020 on four iPhone 6 with iOS 12.3.1, at a desired accuracy of 100 m: 91 mW above an idle phone at rest,
    /// 188 mW on the move. The cost on modern phones is not measured.
    public enum KeepsRunning: String, CaseIterable, Hashable, Sendable {
      /// Under an error bound, until the device has been still for two minutes and the system watches a region round the last fix. The
      /// app may be suspended while the device is slow, too: on foot from a bound of some 500 m on. The region's exit, a visit, or a
      /// significant change wakes the app.
      case whileMoving
      /// Under an error bound, at rest too: for bounds below 200 m, which are otherwise exceeded in the first minutes after a rest. The
      /// updates at rest take another 1.2 % of an iPhone 6's battery per hour.
      case always
      /// At no time: the motion sensor stays off, timers don't run in the background, and there regions, visits and significant changes
      /// alone wake the app.
      case never
    }

    /// How Core Location is used.
    public struct Configuration {
      /// Which permission is asked for.
      public var permission = Permission.whenInUse
      /// Whether fixes come while the app is in the background. Needs the background mode `location`; has no effect on a Mac
      /// or in an app extension whose own `Info.plist` does not declare it.
      public var allowsBackgroundUpdates = false
      /// When coarse updates keep the app running under an error bound. On iOS, with ``allowsBackgroundUpdates``, Always and full
      /// accuracy; has no effect otherwise.
      public var keepsRunning = KeepsRunning.whileMoving
      /// The desired accuracy of the updates that keep the app running, in metres. 100 m, the default, is the only one that was
      /// measured: the cost of 1 or 3 km, and the accuracy of the fixes, are not known. More than 100 m has an effect only with
      /// ``showsBackgroundIndicator``: from iOS 16.4 on, the system suspends an app without an indicator whose updates are coarser.
      public var keeperAccuracy = kCLLocationAccuracyHundredMeters
      /// Whether the status bar says that the app uses the location in the background. On iOS, with Always.
      public var showsBackgroundIndicator = false
      #if !os(tvOS)
        /// What the app is for, from which Core Location guesses how the device moves.
        public var activityType = CLActivityType.other
      #endif
      /// Asks for full accuracy, for this launch, when the GPS is turned on and the user gives a reduced one only: a key of
      /// `NSLocationTemporaryUsageDescriptionDictionary`. The user is asked once in a launch. `nil` does not ask.
      public var fullAccuracyPurposeKey: String?
      /// What is done where the permission is known to be refused and the app asks again, by a forced prompt: open its
      /// settings. The first time that a launch asks, it finds out.
      public var onRequestWhenDenied: (() -> Void)?
      /// Whether the motion sensor is used while the app is kept running under an error bound: see ``keepsRunning``. The GPS then stays
      /// off while the device is still. On iOS. Needs `NSMotionUsageDescription`, and shows the user a second prompt.
      public var usesMotionActivity = false
      /// Whether the provider reports the battery, unless the mode is `off`: see ``LocationManager/battery``. It turns on UIKit's monitoring of
      /// the battery. On iOS and visionOS.
      public var reportsBattery = false
      /// The policy recommended to the manager.
      public var policy = AcquisitionPolicy.loco

      /// While in use, in the foreground.
      public init() {}
    }

    /// What the platform has.
    public struct Capabilities: Hashable, Sendable {
      /// Whether significant changes wake the app: on iOS and macOS. Elsewhere a manager that sleeps is woken by the app
      /// alone, which forces an acquisition.
      public let significantChanges: Bool
      /// Whether the beginning and the end of a visit wake the app: on iOS.
      public let visits: Bool
      /// Whether the receiver gives one fix after the other. On tvOS it is asked for each.
      public let continuousFixes: Bool
      /// Whether the exit of a region wakes the app: on iOS and macOS. A Mac tells only an app that runs.
      public let regionExits: Bool
      /// Whether the motion sensor says how the device moves: on an iPhone.
      public let motionActivity: Bool
      /// Whether the system suspends an app in the background, which then has no timers: everywhere but on a Mac.
      public let suspendsApps: Bool
    }

    /// What this platform has.
    public static var capabilities: Capabilities {
      #if os(iOS) || LOCOKIT_STAND_INS
        Capabilities(
          significantChanges: CLLocationManager.significantLocationChangeMonitoringAvailable(), visits: true,
          continuousFixes: true, regionExits: CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self),
          motionActivity: CMMotionActivityManager.isActivityAvailable(), suspendsApps: true)
      #elseif os(macOS)
        Capabilities(
          significantChanges: CLLocationManager.significantLocationChangeMonitoringAvailable(), visits: false,
          continuousFixes: true, regionExits: CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self),
          motionActivity: false, suspendsApps: false)
      #elseif os(tvOS)
        Capabilities(
          significantChanges: false, visits: false, continuousFixes: false, regionExits: false, motionActivity: false,
          suspendsApps: true)
      #else
        Capabilities(
          significantChanges: false, visits: false, continuousFixes: true, regionExits: false, motionActivity: false,
          suspendsApps: true)
      #endif
    }
  }
#endif
