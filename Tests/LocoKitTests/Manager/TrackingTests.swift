import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

@MainActor
@Suite("Tracking")
struct TrackingTests {
  private nonisolated static var reduced: AcquisitionPolicy {
    var policy = AcquisitionPolicy.loco
    policy.acceptsReducedAccuracy = true
    return policy
  }

  @Table nonisolated static var behaviors: [Behavior] {
    Behavior(
      "The acquisition after tracking delivers its best fix at the time limit", in: .acquiring,
      .track(first: 1), .wait(1), .fix(12) => "didUpdate 12", .tracked(12), .wait(10), .fix(14),
      .wait(10) => "waitingSignificantChange, didUpdate 14")
    Behavior(
      "Too many errors end acquire during tracking, and the next acquire counts from zero",
      in: .waitingSignificantChange,
      .track() => "acquiring", .acquire(5), .errors(4), .wait(1), .fix(5) => "didUpdate 5", .returns(5),
      .acquire(5), .errors(5), .throws("tooManyErrors"), .acquire(5), .errors(4), .wait(1), .fix(5) => "didUpdate 5",
      .returns(5), .acquire(5), .errors(5), .throws("tooManyErrors"), .cancelTracking)
    Behavior(
      "Leaving the loop ends tracking, and the acquisition that follows has a time limit",
      in: .waitingSignificantChange, .track(first: 1) => "acquiring", .wait(1), .fix(12) => "didUpdate 12",
      .tracked(12), .expect(\.manager.state, .acquiring),
      .wait(16) => "waitingSignificantChange, didFailToAcquire timeLimit")
    Behavior(
      "Cancelling the task ends tracking", in: .waitingSignificantChange, .track() => "acquiring", .cancelTracking,
      .tracked(), .wait(16) => "waitingSignificantChange, didFailToAcquire timeLimit")
    Behavior(
      "Neither the time limit nor errors end tracking", in: .waitingSignificantChange,
      .track(first: 1) => "acquiring", .times(30, .wait(60), .errors(1)), .fix(50) => "didUpdate 50", .tracked(50))
    Behavior(
      "Each consumer receives the locations that are accurate enough for it, and tracking ends with the last consumer",
      in: .waitingSignificantChange, .track(100, first: 3) => "acquiring", .track(10, first: 2),
      .expect(\.provider.accuracy, 10),
      .wait(1), .fix(60) => "didUpdate 60", .wait(1), .fix(9) => "didUpdate 9", .wait(1),
      .fix(150), .wait(1),
      .fix(8) => "didUpdate 8", .tracked(60, 9, 8), .tracked(9, 8), .expect(\.provider.accuracy, 0))
    Behavior(
      "LocateMe: A move below the distance filter passes only with at least twice the accuracy",
      in: .waitingSignificantChange, .track(filter: 100, first: 4) => "acquiring",
      .expect(\.provider.accuracy, 100),
      .wait(1), .fix(50) => "didUpdate 50", .wait(1), .fix(50, north: 60), .wait(1), .fix(26, north: 60), .wait(1),
      .fix(25, north: 60) => "didUpdate 25", .wait(1), .fix(60, north: 100), .wait(1),
      .fix(60, north: 161) => "didUpdate 60", .wait(1), .fix(60, north: 250),
      .wait(1),
      .fix(60, north: 262) => "didUpdate 60", .tracked(50, 25, 60, 60))
    Behavior(
      "Without a usable fix for the signal timeout, the listeners are notified, and again when one arrives",
      in: .waitingSignificantChange,
      .track(accepting: TrackingPolicy(requiredAccuracy: 50, distanceFilter: 0, signalTimeout: .seconds(20)))
        => "acquiring",
      .wait(19), .wait(1) => "didChangeSignal false", .wait(600), .fix(-1) => "didReject invalidAccuracy", .wait(10),
      .fix(9) => "didChangeSignal true, didUpdate 9", .wait(19), .fix(200), .wait(1),
      .fix(300), .wait(19), .wait(1) => "didChangeSignal false",
      .pause => "paused, didPause",
      .wait(100), .resume => "acquiring, didResume", .wait(19), .wait(1) => "didChangeSignal false", .cancelTracking,
      .tracked(9))
    Behavior(
      "The shortest signal timeout of several consumers counts, and none without one", in: .waitingSignificantChange,
      .track(accepting: TrackingPolicy(signalTimeout: .seconds(60))) => "acquiring", .track(),
      .track(accepting: TrackingPolicy(signalTimeout: .seconds(5))), .wait(4), .wait(1) => "didChangeSignal false")
    Behavior(
      "Tracking without a signal timeout waits silently", in: .waitingSignificantChange, .track() => "acquiring",
      .wait(3_600))
    Behavior(
      "A pause turns the GPS off for consumers too, and they continue when the app resumes",
      in: .waitingSignificantChange, .track(first: 1) => "acquiring", .pause => "paused, didPause", .wait(1),
      .fix(5) => "didReject notListening", .resume => "acquiring, didResume", .wait(1), .fix(20) => "didUpdate 20",
      .tracked(20))
    Behavior(
      "A fix that is invalid, stale, out of order, from the future or a duplicate isn't delivered",
      in: .waitingSignificantChange, .track(first: 2) => "acquiring", .wait(1), .fix(20) => "didUpdate 20",
      .fix(-1) => "didReject invalidAccuracy", .fix(5, age: 31) => "didReject stale",
      .fix(5, age: 1) => "didReject outOfOrder", .fix(5, age: -2) => "didReject futureDated",
      .fix(20) => "didReject duplicate", .wait(1), .fix(30) => "didUpdate 30", .tracked(20, 30))
    Behavior(
      "acquire during tracking returns the best fix since the call", in: .waitingSignificantChange,
      .track(first: 3) => "acquiring", .wait(1), .fix(20) => "didUpdate 20", .acquire(5, within: 4),
      .expect(\.provider.accuracy, 0), .wait(1), .fix(30) => "didUpdate 30", .wait(1), .fix(40) => "didUpdate 40",
      .wait(3), .returns(30), .tracked(20, 30, 40))
    Behavior(
      "TTLocationHandler: track(accepting:) delivers the locations that its policy accepts",
      in: .waitingSignificantChange,
      .track(accepting: TrackingPolicy(pendingTimeLimit: .seconds(3), holdTime: .zero), first: 2) => "acquiring",
      .wait(1), .fix(9, north: 2_000) => "didUpdate 9", .wait(1),
      .fix(30, north: 2_300), .wait(1),
      .fix(25, north: 2_310), .wait(1),
      .fix(50, north: 2_320),
      .wait(2) => "didUpdate 25", .tracked(9, 25))
    Behavior(
      "A pending fix that has become too old for the listeners reaches its consumer only",
      in: .waitingSignificantChange,
      .track(
        accepting: TrackingPolicy(pendingTimeLimit: .seconds(60), maximumPendingFixes: 2, holdTime: .zero))
        => "acquiring",
      .wait(1), .fix(25, north: 2_000), .wait(40), .fix(40, north: 2_010), .cancelTracking, .tracked(25))
    Behavior(
      "track(accepting:) delivers a fix of reduced accuracy after the pending time limit if the manager's policy accepts it",
      in: .waitingSignificantChange, policy: reduced,
      .track(accepting: TrackingPolicy(pendingTimeLimit: .seconds(3), holdTime: .zero)) => "acquiring",
      .wait(600), .fix(3_000, north: 90_000, source: .reduced), .wait(3) => "didUpdate 3000 reduced",
      .cancelTracking, .tracked(3_000))
    // The acquisition has run for 14 of its 15 s when tracking ends.
    Behavior(
      "The acquisition after tracking has its full time limit", in: .acquiring, .track(), .wait(14), .cancelTracking,
      .tracked(), .fix(50), .wait(14), .expect(\.manager.state, .acquiring),
      .wait(1) => "waitingSignificantChange, didUpdate 50")
    Behavior(
      "A pending fix is dropped when the GPS turns off", in: .waitingSignificantChange,
      .track(accepting: TrackingPolicy(holdTime: .zero)) => "acquiring", .wait(1), .fix(30, north: 1_000),
      .pause => "paused, didPause", .resume => "acquiring, didResume", .wait(12), .wait(1), .fix(40, north: 2_000),
      .wait(10) => "didUpdate 40", .cancelTracking)
    Behavior(
      "A fix that nobody uses is rejected, although an earlier fix is delivered at the same time",
      in: .waitingSignificantChange,
      .track(accepting: TrackingPolicy(maximumPendingFixes: 2, holdTime: .zero)) => "acquiring", .wait(1),
      .fix(25, north: 2_000), .wait(1),
      .fix(40, north: 2_010) => "didUpdate 25", .cancelTracking)
    // The second fix is too near for the first consumer. The second consumer accepts it with the third fix.
    Behavior(
      "Listeners receive the locations of all consumers, the oldest first", in: .waitingSignificantChange,
      .track(filter: 100) => "acquiring",
      .track(
        accepting: TrackingPolicy(maximumPendingFixes: 2, holdTime: .zero, distanceFilter: 0)),
      .wait(1), .fix(9, north: 2_000) => "didUpdate 9", .wait(1),
      .fix(25, north: 2_060), .wait(1),
      .fix(30, north: 2_200) => "didUpdate 25, didUpdate 30", .cancelTracking)
    for state in LocationMachine.State.allCases where state.mode == .off {
      Behavior(
        "A tracking consumer changes no state in which locations are off: \(state)", in: state, .track(),
        .cancelTracking)
    }
    for state in [LocationMachine.State.initial, .denied] {
      Behavior(
        "LocationManager.Tracking starts when access is granted, and turns nothing on before: \(state)", in: state,
        .track(first: 1),
        .expect(\.manager.state, state), .permission(.notDetermined), .forcePrompt => "prompted",
        .decide(.always) => "acquiring, didGrantAccess, didChangeAuthorization always", .wait(60), .wait(1),
        .fix(50) => "didUpdate 50", .tracked(50))
    }
  }

