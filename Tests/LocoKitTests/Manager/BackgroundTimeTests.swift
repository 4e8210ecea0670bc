import Testing

@testable import LocoKit
@testable import TestSupport

@Suite("The end of the background time")
struct BackgroundTimeTests {
  private static let expired = Input<Scene>.failure(.backgroundTimeExpired)

  @Table static var behaviors: [Behavior] {
    Behavior(
      "An acquisition with an acceptable fix ends with that fix", in: .acquiring, .fix(60),
      expired => "waitingSignificantChange, didUpdate 60")
    Behavior(
      "An acquisition whose best fix isn't acceptable fails", in: .acquiring, .fix(500),
      expired => "waitingSignificantChange, didFailToAcquire timeLimit 500")
    Behavior(
      "An acquisition without a fix fails", in: .acquiring,
      expired => "waitingSignificantChange, didFailToAcquire timeLimit")
    Behavior(
      "The next acquisition has its full time limit", in: .acquiring,
      expired => "waitingSignificantChange, didFailToAcquire timeLimit", .force => "acquiring, didForceAcquire",
      .wait(14), .fix(60), .expect(\.manager.state, .acquiring))
    Behavior("Tracking continues", in: .acquiring, .track(), expired, .cancelTracking, commands: "")
    for state in LocationMachine.State.allCases where state != .acquiring {
      Behavior("Nothing happens outside an acquisition: \(state)", in: state, expired, commands: "")
    }
    // At 40 m/s the receiver would stay on.
    for (name, wake) in [
      ("significant change", Input<Scene>.change),
      ("timers", .report(Sources([.significantChange, .timer]).report)),
    ] {
      Behavior(
        "A look that would keep the GPS on ends, and the next look waits for a wake-up: \(name)",
        in: .waitingSignificantChange, .bound(100) => "acquiring, didBeginLook bound",
        .force => "didIgnore forceAcquire", .fix(60, speed: 40), .wait(15), .wait(1), .fix(60, speed: 40),
        expired => "waitingSignificantChange, didUpdate 60", .fix(60, speed: 40) => "didReject notListening",
        wake => "acquiring, didBeginLook bound")
    }
  }

  @Test("Listeners and the provider receive what each row says", arguments: behaviors)
  func behaves(_ behavior: Behavior) async { await behavior.check() }
}
