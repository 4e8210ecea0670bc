#if LOCOKIT_STAND_INS
  import CoreLocation
  import Foundation
  import LocoKitSimulation
  import Testing

  @testable import LocoKit
  @testable import LocoKitTrips
  @testable import TestSupport

  @Suite("Foreground and background with a stand-in for Core Location")
  struct ForegroundTests {
    // MARK: - The error bound

    /// Returns the 95th percentile of the last location's error over the seconds of the built-in drive, in metres.
    private static func error(of phone: Phone) throws -> Double {
      var errors: [Double] = []
      phone.drive(.losAngeles) { truth in
        if let location = phone.manager.location { errors.append(location.distance(to: truth)) }
      }
      try #require(errors.count > 1_700)
      return errors.sorted()[errors.count * 95 / 100]
    }

    @Test("in the foreground, the README's first example keeps its bound for 95 % of a drive")
    func firstExample() throws {
      let shown = try Repository.text("README.md")
      // `shared` and the phone below have the same configuration.
      try #require(shown.contains("let manager = LocationManager.shared\n"))
      try #require(shown.contains("manager.errorBound = 500\n"))
      let configuration = CoreLocationProvider.Configuration()
      let phone = Phone(configuration.permission) { $0 = configuration }
      phone.manager.errorBound = 500
      phone.manager.tryPromptAuthorization()
      #expect(try Self.error(of: phone) <= 500)
      #expect(phone.manager.authorization == .whenInUse)
    }

    @Test(
      "in the background, a bound is kept with Always and background updates, and broken with While Using alone",
      arguments: [false, true])
    func inBackground(_ isSecond: Bool) throws {
      let phone = Phone(isSecond ? .always : .whenInUse, answers: [.allowWhileUsing]) {
        $0.allowsBackgroundUpdates = isSecond
      }
      phone.device.fixes = { _ in phone.fix(8) }
      phone.manager.errorBound = 500
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 10)
      phone.device.isInForeground = false
      let error = try Self.error(of: phone)
      #expect(isSecond ? error <= 500 : error > 5_000)
    }

    // MARK: - The end of the background time

    /// Returns a phone whose app was launched in the background by a significant change, with a bound of 200 m. Without `fixes` its
    /// receiver finds no location, and the first look may take 45 s.
    private static func launched(
      fixes: @escaping (Phone) -> CLLocation? = { _ in nil },
      configure: @escaping (inout CoreLocationProvider.Configuration) -> Void = { _ in }
    ) -> Phone {
      let first = Phone(answers: [.allowWhileUsing])
      let device = first.device
      device.fixes = { _ in first.fix(8) }
      first.manager.errorBound = 500
      first.manager.tryPromptAuthorization()
      device.advance(by: 60)
      device.terminate()
      device.advance(by: 3_600)
      device.move(to: first.fix(500, north: 5_000))
      #expect(device.launchReason == "location")
      let phone = Phone(device: device, configure: configure)
      device.fixes = { _ in fixes(phone) }
      phone.manager.errorBound = 200
      phone.manager.tryPromptAuthorization()
      #expect(phone.manager.state == .acquiring)
      return phone
    }

    @Test(
      "an acquisition ends with the background time, and delivers the best fix if that is acceptable",
      arguments: [nil, 90] as [Double?])
    func endOfTime(_ accuracy: Double?) {
      let phone = Self.launched(fixes: { phone in accuracy.map { phone.fix($0) } })
      let device = phone.device
      device.advance(by: 29)
      #expect(phone.manager.state == .acquiring)
      device.advance(by: 5)
      #expect(phone.manager.state == .waitingSignificantChange && device.isSuspended)
      #expect(!device.isUpdating && device.isMonitoringSignificantChanges && !phone.host.isActive)
      #expect(phone.recorder.locations.map(\.horizontalAccuracy) == (accuracy.map { [$0] } ?? []))
      // The next change wakes the app.
      device.advance(by: 600)
      device.fixes = { _ in phone.fix(8) }
      device.carry(to: phone.fix(8, north: 9_000))
      device.move(to: phone.fix(500, north: 9_000))
      #expect(phone.manager.state == .acquiring)
      device.advance(by: 5)
      #expect(phone.recorder.locations.last?.horizontalAccuracy == 8)
    }

    @Test("background updates keep the app running, and the acquisition has its full time")
    func allowedInBackground() {
      let phone = Self.launched(configure: { $0.allowsBackgroundUpdates = true })
      phone.device.coarseAccuracy = 500
      phone.device.advance(by: 44)
      #expect(phone.manager.state == .acquiring && phone.device.isUpdating && !phone.device.isSuspended)
      phone.device.advance(by: 2)
      #expect(phone.manager.state == .waitingSignificantChange)
    }

    @Test("an app that leaves the foreground gets background time, and a look ends with that time")
    func leavesForeground() {
      let phone = Phone(answers: [.allowWhileUsing])
      let device = phone.device
      device.fixes = { _ in nil }
      phone.manager.errorBound = 500
      phone.manager.tryPromptAuthorization()
      device.advance(by: 10)
      let activities = phone.host.activities
      device.isInForeground = false
      #expect(phone.host.activities == activities + 1 && phone.host.isActive)
      device.advance(by: 31)
      #expect(phone.manager.state == .waitingSignificantChange)
    }

    @Test("a trip outlasts the background time, and continues when the app runs again")
    func trip() {
      let phone = Self.launched()
      let trip = TripRecorder(phone.manager)
      trip.start()
      phone.device.advance(by: 40)
      #expect(phone.manager.state == .acquiring && phone.device.isSuspended)
      phone.device.isInForeground = true
      phone.device.fixes = { _ in phone.fix(8) }
      phone.device.advance(by: 5)
      #expect(!phone.recorder.locations.isEmpty)
    }

    // MARK: - Requests in the background

    @Test("a request for Always that the system ignored in the background is repeated in the foreground")
    func stepToAlways() {
      let phone = Phone(.whenInUseThenAlways, answers: [.changeToAlways, .changeToAlways])
      let device = phone.device
      device.setStatus(.authorizedWhenInUse)
      device.isInForeground = false
      phone.manager.tryPromptAuthorization()
      device.advance(by: 5)
      #expect(device.promptsShown == 0)
      device.isInForeground = true
      device.advance(by: 5)
      #expect(device.promptsShown == 1 && phone.manager.authorization == .always)
    }

    @Test("no prompt is shown in the foreground before the app asks")
    func nothingUnasked() {
      let phone = Phone(.whenInUseThenAlways)
      phone.device.setStatus(.authorizedWhenInUse)
      phone.device.isInForeground = false
      phone.device.isInForeground = true
      phone.device.advance(by: 5)
      #expect(phone.device.promptsShown == 0)
    }

    @Test("updates that can't begin in the background begin in the foreground, with an effective session")
    func beginsInForeground() {
      let phone = Phone(.whenInUse) { $0.allowsBackgroundUpdates = true }
      let device = phone.device
      device.setStatus(.authorizedWhenInUse)
      device.isInForeground = false
      phone.manager.tryPromptAuthorization()
      #expect(phone.manager.state == .acquiring && !device.isUpdating)
      device.advance(by: 2)
      device.isInForeground = true
      #expect(device.isUpdating)
      #expect(device.heldActivitySessions.map(\.isEffective) == [true])
      device.isInForeground = false
      device.advance(by: 11)
      #expect(device.isUpdating && !device.isSuspended)
    }

    @Test(
      "with Always, an activity session is held while the GPS is on only if the app shows the indicator",
      arguments: [true, false])
    func indicator(_ showsIndicator: Bool) {
      let phone = Phone(answers: [.allowWhileUsing]) {
        $0.allowsBackgroundUpdates = true
        $0.showsBackgroundIndicator = showsIndicator
      }
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 3)
      #expect(phone.manager.authorization == .always && phone.device.isUpdating)
      #expect(phone.device.heldActivitySessions.count == (showsIndicator ? 1 : 0))
    }

    // MARK: - Details

    @Test(
      "a desired accuracy of up to 10 m becomes the best one",
      arguments: [(10.0, kCLLocationAccuracyBest), (10.5, 10.5)])
    func bestAccuracy(_ desired: Double, _ expected: Double) {
      let phone = Phone()
      phone.provider.setAccuracy(desired)
      #expect(phone.core.desiredAccuracy == expected)
    }

    @Test("a timer fires once")
    func timer() {
      let phone = Phone()
      var timers = 0
      phone.provider.onReport = ProviderReport.Handler { if $0 == .timer { timers += 1 } }
      phone.provider.setTimer(phone.provider.uptime + .seconds(5))
      phone.device.advance(by: 60)
      #expect(timers == 1)
    }

    @Test(
      "an altitude is invalid if its accuracy is 0 or negative",
      arguments: [(-1.0, false), (0, false), (0.5, true)])
    func altitude(_ accuracy: Double, _ isValid: Bool) throws {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 2.5)
      phone.device.deliver([
        CLLocation(
          coordinate: CLLocationCoordinate2D(latitude: 34, longitude: -118), altitude: 90, horizontalAccuracy: 6,
          verticalAccuracy: accuracy, course: -1, speed: -1, timestamp: phone.device.date)
      ])
      let location = try #require(phone.manager.location)
      #expect((location.altitude, location.verticalAccuracy) == (isValid ? (90, accuracy) : (nil, nil)))
    }

    @Test(
      "negative accuracies of speed and course, and a missing floor, are nil",
      arguments: [(-1.0, -1.0, nil), (0, 0, 0), (0.5, 12, -2)] as [(Double, Double, Int?)])
    func accuracies(_ speed: Double, _ course: Double, _ floor: Int?) throws {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 2.5)
      phone.device.deliver([
        CLLocation(
          coordinate: CLLocationCoordinate2D(latitude: 34, longitude: -118), altitude: 90, horizontalAccuracy: 6,
          verticalAccuracy: 3, course: 90, courseAccuracy: course, speed: 5, speedAccuracy: speed,
          timestamp: phone.device.date, standInFloor: floor.map(CLFloor.init(standInLevel:)))
      ])
      let location = try #require(phone.manager.location)
      #expect(location.speedAccuracy == (speed < 0 ? nil : speed))
      #expect(location.courseAccuracy == (course < 0 ? nil : course))
      #expect(location.floor == floor)
    }

    @Test("a location survives the conversion to Core Location and back", arguments: 0..<16)
    func conversion(_ known: Int) {
      func value(_ bit: Int, _ value: Double) -> Double? { known & 1 << bit == 0 ? nil : value }
      let location = Location(
        latitude: -34.5, longitude: 179.25, horizontalAccuracy: 6, altitude: value(0, -12),
        verticalAccuracy: value(0, 3), speed: value(1, 0), speedAccuracy: value(1, 0.5), course: value(2, 0),
        courseAccuracy: value(3, 7), timestamp: Date(timeIntervalSince1970: 1_400_000_000))
      #expect(Location(CLLocation(location)) == location)
    }

    @Test("a location without a vertical accuracy has an unknown altitude in Core Location")
    func altitude() {
      let date = Date(timeIntervalSince1970: 1_400_000_000)
      let (high, low) = (
        Location(latitude: 1, longitude: 2, horizontalAccuracy: 6, altitude: 90, timestamp: date), -1.0
      )
      #expect(CLLocation(high).altitude == 90 && CLLocation(high).verticalAccuracy == low)
      let unknown = Location(latitude: 1, longitude: 2, horizontalAccuracy: 6, verticalAccuracy: 3, timestamp: date)
      #expect(CLLocation(unknown).altitude == 0 && CLLocation(unknown).verticalAccuracy == low)
    }

    @Test("a fix says whether software simulates it, or an accessory has found it", arguments: 0..<5)
    func sourceInformation(_ number: UInt8) throws {
      let phone = Phone(answers: [.allowWhileUsing])
      phone.manager.tryPromptAuthorization()
      phone.device.advance(by: 2.5)
      let information = CLLocationSourceInformation(
        softwareSimulationState: number & 1 != 0, andExternalAccessoryState: number & 2 != 0)
      phone.device.deliver([
        CLLocation(
          coordinate: CLLocationCoordinate2D(latitude: 34, longitude: -118), altitude: 90, horizontalAccuracy: 6,
          verticalAccuracy: 3, course: 90, courseAccuracy: -1, speed: 5, speedAccuracy: -1,
          timestamp: phone.device.date, standInFloor: nil, standInSource: number < 4 ? information : nil)
      ])
      #expect(try #require(phone.manager.location).origins == number & 3)
    }

    // MARK: - The stand-in

    @Test(
      "the stand-in suspends an idle app in the background, and a change wakes it for a while")
    func suspension() {
      let phone = Phone.asleep()
      let device = phone.device
      device.isInForeground = false
      device.advance(by: 9)
      #expect(!device.isSuspended)
      device.advance(by: 2)
      #expect(device.isSuspended)
      device.advance(by: 600)
      device.move(to: phone.fix(500, north: 5_000))
      #expect(!device.isSuspended)
      device.advance(by: 20)
      #expect(device.isSuspended)
    }
  }
#endif
