#if LOCOKIT_STAND_INS
  import CoreLocation
  import Foundation
  import Testing

  @testable import LocoKit
  import LocoKitMotion
  @testable import LocoKitSimulation
  @testable import LocoKitTrips
  @testable import TestSupport

  /// A manager with a provider on the stand-in, its device and a listener.
  struct Phone {
    let device: StandInDevice
    let core: CLLocationManager
    /// The manager of significant changes and the region.
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

    /// Authorized, asleep after a first location, after the cool-down.
    static func asleep() -> Phone {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.device.fixes = { _ in phone.fix(8) }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 60)
      #expect(phone.manager.state == .waitingSignificantChange)
      _ = phone.recorder.take()
      return phone
    }

    /// A platform where fixes are requested one at a time, and nothing wakes an app.
    static func withoutMuch() -> Phone {
      let phone = Phone(
        .whenInUse,
        capabilities: CoreLocationProvider.Capabilities(
          significantChanges: false, visits: false, continuousFixes: false, regionExits: false,
          suspendsApps: true))
      phone.device.setStatus(.authorizedWhenInUse)
      return phone
    }

    /// Returns a current fix at the device's position, or some metres north of its start.
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
    var mayRefresh = true { didSet { onAppChange?() } }
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
      // A millisecond late, because a deadline in attoseconds isn't a sum of seconds in floating point.
      device.schedule(after: max(0, delay.inSeconds) + 0.001 + lateness) { [weak self] in
        self?.device.whenRunning { if self?.timers == number { fire() } }
      }
    }
  }

  @Suite("CoreLocationProvider with a stand-in")
  struct CoreLocationProviderTests {
    // MARK: - Permission

    @Test("4.2: the callback at creation turns nothing on, and the state stays init")
    func initialCallback() {
      let phone = Phone()
      phone.device.setStatus(.authorizedAlways)
      phone.device.advance(by: 1)
      #expect(phone.manager.state == .initial)
      #expect(phone.device.starts.isEmpty)
    }

    @Test(
      "4.3, 4.4: each answer to the prompt has its state and permission",
      arguments: [
        (
          CoreLocationProvider.Permission.whenInUse, StandInDevice.Answer.allowWhileUsing, LocationState.acquiring,
          Authorization.whenInUse
        ),
        (.whenInUse, .allowOnce, .acquiring, .whenInUse),
        (.whenInUse, .deny, .denied, .denied),
        (.always, .allowWhileUsing, .acquiring, .always),
        (.always, .allowOnce, .acquiring, .whenInUse),
        (.always, .deny, .denied, .denied),
      ])
    func answers(
      _ permission: CoreLocationProvider.Permission, _ answer: StandInDevice.Answer, _ state: LocationState,
      _ authorization: Authorization
    ) {
      let phone = Phone(permission, answers: [answer])
      phone.manager.tryPromptAuthorization()
      #expect(phone.manager.state == .prompted)
      phone.device.advance(by: 3)
      #expect(phone.manager.state == state)
      #expect(phone.manager.authorization == authorization)
    }

    @Test("a prompt that isn't answered or shown ends at its time limit", arguments: [true, false])
    func noAnswer(_ isInForeground: Bool) {
      let phone = Phone(answers: [.none])
      phone.device.isInForeground = isInForeground
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 61)
      // In the background the app is suspended earlier.
      phone.device.isInForeground = true
      #expect(phone.manager.state == .initial)
      #expect(phone.device.starts.isEmpty)
    }

    @Test(
      "4.4: the request for Always ends with any answer, or without a callback",
      arguments: [
        (StandInDevice.Answer.changeToAlways, Authorization.always), (.keepOnlyWhileUsing, .whenInUse),
        (.none, .whenInUse),
      ])
    func secondStep(_ answer: StandInDevice.Answer, _ authorization: Authorization) {
      let phone = Phone(.whenInUseThenAlways, answers: [.allowWhileUsing, answer])
      phone.device.fixes = { _ in phone.fix(8) }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 10)
      #expect(phone.device.promptsShown == 2)
      #expect(phone.manager.authorization == authorization)
      #expect(phone.manager.state == .waitingSignificantChange)
    }

    @Test(
      "4.4: the second prompt decides about a provisional Always",
      arguments: [(StandInDevice.Answer.keepOnlyWhileUsing, Authorization.whenInUse), (.changeToAlways, .always)])
    func provisional(_ answer: StandInDevice.Answer, _ authorization: Authorization) {
      let phone = Phone.asleep()
      #expect(phone.manager.authorization == .always)
      phone.device.answerSecondPrompt(answer)
      phone.device.advance(by: 10)
      #expect(phone.manager.authorization == authorization)
      #expect(phone.manager.state == .waitingSignificantChange)
      #expect(phone.device.promptsShown == 2)
    }

    @Test("4.4: after Allow Once, the request for Always shows no prompt, and nothing waits for one")
    func onceThenAlways() {
      let phone = Phone(.whenInUseThenAlways, answers: [.allowOnce, .changeToAlways])
      phone.device.fixes = { _ in phone.fix(8) }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 60)
      #expect(phone.device.promptsShown == 1)
      #expect(phone.manager.authorization == .whenInUse)
      #expect(phone.manager.state == .waitingSignificantChange)
    }

    @Test("4.4: Always is requested once, however often the app asks")
    func secondStepOnce() {
      let phone = Phone(.whenInUseThenAlways, answers: [.allowWhileUsing, .keepOnlyWhileUsing, .changeToAlways])
      for _ in 0..<3 {
        phone.manager.tryPromptAuthorization()
        phone.device.advance(by: 10)
        phone.device.setStatus(.denied)
        phone.device.setStatus(.authorizedWhenInUse)
        phone.device.advance(by: 10)
      }
      #expect(phone.device.promptsShown == 2)
    }

    @Test(
      "no prompt is shown before the app asks, not even for Always",
      arguments: [
        CoreLocationProvider.Permission.always, .whenInUseThenAlways,
      ])
    func nothingUnasked(_ permission: CoreLocationProvider.Permission) {
      let phone = Phone(permission)
      phone.device.setStatus(.authorizedWhenInUse)
      phone.device.advance(by: 10)
      #expect(phone.device.promptsShown == 0)
      phone.manager.tryPromptAuthorization()
      #expect(phone.device.promptsShown == 1)
    }

    @Test("4.4: after Allow Once has expired, the state is init and everything is off")
    func allowOnceRunsOut() {
      let phone = Phone(.whenInUse, answers: [.allowOnce])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 3)
      phone.device.setStatus(.notDetermined)
      #expect(phone.manager.state == .initial)
      #expect(!phone.device.isUpdating)
    }

    @Test(
      "no prompt is shown or reported if the answer is known",
      arguments: [
        (CLAuthorizationStatus.authorizedAlways, LocationState.acquiring), (.authorizedWhenInUse, .acquiring),
        (.denied, .denied), (.restricted, .denied),
      ])
    func knownAnswer(_ status: CLAuthorizationStatus, _ state: LocationState) {
      let phone = Phone()
      phone.device.setStatus(status)
      phone.manager.tryPromptAuthorization()
      #expect(phone.manager.state == state)
      #expect(!phone.recorder.calls.contains("didPromptAccess"))
    }

    @Test("after a denial a forced prompt opens the settings, and a tried one doesn't")
    func settings() {
      let opened = Counter()
      let phone = Phone { $0.onRequestWhenDenied = { opened.count += 1 } }
      phone.device.setStatus(.denied)
      // Every app tries at launch, which is no reason to leave it.
      phone.manager.tryPromptAuthorization()
      phone.manager.tryPromptAuthorization()
      #expect(opened.count == 0)
      phone.manager.forcePromptAuthorization()
      #expect(opened.count == 1)
      #expect(phone.manager.state == .denied)
    }

    @Test("4.5: the switch for all apps turns everything off, and restores it")
    func globalSwitch() {
      let phone = Phone.asleep()
      phone.device.setGloballyOn(false)
      phone.device.advance(by: 1)
      #expect(phone.manager.state == .denied)
      #expect(!phone.device.isMonitoringSignificantChanges)
      phone.device.setGloballyOn(true)
      phone.device.advance(by: 0.5)
      #expect(phone.manager.state == .acquiring)
    }

    @Test("4.5: revoking the permission turns the GPS off, and restoring it turns the GPS on")
    func revocation() {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 3)
      phone.device.setStatus(.denied)
      #expect(phone.manager.state == .denied)
      #expect(!phone.device.isUpdating)
      phone.device.setStatus(.authorizedAlways)
      #expect(phone.manager.state == .acquiring)
      #expect(phone.device.isUpdating)
    }

    @Test("a denied error before the change of the status is a plain error; the status counts")
    func deniedFirst() {
      let phone = Phone.asleep()
      phone.manager.forceAcquireLocation()
      for _ in 0..<4 { phone.device.failNow(.denied) }
      #expect(phone.manager.state == .acquiring)
      phone.device.failNow(.denied)
      #expect(phone.manager.state == .waitingSignificantChange)
      #expect(phone.recorder.failures == [.tooManyErrors])
      phone.device.setStatus(.denied)
      #expect(phone.manager.state == .denied)
      #expect(!phone.device.isMonitoringSignificantChanges)
    }

    @Test("4.13: if full accuracy can't be requested, the acquisition continues, and a later one requests it")
    func fullAccuracyNotAsked() {
      let phone = Phone { $0.fullAccuracyPurposeKey = "Navigation" }
      phone.device.setStatus(.authorizedAlways)
      phone.device.setAccuracy(.reducedAccuracy)
      phone.device.isInForeground = false
      phone.device.fixes = { _ in phone.fix(5_000) }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 16)
      #expect(phone.provider.isAccuracyReduced)
      #expect(phone.manager.state == .waitingSignificantChange)
      #expect(phone.recorder.locations.isEmpty)
      phone.device.isInForeground = true
      phone.manager.forceAcquireLocation()
      phone.device.advance(by: 3)
      #expect(!phone.provider.isAccuracyReduced)
    }

    @Test("4.13: a user who refuses full accuracy is asked once in a launch")
    func fullAccuracyOnce() {
      let phone = Phone { $0.fullAccuracyPurposeKey = "Navigation" }
      phone.device.setStatus(.authorizedAlways)
      phone.device.setAccuracy(.reducedAccuracy)
      phone.device.givesFullAccuracy = false
      phone.manager.tryPromptAuthorization()
      for _ in 0..<3 {
        phone.device.advance(by: 60)
        phone.manager.forceAcquireLocation()
      }
      #expect(phone.provider.isAccuracyReduced)
      #expect(phone.device.fullAccuracyPromptsShown == 1)
    }

    @Test("4.2: a change of the accuracy alone doesn't change the permission")
    func accuracyAlone() {
      let phone = Phone.asleep()
      phone.device.setAccuracy(.reducedAccuracy)
      phone.device.advance(by: 1)
      #expect(phone.recorder.calls.isEmpty)
      #expect(phone.manager.state == .waitingSignificantChange)
    }

    @Test(
      "4.13: reduced accuracy is reported, and full accuracy requested if there is a purpose", arguments: [true, false])
    func reducedAccuracy(_ hasPurpose: Bool) {
      let phone = Phone(answers: [.allowWhileUsing]) { $0.fullAccuracyPurposeKey = hasPurpose ? "Navigation" : nil }
      phone.device.setAccuracy(.reducedAccuracy)
      #expect(phone.provider.isAccuracyReduced)
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 6)
      #expect(phone.provider.isAccuracyReduced == !hasPurpose)
    }

    @Test(
      "only a policy that accepts reduced accuracy accepts a location of a few kilometres",
      arguments: [true, false])
    func reducedFix(_ accepts: Bool) {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.device.setAccuracy(.reducedAccuracy)
      phone.manager.policy.acceptsReducedAccuracy = accepts
      // Core Location computes such a fix a few times an hour.
      phone.device.fixes = { _ in phone.fix(5_000, age: 600) }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 20)
      #expect(phone.recorder.locations.map(\.source) == (accepts ? [.reduced] : []))
      #expect(phone.recorder.failures.count == (accepts ? 0 : 1))
      #expect(phone.manager.state == .waitingSignificantChange)
    }

    // MARK: - Info.plist

    @Test(
      "a missing declaration stops the program with a message that names it",
      .timeLimit(.minutes(15)), arguments: Declaration.allCases)
    func missingDeclarations(_ missing: Declaration) async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [missing] in
        let device = StandInDevice()
        device.infoKeys.remove(missing.rawValue)
        if missing == .backgroundMode { device.backgroundModes = [] }
        if missing == .purpose { device.purposeKeys = ["Another"] }
        _ = Phone(.always, device: device) {
          $0.allowsBackgroundUpdates = true
          $0.fullAccuracyPurposeKey = "Navigation"
          $0.motionSensor = .coreMotion
        }
      }
      let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(message.contains("Info.plist lacks") && message.contains(missing.rawValue))
    }

    @Test("nothing is checked if the app's Info.plist can't be read", .timeLimit(.minutes(15)))
    func unreadableDeclarations() async {
      await #expect(processExitsWith: .success) {
        let device = StandInDevice()
        device.appInfoIsReadable = false
        device.extensionBackgroundModes = []
        let phone = Phone(.always, device: device) {
          $0.allowsBackgroundUpdates = true
          $0.fullAccuracyPurposeKey = "Navigation"
        }
        precondition(!phone.core.allowsBackgroundLocationUpdates)
      }
    }

    @Test(
      "4.12: background updates are set only if the running bundle declares the mode", .timeLimit(.minutes(15))
    )
    func backgroundModeOfExtension() async {
      await #expect(processExitsWith: .success) {
        for modes in [[], ["location"]] as [Set<String>] {
          let device = StandInDevice()
          device.extensionBackgroundModes = modes
          let phone = Phone(.always, device: device) { $0.allowsBackgroundUpdates = true }
          precondition(phone.core.allowsBackgroundLocationUpdates == modes.contains("location"))
        }
      }
    }

    @Test(
      "the app of an extension is the containing one",
      arguments: [
        ("/Apps/Loco.app", "/Apps/Loco.app"), ("/Apps/Loco.app/PlugIns/Widget.appex", "/Apps/Loco.app"),
        ("/Apps/Loco.app/Watch/Watch.app/PlugIns/Face.appex", "/Apps/Loco.app/Watch/Watch.app"),
        ("/Apps/Loco.app/Contents/PlugIns/Widget.appex", "/Apps/Loco.app"), ("/usr/bin", "/usr/bin"),
        ("/tmp/Widget.appex", nil),
      ])
    func containingApp(_ bundle: String, _ app: String?) {
      #expect(URL(fileURLWithPath: bundle).appBundle?.path == app)
    }

    // MARK: - Fixes

    @Test("4.7: a cached first fix is rejected as stale, and the next one is accepted")
    func cachedFirstFix() {
      let phone = Phone.asleep()
      phone.device.advance(by: 3_600)
      phone.manager.forceAcquireLocation()
      phone.device.advance(by: 0.5)
      #expect(phone.manager.state == .acquiring)
      #expect(phone.recorder.rejections.last == .stale)
      phone.device.advance(by: 1)
      #expect(phone.manager.state == .waitingSignificantChange)
    }

    @Test("4.7: fixes of a suspended app arrive in one batch, and the best one counts")
    func batch() {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 2.1)
      phone.device.fixes = { second in phone.fix(second == 3 ? 8 : 40) }
      phone.device.suspend()
      phone.device.advance(by: 6)
      #expect(phone.manager.state == .acquiring)
      phone.device.resume()
      #expect(phone.manager.state == .waitingSignificantChange)
      #expect(phone.recorder.locations.map(\.horizontalAccuracy) == [8])
    }

    @Test("5: old, repeated and invalid fixes of a batch are rejected")
    func mixedBatch() {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 2.5)
      let good = phone.fix(40, age: 2)
      phone.device.deliver([
        phone.fix(40, age: 3_600), good, good, phone.fix(30, age: 5), phone.fix(-1), phone.fix(60, age: 1),
        phone.fix(30, age: -60),
      ])
      #expect(
        phone.recorder.rejections
          == [.stale, .duplicate, .outOfOrder, .invalidAccuracy, .worseThanCandidate, .futureDated])
    }

    @Test(
      "5: a clock change while the GPS is on doesn't prevent a location", arguments: [-7_200, 7_200])
    func clockSet(_ jump: TimeInterval) {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.device.fixes = { $0 < 5 ? phone.fix(60) : phone.fix(8) }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 4)
      phone.device.clockOffset = jump
      phone.device.advance(by: 8)
      #expect(phone.recorder.locations.map(\.horizontalAccuracy) == [8])
    }

    @Test("4.6: unknown locations don't end an acquisition before the time limit")
    func unknown() {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.device.fixes = { $0 > 12 ? phone.fix(8) : nil }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 13)
      #expect(phone.manager.state == .acquiring)
      phone.device.advance(by: 3)
      #expect(phone.manager.state == .waitingSignificantChange)
      #expect(phone.recorder.locations.count == 1)
    }

    @Test(
      "errors of headings and regions are ignored",
      arguments: [
        CLError.Code.headingFailure, .regionMonitoringDenied, .regionMonitoringFailure, .regionMonitoringSetupDelayed,
        .regionMonitoringResponseDelayed, .rangingUnavailable, .rangingFailure,
      ])
    func otherErrors(_ code: CLError.Code) {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 3)
      for _ in 0..<20 { phone.device.failNow(code) }
      #expect(phone.manager.state == .acquiring)
    }

    @Test("five network errors in a row end an acquisition")
    func networkErrors() {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 3)
      for _ in 0..<5 { phone.device.failNow(.network) }
      #expect(phone.manager.state == .waitingSignificantChange)
      #expect(phone.recorder.failures == [.tooManyErrors])
    }

    @Test("Core Location's invalid numbers become nil, and the equator is valid")
    func conversion() throws {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 2.5)
      phone.device.deliver([
        CLLocation(
          coordinate: CLLocationCoordinate2D(latitude: 0, longitude: 0), altitude: 0, horizontalAccuracy: -1,
          verticalAccuracy: -1, course: -1, speed: -1, timestamp: phone.device.date)
      ])
      #expect(phone.recorder.rejections == [.invalidAccuracy])
      phone.device.deliver([
        CLLocation(
          coordinate: CLLocationCoordinate2D(latitude: 0, longitude: 0), altitude: 5, horizontalAccuracy: 6,
          verticalAccuracy: -1, course: 0, speed: -1, timestamp: phone.device.date)
      ])
      let location = try #require(phone.manager.location)
      #expect((location.latitude, location.longitude) == (0, 0))
      #expect(location.altitude == nil && location.speed == nil && location.course == 0)
    }

    @Test("4.11: automatic pause is off, and the GPS restarts after one")
    func automaticPause() {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 3)
      phone.device.pauseAutomatically()
      #expect(phone.device.isUpdating)
      phone.device.pauseAnyway()
      #expect(phone.device.isUpdating)
      #expect(phone.device.starts.filter { $0 == "updating" }.count == 2)
    }

    // MARK: - Significant changes

    @Test("4.17: while the GPS is on, significant changes are registered if they launch the app, and not reported")
    func whileTheGPSIsOn() {
      let phone = Phone.asleep()
      #expect(phone.device.isMonitoringSignificantChanges && !phone.device.isUpdating)
      phone.device.fixes = { _ in nil }
      phone.device.move(to: phone.fix(500, north: 5_000))
      #expect(phone.manager.state == .acquiring)
      _ = phone.recorder.take()
      #expect(phone.device.isUpdating && phone.device.isMonitoringSignificantChanges)
      phone.device.advance(by: 5)
      phone.manager.forceAcquireLocation()
      _ = phone.manager.demand(.every(TrackFilter(ReceiverSettings(desiredAccuracy: 100, distanceFilter: 0))))
      phone.device.advance(by: 400)
      _ = phone.recorder.take()
      phone.device.move(to: phone.fix(500, north: 50_000))
      #expect(phone.recorder.calls.isEmpty)
      phone.device.setStatus(.authorizedWhenInUse)
      #expect(phone.device.isUpdating && !phone.device.isMonitoringSignificantChanges)
      phone.device.setStatus(.authorizedAlways)
      #expect(phone.device.isUpdating && phone.device.isMonitoringSignificantChanges)
      phone.manager.pause()
      #expect(!phone.device.isUpdating && !phone.device.isMonitoringSignificantChanges)
    }

    @Test("4.9: a significant change launches an app that was ended with the GPS on")
    func endedWhileTheGPSIsOn() {
      let device = Phone.asleep().device
      let phone = Phone(device: device, answers: [])
      phone.manager.tryPromptAuthorization()
      #expect(phone.manager.state == .acquiring)
      device.terminate()
      device.advance(by: 3_600)
      device.move(to: fix(500, north: 5_000, of: device))
      #expect(device.launchReason == "location")
    }

    @Test("4.9: the event of a restarted service doesn't start the GPS")
    func armedAgain() {
      let phone = Phone.asleep()
      for _ in 0..<5 {
        phone.device.fixes = { _ in nil }
        phone.manager.forceAcquireLocation()
        phone.device.advance(by: 20)
        #expect(phone.manager.state == .waitingSignificantChange)
        phone.device.advance(by: 100)
      }
      #expect(phone.device.starts.filter { $0 == "updating" }.count == 6)
    }

    @Test("4.17: a late fix of the GPS is no significant change")
    func lateFix() {
      let phone = Phone.asleep()
      phone.manager.forceAcquireLocation()
      let late = phone.fix(30)
      phone.device.advance(by: 2)
      #expect(phone.manager.state == .waitingSignificantChange)
      phone.device.advance(by: 1)
      phone.device.deliver([late])
      #expect(phone.manager.state == .waitingSignificantChange)
      #expect(phone.recorder.rejections.last == .notListening)
      #expect(!phone.recorder.calls.contains("didDetectSignificantChange"))
    }

    @Test("a clock set back while asleep doesn't block significant changes")
    func clockSetBack() {
      let phone = Phone.asleep()
      phone.device.clockOffset = -86_400
      phone.device.move(to: phone.fix(500, north: 5_000))
      #expect(phone.manager.state == .acquiring)
    }

    @Test("nothing is on or delivered in a pause")
    func pauseMeansOff() {
      let phone = Phone.asleep()
      phone.manager.pause()
      phone.device.deliver([phone.fix(5)])
      phone.device.move(to: phone.fix(500, north: 9_000))
      phone.device.advance(by: 3_600)
      #expect(!phone.device.isUpdating && !phone.device.isMonitoringSignificantChanges)
      #expect(phone.recorder.locations.count == 1)
      phone.manager.resume()
      #expect(phone.device.isUpdating)
    }

    @Test("4.9: an app relaunched by a significant change needs only a manager and a request")
    func relaunch() {
      let device = Phone.asleep().device
      device.terminate()
      device.advance(by: 3_600)
      device.move(to: fix(500, north: 5_000, of: device))
      #expect(device.launchReason == "location")
      let phone = Phone(device: device)
      #expect(phone.core.location?.horizontalAccuracy == 500)
      #expect(!device.isMonitoringSignificantChanges && !device.isUpdating)
      device.fixes = { _ in phone.fix(8) }
      phone.manager.tryPromptAuthorization()
      #expect(phone.manager.state == .acquiring)
      device.advance(by: 3)
      #expect(device.isMonitoringSignificantChanges)
      #expect(device.promptsShown == 1)
      #expect(phone.recorder.locations.map(\.horizontalAccuracy) == [8])
    }

    @Test("4.9: with While Using, no significant change launches the app")
    func noRelaunch() {
      let phone = Phone(.whenInUse, answers: [.allowWhileUsing])
      phone.device.fixes = { _ in phone.fix(8) }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 60)
      phone.device.terminate()
      phone.device.move(to: phone.fix(500, north: 5_000))
      #expect(phone.device.launchReason == nil)
    }

    @Test("an app relaunched after a pause stays off without a prompt until it resumes")
    func relaunchPaused() {
      let (device, store) = (StandInDevice(), MemoryStore())
      let first = Phone(device: device, answers: [.allowWhileUsing], store: store)
      device.fixes = { _ in first.fix(8) }
      first.manager.tryPromptAuthorization()
      device.advance(by: 60)
      first.manager.pause()
      device.terminate()
      let phone = Phone(device: device, store: store)
      device.fixes = { _ in phone.fix(8) }
      phone.manager.tryPromptAuthorization()
      device.advance(by: 3_600)
      #expect(phone.manager.state == .paused)
      #expect(!device.isUpdating && !device.isMonitoringSignificantChanges)
      device.isInForeground = true
      phone.manager.resume()
      #expect(device.isUpdating)
      #expect(!store.isPaused)
    }

    @Test("resuming in a new launch uses the current permission", arguments: [true, false])
    func resumedWithoutPermission(_ isDenied: Bool) {
      let store = MemoryStore()
      store.isPaused = true
      let phone = Phone(store: store)
      if isDenied { phone.device.setStatus(.denied) }
      phone.manager.resume()
      #expect(phone.manager.state == (isDenied ? .denied : .initial))
      #expect(!phone.device.isUpdating)
      #expect(!store.isPaused)
    }

    @Test("4.9: a second start has no effect, and a stop and a start give a new first event")
    func startedTwice() {
      let phone = Phone.asleep()
      phone.device.advance(by: 60)
      let starts = phone.device.starts
      phone.provider.setMode(.significantChanges)
      phone.changes.startMonitoringSignificantLocationChanges()
      phone.device.advance(by: 10)
      #expect(phone.device.starts == starts)
      #expect(phone.recorder.calls.isEmpty)
      phone.changes.stopMonitoringSignificantLocationChanges()
      phone.changes.startMonitoringSignificantLocationChanges()
      phone.device.advance(by: 10)
      #expect(phone.recorder.calls.contains("didDetectSignificantChange"))
      phone.manager.forceAcquireLocation()
      let before = phone.device.starts
      phone.core.startUpdatingLocation()
      #expect(phone.device.starts == before)
    }

    @Test("4.9: significant changes are 500 m and five minutes apart, and no wake is lost")
    func gate() {
      let phone = Phone.asleep()
      func wakes(after seconds: TimeInterval, north: Double) -> Bool {
        phone.device.advance(by: seconds)
        _ = phone.recorder.take()
        phone.device.move(to: phone.fix(500, north: north))
        return phone.recorder.calls.contains("didDetectSignificantChange")
      }
      #expect(wakes(after: 60, north: 1_000))
      #expect(!wakes(after: 299, north: 5_000))
      #expect(wakes(after: 2, north: 5_000))
      #expect(!wakes(after: 600, north: 5_400))
      #expect(wakes(after: 0, north: 5_500))
    }

    @Test("4.9: a wake without a move is one acquisition, without a loop")
    func wakeWithoutMove() {
      let phone = Phone.asleep()
      phone.device.move(to: phone.fix(500))
      #expect(phone.manager.state == .acquiring)
      phone.device.advance(by: 600)
      #expect(phone.device.starts.filter { $0 == "updating" }.count == 2)
    }

    @Test("4.15: an acquisition has background time until its end, after a launch and after a wake")
    func backgroundTime() {
      let phone = Phone.asleep()
      #expect(!phone.host.isActive && phone.host.activities == 1, "the first acquisition had some")
      phone.device.fixes = { $0 > 10 ? phone.fix(8) : nil }
      phone.device.move(to: phone.fix(500, north: 5_000))
      #expect(phone.host.isActive)
      phone.device.advance(by: 9)
      #expect(phone.host.isActive)
      phone.device.advance(by: 3)
      #expect(phone.manager.state == .waitingSignificantChange)
      #expect(!phone.host.isActive && phone.host.activities == 2)
      phone.device.move(to: phone.fix(500, north: 9_000))
      phone.manager.pause()
      #expect(!phone.host.isActive)
    }

    @Test("5: an app suspended beyond the time limit turns the GPS off as soon as it runs")
    func suspendedBeyondLimit() {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.device.fixes = { _ in nil }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 3)
      phone.device.suspend()
      phone.device.advance(by: 600)
      #expect(phone.device.isUpdating)
      phone.device.resume()
      #expect(!phone.device.isUpdating)
      #expect(phone.recorder.calls.contains("didFailToAcquire"))
    }

    @Test(
      "4.9: a launch turns off the services of an earlier one that it doesn't use", arguments: [true, false])
    func earlierLaunch(_ isPaused: Bool) {
      let (first, store) = (Phone.asleep(), MemoryStore())
      let device = first.device
      device.terminate()
      device.advance(by: 3_600)
      device.move(to: fix(500, north: 5_000, of: device))
      #expect(device.launchReason == "location")
      store.isPaused = isPaused
      let phone = Phone(device: device, store: store)
      #expect(phone.manager.state == (isPaused ? .paused : .initial))
      #expect(!device.launchesForSignificantChanges)
      device.terminate()
      device.advance(by: 3_600)
      device.move(to: fix(500, north: 9_000, of: device))
      #expect(device.launchReason == nil)
    }

    // MARK: - Sessions

    @Test("one service session is held from the first use until a pause, also in the background")
    func serviceSession() throws {
      let phone = Phone.asleep()
      let session = try #require(phone.device.heldServiceSessions.first)
      #expect(session.requirement == .always)
      phone.device.isInForeground = false
      for kilometres in 1...3 {
        phone.device.advance(by: 600)
        phone.device.move(to: phone.fix(500, north: Double(kilometres) * 1_000))
        #expect(phone.manager.state == .acquiring)
        phone.device.advance(by: 20)
        #expect(phone.manager.state == .waitingSignificantChange)
      }
      #expect(phone.device.serviceSessions.count == 1)
      #expect(session.isValid && session.isSufficientlyInUse)
      phone.manager.pause()
      #expect(!session.isValid)
      phone.device.isInForeground = true
      phone.manager.resume()
      #expect(phone.device.heldServiceSessions.count == 1)
      phone.device.setStatus(.denied)
      #expect(phone.device.heldServiceSessions.isEmpty)
    }

    @Test("a service session requires the granted permission, and shows no prompt")
    func serviceSessionRequirement() {
      let phone = Phone(.whenInUse, answers: [.allowOnce])
      phone.device.fixes = { _ in phone.fix(8) }
      phone.manager.tryPromptAuthorization()
      #expect(phone.device.serviceSessions.isEmpty)
      phone.device.advance(by: 10)
      let requirements = {
        phone.device.advance(by: 10)
        return phone.device.heldServiceSessions.map(\.requirement)
      }
      #expect(requirements() == [.none])
      phone.device.setStatus(.authorizedAlways)
      #expect(requirements() == [.always])
      phone.device.setStatus(.authorizedWhenInUse)
      #expect(requirements() == [.none])
      phone.device.setStatus(.notDetermined)
      #expect(requirements() == [])
      #expect(phone.device.promptsShown == 1)
    }

    @Test("an app relaunched in the background begins its service session immediately")
    func serviceSessionOfRelaunch() {
      let first = Phone.asleep()
      let device = first.device
      device.terminate()
      device.advance(by: 3_600)
      device.move(to: fix(500, north: 5_000, of: device))
      let phone = Phone(device: device)
      phone.manager.tryPromptAuthorization()
      #expect(device.heldServiceSessions.map(\.isSufficientlyInUse) == [true])
    }

    @Test("the activity session is invalidated with the GPS, the service session with a pause")
    func sessionsInvalidated() {
      let phone = Phone(.whenInUse, answers: [.allowWhileUsing]) { $0.allowsBackgroundUpdates = true }
      let device = phone.device
      phone.manager.tryPromptAuthorization()
      device.advance(by: 3)
      #expect((device.heldActivitySessions.count, device.heldServiceSessions.count) == (1, 1))
      device.advance(by: 60)
      #expect(phone.manager.state == .waitingSignificantChange)
      #expect((device.heldActivitySessions.count, device.heldServiceSessions.count) == (0, 1))
      phone.manager.pause()
      #expect((device.heldActivitySessions.count, device.heldServiceSessions.count) == (0, 0))
      #expect((device.activitySessions.count, device.serviceSessions.count) == (1, 1))
    }

    // MARK: - Sleep

    @Test("a deadline during the device's sleep is noticed within ten seconds of its waking")
    func sleeps() {
      let prompted = Phone(answers: [.none])
      prompted.manager.tryPromptAuthorization()
      prompted.device.advance(by: 3)
      prompted.device.sleep(for: 3_600)
      prompted.device.advance(by: 10)
      #expect(prompted.manager.state == .initial)

      let acquiring = Phone(answers: [.allowWhileUsing])
      acquiring.manager.tryPromptAuthorization()
      acquiring.device.advance(by: 3)
      acquiring.device.sleep(for: 3_600)
      acquiring.device.advance(by: 10)
      #expect(!acquiring.device.isUpdating)
    }

    @Test("no deadline is early")
    func deadlines() {
      let phone = Phone(answers: [.none])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 59.9)
      #expect(phone.manager.state == .prompted)
      phone.device.advance(by: 0.2)
      #expect(phone.manager.state == .initial)
    }

    @Test("properties that wait for the location daemon are read only once per change of the permission")
    func reads() {
      let phone = Phone.asleep()
      phone.manager.errorBound = 500
      phone.device.advance(by: 1)
      let before = phone.device.reads
      for hour in 1...24 {
        let place = phone.fix(500, north: Double(hour) * 3_000)
        phone.device.carry(to: place)
        phone.device.move(to: place)
        phone.device.isInForeground.toggle()
        phone.device.advance(by: 3_600)
      }
      #expect(phone.recorder.locations.count > 12)
      #expect(phone.device.reads == before)
      phone.device.setStatus(.authorizedWhenInUse)
      #expect(phone.device.reads == before + 2)
    }

    // MARK: - Other platforms

    @Test("4.10: single fixes are requested until one is good enough")
    func requests() {
      let phone = Phone.withoutMuch()
      phone.device.fixes = { $0 > 5 ? phone.fix(8) : phone.fix(60) }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 20)
      #expect(phone.device.starts == ["request", "request"])
      #expect(phone.manager.state == .waitingSignificantChange)
      #expect(!phone.device.isRequesting)
      #expect(phone.recorder.locations.map(\.horizontalAccuracy) == [8])
    }

    @Test("4.10: an unknown location or an error is followed by another request, one at a time")
    func requestsThatFail() {
      let phone = Phone.withoutMuch()
      phone.device.fixes = { _ in nil }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 8)
      #expect(phone.device.starts == ["request", "request"])
      phone.device.failNow(.network)
      #expect(phone.device.starts == ["request", "request"])
      phone.device.advance(by: 20)
      #expect(phone.manager.state == .waitingSignificantChange)
      #expect(phone.device.starts == ["request", "request", "request"])
    }

    @Test("4.10: an immediate error isn't followed by an immediate request", arguments: [true, false])
    func requestsThatFailAtOnce(_ isTracking: Bool) {
      let phone = Phone.withoutMuch()
      phone.device.fixes = { _ in nil }
      phone.device.requestDuration = 0.01
      phone.manager.tryPromptAuthorization()
      if isTracking {
        _ = phone.manager.demand(.every(TrackFilter(ReceiverSettings(desiredAccuracy: 100, distanceFilter: 0))))
      }
      phone.device.advance(by: 60)
      // Every five seconds: for the 15 s of an acquisition, or while a consumer tracks.
      #expect(phone.device.starts.count == (isTracking ? 12 : 3))
      phone.manager.pause()
      phone.device.advance(by: 60)
      #expect(phone.device.starts.count == (isTracking ? 12 : 3))
    }

    @Test("4.10: immediate fixes are requested once a second")
    func requestsServedAtOnce() {
      let phone = Phone.withoutMuch()
      phone.device.fixes = { _ in phone.fix(60) }
      phone.device.requestDuration = 0.01
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 9.5)
      #expect(phone.device.starts.count == 10)
    }

    @Test("4.10: stopping withdraws a request")
    func requestTakenBack() {
      let phone = Phone.withoutMuch()
      phone.device.fixes = { _ in phone.fix(8) }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 4)
      #expect(phone.device.isRequesting)
      phone.manager.pause()
      #expect(!phone.device.isRequesting)
      phone.device.advance(by: 60)
      #expect(phone.recorder.locations.isEmpty)
    }

    @Test("4.10: a request doesn't run beside the standard service")
    func requestBeside() {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 3)
      phone.core.requestLocation()
      #expect(phone.device.isUpdating && !phone.device.isRequesting)
    }

    @Test("without significant changes a manager sleeps until the app wakes it")
    func noSignificantChanges() {
      let phone = Phone.withoutMuch()
      phone.device.fixes = { _ in phone.fix(8) }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 3_600)
      #expect(phone.manager.state == .waitingSignificantChange)
      #expect(!phone.device.isMonitoringSignificantChanges)
      phone.manager.forceAcquireLocation()
      phone.device.advance(by: 10)
      #expect(phone.recorder.locations.count == 2)
    }

    // MARK: - Settings

    @Test("4.8, 4.14: there is no distance filter, and the accuracy lets updates continue in the background")
    func settingsOfTheReceiver() {
      let phone = Phone { $0.allowsBackgroundUpdates = true }
      #expect(phone.core.distanceFilter == kCLDistanceFilterNone)
      #expect(phone.core.desiredAccuracy <= kCLLocationAccuracyHundredMeters)
      #expect(phone.core.allowsBackgroundLocationUpdates)
      #expect(!phone.core.pausesLocationUpdatesAutomatically)
      #expect(!phone.core.showsBackgroundLocationIndicator)
      #expect(Phone { $0.activityType = .automotiveNavigation }.core.activityType == .automotiveNavigation)
    }

    @Test("4.14: in the background without an indicator, there is no filter, and 100 m or better")
    func trackingUnseen() {
      for showsIndicator in [false, true] {
        let phone = Phone(.always, answers: [.changeToAlways]) {
          $0.allowsBackgroundUpdates = true
          $0.showsBackgroundIndicator = showsIndicator
        }
        phone.manager.tryPromptAuthorization()
        _ = phone.manager.demand(.every(TrackFilter(ReceiverSettings(desiredAccuracy: 500, distanceFilter: 70))))
        phone.device.advance(by: 20)
        #expect(phone.core.distanceFilter == (showsIndicator ? 70 : kCLDistanceFilterNone))
        #expect(phone.core.desiredAccuracy == (showsIndicator ? 500 : 100))
      }
    }

    @Test("updates aren't restarted in a tunnel: Core Location keeps trying")
    func tunnel() {
      let phone = Phone.asleep()
      let trip = TripRecorder(phone.manager)
      trip.start()
      phone.device.advance(by: 20)
      phone.device.fixes = { _ in nil }
      let starts = phone.device.starts.count
      phone.device.advance(by: 60)
      #expect(phone.device.starts.count == starts && phone.device.isUpdating)
    }

    @Test("tracking sets Core Location's accuracy and filter, and an acquisition resets them")
    func tracking() {
      let phone = Phone.asleep()
      let number = phone.manager.demand(.every(TrackFilter(ReceiverSettings(desiredAccuracy: 100, distanceFilter: 50))))
      #expect((phone.core.desiredAccuracy, phone.core.distanceFilter) == (100, 50))
      phone.device.advance(by: 60)
      #expect(phone.device.isUpdating && phone.manager.state == .acquiring)
      phone.manager.end(number)
      #expect(
        (phone.core.desiredAccuracy, phone.core.distanceFilter) == (kCLLocationAccuracyBest, kCLDistanceFilterNone))
      phone.device.advance(by: 20)
      #expect(phone.manager.state == .waitingSignificantChange)
    }

    @Test("4.8: the stand-in's filter passes a smaller move if the accuracy has improved")
    func distanceFilter() {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.device.fixes = { phone.fix([90, 90, 70, 80, 90][$0 - 1], north: $0 == 5 ? 60 : 0) }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 2.5)
      phone.core.distanceFilter = 50
      phone.device.advance(by: 5)
      #expect(phone.recorder.calls.filter { $0.hasPrefix("didReject") }.count == 1)
      #expect(phone.device.lastLocation?.coordinate.latitude == phone.fix(1, north: 60).coordinate.latitude)
    }

    @Test(
      "4.1: everything happens on the thread that made the manager, and the stand-in detects a violation",
      .timeLimit(.minutes(15)))
    func thread() async {
      let phone = Phone.asleep()
      phone.manager.forceAcquireLocation()
      await #expect(processExitsWith: .failure) {
        let phone = Phone.asleep()
        phone.device.moveToAnotherThread()
        phone.manager.forceAcquireLocation()
      }
    }

    @Test("a provider may be released on any thread: that calls nothing of Core Location", .timeLimit(.minutes(15)))
    func releasedElsewhere() async {
      await #expect(processExitsWith: .success) {
        weak var released: CoreLocationProvider?
        do {
          let device = StandInDevice()
          device.setStatus(.authorizedAlways)
          var configuration = CoreLocationProvider.Configuration()
          configuration.allowsBackgroundUpdates = true
          let provider = CoreLocationProvider(
            configuration: configuration, makeManager: { CLLocationManager(device: device) }, host: DeviceHost(device))
          provider.setMode(.gps)
          released = provider
          device.moveToAnotherThread()
        }
        precondition(released == nil)
      }
    }

    @Test("4.5: the switch for all apps, which may block, isn't read", .timeLimit(.minutes(15)))
    func switchNotAsked() async {
      // In the stand-in a read stops the program, so every other test here shows the same.
      await #expect(processExitsWith: .failure) { _ = CLLocationManager.locationServicesEnabled() }
      let phone = Phone.asleep()
      phone.device.setGloballyOn(false)
      phone.manager.forcePromptAuthorization()
      #expect(phone.manager.state == .denied)
    }

    private func fix(_ accuracy: Double, north: Double, of device: StandInDevice) -> CLLocation {
      CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: 34 + north / 111_320, longitude: -118), altitude: 90,
        horizontalAccuracy: accuracy, verticalAccuracy: 12, course: -1, speed: -1, timestamp: device.date)
    }
  }

  /// An entry that is missing from an `Info.plist`.
  enum Declaration: String, CaseIterable, Codable, Sendable {
    case whenInUse = "NSLocationWhenInUseUsageDescription"
    case always = "NSLocationAlwaysAndWhenInUseUsageDescription"
    case purpose = "NSLocationTemporaryUsageDescriptionDictionary"
    case backgroundMode = "UIBackgroundModes"
    case motion = "NSMotionUsageDescription"
  }

  private final class Counter {
    var count = 0
  }
#endif
