import Foundation
import Testing

@testable import LocoKit
@testable import TestSupport

/// The defects of Loco, LocoKit's predecessor in Objective-C, numbered here. `.ci/defects` puts a part of number 8 back, and checks that its
/// test fails.
@Suite("Defects of Loco")
struct LocoDefectTests {
  @Table static var behaviors: [Behavior] {
    Behavior(
      "1: A candidate doesn't survive a pause", in: .acquiring, .fix(20), .pause => "paused, didPause", .wait(5),
      .resume => "acquiring, didResume", .fix(60), .wait(15) => "waitingSignificantChange, didUpdate 60")
    Behavior(
      "1: A candidate doesn't survive a failure by errors", in: .acquiring, .fix(20),
      .errors(5) => "waitingSignificantChange, didFailToAcquire tooManyErrors",
      .force => "acquiring, didForceAcquire",
      .wait(15) => "waitingSignificantChange, didFailToAcquire timeLimit")
    // The fix is newer than the last location and the change, and still too old.
    Behavior(
      "2: An old cached fix is stale, also after a significant change that is older", in: .waitingSignificantChange,
      .change(500, age: 4_000) => "acquiring, didDetectSignificantChange", .wait(10),
      .fix(5, age: 31) => "didReject stale")
    Behavior(
      "3: A significant change from the future doesn't reject every fix", in: .waitingSignificantChange,
      .change(500, age: -5_000) => "acquiring, didDetectSignificantChange", .wait(1),
      .fix(5) => "waitingSignificantChange, didUpdate 5")
    Behavior(
      "3: A location from before the clock was set back blocks neither wake-ups nor fixes",
      in: .waitingSignificantChange, .setClock(-86_400), .change => "acquiring, didDetectSignificantChange",
      .fix(5) => "waitingSignificantChange, didUpdate 5")
    Behavior("3: A fix from the future is rejected", in: .acquiring, .fix(5, age: -3_600) => "didReject futureDated")
    Behavior(
      "4: A fix that arrives after the GPS is off isn't a significant change", in: .waitingSignificantChange,
      .fix(5) => "didReject notListening")
    Behavior(
      "6: A prompt without an answer expires, with the GPS off", in: .prompted,
      .wait(LocationMachine.promptTimeLimit.inSeconds) => "init, promptDidExpire", commands: "")
    Behavior(
      "7: The first good fix after the grant is delivered", in: .prompted,
      .decide(.always) => "acquiring, didGrantAccess, didChangeAuthorization always",
      .fix(5) => "waitingSignificantChange, didUpdate 5")
    Behavior(
      "9: The time limit holds although the timer didn't fire while the app was suspended", in: .acquiring,
      .wait(3_600, timerFires: false),
      .fix(50, age: 3_500) => "didReject stale, waitingSignificantChange, didFailToAcquire timeLimit")
    Behavior(
      "10: An unknown location isn't an error", in: .acquiring, .times(100, .failure(.locationUnknown)),
      .fix(5) => "waitingSignificantChange, didUpdate 5")
    Behavior(
      "Fixed in Loco: A pause while asleep turns the significant changes off", in: .waitingSignificantChange,
      .pause => "paused, didPause", commands: "off")
    Behavior(
      "Fixed in Loco: At the time limit, a fix that is less accurate than desired can be acceptable", in: .acquiring,
      .fix(99), .wait(15) => "waitingSignificantChange, didUpdate 99")
    for state in [LocationMachine.State.waitingSignificantChange, .acquiring] {
      Behavior(
        "5: A permission that is withdrawn and granted again is noticed: \(state)", in: state,
        .decide(.denied) => "denied, didDenyAccess, didChangeAuthorization denied",
        .decide(.always) => "acquiring, didGrantAccess, didChangeAuthorization always")
    }
  }

  @Test("A defect of Loco doesn't return", arguments: behaviors)
  func behaves(_ behavior: Behavior) async { await behavior.check() }

  @Test("4: The first event of restarted significant changes doesn't start the GPS in the cool-down after a failure")
  func failureLoop() {
    let fixture = Fixture(in: .acquiring)
    var starts = 0
    for _ in 0..<20 {
      // The significant-change service reports its last location when it starts again.
      fixture.provider.pass(15)
      fixture.provider.pass(1)
      fixture.provider.report(.significantChange(fixture.provider.location(800, age: 600)))
      if fixture.provider.mode == .gps { starts += 1 }
    }
    #expect(starts <= 20 * 16 / (15 + 30) + 1)
    #expect(fixture.provider.commands.count { $0 == "gps" } <= 8)
  }

  @Test("8: Listeners may be added and removed during a callback, receive each callback once, and aren't retained")
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
}
