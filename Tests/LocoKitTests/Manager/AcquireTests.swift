import Foundation
import Testing

@testable import LocoKit

/// A task that acquires begins at once, on the main actor, and has its answer when the test awaits it: no sleeping.
@MainActor
@Suite("Acquiring one location")
struct AcquireTests {
  func attempt(
    _ fixture: Fixture, _ accuracy: Double = 100, maximumAge: Duration = .zero, timeout: Duration = .seconds(30)
  ) async -> Attempt<Location> {
    let manager = fixture.manager
    return await begin {
      try await manager.acquire(desiredAccuracy: accuracy, maximumAge: maximumAge, timeout: timeout)
    }
  }

  func failure(_ attempt: Attempt<Location>) async -> AcquisitionFailure? {
    await #expect(throws: AcquisitionFailure.self) { try await attempt.value }
  }

  @Test("begins an acquisition, returns the first fix that is good enough, and turns the GPS off")
  func acquires() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let attempt = await attempt(fixture, 50)
    #expect(fixture.provider.mode == .gps)
    fixture.provider.pass(2)
    fixture.provider.fix(80)
    fixture.provider.fix(45)
    #expect(fixture.provider.mode == .significantChanges)
    #expect(try await attempt.value.horizontalAccuracy == 45)
    #expect(fixture.manager.location?.horizontalAccuracy == 45)
    #expect(fixture.recorder.take().last == "didUpdate")
  }

  @Test("returns a fix that two agree on, not the more accurate one that they contradict")
  func contradicted() async throws {
    let fixture = Fixture(in: .initial)
    fixture.manager.tryPromptAuthorization()
    let attempt = await attempt(fixture, 10, timeout: .seconds(15))
    fixture.provider.decide(.always)
    fixture.provider.fix(20, latitude: 35)
    for _ in 0..<2 {
      fixture.provider.pass(1)
      fixture.provider.fix(30)
    }
    fixture.provider.pass(13)
    #expect(try await attempt.value.latitude == 34.1)
  }

  @Test("throws at once where access was not asked for, is refused, or the manager is paused")
  func refusals() async {
    for (state, expected) in [
      (LocationState.initial, AcquisitionFailure.accessNotRequested), (.denied, .accessDenied), (.paused, .paused),
    ] {
      let fixture = Fixture(in: state)
      #expect(await failure(await attempt(fixture)) == expected)
      #expect(fixture.manager.state == state)
    }
  }

  @Test("waits for the answer to the prompt, and throws where it is no")
  func prompted() async throws {
    let granted = Fixture(in: .prompted)
    let first = await attempt(granted)
    granted.provider.decide(.whenInUse)
    granted.provider.fix(20)
    #expect(try await first.value.horizontalAccuracy == 20)

    let denied = Fixture(in: .prompted)
    let second = await attempt(denied)
    denied.provider.decide(.denied)
    #expect(await failure(second) == .accessDenied)

    let ignored = Fixture(in: .prompted)
    let third = await attempt(ignored, timeout: .seconds(1_000))
    ignored.provider.pass(60)
    #expect(await failure(third) == .accessNotRequested)

    let late = Fixture(in: .prompted)
    let fourth = await attempt(late, timeout: .seconds(10))
    late.provider.pass(10)
    #expect(await failure(fourth) == .timeLimit(best: nil))
    #expect(late.manager.state == .prompted)
  }

  /// The desired accuracy, the maximum age, by how much the clock was set after a fix of 9 m and a minute, and whether that fix is returned.
  nonisolated static let known: [(Double, Double, Double, Bool)] = [
    (9, 60, 0, true), (8.9, 60, 0, false), (9, 59, 0, false), (9, 0, 0, false), (9, 60, 1, false),
    (9, 86_400, 3_600, true),
    (9, 60, -61, true), (9, 60, -62, false),
  ]

  @Test("returns the last location if it is young and accurate enough, and turns nothing on", arguments: known)
  func known(accuracy: Double, age: Double, clock: Double, isReturned: Bool) async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.provider.date += clock
    let last = try #require(fixture.manager.location)
    let commands = fixture.provider.commands
    let attempt = await attempt(fixture, accuracy, maximumAge: .seconds(age))
    #expect((fixture.provider.commands == commands) == isReturned)
    if !isReturned { fixture.provider.fix(accuracy) }
    #expect(try await (attempt.value == last) == isReturned)
    #expect(fixture.recorder.locations.count == (isReturned ? 1 : 2), "listeners have the last location")
  }

  @Test("returns the last location while the GPS is on for others too, and once the prompt is answered")
  func knownWhileAcquiring() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let last = try #require(fixture.manager.location)
    fixture.manager.forceAcquireLocation()
    #expect(try await attempt(fixture, 9, maximumAge: .seconds(60)).value == last)
    #expect(fixture.provider.mode == .gps)

    let (provider, store) = (ScriptedProvider(), MemoryStore())
    store.location = provider.location(9, age: 50)
    let manager = LocationManager(provider: provider, store: store)
    manager.tryPromptAuthorization()
    let attempt = await begin { try await manager.acquire(desiredAccuracy: 9, maximumAge: .seconds(60)) }
    provider.decide(.whenInUse)
    #expect(try await attempt.value == store.location)
  }

  @Test("hands out no known location where access was not asked for, is refused, or the manager is paused")
  func knownButRefused() async {
    for (isPaused, answer, expected) in [
      (false, nil, .accessNotRequested), (false, .denied, .accessDenied), (true, nil, .paused),
    ] as [(Bool, Authorization?, AcquisitionFailure)] {
      let (provider, store) = (ScriptedProvider(), MemoryStore())
      (store.location, store.isPaused) = (provider.location(9), isPaused)
      let manager = LocationManager(provider: provider, store: store)
      if let answer {
        manager.tryPromptAuthorization()
        provider.decide(answer)
      }
      let attempt = await begin { try await manager.acquire(desiredAccuracy: 100, maximumAge: .seconds(60)) }
      #expect(await failure(attempt) == expected)
    }
  }

  @Test("takes a fix of the platform's cache that is not older than the maximum age")
  func cached() async throws {
    for (age, isTaken) in [(5.0, true), (20, true), (20.1, false)] {
      let fixture = Fixture(in: .waitingSignificantChange)
      let attempt = await attempt(fixture, 50, maximumAge: .seconds(20))
      fixture.provider.fix(40, age: age)
      #expect(fixture.provider.mode == (isTaken ? .significantChanges : .gps))
      fixture.provider.fix(30)
      #expect(try await attempt.value.horizontalAccuracy == (isTaken ? 40 : 30))
    }
  }

  @Test(
    "returns a fix of reduced accuracy where the policy accepts it, and fails with it where not",
    arguments: [true, false])
  func reduced(accepts: Bool) async throws {
    var policy = AcquisitionPolicy.loco
    policy.acceptsReducedAccuracy = accepts
    let fixture = Fixture(in: .waitingSignificantChange, policy: policy)
    let attempt = await attempt(fixture, 100, timeout: .seconds(5))
    var fix = fixture.provider.location(5_000, age: 20)
    fix.source = .reduced
    fixture.provider.report(.fixes([fix]))
    #expect(fixture.provider.mode == (accepts ? .significantChanges : .gps))
    fixture.provider.pass(5)
    #expect(await (try? attempt.result().get()) == (accepts ? fix : nil))
    #expect(fixture.recorder.locations.last?.source == (accepts ? .reduced : .gps))
  }

  @Test("returns the best fix when its time is over, if it is acceptable")
  func timeout() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let attempt = await attempt(fixture, 10, timeout: .seconds(20))
    fixture.provider.pass(15)
    fixture.provider.fix(70)
    #expect(fixture.provider.mode == .gps)
    fixture.provider.pass(5)
    #expect(try await attempt.value.horizontalAccuracy == 70)
    #expect(fixture.provider.mode == .significantChanges)
  }

  @Test("returns a fix that is exactly as accurate as the policy accepts, and fails with one that is worse")
  func acceptableIsIncluded() async throws {
    for (accuracy, isAccepted) in [(100.0, true), (100.1, false)] {
      let fixture = Fixture(in: .waitingSignificantChange)
      let attempt = await attempt(fixture, 10, timeout: .seconds(5))
      fixture.provider.fix(accuracy)
      fixture.provider.pass(5)
      let result = await attempt.result()
      #expect((try? result.get().horizontalAccuracy) == (isAccepted ? accuracy : nil))
    }
  }

  @Test("delivers the newest of what several waiters are given at once")
  func newestOfSeveral() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let first = await attempt(fixture, 5, timeout: .seconds(10))
    fixture.provider.pass(4)
    fixture.provider.fix(20)
    let second = await attempt(fixture, 5, timeout: .seconds(6))
    fixture.provider.pass(1)
    fixture.provider.fix(30)
    fixture.provider.pass(5)
    #expect(try await first.value.horizontalAccuracy == 20)
    #expect(try await second.value.horizontalAccuracy == 30)
    #expect(fixture.recorder.locations.map(\.horizontalAccuracy) == [9, 30])
  }

  @Test("throws when its time is over and the best fix is not acceptable")
  func timeoutWithoutLocation() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let attempt = await attempt(fixture, 10, timeout: .seconds(20))
    fixture.provider.pass(15)
    fixture.provider.fix(200)
    fixture.provider.pass(5)
    guard case .timeLimit(let best?) = await failure(attempt) else { throw CancellationError() }
    #expect(best.horizontalAccuracy == 200)
    #expect(fixture.recorder.failures == [.timeLimit(best: best)])
    #expect(fixture.manager.state == .waitingSignificantChange)
  }

  @Test("returns what nobody but the waiter would accept, where the waiter asked for it")
  func coarse() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let attempt = await attempt(fixture, 1_000)
    fixture.provider.fix(800)
    #expect(try await attempt.value.horizontalAccuracy == 800)
    #expect(fixture.provider.mode == .significantChanges)
  }

  @Test("keeps the GPS on for whoever wants it most accurately and longest, and gives each its due")
  func several() async throws {
    let fixture = Fixture(in: .acquiring)
    let coarse = await attempt(fixture, 500)
    let fine = await attempt(fixture, 3, timeout: .seconds(60))
    fixture.provider.fix(400)
    #expect(try await coarse.value.horizontalAccuracy == 400)
    fixture.provider.pass(1)
    fixture.provider.fix(9)
    #expect(fixture.manager.location?.horizontalAccuracy == 9, "the policy is served at once")
    #expect(fixture.manager.state == .acquiring, "and the finer wish keeps the GPS on")
    fixture.provider.pass(40)
    fixture.provider.fix(2)
    #expect(try await fine.value.horizontalAccuracy == 2)
    #expect(fixture.manager.location?.horizontalAccuracy == 2)
    #expect(fixture.recorder.locations.map(\.horizontalAccuracy) == [9, 2])
    #expect(fixture.manager.state == .waitingSignificantChange)
  }

  @Test("does not deliver one location twice where a finer wish is not fulfilled")
  func finerWishFails() async {
    let fixture = Fixture(in: .acquiring)
    let fine = await attempt(fixture, 3, timeout: .seconds(60))
    fixture.provider.fix(9)
    fixture.provider.pass(20)
    fixture.provider.pass(40)
    _ = await failure(fine)
    #expect(fixture.recorder.locations.count == 1)
    #expect(fixture.manager.state == .waitingSignificantChange)
  }

  @Test("leaves nothing on that nobody else wants when it is cancelled")
  func cancelled() async {
    let fixture = Fixture(in: .waitingSignificantChange)
    let first = await attempt(fixture)
    let second = await attempt(fixture)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(fixture.provider.mode == .gps, "the second still waits")
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(fixture.provider.mode == .significantChanges)
    #expect(fixture.recorder.failures == [.cancelled])
  }

  @Test("does not end an acquisition that others began when it is cancelled")
  func cancelledAmongOthers() async {
    let fixture = Fixture(in: .acquiring)
    let attempt = await attempt(fixture)
    attempt.cancel()
    await #expect(throws: CancellationError.self) { try await attempt.value }
    #expect(fixture.provider.mode == .gps)
  }

  @Test("does not begin where the task is cancelled already")
  func cancelledBefore() async {
    let fixture = Fixture(in: .waitingSignificantChange)
    let manager = fixture.manager
    let attempt = await begin {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await manager.acquire()
    }
    await #expect(throws: CancellationError.self) { try await attempt.value }
    #expect(fixture.recorder.calls.isEmpty)
  }

  @Test("ends with the acquisition: by a pause, a refusal, or errors")
  func interrupted() async {
    let paused = Fixture(in: .acquiring)
    let first = await attempt(paused)
    paused.manager.pause()
    #expect(await failure(first) == .paused)

    let refused = Fixture(in: .acquiring)
    let second = await attempt(refused)
    refused.provider.decide(.denied)
    #expect(await failure(second) == .accessDenied)

    let failing = Fixture(in: .acquiring)
    let third = await attempt(failing)
    for _ in 0..<5 { failing.provider.report(.failure(.other("x"))) }
    #expect(await failure(third) == .tooManyErrors)
  }

  @Test("completes each of a hundred waiters exactly once, by a location, a time limit or a cancellation")
  func hundred() async {
    let fixture = Fixture(in: .waitingSignificantChange)
    var attempts: [Attempt<Location>] = []
    for number in 0..<100 {
      attempts.append(await attempt(fixture, Double(5 + number), timeout: .seconds(10 + number % 20)))
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
    // A waiter that was served before it noticed its cancellation keeps its location.
    #expect(locations + cancellations == 100)
    #expect(locations >= 85)
    #expect(fixture.manager.state == .waitingSignificantChange)
  }

  #if os(Linux) || os(macOS)
    @Test("refuses an accuracy or a time that means nothing")
    func preconditions() async {
      await #expect(processExitsWith: .failure) {
        _ = try await LocationManager(provider: ScriptedProvider()).acquire(desiredAccuracy: -1)
      }
      await #expect(processExitsWith: .failure) {
        _ = try await LocationManager(provider: ScriptedProvider()).acquire(timeout: .zero)
      }
    }
  #endif
}
