#if canImport(CoreLocation)
  import LocoFoundation

  extension CoreLocationProvider {
    /// Stops a program whose `Info.plist` lacks an entry that the configuration needs. A Mac needs none.
    static func check(_ configuration: Configuration, _ info: (_ key: String) -> Any?) {
      #if !os(macOS)
        func requireDescription(_ key: String) {
          precondition(
            info(key) != nil, "Info.plist lacks \(key): without it no prompt for the permission is ever shown.")
        }
        requireDescription("NSLocationWhenInUseUsageDescription")
        #if !os(tvOS) && !os(visionOS)
          if configuration.permission != .whenInUse {
            requireDescription("NSLocationAlwaysAndWhenInUseUsageDescription")
          }
        #endif
        #if os(iOS) || LOCOKIT_STAND_INS
          precondition(
            configuration.motionSensor == nil || info("NSMotionUsageDescription") != nil,
            "Info.plist lacks NSMotionUsageDescription, which motionSensor needs.")
        #endif
        if let key = configuration.fullAccuracyPurposeKey {
          let purposes = info("NSLocationTemporaryUsageDescriptionDictionary") as? [String: Any] ?? [:]
          precondition(
            purposes[key] != nil,
            "Info.plist lacks \(key) in NSLocationTemporaryUsageDescriptionDictionary, which fullAccuracyPurposeKey needs."
          )
        }
        precondition(
          !usesBackgroundMode(configuration) || hasBackgroundMode(info),
          "Info.plist lacks location among its UIBackgroundModes, which allowsBackgroundUpdates needs.")
      #endif
    }

    /// Whether the configuration uses the background mode. tvOS and visionOS have no updates in the background.
    static func usesBackgroundMode(_ configuration: Configuration) -> Bool {
      #if os(tvOS) || os(visionOS)
        false
      #else
        configuration.allowsBackgroundUpdates
      #endif
    }

    static func hasBackgroundMode(_ info: (_ key: String) -> Any?) -> Bool {
      (info("UIBackgroundModes") as? [String] ?? []).contains("location")
    }
  }
#endif
