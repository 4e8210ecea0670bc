import LocoKit
import Testing

@testable import Machines

@Suite("A turnstile")
struct TurnstileTests {
  @Test("answers each line")
  func lines() {
    var input = ["push", "coin", "coin", "push", "jump"][...]
    var output: [String] = []
    runTurnstile({ input.popFirst() }, { output.append($0) })
    #expect(
      output == [
        "The arm is locked until a coin is paid.", "unlocked", "Your coin is returned.", "unlocked", "locked",
        "Type coin or push.",
      ])
  }

  @Test("can be locked again in every state", arguments: Turnstile.State.allCases)
  func locksAgain(from state: Turnstile.State) {
    #expect(StateGraph<Turnstile>().path(from: state, to: .locked) != nil)
  }
}