  @Test("Listeners and the provider receive what each row says", arguments: behaviors)
  func behaves(_ behavior: Behavior) async { await behavior.check() }

  @Test("Tracking has no time limit, its stream keeps the 16 newest locations, and it ends with its last consumer")
  func tracks() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let manager = fixture.manager
    func fix(_ accuracy: Double) {
      fixture.provider.pass(1)
      fixture.provider.fix(accuracy)
    }
    // No task iterates while the fixes arrive: whether a task already waits for an element would depend on the load.
    var iterator: LocationManager.Tracking.Iterator? = manager.track().makeAsyncIterator()
    #expect(fixture.manager.state == .acquiring)
    #expect(fixture.recorder.transitions.last?.event == .trackingRequested)
    for _ in 0..<40 { fix(12) }
    #expect(fixture.provider.uptime > .seconds(90))
    #expect(fixture.manager.state == .acquiring)
    var ages: [TimeInterval] = []
    for _ in 0..<16 {
      let location = try #require(await iterator?.next())
      ages.append(fixture.provider.date.timeIntervalSince(location.timestamp))
    }
    #expect(ages == (0...15).reversed().map(TimeInterval.init), "a slow consumer gets the 16 newest")
    #expect(fixture.recorder.locations.count == 41)
    iterator = nil
    #expect(fixture.manager.state == .acquiring, "an acquisition with a time limit")
    fix(9)
    #expect(fixture.manager.state == .waitingSignificantChange)
    #expect(fixture.provider.mode == .significantChanges)
  }

  @Test("A consumer whose task is cancelled stops tracking, although its iterator is retained")
  func cancelledIterator() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let manager = fixture.manager
    var iterator = manager.track().makeAsyncIterator()
    #expect(manager.state == .acquiring)
    let waiting = await begin {
      var own = iterator
      return await own.next()
    }
    waiting.cancel()
    #expect(try await waiting.value == nil)
    fixture.provider.fix(5)
    #expect(manager.state == .waitingSignificantChange, "without a consumer the first good fix is enough")
    let later = await begin { await iterator.next() }
    #expect(try await later.value == nil, "the iterator has ended")
  }

  @Test("A task that is already cancelled doesn't begin to track")
  func cancelledBefore() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let manager = fixture.manager
    let tracking = await begin {
      withUnsafeCurrentTask { $0?.cancel() }
      for await _ in manager.track() { Issue.record("A cancelled task receives no location.") }
    }
    try await tracking.value
    #expect(fixture.recorder.received.isEmpty && manager.state == .waitingSignificantChange)
  }

  @Test("judgedFixes delivers all fixes with their verdicts")
  func judgedFixes() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let stream = fixture.manager.judgedFixes
    fixture.manager.forceAcquireLocation()
    for accuracy in [50.0, 60, 5] {
      fixture.provider.pass(1)
      fixture.provider.fix(accuracy)
    }
    let measured = try await elements(stream, 3)
    #expect(measured.map(\.fix.horizontalAccuracy) == [50, 60, 5])
    #expect(measured.map(\.verdict) == [.candidate, .surpassed, .acquired])
  }

  @Test("The store is written every ten seconds during tracking, and at a pause")
  func coalesced() async throws {
    let fixture = Fixture(in: .acquiring)
    let (manager, provider, store) = (fixture.manager, fixture.provider, fixture.store)
    var writes = 0
    store.onWrite = { writes += 1 }
    let number = manager.demand(.every(TrackFilter(desiredAccuracy: 100)))
    for _ in 0..<100 {
      provider.pass(1)
      provider.fix(20)
    }
    #expect((10...11).contains(writes))
    manager.pause()
    #expect(store.location == manager.location)
    manager.end(number)
    manager.end(number)
  }
}

