import LocoKit
import LocoKitSimulation

/// A simulated device, and the events that wake its app.
enum Phone: String, CaseIterable, Codable {
  /// An iPhone with its app in the background, as *Choosing a bound* recommends: the app is kept running while the device moves.
  case background
  case keptAtRest
  case suspended
  case foreground
  case gpsd

  var title: String {
    switch self {
    case .background: "a phone, the app in the background"
    case .keptAtRest: "a phone, the app kept running at rest too"
    case .suspended: "a phone, the app never kept running"
    case .foreground: "a phone, the app in the foreground"
    case .gpsd: "a receiver on Linux, with gpsd"
    }
  }

  private var wakeSources: Set<WakeKind> {
    switch self {
    case .background, .keptAtRest, .suspended: SimulatedProvider.Configuration.phoneInBackground.wakeSources
    case .foreground: [.significantChange, .motion, .timer]
    case .gpsd: [.significantChange, .timer]
    }
  }

  private var backgroundUpdates: BackgroundUpdates {
    switch self {
    case .background: .whileMoving
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
    if self == .gpsd {
      configuration.receiver = .standalone
      configuration.policy = .standaloneReceiver
      configuration.energyProfile = .gpsd
    }
    return configuration
  }
}
