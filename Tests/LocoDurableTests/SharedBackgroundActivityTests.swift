import Testing

@testable import LocoDurable
@testable import LocoMachine

@Suite("Shared background activities")
struct SharedBackgroundActivityTests {
  /// The activities of a system: their reasons, those that haven't ended, and what the system calls at a time limit.
  private final class System: Sendable {
    struct State: Sendable {
      var reasons: [String] = []
      var running: Set<Int> = []
      var expiries: [SharedBackgroundActivity.End] = []
    }
    let state = Locked(State())
    var reasons: [String] { state.change { $0.reasons } }
    var running: Set<Int> { state.change { $0.running } }

    func activity(
      whileBeginning: @escaping @Sendable (SharedBackgroundActivity.End) -> Void = { _ in }
    )
      -> SharedBackgroundActivity
    {
      SharedBackgroundActivity { reason, onExpiry in
        let number = self.state.change { state in
          state.reasons.append(reason)
          state.running.insert(state.reasons.count)
          state.expiries.append(onExpiry)
          return state.reasons.count
        }
        whileBeginning(onExpiry)
        return { self.state.change { _ = $0.running.remove(number) } }
      }
    }

    func expire() { state.change { $0.expiries.last }?() }
  }

  @Test("Work at the same time shares one activity, which ends with the last work; later work begins another one")
  func overlap() {
    let system = System()
    let activity = system.activity()
    activity.begin("a")
    activity.begin("b")
    activity.end()
    #expect(system.reasons == ["a"] && system.running == [1])
    activity.begin("c")
    activity.end()
    activity.end()
    #expect(system.reasons == ["a"] && system.running == [])
    activity.begin("d")
    #expect(system.reasons == ["a", "d"] && system.running == [2])
    activity.end()
    #expect(system.running == [])
  }

  @Test("A time limit ends the activity once, and the next work begins another one, although earlier work goes on")
  func expiry() {
    let system = System()
    let activity = system.activity()
    activity.begin("a")
    let first = system.state.change { $0.expiries[0] }
    first()
    #expect(system.running == [])
    activity.begin("b")
    #expect(system.reasons == ["a", "b"] && system.running == [2])
    first()
    activity.end()
    #expect(system.running == [2], "the limit of an earlier activity ends no later one")
    activity.end()
    #expect(system.running == [])
  }

  @Test("An activity that the system refuses, or whose work ends while it begins, doesn't stay")
  func refused() {
    let system = System()
    let activity = system.activity { onExpiry in onExpiry() }
    activity.begin("a")
    #expect(system.running == [])
    activity.end()
    let short = Locked<SharedBackgroundActivity?>(nil)
    let other = system.activity { _ in short.change { $0 }?.end() }
    short.change { $0 = other }
    other.begin("b")
    #expect(system.running == [])
  }

  @Test("Work on many threads leaves no activity behind", arguments: 0..<20)
  func threads(round: Int) async {
    let system = System()
    let activity = system.activity()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for _ in 0..<50 {
            activity.begin("\(number)")
            if number == 0 { system.expire() }
            activity.end()
          }
        }
      }
    }
    #expect(system.running == [])
  }
}
