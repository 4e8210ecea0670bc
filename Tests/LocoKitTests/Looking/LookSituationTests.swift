import Foundation
import Testing

@testable import LocoKit
@testable import TestSupport

/// Tests the effects of looks and wake-ups in each situation, without the machine's table.
@Suite("LookHistory in each situation")
struct LookSituationTests {
  typealias Sleeper = LookPlannerTests.Sleeper

  enum Situation: String, CaseIterable {
    case moving, resting, blind, asleep, asleepMoving, asleepBlind

    var isAsleep: Bool { [.asleep, .asleepMoving, .asleepBlind].contains(self) }
    var isAtRest: Bool { [.resting, .asleep].contains(self) }
    var isBlind: Bool { [.blind, .asleepBlind].contains(self) }

    /// A walking or resting phone in this situation, with a bound of 2 km.
    var phone: Sleeper {
      let phone = Sleeper(2_000, LookPlannerKeeperTests.kept)
      phone.planner.motionDidChange(to: isAtRest ? .still : .walking)
      phone.find(0, speed: isAtRest ? 0 : 1)
      switch self {
      case .resting: for _ in 0..<2 { phone.find(0, speed: 0) }
      case .asleep: phone.wait(130)
      case .moving, .blind, .asleepMoving, .asleepBlind:
        phone.wait(12)
        phone.find(100, speed: 1)
        if isAsleep { phone.wait(10) }
      }
      if isBlind { phone.findNothing() }
      return phone
    }
  }

  @Test("A phase has the state that it enters, and keeps its data when the app falls asleep and wakes")
  func phases() {
    var phase = LookPhase()
    phase.enter(.resting)
    phase.rest?.begin(ahead: 1, growth: 2, distance: 3)
    phase.blindness = LookPhase.Blindness(triedAt: 4, retryAt: 5)
    let rest = phase.rest
    for state in [LookMachine.State.asleep, .resting] {
      phase.enter(state)
      #expect(phase.rest == rest && rest != LookPhase.Rest() && phase.blindness == nil)
    }
    phase.enter(.blind)
    phase.blindness = LookPhase.Blindness(triedAt: 4, retryAt: 5)
    phase.rest = rest
    for state in [LookMachine.State.asleepBlind, .blind] {
      phase.enter(state)
      #expect(phase.blindness?.retryAt == 5 && phase.rest == nil)
    }
    for state in LookMachine.State.allCases {
      phase.enter(state)
      #expect(phase.state == state && phase.isAsleep == state.rawValue.hasPrefix("asleep"))
    }
  }

  @Test(
    "A smaller bound wakes a phone that fell asleep on the move, and not one at rest", arguments: Situation.allCases)
  func smallerBound(situation: Situation) {
    let phone = situation.phone
    let isAsleep = phone.planner.isAsleep
    phone.planner.settings.bound = 1_000
    #expect(phone.planner.isAsleep == (isAsleep && situation.isAtRest))
  }

  @Test("Of the phones that fall asleep, one at rest plans no look")
  func plans() {
    for situation in [Situation.asleep, .asleepMoving, .asleepBlind] {
      let phone = situation.phone
      #expect(phone.planner.isAsleep && phone.planner.settings.runsTimers)
      #expect((phone.planner.nextDue(at: phone.uptime) == nil) == situation.isAtRest, "\(situation)")
    }
  }

  @Test("The receiver stays on in a fast vehicle at a narrow bound, but not after a failed look")
  func staysOn() {
    let phone = Sleeper(100, LookPlannerKeeperTests.kept)
    phone.planner.motionDidChange(to: .vehicle)
    for metres in [0.0, 30] { phone.find(metres, speed: 30) }
    #expect(phone.planner.staysOn)
    phone.wait(10)
    phone.findNothing()
    #expect(phone.planner.state == .blind && !phone.planner.staysOn)
  }

