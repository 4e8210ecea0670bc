import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit

@MainActor
@Suite("Tracking")
struct TrackingTests {
  /// Consumes so many locations, from now on.
  func consume(
    _ fixture: Fixture, _ count: Int = .max, desiredAccuracy: Double = 100, distanceFilter: Double = 0
  ) async -> Attempt<[Location]> {
    let manager = fixture.manager
    return await begin {
      var locations: [Location] = []
      for await location in manager.track(desiredAccuracy: desiredAccuracy, distanceFilter: distanceFilter) {
        locations.append(location)
        if locations.count == count { break }
      }
      return locations
    }
  }

  /// A degree of latitude is 111,195 m on the sphere.
  func fix(_ fixture: Fixture, _ accuracy: Double, north: Double = 0) {
    fixture.provider.pass(1)
    fixture.provider.fix(accuracy, latitude: 34 + north / 111_195)
  }

  @Test("keeps the GPS on without a limit, delivers every fix, and goes back to sleep when nobody consumes any more")
  func tracks() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let manager = fixture.manager
    // Nothing waits for an element while the fixes come: whether a task already does depends on the load.
    var iterator: LocationManager.Tracking.Iterator? = manager.track().makeAsyncIterator()
    #expect(fixture.manager.state == .acquiring)
    #expect(fixture.recorder.transitions.last?.event == .trackingRequested)
    for _ in 0..<40 { fix(fixture, 12) }
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
    #expect(fixture.manager.state == .acquiring, "a bounded acquisition")
    fix(fixture, 9)
    #expect(fixture.manager.state == .waitingSignificantChange)
    #expect(fixture.provider.mode == .significantChanges)
  }

  @Test("an acquisition in which a location was delivered to those who tracked is no failure when they leave")
  func noFailure() async throws {
    let fixture = Fixture(in: .acquiring)
    let task = await consume(fixture, 1)
    fix(fixture, 12)
    #expect(try await task.value.count == 1)
    fixture.provider.pass(10)
    fixture.provider.fix(14, latitude: 34)
    fixture.provider.pass(10)
    #expect(fixture.recorder.failures.isEmpty)
    #expect(fixture.recorder.locations.map(\.horizontalAccuracy) == [12, 14])
    #expect(fixture.manager.state == .waitingSignificantChange)
  }

  @Test("too many errors end those who wait, and the next who waits has as many again")
  func errors() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let tracking = await consume(fixture)
    let manager = fixture.manager
    for _ in 0..<2 {
      let waiter = await begin { try await manager.acquire(desiredAccuracy: 5) }
      for _ in 0..<4 { fixture.provider.report(.failure(.other("noise"))) }
      fix(fixture, 5)
      #expect(try await waiter.value.horizontalAccuracy == 5)
      let other = await begin { try await manager.acquire(desiredAccuracy: 5) }
      for _ in 0..<5 { fixture.provider.report(.failure(.other("noise"))) }
      await #expect(throws: AcquisitionFailure.tooManyErrors) { try await other.value }
    }
    tracking.cancel()
    _ = try await tracking.value
  }

  @Test("leaving the loop ends it at once, and the acquisition that follows is bounded")
  func leaves() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let task = await consume(fixture, 1)
    fix(fixture, 12)
    #expect(try await task.value.count == 1)
    #expect(fixture.manager.state == .acquiring)
    fixture.provider.pass(16)
    #expect(fixture.manager.state == .waitingSignificantChange)
    #expect(fixture.recorder.failures == [.timeLimit(best: nil)])
  }

  @Test("cancelling the task ends it")
  func cancelled() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let task = await consume(fixture)
    task.cancel()
    #expect(try await task.value.isEmpty)
    fixture.provider.pass(16)
    #expect(fixture.manager.state == .waitingSignificantChange)
  }

  @Test("the time limit does nothing while somebody tracks, nor do errors, and no fix is a failure")
  func noLimit() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let task = await consume(fixture, 1)
    for _ in 0..<30 {
      fixture.provider.pass(60)
      fixture.provider.report(.failure(.other("noise")))
    }
    #expect(fixture.manager.state == .acquiring)
    #expect(fixture.recorder.failures.isEmpty)
    fix(fixture, 50)
    #expect(try await task.value.count == 1)
  }

  @Test("several consumers have the locations that each wants, and the last one ends it")
  func several() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let coarse = await consume(fixture, 3, desiredAccuracy: 100)
    let fine = await consume(fixture, 2, desiredAccuracy: 10)
    #expect(fixture.provider.receiver == ReceiverSettings(desiredAccuracy: 10, distanceFilter: 0))
    for accuracy in [60.0, 9, 150, 8] { fix(fixture, accuracy) }
    #expect(try await coarse.value.map(\.horizontalAccuracy) == [60, 9, 8])
    #expect(try await fine.value.map(\.horizontalAccuracy) == [9, 8])
    #expect(fixture.recorder.locations.suffix(3).map(\.horizontalAccuracy) == [60, 9, 8])
    #expect(fixture.provider.receiver == .best)
  }

  @Test("LocateMe: a smaller move passes the distance filter only if it is at least twice as accurate")
  func filter() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let task = await consume(fixture, 4, distanceFilter: 100)
    #expect(fixture.provider.receiver == ReceiverSettings(desiredAccuracy: 100, distanceFilter: 100))
    for (accuracy, north) in [
      (50.0, 0.0), (50, 60), (26, 60), (25, 60), (60, 100), (60, 161), (60, 250), (60, 262),
    ] {
      fix(fixture, accuracy, north: north)
    }
    #expect(try await task.value.map { (($0.latitude - 34) * 111_195).rounded() } == [0, 60, 161, 262])
  }

  @Test("a pause is off for those who track too, and they go on when the app resumes")
  func paused() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let task = await consume(fixture, 1)
    fixture.manager.pause()
    #expect(fixture.provider.mode == .off)
    fix(fixture, 5)
    fixture.manager.resume()
    #expect(fixture.provider.mode == .gps)
    fix(fixture, 20)
    #expect(try await task.value.map(\.horizontalAccuracy) == [20])
  }

  @Test(
    "begins when the permission is given, and turns nothing on before", arguments: [LocationState.initial, .denied])
  func permission(_ state: LocationState) async throws {
    let fixture = Fixture(in: state)
    let task = await consume(fixture, 1)
    #expect(fixture.manager.state == state && fixture.provider.mode == .off)
    fixture.provider.authorization = .notDetermined
    fixture.manager.forcePromptAuthorization()
    fixture.provider.decide(.always)
    #expect(fixture.provider.mode == .gps)
    fixture.provider.pass(60)
    fix(fixture, 50)
    #expect(try await task.value.count == 1)
  }

  @Test("no fix that is stale, invalid or out of order is given to anybody")
  func judged() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let task = await consume(fixture, 2)
    fix(fixture, 20)
    fixture.provider.fix(-1)
    fixture.provider.fix(5, age: 31)
    fixture.provider.fix(5, age: 1)
    fixture.provider.fix(5, age: -2)
    fixture.provider.fix(20)
    #expect(
      fixture.recorder.rejections == [.invalidAccuracy, .stale, .outOfOrder, .futureDated, .duplicate])
    fix(fixture, 30)
    #expect(try await task.value.map(\.horizontalAccuracy) == [20, 30])
  }

  @Test("one who acquires while others track gets the best fix since he asked")
  func together() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let task = await consume(fixture, 3)
    fix(fixture, 20)
    let manager = fixture.manager
    let waiter = await begin { try await manager.acquire(desiredAccuracy: 5, timeout: .seconds(4)) }
    #expect(fixture.provider.receiver == .best)
    fix(fixture, 30)
    fix(fixture, 40)
    fixture.provider.pass(3)
    #expect(try await waiter.value.horizontalAccuracy == 30)
    #expect(try await task.value.map(\.horizontalAccuracy) == [20, 30, 40])
    #expect(fixture.recorder.locations.suffix(3).map(\.horizontalAccuracy) == [20, 30, 40])
  }

  @Test("TTLocationHandler: those who track by its rules get what it accepted")
  func accepting() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let manager = fixture.manager
    let task = await begin {
      var locations: [Location] = []
      for await location in manager.track(accepting: AcceptancePolicy(pendingTimeLimit: .seconds(3), holdTime: .zero)) {
        locations.append(location)
        if locations.count == 2 { break }
      }
      return locations.map(\.horizontalAccuracy)
    }
    for (accuracy, north) in [(9.0, 2_000.0), (30, 3_000), (25, 3_010), (50, 3_020)] {
      fix(fixture, accuracy, north: north)
    }
    fixture.provider.pass(2)
    #expect(try await task.value == [9, 25])
  }

  @Test("when nobody tracks any more a whole acquisition is left, whatever was wanted before")
  func boundedAfterTracking() async throws {
    // An acquisition has run for 14 of its 15 s when the last consumer leaves.
    let fixture = Fixture(in: .acquiring)
    let task = await consume(fixture)
    fixture.provider.pass(14)
    task.cancel()
    _ = await task.result()
    fixture.provider.fix(50)
    fixture.provider.pass(14)
    #expect(fixture.manager.state == .acquiring && fixture.recorder.locations.isEmpty)
    fixture.provider.pass(1)
    #expect(fixture.manager.state == .waitingSignificantChange)
    #expect(fixture.recorder.locations.map(\.horizontalAccuracy) == [50])
  }

  @Test("a consumer whose task is cancelled tracks no longer, though its iterator is kept")
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
    #expect(manager.state == .waitingSignificantChange, "nobody tracks, so the first good fix is enough")
    let later = await begin { await iterator.next() }
    #expect(try await later.value == nil, "and it gives nothing any more")
  }

  @Test("what waits for a better fix is not given after the GPS was off")
  func waitsNoLonger() {
    let fixture = Fixture(in: .waitingSignificantChange)
    let number = fixture.manager.want(.accepted(Acceptance(AcceptancePolicy(holdTime: .zero))))
    fix(fixture, 30, north: 1_000)
    fixture.manager.pause()
    fixture.manager.resume()
    fixture.provider.pass(12)
    #expect(fixture.recorder.locations.map(\.horizontalAccuracy) == [9], "the one from before")
    fix(fixture, 40, north: 2_000)
    fixture.provider.pass(10)
    #expect(fixture.recorder.locations.map(\.horizontalAccuracy) == [9, 40])
    fixture.manager.end(number)
  }

  @Test(
    "a fix that neither the acquisition nor a consumer takes is told, though a consumer is given an earlier one for it")
  func unusedAmongConsumers() {
    let fixture = Fixture(in: .waitingSignificantChange)
    let policy = AcceptancePolicy(maximumPendingFixes: 2, holdTime: .zero)
    let iterator = fixture.manager.track(accepting: policy).makeAsyncIterator()
    fix(fixture, 25, north: 2_000)
    fix(fixture, 40, north: 2_010)
    #expect(fixture.recorder.locations.map(\.horizontalAccuracy) == [9, 25])
    #expect(fixture.recorder.rejections == [.worseThanCandidate])
    withExtendedLifetime(iterator) {}
  }

  @Test("listeners get the locations of all consumers, the oldest first, though a fix gives them in another order")
  func inOrder() {
    let fixture = Fixture(in: .waitingSignificantChange)
    let filtered = fixture.manager.track(desiredAccuracy: 100, distanceFilter: 100).makeAsyncIterator()
    let policy = AcceptancePolicy(maximumPendingFixes: 2, holdTime: .zero, ignoresPossibleDuplicates: false)
    let accepted = fixture.manager.track(accepting: policy).makeAsyncIterator()
    fix(fixture, 9, north: 2_000)
    // Not far enough for the first; with the next fix, which is, the second accepts it.
    fix(fixture, 25, north: 2_060)
    fix(fixture, 30, north: 2_200)
    #expect(fixture.recorder.locations.map(\.horizontalAccuracy) == [9, 9, 25, 30])
    withExtendedLifetime((filtered, accepted)) {}
  }

  @Test("measurements are all fixes with what became of them")
  func measurements() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let stream = fixture.manager.measurements
    fixture.manager.forceAcquireLocation()
    fix(fixture, 50)
    fix(fixture, 60)
    fix(fixture, 5)
    let measured = try await elements(stream, 3)
    #expect(measured.map(\.fix.horizontalAccuracy) == [50, 60, 5])
    #expect(measured.map(\.verdict) == [.candidate, .rejected(.worseThanCandidate), .acquired])
  }

  @Test("the store is written every ten seconds while locations come every second, and when they end")
  func coalesced() async throws {
    final class CountingStore: LocationStore {
      var writes = 0
      var location: Location? { didSet { writes += 1 } }
    }
    let (provider, store) = (ScriptedProvider(.always), CountingStore())
    let manager = LocationManager(provider: provider, store: store)
    manager.tryPromptAuthorization()
    let number = manager.want(.every(TrackFilter(ReceiverSettings(desiredAccuracy: 100, distanceFilter: 0))))
    for _ in 0..<100 {
      provider.pass(1)
      provider.fix(20)
    }
    #expect((10...11).contains(store.writes))
    manager.pause()
    #expect(store.location == manager.location)
    manager.end(number)
    manager.end(number)
  }

  // MARK: - LocateMe's "get"

  @Test("LocateMe: a fix that is older than 5 s when it comes is not for one who acquires")
  func oldFixes() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.provider.pass(60)
    let manager = fixture.manager
    let waiter = await begin { try await manager.acquire() }
    fixture.provider.fix(8, age: 6)
    #expect(fixture.manager.state == .acquiring)
    fixture.provider.fix(90, age: 4)
    #expect(try await waiter.value.horizontalAccuracy == 90)
  }

  #if os(Linux) || os(macOS)
    @Test("LocateMe: any accuracy asked for can be reached, and a negative constant stops the program")
    func accuracies() async throws {
      for accuracy in [0.001, 10, 100, 1_000, 3_000] {
        let fixture = Fixture(in: .waitingSignificantChange)
        let manager = fixture.manager
        let waiter = await begin { try await manager.acquire(desiredAccuracy: accuracy) }
        fixture.provider.fix(accuracy)
        #expect(try await waiter.value.horizontalAccuracy == accuracy)
      }
      await #expect(processExitsWith: .failure) { @MainActor in
        _ = try await LocationManager(provider: ScriptedProvider(.always)).acquire(desiredAccuracy: -1)
      }
    }
  #endif
}

@Suite("The arbiter")
struct ArbiterTests {
  @Test("is as accurate as the most demanding, with the shortest filter, in any order", arguments: 1..<200)
  func merged(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let wants = (0..<Int.random(in: 1...8, using: &random)).map { _ in
      ReceiverSettings(
        desiredAccuracy: Double.random(in: 0...1_000, using: &random),
        distanceFilter: Bool.random(using: &random) ? 0 : Double.random(in: 0...1_000, using: &random))
    }
    let merged = try #require(wants.reduce(nil) { $0?.merging($1) ?? $1 })
    #expect(merged.desiredAccuracy == wants.map(\.desiredAccuracy).min())
    #expect(merged.distanceFilter == wants.map(\.distanceFilter).min())
    #expect(wants.shuffled(using: &random).reduce(merged) { $0.merging($1) } == merged)
  }
}
