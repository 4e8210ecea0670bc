import LocoMachine
import LocoMachineTesting
import Testing

@testable import Machines

@Suite("Search field") @MainActor
struct SearchTests {
  let clock = ManualClock()

  @Test("asks once, 300 ms after the last key")
  func debounces() async throws {
    let index = Script([["Bern"]])
    let field = SearchField(clock: clock) { _ in await index.next() }
    for text in ["b", "be", "ber"] {
      field.type(text)
      clock.advance(by: .milliseconds(299))
    }
    #expect(field.state == .typing)
    clock.advance(by: .milliseconds(1))
    #expect(field.state == .searching)
    try await field.answered()
    #expect(field.results == ["Bern"] && field.text == "ber")
    #expect(await index.asked == 1)
  }

  @Test("never shows the answer to an old text")
  func dropsLateAnswers() async throws {
    let gate = Gate()
    let field = SearchField(clock: clock) { text in
      if text == "a" { await gate.pass() }
      return [text]
    }
    field.type("a")
    clock.advance(by: .milliseconds(300))
    while await gate.count == 0 { await Task.yield() }
    field.type("ab")
    await gate.open()
    clock.advance(by: .milliseconds(300))
    try await field.answered()
    #expect(field.results == ["ab"])
  }

  @Test("shows no results of an earlier text after a failure")
  func failure() async throws {
    struct Broken: Error {}
    let field = SearchField(clock: clock) { text in
      if text == "ab" { throw Broken() }
      return [text]
    }
    for (text, results) in [("a", ["a"]), ("ab", [])] {
      field.type(text)
      clock.advance(by: .milliseconds(300))
      try await field.answered()
      #expect(field.results == results)
    }
    #expect(field.state == .failed)
  }

  @Test("is empty again when the text is")
  func clears() {
    let field = SearchField(clock: clock) { _ in [] }
    field.type("a")
    field.type("")
    clock.advance(by: .seconds(1))
    #expect(field.state == .empty && field.text.isEmpty)
  }
}
