#if canImport(CoreLocation)
  #if os(tvOS)
    import CoreLocation
  #else
    public import CoreLocation
  #endif

  extension CoreLocationProvider {
    /// The settings of a ``CoreLocationProvider``.
    public struct Configuration {
      /// The permission to ask for.
      public var permission = Permission.whenInUse
      /// Whether updates continue in the background on iOS and watchOS. Needs the background mode `location`. On a Mac and in an app
      /// extension, the setting has no effect if the bundle's own `Info.plist` lacks the mode; on tvOS and visionOS it has none.
      public var allowsBackgroundUpdates = false
      /// When coarse updates keep the app running under an error bound. Has an effect only on iOS, with ``allowsBackgroundUpdates``, Always
      /// and full accuracy.
      public var backgroundUpdates = LocationManager.BackgroundUpdates.whileMoving
      /// How coarse updates keep the app running: see ``backgroundUpdates``.
      public var keepsRunning = KeepsRunning.continuous()
      /// Whether the status bar shows the use of locations in the background, on iOS with Always.
      public var showsBackgroundIndicator = false
      #if !os(tvOS)
        /// The kind of movement that Core Location expects, such as driving a car.
        public var activityType = CLActivityType.other
      #endif
      /// A key of `NSLocationTemporaryUsageDescriptionDictionary`, to ask for full accuracy when the GPS turns on with reduced accuracy.
      /// The user is asked once per launch, and again after the answer has expired: the system withdraws full accuracy some time after the
      /// user has left the app. With `nil` the user isn't asked.
      public var fullAccuracyPurposeKey: String?
      /// Called when the app asks again for a denied permission, usually with ``LocationManager/forcePromptAuthorization()``: open the
      /// app's page in the Settings app. The first request of a launch doesn't call the closure.
      public var onRequestWhenDenied: (() -> Void)?
      /// The motion sensor. It runs under an error bound, while the app is kept running (see ``backgroundUpdates``) or, in an app that can't
      /// be kept running, in the foreground. The GPS then usually stays off while the device is still. A sensor that runs stays on with the
      /// GPS when a power rule that tracks replaces one with a bound. On iOS, with `import LocoKitMotion`: `.coreMotion`. Needs
      /// `NSMotionUsageDescription`, and shows a second prompt. With `nil` the app has no sensor, and doesn't link Core Motion.
      public var motionSensor: MotionSensor?
      /// Whether the provider reports the battery while the mode isn't `off`: see ``LocationManager/Circumstances/battery``. Turns on the
      /// monitoring of the battery on iOS, visionOS and watchOS. On a Mac and a watch, the provider reads the battery once a minute. An
      /// Apple TV has no battery.
      public var reportsBattery = false
      /// The provider's ``LocationProvider/recommendedPolicy``.
      public var policy = AcquisitionPolicy.loco

      /// Creates a configuration for use in the foreground.
      public init() {}
    }

    /// A motion sensor for ``Configuration/motionSensor``. The module LocoKitMotion has the sensor of iOS, `.coreMotion`, so that an app
    /// without that module doesn't link Core Motion.
    public struct MotionSensor {
      /// Whether the device has the sensor.
      package let isAvailable: Bool
      package let makeReadings: () -> any MotionReadings

      package init(isAvailable: Bool, makeReadings: @escaping () -> any MotionReadings) {
        (self.isAvailable, self.makeReadings) = (isAvailable, makeReadings)
      }
    }

    /// The services of this platform.
    package static var capabilities: Capabilities {
      #if os(iOS) || LOCOKIT_STAND_INS
        #if canImport(ObjectiveC)
          // Also `true` for an iPhone app on a Mac. A Mac doesn't suspend apps.
          let isOnMac = ProcessInfo.processInfo.isMacCatalystApp
        #else
          let isOnMac = false
        #endif
        return Capabilities(
          significantChanges: CLLocationManager.significantLocationChangeMonitoringAvailable(), visits: !isOnMac,
          continuousFixes: true, regionExits: CircularRegion.isAvailable,
          suspendsApps: !isOnMac)
      #elseif os(macOS)
        return Capabilities(
          significantChanges: CLLocationManager.significantLocationChangeMonitoringAvailable(), visits: false,
          continuousFixes: true, regionExits: CircularRegion.isAvailable,
          suspendsApps: false)
      #elseif os(tvOS)
        return Capabilities(
          significantChanges: false, visits: false, continuousFixes: false, regionExits: false,
          suspendsApps: true)
      #else
        return Capabilities(
          significantChanges: false, visits: false, continuousFixes: true, regionExits: false,
          suspendsApps: true)
      #endif
    }
  }
#else
  /// The namespace of the types below, which the core uses on every platform.
  enum CoreLocationProvider {}
#endif

extension CoreLocationProvider {
  /// The updates that keep an app running while the GPS is off.
  ///
  /// Only the default, 100 m without interruption, has been measured. Coarser updates have an effect only with
  /// `Configuration.showsBackgroundIndicator`: from iOS 16.4 on, the system suspends an app with coarser updates and no indicator.
  public enum KeepsRunning: Hashable, Sendable {
    /// Updates of a desired accuracy in metres. The cost and the accuracy of the fixes at 1 or 3 km are unknown.
    case continuous(accuracy: Double = coarseAccuracy)
    /// Updates of 3 km, and of 100 m while a coarse fix can replace a look: from ten seconds before the next look on, 45 s after the last
    /// fix, after a failed look, and when motion begins after a rest. <doc:BoundsInFigures> has the assumed cost. Never run on a device.
    case dutyCycled

    /// The accuracy of coarse updates, 100 m: the coarsest that keeps an app running without an indicator from iOS 16.4 on.
    @usableFromInline static let coarseAccuracy = 100.0
    /// The accuracy between two looks with ``dutyCycled``, 3 km: the coarsest of Core Location that isn't reduced.
    static let idleAccuracy = 3_000.0
  }

  /// A permission to ask for.
  public enum Permission: String, CaseIterable, Hashable, Sendable {
    /// While Using: locations while the app is in use.
    case whenInUse
    /// Always: one prompt now, and a second one when the system decides.
    case always
    /// While Using first, and Always as soon as While Using is granted. The system shows the prompt for Always only once.
    case whenInUseThenAlways
  }

  /// The services of a platform.
  package struct Capabilities: Hashable, Sendable {
    /// Whether the system reports significant changes: on iOS, where they wake the app, and on macOS.
    let significantChanges: Bool
    /// Whether the beginning and the end of a visit wake the app: on iOS.
    let visits: Bool
    /// Whether the receiver delivers fixes continuously. On tvOS the provider requests each fix.
    let continuousFixes: Bool
    /// Whether the system reports the exit from a region: on iOS, where it wakes the app, and on macOS, but only to a running app.
    let regionExits: Bool
    /// Whether the system suspends an app in the background, so that its timers don't run: everywhere except on a Mac.
    let suspendsApps: Bool
  }
}
