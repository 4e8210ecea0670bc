import AllocationCounter
import LocoKit
import Rivals
import Testing
import Workload

@Suite("The contestants")
struct ContestantTests {
  @Test("All location machines perform effects with the same sum", arguments: EventStream.allCases)
  func sums(_ stream: EventStream) {
    let events = stream.events(100_000)
    var sums = [TableMachine().run(events), SwitchMachine().run(events)]
    events.withUnsafeBytes { buffer in
      let bytes = buffer.bindMemory(to: UInt8.self).baseAddress
      sums += [rival_flat_table(bytes, buffer.count), rival_switch(bytes, buffer.count)]
      if rival_has_boost_msm { sums.append(rival_boost_msm(bytes, buffer.count)) }
    }
    #expect(Set(sums).count == 1)
    #expect(sums[0] > 0)
  }

  @Test("All turnstiles refund the same number of coins")
  func refunds() {
    let events = TurnstileStream.events(100_000)
    let refunds = [
      TurnstileTable().run(events), TurnstileRunner().run(events), TurnstileRunner(listens: true).run(events),
      TurnstileDictionary().run(events), PaidTurnstileRunner().run(TurnstileStream.inputs(100_000)),
    ]
    #expect(Set(refunds).count == 1 && refunds[0] > 10_000)
  }

  @Test("About a quarter of the uniform events, five sixths of the walk and most of the cycle aren't ignored")
  func streams() {
    let table = TransitionTable<LocationMachine>()
    func share(_ stream: EventStream) -> Double {
      var state = LocationMachine.initialState
      let events = stream.events(100_000)
      let taken = events.count { event in
        defer { table.advance(&state, on: event) }
        if case .ignore = table[state: state, event: event] { return false } else { return true }
      }
      return Double(taken) / Double(events.count)
    }
    #expect((0.24...0.31).contains(share(.uniform)))
    #expect((0.8...0.87).contains(share(.walk)))
    #expect((0.9...1).contains(share(.cycle)))
  }
}

@Suite("Allocations", .enabled(if: allocation_counter_works(), "allocations are counted only with glibc"))
struct AllocationTests {
  @Test("The counter counts an allocation")
  func counter() {
    var arrays: [[Int]] = []
    arrays.reserveCapacity(2)
    #expect(allocations { arrays.append([Int](repeating: 1, count: Int.random(in: 100...200))) } == 1)
    #expect(arrays[0][0] == 1)
  }

  @Test("A table's event allocates nothing", arguments: EventStream.allCases)
  func events(_ stream: EventStream) {
    let events = stream.events(100_000)
    let machine = TableMachine()
    #expect(allocations { _ = machine.run(events) } == 0)
  }

  @Test("A runner's event allocates nothing, with or without a listener", arguments: [false, true])
  func runner(listens: Bool) {
    let events = TurnstileStream.events(100_000)
    let runner = TurnstileRunner(listens: listens)
    _ = runner.run(events)
    #expect(allocations { _ = runner.run(events) } == 0)
  }

  @Test("An event with an input allocates nothing")
  func input() {
    let inputs = TurnstileStream.inputs(100_000)
    let runner = PaidTurnstileRunner()
    _ = runner.run(inputs)
    #expect(allocations { _ = runner.run(inputs) } == 0)
  }

  @Test("An activity allocates at most the contexts of its closures, and starts and stops each time")
  func activity() {
    let doors = Doors()
    doors.openLit(1)
    // At most one context for each of the two closures.
    #expect(allocations { doors.openLit(1_000) } <= 2_000)
    #expect(doors.switched == (1_001, 1_001))
  }

  @Test("Notifying 0 to 10,000 listeners allocates nothing", arguments: [0, 1, 16, 100, 10_000])
  func listeners(_ count: Int) {
    let audience = Audience(count)
    audience.notify(1)
    #expect(allocations { audience.notify(100) } == 0)
    #expect(audience.listeners.allSatisfy { $0.rejections == 101 })
  }

  /// Returns the number of blocks that a closure allocates.
  private func allocations(_ body: () -> Void) -> UInt64 {
    let before = allocation_counter_count()
    body()
    return allocation_counter_count() - before
  }
}
