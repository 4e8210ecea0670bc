import LocoKit

@MainActor
final class Finder {
  let manager: LocationManager
  private(set) var place: Location?

  init(_ provider: any LocationProvider) {
    manager = LocationManager(provider: provider)
  }

  func tap() async {
    place = try? await manager.acquire(desiredAccuracy: 50)
  }
}
