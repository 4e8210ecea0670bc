#if canImport(CoreLocation) && (os(iOS) || os(macOS) || os(visionOS) || os(watchOS) || LOCOKIT_STAND_INS)
  import LocoFoundation

  /// Reports the battery's status when the sensor is created, and at each change that the platform posts. A Mac and a watch post none, so
  /// their battery is read once a minute.
  @MainActor
  final class BatterySensor {
    private let battery: DeviceBattery
    private let report: @Sendable (LocationManager.BatteryStatus) -> Void
    private let observations = Observations()
    private var reading: Task<Void, any Error>?

    init(
      _ battery: DeviceBattery = .current(), _ report: @escaping @Sendable (LocationManager.BatteryStatus) -> Void
    ) {
      (self.battery, self.report) = (battery, report)
      read()
      for name in battery.changes { observations.observe(name) { [weak self] in self?.read() } }
      guard battery.changes.isEmpty else { return }
      reading = Task { [weak self] in
        while true {
          try await Task.sleep(for: .seconds(60))
          self?.read()
        }
      }
    }

    deinit { reading?.cancel() }

    func read() { report(battery.status()) }
  }
#endif
