import LocoMachine
import LocoMachineGraphs
import LocoMachineTesting
import Testing

@testable import Machines

@MainActor
private final class LoggingSocket: Socket {
  private(set) var log: [String] = []
  func connect() { log.append("connect") }
  func ping() { log.append("ping") }
  func close() { log.append("close") }
}

@Suite("Heartbeat") @MainActor
struct HeartbeatTests {
  private let clock = ManualClock(), socket = LoggingSocket()

  @Test("pings every 20 s")
  func pings() {
    let heartbeat = Heartbeat(socket: socket, clock: clock)
    heartbeat.open()
    heartbeat.didConnect()
    for _ in 1...3 {
      clock.advance(by: .seconds(20))
      heartbeat.didReceivePong()
    }
    #expect(socket.log == ["connect", "ping", "ping", "ping"])
  }

  @Test("connects again if no pong comes within 5 s")
  func reconnects() {
    let heartbeat = Heartbeat(socket: socket, clock: clock)
    heartbeat.open()
    heartbeat.didConnect()
    clock.advance(by: .seconds(20 + 5 + 2))
    #expect(socket.log == ["connect", "ping", "close", "connect"])
  }

  @Test("has a socket exactly when it connects or is connected, on every path")
  func everyRow() {
    let coverage = TableCoverage<HeartbeatMachine>()
    for walk in StateGraph<HeartbeatMachine>().pairTours(includesIgnored: true) {
      let socket = LoggingSocket()
      let heartbeat = Heartbeat(socket: socket, clock: clock)
      heartbeat.runner.listeners.add(coverage)
      for event in walk {
        if event == .timeOver, let time = heartbeat.runner.timeUntilDeadline {
          clock.advance(by: time)
        } else {
          heartbeat.runner.send(event)
        }
        let last = socket.log.last { $0 != "ping" }
        let isNeeded = [.connecting, .open, .pinging].contains(heartbeat.runner.state)
        #expect((last == "connect") == isNeeded)
      }
    }
    #expect(coverage.missing(.transitions) == [])
    #expect(coverage.missing(.ignored) == [])
  }
}
