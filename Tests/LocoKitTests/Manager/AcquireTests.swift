import Foundation
import Testing

@testable import LocoKit
@testable import TestSupport

@MainActor
@Suite("Acquiring one location")
struct AcquireTests {
  @Table nonisolated static var behaviors: [Behavior] {
    Behavior(
      "acquire returns the first fix within the desired accuracy, and turns the GPS off", in: .waitingSignificantChange,
      .acquire(50) => "acquiring, didForceAcquire", .wait(2), .fix(80),
      .fix(45) => "waitingSignificantChange, didUpdate 45", .returns(45))
    Behavior(
      "acquire returns a fix that a second one agrees with, not a more accurate one that both contradict",
      in: .prompted, .acquire(10, within: 15),
      .decide(.always) => "acquiring, didGrantAccess, didChangeAuthorization always", .fix(20, north: 100_000),
      .wait(1),
      .fix(30) => "didReject implausibleSpeed", .wait(1), .fix(30),
      .wait(13) => "waitingSignificantChange, didUpdate 30", .expect(\.manager.location?.latitude, 34.1), .returns(30))
    Behavior(
      "acquire throws before the app asked for access", in: .initial, .acquire(), .throws("accessNotRequested"),
      commands: "")
    Behavior("acquire throws if access is denied", in: .denied, .acquire(), .throws("accessDenied"), commands: "")
    Behavior("acquire throws during a pause", in: .paused, .acquire(), .throws("paused"), commands: "")
    Behavior(
      "acquire waits for the answer to the prompt", in: .prompted, .acquire(),
      .decide(.whenInUse) => "acquiring, didGrantAccess, didChangeAuthorization whenInUse",
      .fix(20) => "", .returns(20))
    Behavior(
      "acquire throws if the prompt is denied", in: .prompted, .acquire(),
      .decide(.denied) => "denied, didDenyAccess, didChangeAuthorization denied", .throws("accessDenied"))
    Behavior(
      "acquire throws if the prompt expires", in: .prompted, .acquire(within: 1_000),
      .wait(60) => "init, promptDidExpire", .throws("accessNotRequested"))
    Behavior(
      "acquire's timeout begins with the answer to the prompt", in: .prompted, .acquire(10, within: 10), .wait(50),
      .decide(.whenInUse) => "acquiring, didGrantAccess, didChangeAuthorization whenInUse", .wait(9.9),
      .fix(9) => "waitingSignificantChange, didUpdate 9", .returns(9))
    Behavior(
      "acquire throws if its timeout has passed since the answer to the prompt", in: .prompted,
      .acquire(10, within: 10), .wait(50),
      .decide(.whenInUse) => "acquiring, didGrantAccess, didChangeAuthorization whenInUse", .wait(10),
      .throws("timeLimit"))
    Behavior(
      "acquire waits for a prompt that the system shows after the call", in: .initial, .prompt => "prompted",
      .acquire(10, within: 10), .wait(5), .promptShown => "didPromptAccess", .wait(50),
      .decide(.whenInUse) => "acquiring, didGrantAccess, didChangeAuthorization whenInUse", .wait(9.9),
      .fix(9) => "waitingSignificantChange, didUpdate 9", .returns(9))
    Behavior(
      "acquire's timeout begins with the answer to a prompt that the provider doesn't report", in: .initial,
      .prompt => "prompted", .acquire(10, within: 10), .wait(9),
      .decide(.whenInUse) => "acquiring, didGrantAccess, didChangeAuthorization whenInUse", .wait(9.9),
      .fix(9) => "waitingSignificantChange, didUpdate 9", .returns(9))
    Behavior(
      "acquire throws if its timeout ends before the system shows the prompt", in: .initial, .prompt => "prompted",
      .acquire(within: 10), .wait(10), .throws("timeLimit"), .expect(\.manager.state, .prompted))
    Behavior(
      "acquire returns the last location during another acquisition, which continues", in: .waitingSignificantChange,
      .force => "acquiring, didForceAcquire", .acquire(9, maximumAge: 60), .returns(9),
      .expect(\.manager.state, .acquiring))
    Behavior(
      "acquire returns the stored location once access is granted", in: .prompted, stored: 9,
      .acquire(9, maximumAge: 60),
      .decide(.whenInUse) => "acquiring, didGrantAccess, didChangeAuthorization whenInUse", .returns(9),
      .expect(\.recorder.locations, []))
    Behavior(
      "acquire returns no stored location before the app asked for access", in: .initial, stored: 9,
      .acquire(maximumAge: 60), .throws("accessNotRequested"))
    Behavior(
      "acquire returns no stored location if access is denied", in: .denied, stored: 9, .acquire(maximumAge: 60),
      .throws("accessDenied"))
    Behavior(
      "acquire returns no stored location during a pause", in: .paused, stored: 9, .acquire(maximumAge: 60),
      .throws("paused"))
    Behavior(
      "At its timeout, acquire returns the best fix if it is acceptable", in: .waitingSignificantChange,
      .acquire(10, within: 20) => "acquiring, didForceAcquire", .wait(15), .fix(70),
      .wait(5) => "waitingSignificantChange, didUpdate 70", .returns(70))
    Behavior(
      "At its timeout, acquire returns a fix of exactly the acceptable accuracy", in: .waitingSignificantChange,
      .acquire(10, within: 5) => "acquiring, didForceAcquire", .fix(100),
      .wait(5) => "waitingSignificantChange, didUpdate 100", .returns(100))
    Behavior(
      "At its timeout, acquire fails if the best fix isn't acceptable", in: .waitingSignificantChange,
      .acquire(10, within: 5) => "acquiring, didForceAcquire", .fix(100.1),
      .wait(5) => "waitingSignificantChange, didFailToAcquire timeLimit 100.1", .throws("timeLimit 100.1"))
    Behavior(
      "At its timeout, acquire throws an error that contains the best fix if no fix is acceptable",
      in: .waitingSignificantChange,
      .acquire(10, within: 20) => "acquiring, didForceAcquire", .wait(15), .fix(200),
      .wait(5) => "waitingSignificantChange, didFailToAcquire timeLimit 200", .throws("timeLimit 200"))
    Behavior(
      "Of several locations that are returned at the same time, listeners receive the newest",
      in: .waitingSignificantChange, .acquire(5, within: 10) => "acquiring, didForceAcquire", .wait(4), .fix(20),
      .acquire(5, within: 6), .wait(1), .fix(30),
      .wait(5) => "waitingSignificantChange, didUpdate 30", .returns(20),
      .returns(30))
    Behavior(
      "acquire returns a fix within its desired accuracy, even if the policy alone wouldn't accept the fix",
      in: .waitingSignificantChange, .acquire(1_000) => "acquiring, didForceAcquire",
      .fix(800) => "waitingSignificantChange, didUpdate 800",
      .returns(800))
    Behavior(
      "The GPS stays on for the most accurate and longest demand, and each demand ends with its own fix",
      in: .acquiring, .acquire(500), .acquire(3, within: 60), .fix(400), .returns(400), .wait(1),
      .fix(9) => "didUpdate 9", .expect(\.manager.state, .acquiring), .wait(40),
      .fix(2) => "waitingSignificantChange, didUpdate 2", .returns(2))
    Behavior(
      "A location isn't delivered twice if a demand for a better one returns it at its timeout", in: .acquiring,
      .acquire(3, within: 60), .fix(9) => "didUpdate 9", .wait(20),
      .wait(40) => "waitingSignificantChange, didFailToAcquire cancelled", .returns(9))
    Behavior(
      "A best fix that has become too old for the listeners is the demand's only", in: .waitingSignificantChange,
      .acquire(20, within: 60) => "acquiring, didForceAcquire", .fix(60),
      .wait(60) => "waitingSignificantChange, didFailToAcquire cancelled", .returns(60))
    Behavior(
      "A demand fails at its timeout if its best fix isn't acceptable", in: .acquiring, .acquire(3, within: 60),
      .fix(900), .wait(60) => "waitingSignificantChange, didFailToAcquire timeLimit", .throws("timeLimit 900"))
    Behavior(
      "The GPS turns off when the last task is cancelled", in: .waitingSignificantChange,
      .acquire() => "acquiring, didForceAcquire", .acquire(), .cancel, .expect(\.manager.state, .acquiring),
      .cancel => "waitingSignificantChange, didFailToAcquire cancelled")
    Behavior(
      "A cancelled task doesn't end the manager's own acquisition", in: .acquiring, .acquire(), .cancel,
      .expect(\.manager.state, .acquiring))
    Behavior(
      "A pause ends acquire", in: .acquiring, .acquire(), .pause => "paused, didPause", .throws("paused"))
    Behavior(
      "Access that is denied ends acquire", in: .acquiring, .acquire(),
      .decide(.denied) => "denied, didDenyAccess, didChangeAuthorization denied", .throws("accessDenied"))
    Behavior(
      "Five errors end acquire", in: .acquiring, .acquire(),
      .errors(5) => "waitingSignificantChange, didFailToAcquire tooManyErrors", .throws("tooManyErrors"))
    Behavior(
      "LocateMe: acquire doesn't return a fix that is more than 5 s old", in: .waitingSignificantChange, .wait(60),
      .acquire() => "acquiring, didForceAcquire", .fix(8, age: 6),
      .fix(90, age: 4) => "waitingSignificantChange, didUpdate 90", .returns(90))
  }

