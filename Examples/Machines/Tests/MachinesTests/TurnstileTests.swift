import LocoMachine
import LocoMachineGraphs
import Testing

@testable import Machines

@Suite("A turnstile")
struct TurnstileTests {
  @Test("Each line of input gets an answer")
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

  @Test("Every state leads to locked", arguments: Turnstile.State.allCases)
  func locksAgain(from state: Turnstile.State) {
    #expect(StateGraph<Turnstile>().path(from: state, to: .locked) != nil)
  }
}
