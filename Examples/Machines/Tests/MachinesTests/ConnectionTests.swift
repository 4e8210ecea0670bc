import LocoMachine
import LocoMachineGraphs
import LocoMachineTesting
import Testing

@testable import Machines

extension Link {
  /// Advances the clock to the link's deadline, in the link's isolation, and returns the time that passed.
  func passDeadline(on clock: ManualClock) throws -> Duration {
    let time = try #require(timeUntilDeadline)
    clock.advance(by: time)
    return time
  }
}

@Suite("The reconnecting connection", .timeLimit(.minutes(1)))
struct ConnectionTests {
  @Test("Failed attempts are retried with growing pauses, which start over with the shortest after a hang-up")
  func backOff() async throws {
    let (server, clock) = (try Server(), ManualClock())
    let link = Link(port: server.port, clock: clock)
    var transitions = await link.transitions.makeAsyncIterator()
    /// Returns the states that the link enters, up to one of `ends`. Real sockets reach these states without advancing the clock.
    func states(until ends: Set<Connection.State>) async -> [Connection.State] {
      var states: [Connection.State] = []
      while let transition = await transitions.next() {
        states.append(transition.to)
        if ends.contains(transition.to) { break }
      }
      return states
    }

    let run = Task { await link.run() }
    #expect(await states(until: [.pause1]) == [.dial1, .pause1])
    #expect(try await link.passDeadline(on: clock) == .seconds(1))
    #expect(await states(until: [.pause2]) == [.dial2, .pause2])
    #expect(try await link.passDeadline(on: clock) == .seconds(5))
    #expect(await states(until: [.pause3]) == [.dial3, .pause3])
    #expect(try await link.passDeadline(on: clock) == .seconds(30))
    #expect(await states(until: [.pause3]) == [.dial3, .pause3])

    try server.listen()
    #expect(try await link.passDeadline(on: clock) == .seconds(30))
    #expect(await states(until: [.connected]) == [.dial3, .connected])
    #expect(await link.timeUntilDeadline == nil && clock.now.offset == .seconds(66))

    try server.accept().hangUp()
    #expect(await states(until: [.pause1]) == [.pause1])
    #expect(try await link.passDeadline(on: clock) == .seconds(1))
    #expect(await states(until: [.connected]) == [.dial2, .connected])

    let peer = try server.accept()
    run.cancel()
    await run.value
    #expect(await link.state == .off)
    #expect(try peer.isEnded())
    peer.hangUp()
  }

  @Test("Every state leads to off, and there is no call while off")
  func graph() {
    let graph = StateGraph<Connection>()
    #expect(Connection.State.allCases.allSatisfy { graph.path(from: $0, to: .off) != nil })
    #expect(Connection.activities(in: .off) == [])
    let callsWhileOff = graph.counterexample(
      toNever: { $0.event == .stop && $0.reason == nil },
      then: { $0.target.map(Connection.activities) == [.call] && $0.event != .start },
      without: { $0.event == .start })
    #expect(callsWhileOff == nil)
    // The longest pause follows three failures.
    #expect(
      graph.counterexample(toAlways: { $0 != .pause3 }) == [.start, .closed, .timeOver, .closed, .timeOver, .closed])
  }
}