  /// The last location is accurate to 9 m and 60 s old before the clock is set.
  @Table nonisolated static var lastLocations: [Behavior] {
    for (accuracy, age, clock) in [(9.0, 60.0, 0.0), (9, 86_400, 3_600), (9, 60, -61)] {
      Behavior(
        "acquire returns a last location that is new and accurate enough: \(accuracy) m, \(age) s, clock \(clock) s",
        in: .waitingSignificantChange, .setClock(clock), .acquire(accuracy, maximumAge: age), .returns(9), commands: "")
    }
    for (accuracy, age, clock) in [(8.9, 60.0, 0.0), (9, 59, 0), (9, 0, 0), (9, 60, 1), (9, 60, -62)] {
      Behavior(
        "acquire looks if the location is old, inaccurate or in the future: \(accuracy) m, \(age) s, clock \(clock) s",
        in: .waitingSignificantChange, .setClock(clock),
        .acquire(accuracy, maximumAge: age) => "acquiring, didForceAcquire",
        .fix(accuracy) => "waitingSignificantChange, didUpdate \(accuracy == 9 ? "9" : "8.9")", .returns(accuracy))
    }
    for age in [5.0, 20] {
      Behavior(
        "acquire returns a cached fix up to the maximum age: \(age) s", in: .waitingSignificantChange,
        .acquire(50, maximumAge: 20) => "acquiring, didForceAcquire",
        .fix(40, age: age) => "waitingSignificantChange, didUpdate 40", .returns(40))
    }
    Behavior(
      "acquire rejects a cached fix older than the maximum age", in: .waitingSignificantChange,
      .acquire(50, maximumAge: 20) => "acquiring, didForceAcquire", .fix(40, age: 20.1),
      .fix(30) => "waitingSignificantChange, didUpdate 30", .returns(30))
    Behavior(
      "acquire returns a fix of reduced accuracy if the policy accepts it", in: .waitingSignificantChange,
      policy: .reduced, .acquire(within: 5) => "acquiring, didForceAcquire",
      .fix(5_000, age: 20, source: .reduced) => "waitingSignificantChange, didUpdate 5000 reduced", .returns(5_000))
    Behavior(
      "acquire fails if its only fix has a reduced accuracy that the policy doesn't accept",
      in: .waitingSignificantChange, .acquire(within: 5) => "acquiring, didForceAcquire",
      .fix(5_000, age: 20, source: .reduced),
      .wait(5) => "waitingSignificantChange, didFailToAcquire timeLimit 5000", .throws("timeLimit"))
    for accuracy in [0.001, 10, 100, 1_000, 3_000] {
      Behavior(
        "LocateMe: acquire returns a fix of any desired accuracy: \(accuracy) m", in: .waitingSignificantChange,
        .acquire(accuracy) => "acquiring, didForceAcquire",
        .fix(accuracy) => "waitingSignificantChange, didUpdate \(accuracy < 1 ? "0.001" : "\(Int(accuracy))")",
        .returns(accuracy))
    }
  }

