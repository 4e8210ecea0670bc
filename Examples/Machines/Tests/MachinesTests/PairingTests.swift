import Foundation
import LocoMachine
import LocoMachineGraphs
import LocoMachineTesting
import Testing

@testable import Machines

/// A Bluetooth stack whose calls the test answers, by the number of the call.
@MainActor
private final class ScriptedBluetooth: Bluetooth {
  enum Call: Equatable { case scan, connect(String), verify(String) }

  private(set) var calls: [Call] = []
  private(set) var cancelled = 0
  private var answers: [Int: CheckedContinuation<String?, Never>] = [:]

  private func answer(to call: Call) async throws -> String {
    let number = calls.count
    calls.append(call)
    let answer = await withCheckedContinuation { answers[number] = $0 }
    if Task.isCancelled { cancelled += 1 }
    guard let answer else { throw CancellationError() }
    return answer
  }

  func scan() async throws -> String { try await answer(to: .scan) }
  func connect(to device: String) async throws { _ = try await answer(to: .connect(device)) }
  func verify(_ device: String) async throws { _ = try await answer(to: .verify(device)) }

  /// Waits for a call, counted from 0, and answers it; with `nil` the call throws an error.
  func answer(_ number: Int, _ answer: String?) async {
    while answers[number] == nil { await Task.yield() }
    answers.removeValue(forKey: number)?.resume(returning: answer)
  }
}

@Suite("Pairing", .timeLimit(.minutes(1)))
@MainActor
struct PairingTests {
  private let bluetooth = ScriptedBluetooth()
  private let clock = ManualClock()

  @Test("A device that was found leads to an attempt to connect")
  func pairs() async throws {
    let pairer = Pairer(bluetooth, clock: clock)
    let runner = try #require(pairer.runner)
    runner.send(.pair)
    await bluetooth.answer(0, "watch")
    try await runner.state { $0 == .connecting1 }
    #expect(pairer.device == "watch" && bluetooth.cancelled == 0)
  }

  @Test("Two failed attempts to connect are repeated, the third failure ends the pairing, and a new pairing succeeds")
  func attempts() async throws {
    let pairer = Pairer(bluetooth, clock: clock)
    let runner = try #require(pairer.runner)
    runner.send(.pair)
    await bluetooth.answer(0, "watch")
    await bluetooth.answer(1, nil)
    await bluetooth.answer(2, nil)
    await bluetooth.answer(3, nil)
    try await runner.state { $0 == .failed }
    #expect(bluetooth.calls == [.scan, .connect("watch"), .connect("watch"), .connect("watch")])

    runner.send(.pair)
    await bluetooth.answer(4, "ring")
    await bluetooth.answer(5, "")
    await bluetooth.answer(6, "")
    try await runner.state { $0 == .paired }
    #expect(bluetooth.calls.suffix(2) == [.connect("ring"), .verify("ring")] && pairer.device == "ring")
  }

  @Test("A timeout cancels an attempt to connect, and the late answer has no effect on the next attempt")
  func timeout() async throws {
    let pairer = Pairer(bluetooth, clock: clock)
    let runner = try #require(pairer.runner)
    runner.send(.pair)
    await bluetooth.answer(0, "watch")
    try await runner.state { $0 == .connecting1 }
    clock.advance(by: .seconds(10))
    #expect(runner.state == .connecting2)
    // The first attempt succeeds while the second one runs.
    await bluetooth.answer(1, "")
    await bluetooth.answer(2, nil)
    try await runner.state { $0 != .connecting2 }
    #expect(runner.state == .connecting3 && bluetooth.cancelled == 1)
  }

  @Test("Cancel ends the scan, and its late answer has no effect on the next scan")
  func cancels() async throws {
    let pairer = Pairer(bluetooth, clock: clock)
    let runner = try #require(pairer.runner)
    runner.send(.pair)
    runner.send(.cancel)
    await bluetooth.answer(0, "watch")
    runner.send(.pair)
    await bluetooth.answer(1, "ring")
    try await runner.state { $0 == .connecting1 }
    #expect(pairer.device == "ring" && bluetooth.cancelled == 1)
  }

  @Test("A relaunch continues with the saved device and the remaining time")
  func relaunch() async throws {
    var pairer: Pairer? = Pairer(bluetooth, clock: clock)
    pairer?.runner?.send(.pair)
    await bluetooth.answer(0, "watch")
    try await pairer?.runner?.state { $0 == .connecting1 }
    clock.advance(by: .seconds(4))
    let data = try JSONEncoder().encode(pairer?.saved)
    pairer = nil
    await bluetooth.answer(1, "")

    clock.advance(by: .seconds(2))
    let saved = try JSONDecoder().decode(Pairer.Saved.self, from: data)
    let later = Pairer(bluetooth, restoring: saved, clock: clock)
    let runner = try #require(later.runner)
    #expect(runner.state == .connecting1)
    let next = try #require(runner.timeUntilDeadline)
    #expect(next > .seconds(3.9) && next < .seconds(4.1))
    await bluetooth.answer(2, "")
    await bluetooth.answer(3, "")
    try await runner.state { $0 == .paired }
    #expect(bluetooth.calls.suffix(2) == [.connect("watch"), .verify("watch")] && bluetooth.cancelled == 1)
  }

  @Test("Exactly the states with an activity have a deadline, and the third attempt follows two failures")
  func graph() {
    let graph = StateGraph<Pairing>()
    #expect(graph.unreachableStates.isEmpty && graph.traps == [.paired])
    #expect(
      graph.counterexample(toAlways: {
        Pairing.activities(in: $0).isEmpty == (Pairing.deadline(in: $0) == nil)
      }) == nil)
    #expect(graph.reaches(.paired, avoiding: [.verifying]) == false)
    #expect(
      graph.counterexample(toAlways: { $0 != .connecting3 }) == [.pair, .found, .lost, .lost])
  }
}