  @Test("A fix elsewhere shows that the device moves", arguments: Situation.allCases, [false, true])
  func elsewhere(situation: Situation, isFast: Bool) throws {
    let phone = situation.phone
    let pace = phone.planner.trip.value
    phone.wait(60)
    let fallsAsleep = phone.planner.isAsleep
    phone.find(isFast ? 5_000 : 190, speed: isFast ? 10 : 1)
    let planner = phone.planner
    #expect(planner.phase.rest == nil && planner.phase.blindness == nil)
    #expect(planner.counter.moved == 0 && planner.looks.failures == 0)
    #expect(planner.wakeRegion?.fix == planner.fix && planner.trip.start == planner.fix)
    if situation.isAtRest {
      #expect(planner.trip.value == (isFast ? 10 : 5), "a trip begins, whose pace isn't known")
    } else {
      #expect(planner.trip.value != pace && planner.trip.value != 5 && planner.trip.value != 10, "the pace is learned")
    }
    // A suspension at rest doesn't show that the device is slow, so a fix elsewhere ends it.
    #expect(planner.isAsleep == (fallsAsleep && !isFast && !situation.isAtRest))
    if fallsAsleep, !planner.isAsleep { #expect(planner.sleep.wokeAt == phone.uptime) }
    if planner.isAsleep {
      #expect(planner.counter.motion == nil, "the sensor's report is from before the suspension")
      #expect(planner.sleep.slowSince == phone.uptime)
    }
    phone.planner.motionDidChange(to: .walking)
    phone.wait(5)
    #expect(phone.planner.counter.moved == 5, "the time on foot counts as motion")
  }

  @Test("A later pace counts from a coarse fix elsewhere")
  func coarseElsewhere() throws {
    let phone = Situation.moving.phone
    phone.wait(120)
    let place = phone.coarse(3_000)
    phone.planner.findCoarse(place, age: 0)
    #expect(phone.planner.fix == place && phone.planner.trip.start == place && phone.planner.trip.seconds == 0)
  }

  @Test("Fixes in one place show that the device rests, and don't wake a suspended app", arguments: Situation.allCases)
  func here(situation: Situation) {
    let phone = situation.phone
    let (isAsleep, interval) = (phone.planner.isAsleep, phone.planner.phase.rest?.interval)
    let metres = situation.isAtRest ? 0.0 : 100
    phone.wait(3)
    phone.find(metres, speed: 0)
    if !isAsleep, !situation.isAtRest { phone.find(metres, speed: 0) }
    #expect(phone.planner.phase.rest != nil && phone.planner.isAsleep == isAsleep)
    #expect(phone.planner.counter.moved == 0 && phone.planner.looks.failures == 0)
    #expect(phone.planner.phase.rest?.interval == interval.map { 2 * $0 } ?? 120)
    #expect(phone.planner.trip.start == phone.planner.fix)
    // If `slowSince` is set while the planner is asleep, an arrival starts a look.
    #expect((phone.planner.sleep.slowSince == phone.uptime) == [.asleepMoving, .asleepBlind].contains(situation))
    phone.planner.motionDidChange(to: .still)
    phone.wait(30)
    #expect(phone.planner.counter.moved == 0)
  }

  @Test(
    "A failed look postpones the next one, for longer after several failures, and doesn't wake a suspended app",
    arguments: Situation.allCases)
  func nothing(situation: Situation) throws {
    let phone = situation.phone
    let (isAsleep, interval) = (phone.planner.isAsleep, phone.planner.phase.rest?.interval)
    var waits: [Double] = []
    for count in 1...3 {
      let before = phone.planner.looks.failures
      let moved = phone.planner.counter.moved
      phone.findNothing(took: 1)
      let planner = phone.planner
      #expect(planner.looks.failures == before + 1)
      #expect(planner.isAsleep == isAsleep && (planner.phase.rest != nil) == situation.isAtRest)
      if situation.isAtRest {
        #expect(planner.phase.rest?.interval == interval.map { min($0 * Double(1 << count), 900) })
        #expect(planner.counter.moved == 0)
        waits.append((planner.looks.blockedUntil - phone.uptime).inSeconds)
      } else {
        let blindness = try #require(planner.phase.blindness)
        #expect(blindness.triedAt == moved && planner.counter.moved == moved)
        waits.append(blindness.retryAt - moved)
      }
      // During movement, looks are blocked for at most three times the duration of the failed one.
      phone.wait(3)
    }
    #expect(waits.allSatisfy { $0 > 0 } && waits[0] <= waits[1] && waits[1] <= waits[2] && waits[0] < waits[2])
    if isAsleep {
      phone.wait(3_000)
      #expect(phone.due() == nil, "only a wake-up starts a look")
      phone.planner.leaveRegion()
      #expect(phone.due() == .regionExit)
    }
  }

  @Test(
    "At a wake-up, the planner keeps what it knows about the movement, and forgets failures if it was asleep",
    arguments: Situation.allCases)
  func woken(situation: Situation) {
    let phone = situation.phone
    let before = phone.planner
    phone.wait(5)
    phone.planner.appDidWake()
    let after = phone.planner
    #expect(!after.isAsleep && after.keepsRunning)
    #expect((after.phase.rest != nil) == situation.isAtRest && (after.phase.blindness != nil) == situation.isBlind)
    #expect(after.phase.rest == before.phase.rest && after.phase.blindness == before.phase.blindness)
    guard situation.isAsleep else { return }
    #expect(after.looks.failures == 0 && after.sleep.wokeAt == phone.uptime && !after.sleep.hasLookedAtRest)
    // The app isn't suspended again within 15 s.
    phone.wait(15)
    #expect(!phone.planner.isAsleep)
  }

  @Test(
    "While the app is suspended, the planner counts motion only in the state asleepMoving",
    arguments: Situation.allCases)
  func counts(situation: Situation) {
    guard situation.isAsleep else { return }
    let phone = situation.phone
    let moved = phone.planner.counter.moved
    phone.wait(7)
    #expect(phone.planner.counter.moved - moved == (situation == .asleepMoving ? 7 : 0))
    #expect(phone.planner.counter.motion == nil && phone.planner.wakeRegion?.fix == phone.planner.fix)
    #expect(!phone.planner.keepsRunning)
  }

  @Test("The app of a slow device that has stopped may be suspended at the first fix after a wake-up")
  func stopped() {
    let phone = LookPlannerKeeperTests.phone(2_000)
    phone.wait(25)
    for _ in 0..<2 { phone.find(100, speed: 0.5) }
    phone.wait(10)
    #expect(phone.planner.isAsleep)
    phone.planner.leaveRegion()
    phone.planner.motionDidChange(to: .walking)
    phone.wait(5)
    phone.find(100, speed: 0.5)
    #expect(phone.planner.isAsleep && phone.planner.phase.rest != nil)
    #expect(phone.planner.counter.motion == nil && phone.planner.wakeRegion?.setAt == phone.uptime)
    phone.planner.visitBegan()
    #expect(phone.due() == .rest)
  }
}
