import Testing

@testable import LocoKit
@testable import LocoMachine
@testable import TestSupport

@Suite("The listener registry")
struct ListenerRegistryTests {
  @Test("A registry holds each listener once, in order and weakly")
  func holds() {
    let registry = ListenerRegistry<any LocationManagerListener>()
    var listeners = (0..<5).map { _ in Recorder() }
    for listener in listeners { registry.add(listener) }
    registry.add(listeners[0])
    #expect(registry.count == 5)
    var order: [ObjectIdentifier] = []
    registry.notify { order.append(ObjectIdentifier($0)) }
    #expect(order == listeners.map { ObjectIdentifier($0) })
    listeners.removeLast(2)
    #expect(registry.count == 3)
    registry.remove(listeners[1])
    registry.remove(listeners[1])
    #expect(registry.count == 2)
  }

  @Test("A listener that is removed during a call, before its turn, isn't called")
  func removeWhileTelling() {
    for removed in 0..<4 {
      for remover in 0..<4 {
        let registry = ListenerRegistry<any LocationManagerListener>()
        let listeners = (0..<4).map { _ in Recorder() }
        for listener in listeners { registry.add(listener) }
        var told: [Int] = []
        registry.notify { listener in
          let index = listeners.firstIndex { $0 === listener } ?? -1
          told.append(index)
          if index == remover { registry.remove(listeners[removed]) }
        }
        #expect(told == (0..<4).filter { $0 != removed || $0 <= remover }, "\(remover) removes \(removed)")
        #expect(registry.count == 3)
      }
    }
  }

  @Test("Listeners that no longer exist leave no entry, although no call follows")
  func deadListeners() {
    let registry = ListenerRegistry<any LocationManagerListener>()
    for _ in 0..<10 { registry.add(Recorder()) }
    #expect(registry.entries.count <= 1)
  }

  @Test("A listener that is added during a call is called from the next call on")
  func addWhileTelling() {
    let registry = ListenerRegistry<any LocationManagerListener>()
    let first = Recorder()
    let second = Recorder()
    registry.add(first)
    var told = 0
    registry.notify { _ in
      told += 1
      registry.add(second)
    }
    #expect(told == 1)
    #expect(registry.count == 2)
    registry.notify { _ in told += 1 }
    #expect(told == 3)
  }

  @Test("A listener that is removed and added again during a call comes last in the next call")
  func moveWhileTelling() {
    let registry = ListenerRegistry<any LocationManagerListener>()
    let listeners = (0..<3).map { _ in Recorder() }
    for listener in listeners { registry.add(listener) }
    registry.notify { _ in
      registry.remove(listeners[0])
      registry.add(listeners[0])
    }
    var order: [Int] = []
    registry.notify { listener in order.append(listeners.firstIndex { $0 === listener } ?? -1) }
    #expect(order == [1, 2, 0])
  }

  @Test("A listener that is released during a call is forgotten")
  func dieWhileTelling() {
    let registry = ListenerRegistry<any LocationManagerListener>()
    let first = Recorder()
    var second: Recorder? = Recorder()
    registry.add(first)
    if let second { registry.add(second) }
    var told = 0
    registry.notify { _ in
      told += 1
      second = nil
    }
    #expect(told == 1)
    #expect(registry.count == 1)
    _ = second
  }

  @Test("Calls may be nested")
  func nested() {
    let registry = ListenerRegistry<any LocationManagerListener>()
    let listeners = (0..<3).map { _ in Recorder() }
    for listener in listeners { registry.add(listener) }
    var told = 0
    registry.notify { outer in
      registry.notify { _ in told += 1 }
      if outer === listeners[0] { registry.remove(listeners[1]) }
    }
    #expect(told == 3 + 2)
    #expect(registry.count == 2)
  }

  @Test("Released listeners don't count, and a new one may have the address of a released one")
  func churn() {
    let registry = ListenerRegistry<any LocationManagerListener>()
    for _ in 0..<1_000 {
      registry.add(Recorder())
      registry.notify { _ in }
    }
    #expect(registry.count == 0)
    // The registry hasn't noticed these releases yet, and the last listener may have the address of a released one.
    for _ in 0..<1_000 { registry.add(Recorder()) }
    let last = Recorder()
    registry.add(last)
    #expect(registry.count == 1)
  }
}
