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

    /// How Core Location is used.
    public struct Configuration {
      /// Which permission is asked for.
      public var permission = Permission.whenInUse
      /// Whether fixes come while the app is in the background. Needs the background mode `location`; has no effect on a Mac
      /// or in an app extension whose own `Info.plist` does not declare it.
      public var allowsBackgroundUpdates = false
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
      /// Whether the motion sensor is used where an error bound is set: then the GPS stays off while the device is still. On iOS,
      /// with ``allowsBackgroundUpdates`` and Always. Needs `NSMotionUsageDescription`, and shows the user a second prompt.
      public var usesMotionActivity = false
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
          significantChanges: CLLocationManager.significantLocationChangeMonitoringAvailable(), continuousFixes: true,
          regionExits: CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self),
          motionActivity: CMMotionActivityManager.isActivityAvailable(), suspendsApps: true)
      #elseif os(macOS)
        Capabilities(
          significantChanges: CLLocationManager.significantLocationChangeMonitoringAvailable(), continuousFixes: true,
          regionExits: CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self), motionActivity: false,
          suspendsApps: false)
      #elseif os(tvOS)
        Capabilities(
          significantChanges: false, continuousFixes: false, regionExits: false, motionActivity: false,
          suspendsApps: true)
      #else
        Capabilities(
          significantChanges: false, continuousFixes: true, regionExits: false, motionActivity: false,
          suspendsApps: true)
      #endif
    }
  }
#endif
