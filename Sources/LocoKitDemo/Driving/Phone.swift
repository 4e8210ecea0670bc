import LocoKit
import LocoKitSimulation

/// A simulated device, and the events that wake its app.
enum Phone: String, CaseIterable, Codable {
  /// An iPhone with its app in the background, as *Choosing a bound* recommends: the app is kept running while the device moves.
  case background
  case dutyCycled
  case keptAtRest
  case suspended
  case foreground
  case gpsd

  var title: String {
    switch self {
    case .background: "a phone, the app in the background"
    case .dutyCycled: "a phone, the app kept running by 3 km updates between looks"
    case .keptAtRest: "a phone, the app kept running at rest too"
    case .suspended: "a phone, the app never kept running"
    case .foreground: "a phone, the app in the foreground"
    case .gpsd: "a receiver on Linux, with gpsd"
    }
  }

  private var wakeSources: Set<WakeKind> {
    switch self {
    case .background, .dutyCycled, .keptAtRest, .suspended:
      SimulatedProvider.Configuration.phoneInBackground.wakeSources
    case .foreground: [.significantChange, .motion, .timer]
    case .gpsd: [.significantChange, .timer]
    }
  }

  private var backgroundUpdates: LocationManager.BackgroundUpdates {
    switch self {
    case .background, .dutyCycled: .whileMoving
    case .keptAtRest: .always
    case .suspended, .foreground, .gpsd: .never
    }
  }

  /// Returns the configuration of the device, for an app with or without an error bound.
  func configuration(hasBound: Bool) -> SimulatedProvider.Configuration {
    var configuration = SimulatedProvider.Configuration()
    // An app without a bound needs significant changes only, and the system may suspend it.
    configuration.wakeSources = hasBound ? wakeSources : [.significantChange]
    configuration.backgroundUpdates = hasBound ? backgroundUpdates : .never
    configuration.isDutyCycled = self == .dutyCycled
    if self == .gpsd {
      configuration.receiver = .standalone
      configuration.policy = .standaloneReceiver
      configuration.energyProfile = .gpsd
    }
    return configuration
  }
}

extension Phone {
  /// The code of an app that creates a manager as on this phone.
  var appCode: String {
    switch self {
    case .foreground:
      "import LocoKit\n" + """
        import LocoKitMotion

        var configuration = CoreLocationProvider.Configuration()
        configuration.motionSensor = .coreMotion
        let manager = LocationManager(provider: CoreLocationProvider(configuration: configuration))

        """
    case .gpsd: "import LocoKit\nimport LocoKitGPSD\n\nlet manager = LocationManager(provider: GPSDProvider())\n"
    case .background, .dutyCycled, .keptAtRest, .suspended:
      // The page's build removes lines that import LocoKit.
      "import LocoKit\n" + """
        import LocoKitMotion

        // The app's Info.plist and its background mode: see “Setting up an app”.
        var configuration = CoreLocationProvider.Configuration()
        configuration.permission = .whenInUseThenAlways
        configuration.allowsBackgroundUpdates = true
        configuration.motionSensor = .coreMotion
        \(appSettings)let manager = LocationManager(provider: CoreLocationProvider(configuration: configuration))

        """
    }
  }

  private var appSettings: String {
    switch self {
    case .keptAtRest: "configuration.backgroundUpdates = .always\n"
    case .suspended: "configuration.backgroundUpdates = .never\n"
    case .dutyCycled: "configuration.keepsRunning = .dutyCycled\nconfiguration.showsBackgroundIndicator = true\n"
    case .background, .foreground, .gpsd: ""
    }
  }

  /// The code of a test that configures this device, for an app with or without an error bound.
  func testCode(hasBound: Bool) -> String {
    let (sources, settings) =
      switch self {
      case _ where !hasBound: ("[.significantChange]", "")
      case .foreground: ("[.significantChange, .motion, .timer]", "")
      case .gpsd: ("[.significantChange, .timer]", "")
      case .background, .keptAtRest, .suspended: ("", appSettings)
      case .dutyCycled: ("", "configuration.isDutyCycled = true\n")
      }
    let receiver =
      """
      configuration.receiver = .standalone
      configuration.policy = .standaloneReceiver
      configuration.energyProfile = .gpsd

      """
    return (sources + settings == "" ? "let" : "var") + " configuration = SimulatedProvider.Configuration"
      + (sources.isEmpty ? ".phoneInBackground\n" : "()\nconfiguration.wakeSources = \(sources)\n")
      + settings + (self == .gpsd ? receiver : "")
  }
}