@Suite("A distance filter")
struct TrackFilterTests {
  @Test(
    "A nearer fix passes only if it's twice as accurate, and the last one was too coarse for the filter",
    arguments: [
      (1_000.0, 8.0, false), (1_000, 499, false), (1_000, 500, true), (100, 60, true), (100, 49, false),
    ])
  func nearer(_ filter: Double, _ first: Double, _ passes: Bool) {
    var track = TrackFilter(desiredAccuracy: 1_000, distanceFilter: filter)
    let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
    func fix(_ accuracy: Double, north: Double) -> Location {
      Location(latitude: 34 + north / 111_195, longitude: -118, horizontalAccuracy: accuracy, timestamp: date)
    }
    let fixes = [
      fix(first, north: 0), fix(first / 2 + 1, north: 59), fix(first / 2, north: 59), fix(first, north: 1_061),
    ]
    #expect(fixes.map { track.passes($0) } == [true, false, passes, true])
  }
}

@MainActor
@Suite("Failures of a provider")
struct ProviderFailureTests {
  private final class Failures: LocationManagerListener {
    var received: [ProviderReport.Failure] = []
    func locationManager(_ manager: LocationManager, didReceive failure: ProviderReport.Failure) {
      received.append(failure)
    }
  }

  @Test("Each kind of failure is passed on once until a usable fix, and only while the GPS is on")
  func once() {
    let fixture = Fixture(in: .acquiring)
    let (provider, listener) = (fixture.provider, Failures())
    fixture.manager.listeners.add(listener)
    let kinds: [ProviderReport.Failure] = [.locationUnknown, .other("one"), .locationUnknown, .other("two")]
    for failure in kinds { provider.report(.failure(failure)) }
    #expect(listener.received == [.locationUnknown, .other("one")])
    provider.fix(-1)
    provider.report(.failure(.locationUnknown))
    #expect(listener.received.count == 2, "an invalid fix is not usable")
    provider.fix(50)
    for failure in kinds { provider.report(.failure(failure)) }
    #expect(listener.received == [.locationUnknown, .other("one"), .locationUnknown, .other("one")])
    provider.report(.failure(.backgroundTimeExpired))
    #expect(listener.received.last == .backgroundTimeExpired && fixture.manager.state == .waitingSignificantChange)
    for failure in kinds { provider.report(.failure(failure)) }
    #expect(listener.received.count == 5)
  }

  @Test("A denial while the GPS is on changes the state, and isn't passed on")
  func denial() {
    let (fixture, listener) = (Fixture(in: .acquiring), Failures())
    fixture.manager.listeners.add(listener)
    fixture.provider.report(.failure(.accessDenied))
    #expect(listener.received.isEmpty && fixture.manager.state == .denied)
  }
}

@Suite("Accuracy of several consumers")
struct ArbiterTests {
  @Test("The receiver has the best accuracy that a consumer needs, in any order", arguments: 1..<200)
  func merged(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let wants = (0..<Int.random(in: 0...8, using: &random)).map { _ in Double.random(in: 0...1_000, using: &random) }
    var demands = Demands()
    demands.begin(100, .fixes(nil))
    for (index, accuracy) in wants.enumerated() {
      demands.begin(Demand.ID(index + 1), .every(TrackFilter(desiredAccuracy: accuracy)))
    }
    #expect(demands.receiverAccuracy == wants.min())
  }
}
