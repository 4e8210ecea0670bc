/// The machine's battery, as UPower reports it.
@MainActor
final class Battery {
  private let bus: SystemBus
  /// The level, in percent; `nil` without a battery or without UPower.
  private(set) var percent: Double?

  private static let service = "org.freedesktop.UPower"
  private static let device = "org.freedesktop.UPower.Device"
  private static let path = "/org/freedesktop/UPower/devices/DisplayDevice"
  private static let properties = "org.freedesktop.DBus.Properties"

  init(_ bus: SystemBus) { self.bus = bus }

  func start() throws {
    let changed = (Self.service, Self.path, Self.properties, "PropertiesChanged")
    try bus.onSignal(changed, first: Self.device) { [weak self] _, values in
      if values.count >= 2 { self?.note(values[1].map) }
    }
    bus.call((Self.service, Self.path, Self.properties, "GetAll"), [.text(Self.device)]) { [weak self] reply in
      if case .success(let values) = reply { self?.note(values.first?.map ?? [:]) }
    }
  }

  private func note(_ properties: [String: BusValue]) {
    if let isPresent = properties["IsPresent"]?.flag, !isPresent { return percent = nil }
    percent = properties["Percentage"]?.number ?? percent
  }
}
