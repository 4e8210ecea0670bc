import Foundation
import Testing

@testable import LocoKit

/// What was wrong in Loco, the Objective-C library that LocoKit carries on: each must never come back. `.ci/defects` puts
/// each back once and sees its test fail.
@Suite("Defects of Loco")
struct LocoDefectTests {
  @Test("1: a candidate does not survive a pause into the next acquisition")
  func candidateSurvivesPause() {
    let fixture = Fixture(in: .acquiring)
    fixture.provider.fix(20)
    fixture.manager.pause()
    fixture.provider.pass(5)
    fixture.manager.resume()
    fixture.provider.fix(60)
    fixture.provider.pass(15)
    #expect(fixture.recorder.locations.map(\.horizontalAccuracy) == [60])
  }

  @Test("1: nor a failure by errors")
  func candidateSurvivesErrors() {
    let fixture = Fixture(in: .acquiring)
    fixture.provider.fix(20)
    for _ in 0..<5 { fixture.provider.report(.failure(.other("x"))) }
    fixture.manager.forceAcquireLocation()
    fixture.provider.pass(15)
    #expect(fixture.recorder.locations.isEmpty)
    #expect(fixture.recorder.failures == [.tooManyErrors, .timeLimit(best: nil)])
  }

  @Test("2: an old cached fix does not pass after a significant change that is older still")
  func oldTrigger() {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.provider.report(.significantChange(fixture.provider.location(500, age: 4_000)))
    // Newer than what was delivered before the sleep, and than the trigger, and yet too old.
    fixture.provider.pass(10)
    fixture.provider.fix(5, age: 31)
    #expect(fixture.recorder.rejections == [.stale])
    #expect(fixture.manager.state == .acquiring)
  }

  @Test("3: a significant change from the future does not refuse every fix")
  func futureTrigger() {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.provider.report(.significantChange(fixture.provider.location(500, age: -5_000)))
    fixture.provider.pass(1)
    fixture.provider.fix(5)
    #expect(fixture.manager.state == .waitingSignificantChange)
    #expect(fixture.recorder.rejections.isEmpty)
  }

  @Test("3: a location from before the clock was set back blocks neither wakes nor fixes")
  func clockSetBack() {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.provider.date -= 86_400
    fixture.provider.report(.significantChange(nil))
    #expect(fixture.manager.state == .acquiring)
    fixture.provider.fix(5)
    #expect(fixture.manager.location?.timestamp == fixture.provider.date)
  }

  @Test("3: a fix from the future is not fresh")
  func futureFix() {
    let fixture = Fixture(in: .acquiring)
    fixture.provider.fix(5, age: -3_600)
    #expect(fixture.recorder.rejections == [.futureDated])
  }

  @Test("4: the first event of a service armed again does not start the GPS after a failure")
  func failureLoop() {
    let fixture = Fixture(in: .acquiring)
    var starts = 0
    for _ in 0..<20 {
      // Each time the service is armed it says at once where it was last.
      fixture.provider.pass(15)
      fixture.provider.pass(1)
      fixture.provider.report(.significantChange(fixture.provider.location(800, age: 600)))
      if fixture.provider.mode == .gps { starts += 1 }
    }
    #expect(starts <= 20 * 16 / (15 + 30) + 1)
    #expect(fixture.provider.commands.count { $0 == "gps" } <= 8)
  }

  @Test("4: a fix in flight when the GPS is turned off is not taken for a significant change")
  func fixInFlight() {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.provider.fix(5)
    #expect(fixture.provider.mode == .significantChanges)
    #expect(fixture.recorder.take() == ["didReject notListening"])
  }

  @Test("5: a permission withdrawn and given again is seen")
  func revocation() {
    for state in [LocationState.waitingSignificantChange, .acquiring] {
      let fixture = Fixture(in: state)
      fixture.provider.decide(.denied)
      #expect(fixture.manager.state == .denied)
      fixture.provider.decide(.always)
      #expect(fixture.manager.state == .acquiring)
    }
  }

  @Test("6: a prompt does not stand for ever, and the GPS is off while it does")
  func promptIsBounded() {
    let fixture = Fixture(in: .prompted)
    #expect(fixture.provider.mode == .off)
    fixture.provider.pass(60)
    #expect(fixture.manager.state == .initial)
  }

  @Test("7: the first good fix after the grant is delivered")
  func firstFix() {
    let fixture = Fixture(in: .prompted)
    fixture.provider.decide(.always)
    fixture.provider.fix(5)
    #expect(fixture.recorder.locations.count == 1)
  }

  @Test("8: listeners may change while they are told, are told once, and are not kept alive")
  func listeners() {
    let fixture = Fixture(in: .acquiring)
    let added = Recorder()
    var short: Recorder? = Recorder()
    weak let gone = short
    if let short { fixture.manager.listeners.add(short) }
    short = nil
    #expect(gone == nil)
    fixture.manager.listeners.add(fixture.recorder)
    fixture.recorder.onCall = { [recorder = fixture.recorder] manager, call in
      if call == "didPause" {
        manager.listeners.add(added)
        manager.listeners.remove(recorder)
      }
    }
    fixture.manager.pause()
    #expect(fixture.recorder.take() == ["acquiring>paused", "didPause"])
    fixture.manager.resume()
    #expect(fixture.recorder.take().isEmpty)
    #expect(added.take() == ["paused>acquiring", "didResume"])
  }

  @Test("9: the time limit holds although the timer did not fire while the app was suspended")
  func suspendedTimer() {
    let fixture = Fixture(in: .acquiring)
    fixture.provider.pass(3_600, timerFires: false)
    fixture.provider.fix(50, age: 3_500)
    #expect(fixture.manager.state == .waitingSignificantChange)
  }

  @Test("10: an unknown location is not an error")
  func unknown() {
    let fixture = Fixture(in: .acquiring)
    for _ in 0..<100 { fixture.provider.report(.failure(.locationUnknown)) }
    fixture.provider.fix(5)
    #expect(fixture.recorder.locations.count == 1)
  }

  @Test("mended in its history: a pause while asleep turns the significant changes off")
  func pauseWhileAsleep() {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.manager.pause()
    #expect(fixture.provider.mode == .off)
    #expect(fixture.provider.commands.last == "off")
  }

  @Test("mended in its history: what is accepted when the time is over is less than what ends it at once")
  func twoThresholds() {
    let fixture = Fixture(in: .acquiring)
    fixture.provider.fix(99)
    #expect(fixture.manager.state == .acquiring)
    fixture.provider.pass(15)
    #expect(fixture.recorder.locations.map(\.horizontalAccuracy) == [99])
  }

  @Test("mended in its history: listeners hear of a state when it is set")
  func stateBeforeListeners() {
    let fixture = Fixture(in: .waitingSignificantChange)
    fixture.recorder.onCall = { [provider = fixture.provider] manager, _ in
      #expect(manager.state == .paused)
      #expect(provider.mode == .off)
    }
    fixture.manager.pause()
    #expect(fixture.recorder.calls.count == 2)
  }
}
