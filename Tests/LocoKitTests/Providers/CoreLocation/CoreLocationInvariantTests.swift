#if LOCOKIT_STAND_INS
  import CoreLocation
  import CoreMotion
  import Foundation
  import Testing

  @_spi(Benchmarks) @testable import LocoKit
  import LocoKitMotion
  @_spi(Benchmarks) @testable import LocoMachine
  @testable import TestSupport

  /// Checks invariants during random scripts: commands of the app, and events and faults of the stand-in's device.
  @Suite("CoreLocationProvider's invariants")
  struct CoreLocationInvariantTests {
    @Test("the invariants hold after every step of seeded scripts", arguments: 0..<8)
    func scripts(_ part: Int) async {
      await Seeds.play(Seeds.part(part, of: 8, runs: 400), Script.self)
    }

    @Test("a seed gives the same run twice")
    func repeats() {
      for seed in UInt64(0)..<20 {
        let (first, second) = (Script.played(seed), Script.played(seed))
        #expect(first.story == second.story)
        #expect(!first.story.isEmpty)
      }
    }
  }

  /// A random run of a phone.
  private final class Script: SeededScript, LocationManagerListener {
    private(set) var broken: [String] = []
    private(set) var story: [String] = []
    private let seed: UInt64
    private var random: SeededGenerator
    private let phone: Phone
    /// The motion sensor, if the provider has one.
    private let sensor: CMMotionActivityManager?
    private var bound: Double? { didSet { largestBound = max(largestBound, bound ?? 0) } }
    private var largestBound = 0.0
    private var lastDelivered: Location?
    private var clockWasSet = false

    init(seed: UInt64) {
      self.seed = seed
      var random = SeededGenerator(seed: seed)
      let permission = CoreLocationProvider.Permission.allCases[Int.random(in: 0..<3, using: &random)]
      let all: [StandInDevice.Answer] = [
        .allowOnce, .allowWhileUsing, .changeToAlways, .keepOnlyWhileUsing, .deny, .none,
      ]
      let answers = (0..<4).map { _ in all[Int.random(in: 0..<all.count, using: &random)] }
      let hasBackground = Bool.random(using: &random)
      phone = Phone(permission, answers: answers) {
        $0.fullAccuracyPurposeKey = "Navigation"
        $0.allowsBackgroundUpdates = hasBackground
        $0.motionSensor = hasBackground ? .coreMotion : nil
      }
      sensor = hasBackground ? CMMotionActivityManager.newest : nil
      bound = Bool.random(using: &random) ? Double.random(in: 100...2_000, using: &random) : nil
      largestBound = bound ?? 0
      self.random = random
      phone.manager.errorBound = bound
      phone.manager.listeners.add(self)
      setFixes()
    }

    func play() {
      phone.manager.tryPromptAuthorization()
      for _ in 0..<80 {
        step()
        check()
        if !broken.isEmpty { return }
      }
      if Bool.random(using: &random) { calm() } else { end() }
    }

    private func setFixes() {
      let share = Double.random(in: 0...1, using: &random)
      let phone = phone
      var fixes = SeededGenerator(seed: random.next())
      phone.device.fixes = { second in
        let chance = Double.random(in: 0...1, using: &fixes)
        if chance < share / 2 { return nil }
        let accuracy =
          chance < share ? [-1, 5_000, 60, .infinity][Int(chance * 1_000) % 4] : max(6, 40 / Double(second))
        let age: TimeInterval = chance > 0.95 ? [-3_600, 45, 7_200][Int(chance * 1_000) % 3] : 0
        return phone.fix(accuracy, age: age)
      }
    }

    private func step() {
      let device = phone.device
      let choice = Int.random(in: 0..<27, using: &random)
      story.append("\(device.uptime): \(choice) in \(phone.manager.state.rawValue)")
      // A suspended app sends no commands until the user opens it.
      if device.isSuspended, choice <= 6 || choice == 22 { device.isInForeground = true }
      switch choice {
      case 0: phone.manager.tryPromptAuthorization()
      case 1: phone.manager.forcePromptAuthorization()
      case 2: phone.manager.pause()
      case 3, 4: phone.manager.resume()
      case 5, 6: phone.manager.forceAcquireLocation()
      case 7:
        let all: [CLAuthorizationStatus] = [
          .notDetermined, .restricted, .denied, .authorizedAlways, .authorizedWhenInUse, .authorizedAlways,
        ]
        device.setStatus(all[Int.random(in: 0..<all.count, using: &random)])
      case 8: device.setGloballyOn(Bool.random(using: &random))
      case 9: device.setAccuracy(Bool.random(using: &random) ? .fullAccuracy : .reducedAccuracy)
      case 10, 11: device.move(to: phone.fix(500, north: Double.random(in: 0...20_000, using: &random)))
      case 12: device.deliver([phone.fix(30, age: Double.random(in: -100...100, using: &random))])
      case 13: device.deliver((0..<3).map { phone.fix(50 - Double($0), age: Double($0)) })
      case 14:
        device.failNow([.locationUnknown, .network, .headingFailure, .denied][Int.random(in: 0..<4, using: &random)])
      case 15: device.pauseAnyway()
      case 16:
        device.suspend()
        device.advance(by: Double.random(in: 1...600, using: &random))
        device.resume()
      case 17:
        device.clockOffset += Double.random(in: -7_200...7_200, using: &random)
        clockWasSet = true
      case 18: setFixes()
      case 19: device.isInForeground.toggle()
      case 20: device.sleep(for: Double.random(in: 1...3_600, using: &random))
      case 21: device.carry(to: phone.fix(8, north: Double.random(in: 0...3_000, using: &random)))
      case 22:
        bound = Bool.random(using: &random) ? Double.random(in: 100...2_000, using: &random) : nil
        phone.manager.errorBound = bound
      case 23: for region in device.regions { device.exit(region) }
      case 24:
        let names = ["stationary", "walking", "automotive", "unknown"]
        sensor?.report(
          CMMotionActivity([names[Int.random(in: 0..<4, using: &random)]]))
      default: break
      }
      let wait = Double.random(in: 0...40, using: &random)
      // The time advances second by second, to check how long the GPS is on.
      for _ in 0..<Int(wait) {
        device.advance(by: 1)
        check()
      }
    }

    private func expect(_ holds: Bool, _ rule: String) {
      if !holds { broken.append("\(rule) at \(phone.device.uptime) in \(phone.manager.state.rawValue)") }
    }

    private func check() {
      let device = phone.device
      // A suspended app may not have received the last changes yet.
      if device.isSuspended { return }
      let state = phone.manager.state
      let authorization = phone.provider.authorization
      let mayLocate = authorization.isAuthorized
      expect(!device.isUpdating || state == .acquiring, "1: the GPS is on in acquiring only")
      expect(!device.mayPauseUpdates, "1: the system may pause updates, and never resumes them")
      let registers = state == .waitingSignificantChange || state == .acquiring && authorization == .always
      expect(
        device.isMonitoringSignificantChanges == (registers && mayLocate),
        "1: significant changes are on while asleep, and with Always also while the GPS is on")
      let needsBound = state.mode != .off && bound != nil && authorization == .always
      expect(device.coarseAccuracies.isEmpty || needsBound, "1: kept running without a bound or Always, or while off")
      expect(device.isMonitoringVisits == needsBound, "1: visits are monitored while on, under a bound with Always")
      expect(device.regions.isEmpty || device.regions.count == 1 && bound != nil, "9: one region at most, with a bound")
      if state == .paused {
        expect(!device.isUpdating && !device.isMonitoringSignificantChanges, "3: everything is off in a pause")
        expect(device.regions.isEmpty && device.coarseAccuracies.isEmpty, "3: everything is off in a pause")
        expect(sensor?.isOn != true, "3: everything is off in a pause")
      }
      let held = device.heldServiceSessions.map(\.requirement)
      let needed: CLServiceSession.AuthorizationRequirement = authorization == .always ? .always : .none
      expect(held == (mayLocate ? [needed] : []), "8: the session matches the permission")
      // The time limit, and the second between two checks. With a bound, the GPS may stay on.
      if largestBound == 0, let time = device.updatingFor { expect(time <= 15 + 1.1, "2: the GPS is on for too long") }
    }

    func locationManager(_ manager: LocationManager, didUpdate location: Location) {
      story.append("location \(location.horizontalAccuracy)")
      let now = phone.device.date
      expect(
        manager.state == .waitingSignificantChange || manager.state == .acquiring, "6: notified before the state is set"
      )
      expect(
        phone.device.isUpdating == (manager.state == .acquiring) || phone.device.areUpdatesRefused,
        "6: notified before the hardware is commanded")
      expect(location.hasValidAccuracy && location.hasValidCoordinate, "5: an invalid location")
      let share = location.source == .coarse ? 0.85 : 1.0 / 3
      expect(location.horizontalAccuracy <= max(100, largestBound * share), "5: a location that is not acceptable")
      expect(
        now.timeIntervalSince(location.timestamp) <= 30 && now.timeIntervalSince(location.timestamp) >= -1, "5: age")
      if let lastDelivered, !clockWasSet {
        expect(location.timestamp > lastDelivered.timestamp, "5: a location not newer than the last")
      }
      lastDelivered = location
    }

    func locationManagerDidPause(_ manager: LocationManager) {
      expect(!phone.device.isUpdating && !phone.device.isMonitoringSignificantChanges, "6: on in a pause")
    }

    /// Terminates the app in any state, with Always and full accuracy. If something was on, the exit from its region or the next
    /// significant change launches the app, and a location follows.
    private func end() {
      let device = phone.device
      device.isInForeground = true
      device.setGloballyOn(true)
      device.setAccuracy(.fullAccuracy)
      device.setStatus(.authorizedAlways)
      device.advance(by: Double.random(in: 0...30, using: &random))
      let (state, isOn) = (phone.manager.state, phone.manager.state.mode != .off)
      let far = phone.fix(8, north: 900_000)
      device.terminate()
      device.advance(by: 400)
      let isByRegion = Bool.random(using: &random) && !device.watchedRegions.isEmpty
      story.append("ended in \(state.rawValue), \(isByRegion ? "leaves its region" : "moves")")
      if isByRegion { device.carry(to: far) } else { device.move(to: far) }
      device.advance(by: 60)
      expect((device.launchReason == "location") == isOn, "10: launched exactly if not off: ended in \(state.rawValue)")
      guard device.launchReason != nil else { return }
      device.carry(to: far)
      let again = Phone(device: device)
      device.fixes = { _ in again.fix(8) }
      again.manager.errorBound = bound
      again.manager.tryPromptAuthorization()
      device.advance(by: 20)
      expect(again.recorder.locations.last?.latitude == far.coordinate.latitude, "10: launched, and no location")
    }

    /// Ends all faults, and expects a location.
    private func calm() {
      let device = phone.device
      let phone = phone
      device.fixes = { _ in phone.fix(8) }
      device.isInForeground = true
      device.setGloballyOn(true)
      device.setAccuracy(.fullAccuracy)
      device.setStatus(.authorizedAlways)
      // Waits until an acquisition and the cool-down have ended.
      device.advance(by: 120)
      phone.manager.resume()
      phone.manager.tryPromptAuthorization()
      phone.manager.forcePromptAuthorization()
      device.advance(by: 120)
      let before = phone.recorder.locations.count
      device.move(to: phone.fix(500, north: 900_000))
      if phone.manager.state == .waitingSignificantChange { phone.manager.forceAcquireLocation() }
      device.advance(by: 20)
      expect(phone.recorder.locations.count > before, "7: all faults have ended, but no location was delivered")
    }
  }
#endif
