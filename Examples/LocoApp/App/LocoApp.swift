import LocoAppModel
import LocoKit
import SwiftUI

@main
struct LocoApp: App {
  @State private var model: AppModel

  init() {
    var configuration = CoreLocationProvider.Configuration()
    configuration.permission = .whenInUseThenAlways
    configuration.allowsBackgroundUpdates = true
    configuration.onRequestWhenDenied = openSettings
    let model = AppModel(
      CoreLocationProvider(configuration: configuration), store: LastLocationStore.standard,
      journal: Journal(folder: URL.applicationSupportDirectory.appending(path: "Journal")))
    #if os(iOS)
      UIDevice.current.isBatteryMonitoringEnabled = true
      model.battery = deviceBattery
    #endif
    model.goOn()
    model.noteBattery()
    _model = State(initialValue: model)
  }

  var body: some Scene {
    WindowGroup { ContentView(model: model) }
  }
}

#if os(iOS)
  @MainActor
  private func deviceBattery() -> AppModel.Battery? {
    let device = UIDevice.current
    // Negative where it is not known.
    guard device.batteryLevel >= 0 else { return nil }
    let supply: AppModel.Battery.Supply
    switch device.batteryState {
    case .unplugged: supply = .unplugged
    case .charging: supply = .charging
    case .full: supply = .full
    case .unknown: return nil
    @unknown default: return nil
    }
    return AppModel.Battery(level: Double(device.batteryLevel), supply: supply)
  }
#endif

@MainActor
private func openSettings() {
  #if os(iOS)
    guard let settings = URL(string: UIApplication.openSettingsURLString) else { return }
    UIApplication.shared.open(settings)
  #endif
}
