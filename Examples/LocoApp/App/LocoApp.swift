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
    let manager = LocationManager(
      provider: CoreLocationProvider(configuration: configuration), store: LastLocationStore.standard)
    let model = AppModel(manager)
    model.goOn()
    _model = State(initialValue: model)
  }

  var body: some Scene {
    WindowGroup { ContentView(model: model) }
  }
}

@MainActor
private func openSettings() {
  #if os(iOS)
    guard let settings = URL(string: UIApplication.openSettingsURLString) else { return }
    UIApplication.shared.open(settings)
  #endif
}