  @Test("Listeners and the provider receive what each row says", arguments: behaviors + lastLocations)
  func behaves(_ behavior: Behavior) async { await behavior.check() }

  @Test("A task that is already cancelled doesn't start an acquisition")
  func cancelledBefore() async {
    let fixture = Fixture(in: .waitingSignificantChange)
    let manager = fixture.manager
    let attempt = await begin {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await manager.acquire()
    }
    await #expect(throws: CancellationError.self) { try await attempt.value }
    #expect(fixture.recorder.received.isEmpty)
  }

  @Test("After a sleep of the device, a fix from before it isn't returned", arguments: [30, 36, 10_800])
  func sleptDevice(seconds: Double) async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let attempt = await begin { [manager = fixture.manager] in
      try await manager.acquire(desiredAccuracy: 10, timeout: .seconds(30))
    }
    fixture.provider.fix(40)
    fixture.provider.pass(seconds)
    switch await attempt.result() {
    case .success(let location): #expect(location.horizontalAccuracy == 40 && seconds == 30)
    case .failure(let error): #expect(error is AcquisitionFailure && seconds > 30)
    }
  }

  @Test("A fix that is from the future once the clock was set back isn't returned")
  func clockSetBack() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let attempt = await begin { [manager = fixture.manager] in
      try await manager.acquire(desiredAccuracy: 10, timeout: .seconds(30))
    }
    fixture.provider.fix(40)
    fixture.provider.date -= 3_600
    fixture.provider.pass(30)
    await #expect(throws: AcquisitionFailure.self) { try await attempt.result().get() }
  }

  @Test("Each of a hundred tasks ends exactly once, with a location or a cancellation")
  func hundred() async {
    let fixture = Fixture(in: .waitingSignificantChange)
    let manager = fixture.manager
    var attempts: [Attempt<Location>] = []
    for number in 0..<100 {
      attempts.append(
        await begin {
          try await manager.acquire(desiredAccuracy: Double(5 + number), timeout: .seconds(10 + number % 20))
        })
    }
    for number in stride(from: 0, to: 100, by: 7) { attempts[number].cancel() }
    for accuracy in [90.0, 60, 30] {
      fixture.provider.pass(3)
      fixture.provider.fix(accuracy)
    }
    fixture.provider.fix(120)
    fixture.provider.pass(20)
    var locations = 0
    var cancellations = 0
    for attempt in attempts {
      switch await attempt.result() {
      case .success(let location):
        #expect([90, 60, 30].contains(location.horizontalAccuracy))
        locations += 1
      case .failure(let error):
        #expect(error is CancellationError)
        cancellations += 1
      }
    }
    // A task that receives its location before its cancellation returns the location.
    #expect(locations + cancellations == 100)
    #expect(locations >= 85)
    #expect(manager.state == .waitingSignificantChange)
  }
}
