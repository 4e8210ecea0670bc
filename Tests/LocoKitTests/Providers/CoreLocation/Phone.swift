#if LOCOKIT_STAND_INS
  import CoreLocation
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import LocoKitSimulation
  @testable import TestSupport

  /// A manager whose provider uses a stand-in device, and the manager's listener.
  struct Phone {
    let device: StandInDevice
    let core: CLLocationManager
    /// The Core Location manager of significant changes, visits and the region.
    let changes: CLLocationManager
    let host: DeviceHost
    let provider: CoreLocationProvider
    let manager: LocationManager
    let recorder = Recorder()

    init(
      _ permission: CoreLocationProvider.Permission = .always, device: StandInDevice = StandInDevice(),
      answers: [StandInDevice.Answer]? = nil, store: MemoryStore? = nil,
      capabilities: CoreLocationProvider.Capabilities = CoreLocationProvider.capabilities,
      conditions: RegionConditions? = nil, configure: (inout CoreLocationProvider.Configuration) -> Void = { _ in }
    ) {
      var configuration = CoreLocationProvider.Configuration()
      configuration.permission = permission
      configure(&configuration)
      self.device = device
      if let answers { device.answers = answers }
      host = DeviceHost(device)
      // The first manager is the GPS's, the second one wakes the app.
      var managers: [CLLocationManager] = []
      provider = CoreLocationProvider(
        configuration: configuration,
        makeManager: {
          managers.append(CLLocationManager(device: device))
          return managers[managers.count - 1]
        }, host: host, capabilities: capabilities, conditions: conditions)
      (core, changes) = (managers[0], managers[1])
      manager = LocationManager(provider: provider, store: store)
      manager.listeners.add(recorder)
    }

    /// Returns a phone with Always, which waits for a significant change after a first location and the cool-down.
    static func asleep(store: MemoryStore? = nil) -> Phone {
      let phone = Phone(answers: [.allowWhileUsing], store: store)
      phone.device.fixes = { _ in phone.fix(8) }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 60)
      #expect(phone.manager.state == .waitingSignificantChange)
      _ = phone.recorder.take()
      return phone
    }

    /// Returns a phone with Always and an error bound of 500 m, which waits in the background after a first location.
    static func bounded(
      store: MemoryStore? = nil, configure: (inout CoreLocationProvider.Configuration) -> Void = { _ in }
    ) -> Phone {
      let phone = Phone(answers: [.allowWhileUsing], store: store, configure: configure)
      let device = phone.device
      device.fixes = { _ in phone.fix(8) }
      phone.manager.errorBound = 500
      phone.manager.tryPromptAuthorization()
      device.carry(to: phone.fix(8, north: 0))
      device.advance(by: 10)
      #expect(phone.manager.state == .waitingSignificantChange)
      device.isInForeground = false
      return phone
    }

    /// Returns a phone with While Using, on a platform where fixes are requested one at a time, and nothing wakes an app.
    static func withoutMuch() -> Phone {
      let phone = Phone(
        .whenInUse,
        capabilities: CoreLocationProvider.Capabilities(
          significantChanges: false, visits: false, continuousFixes: false, regionExits: false,
          suspendsApps: true))
      phone.device.setStatus(.authorizedWhenInUse)
      return phone
    }

    /// Returns a fix at the device's position, or north of its start, in metres.
    func fix(_ accuracy: Double, age: TimeInterval = 0, north: Double? = nil) -> CLLocation {
      let place = north == nil ? device.place?.coordinate : nil
      let latitude = place?.latitude ?? 34 + (north ?? 0) / 111_320
      return CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: place?.longitude ?? -118), altitude: 90,
        horizontalAccuracy: accuracy, verticalAccuracy: 12, course: -1, speed: -1, timestamp: device.date - age)
    }

    /// Follows a route second by second. The receiver has a first fix after three seconds, and better ones later.
    func drive(_ route: SimulatedProvider.Route, each: (_ truth: Location) -> Void) {
      var walker = RouteWalker(origin: route.points[0])
      let began = device.uptime
      var speed = 0.0
      device.fixes = { second in
        guard second >= 3, let place = device.place?.coordinate else { return nil }
        return CLLocation(
          coordinate: place, altitude: 90, horizontalAccuracy: second == 3 ? 30 : 9, verticalAccuracy: 12, course: -1,
          speed: speed, timestamp: device.date)
      }
      while device.uptime - began < route.duration.inSeconds {
        let time = device.uptime - began
        speed = walker.step(at: time, on: route).speed
        let next = route.points.firstIndex { $0.time > time } ?? route.points.count - 1
        let (from, to) = (route.points[max(0, next - 1)], route.points[next])
        let share = to.time > from.time ? min(1, max(0, (time - from.time) / (to.time - from.time))) : 0
        let place = CLLocation(
          coordinate: CLLocationCoordinate2D(
            latitude: from.latitude + share * (to.latitude - from.latitude),
            longitude: from.longitude + share * (to.longitude - from.longitude)),
          altitude: 0, horizontalAccuracy: 500, verticalAccuracy: -1, course: -1, speed: -1, timestamp: device.date)
        device.carry(to: place)
        device.move(to: place)
        each(
          Location(
            latitude: place.coordinate.latitude, longitude: place.coordinate.longitude, horizontalAccuracy: 0,
            timestamp: device.date))
        device.advance(by: 1)
      }
    }
  }

  /// The provider's host on the stand-in.
  final class DeviceHost: CoreLocationHost {
    private let device: StandInDevice
    private var timers = 0
    private(set) var isActive = false
    private(set) var activities = 0
    /// The delay of the system's timers.
    var lateness: TimeInterval = 0
    /// The lines of the system's log.
    private(set) var log: [String] = []

    init(_ device: StandInDevice) { self.device = device }

    var isInForeground: Bool { device.isInForeground }
    var isLowPowerMode = false { didSet { onAppChange?() } }
    var refresh = BackgroundRefresh.available { didSet { onAppChange?() } }
    var onAppChange: (() -> Void)? {
      get { device.onForegroundChange }
      set { device.onForegroundChange = newValue }
    }
    var hasBeenUnlocked: Bool { device.hasBeenUnlocked }
    var onThread: @Sendable (@escaping @Sendable () -> Void) -> Void { { [inbox = device.inbox] in inbox.leave($0) } }

    func log(_ message: String) { log.append(message) }

    var uptime: Duration { .seconds(device.uptime) }
    var date: Date { device.date }

    func info(_ key: String) -> Any? {
      if key == "UIBackgroundModes" { return Array(device.bundleBackgroundModes) }
      return device.extensionBackgroundModes == nil ? appInfo?(key) : nil
    }

    var appInfo: ((_ key: String) -> Any?)? {
      guard device.appInfoIsReadable else { return nil }
      return { [device] key in
        switch key {
        case "UIBackgroundModes": Array(device.backgroundModes)
        case "NSLocationTemporaryUsageDescriptionDictionary":
          Dictionary(uniqueKeysWithValues: device.purposeKeys.map { ($0, "because") })
        default: device.infoKeys.contains(key) ? "because" : nil
        }
      }
    }

    func beginActivity(onExpiry: @escaping () -> Void) {
      isActive = true
      activities += 1
      device.onActivityExpiry = { [weak self] in
        onExpiry()
        self?.endActivity()
      }
    }

    func endActivity() {
      isActive = false
      device.onActivityExpiry = nil
    }

    func setTimer(after delay: Duration?, _ fire: @escaping () -> Void) {
      timers += 1
      guard let delay else { return }
      let number = timers
      // A millisecond late: the uptime, a sum of floating-point seconds, may be slightly less than the deadline.
      device.schedule(after: max(0, delay.inSeconds) + 0.001 + lateness) { [weak self] in
        self?.device.whenRunning { if self?.timers == number { fire() } }
      }
    }
  }
#endif
