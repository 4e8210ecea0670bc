import LocoAppModel
import LocoKit
import LocoKitJournal
import LocoKitMotion
import SwiftUI
import UIKit

@main
struct LocoApp: App {
  @UIApplicationDelegateAdaptor private var delegate: AppDelegate

  var body: some Scene {
    WindowGroup { ContentView(model: delegate.model) }
  }
}

/// Creates the model at each launch, also in the background. iOS may run the `init()` of an `App` long before the launch, and then suspend
/// the process ("prewarming"): an acquisition that began there would be over at the launch.
final class AppDelegate: NSObject, UIApplicationDelegate {
  private(set) lazy var model = makeModel()
  private var exits: ExitStudy?

  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]? = nil
  ) -> Bool {
    model.goOn()
    return true
  }

  private func makeModel() -> AppModel {
    UIDevice.current.isBatteryMonitoringEnabled = true
    let folder = URL.applicationSupportDirectory
    // A study takes weeks, and each launch begins a file.
    let journal = Journal(
      folder: folder.appending(path: "Journal"), maximumAge: .seconds(60 * 86_400), maximumSize: 500_000_000)
    let model = AppModel(
      store: LastLocationStore.standard, journal: journal,
      settingsFile: folder.appending(path: "Settings.json"), battery: deviceBattery, makeProvider: makeProvider)
    let exits = ExitStudy { [weak model] in model?.note($0) }
    model.onStudiedPlace = exits.follow
    model.setKeeper = setKeeper
    model.openSettings = openSettings
    self.exits = exits
    noteBatteryWhileRunning(model)
    return model
  }
}

@MainActor
private func makeProvider(usesMotion: Bool, comparesKeepers: Bool) -> any LocationProvider {
  var configuration = CoreLocationProvider.Configuration()
  configuration.permission = .whenInUseThenAlways
  configuration.allowsBackgroundUpdates = true
  configuration.motionSensor = usesMotion ? .coreMotion : nil
  // Coarser updates than 100 m keep an app running only with the indicator.
  configuration.showsBackgroundIndicator = comparesKeepers
  configuration.onRequestWhenDenied = openSettings
  return CoreLocationProvider(configuration: configuration)
}

@MainActor
private func setKeeper(_ provider: any LocationProvider, _ setting: KeeperSetting) {
  guard let provider = provider as? CoreLocationProvider else { return }
  switch setting {
  case .metres100: provider.keepRunning(.whileMoving, by: .continuous())
  case .kilometre1: provider.keepRunning(.whileMoving, by: .continuous(accuracy: 1_000))
  case .kilometres3: provider.keepRunning(.whileMoving, by: .continuous(accuracy: 3_000))
  case .dutyCycled: provider.keepRunning(.whileMoving, by: .dutyCycled)
  case .none: provider.keepRunning(.never, by: .continuous())
  }
}

@MainActor
private func deviceBattery() -> Battery? {
  let device = UIDevice.current
  // The level is negative if it's unknown.
  guard device.batteryLevel >= 0 else { return nil }
  let supply: Battery.Supply
  switch device.batteryState {
  case .unplugged: supply = .unplugged
  case .charging: supply = .charging
  case .full: supply = .full
  case .unknown: return nil
  @unknown default: return nil
  }
  return Battery(level: Double(device.batteryLevel), supply: supply)
}

/// Writes to the journal each battery change that the system reports. A timer covers hours without a change; it doesn't run while the
/// app is suspended.
@MainActor
private func noteBatteryWhileRunning(_ model: AppModel) {
  for name in [UIDevice.batteryLevelDidChangeNotification, UIDevice.batteryStateDidChangeNotification] {
    _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { _ in
      MainActor.assumeIsolated { model.noteBattery() }
    }
  }
  let timer = Timer.scheduledTimer(withTimeInterval: 600, repeats: true) { _ in
    MainActor.assumeIsolated {
      model.noteBattery()
      model.updateKeeper()
    }
  }
  timer.tolerance = 60
}

@MainActor
private func openSettings() {
  guard let settings = URL(string: UIApplication.openSettingsURLString) else { return }
  UIApplication.shared.open(settings)
}
