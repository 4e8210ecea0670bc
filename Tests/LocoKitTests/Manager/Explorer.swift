import Foundation

@testable import LocoKit

/// A core with its surroundings. Letters are its inputs.
protocol ExploredWorld {
  associatedtype Letter: CustomStringConvertible

  /// The possible inputs.
  var letters: [Letter] { get }
  /// The broken rule, if any.
  var violation: String? { get }
  /// A hash that is equal for worlds with the same future. Times are relative to now.
  var key: Int { get }
  /// The Swift expression for the world at the start of the search.
  var initializer: String { get }

  mutating func play(_ letter: Letter)
  /// Plays letters that must lead to a good end from every state, and returns the broken rule.
  func afterCalm() -> String?
}

extension ExploredWorld {
  /// Plays letters until a rule is broken, and returns that rule.
  mutating func play(_ letters: [Letter]) -> String? {
    for letter in letters where violation == nil { play(letter) }
    return violation
  }
}

/// A breadth-first search that plays every letter in every state, up to a number of states.
struct Explorer<World: ExploredWorld> {
  /// The result of a search.
  struct Report {
    var states = 0
    var turns = 0
    /// The length of the longest paths that were searched completely.
    var depth = 0
    var violation: String?
    var path: [World.Letter] = []
    let initializer: String

    /// The path as a test that can be pasted.
    var test: String {
      """
      @Test("\(violation ?? "")")
      func found() {
        var world = \(initializer)
        #expect(world.play([\(path.map(\.description).joined(separator: ", "))]) == nil)
      }
      """
    }
  }

  private struct Node {
    let world: World
    let number: Int32
  }

  let start: World

  func search(states limit: Int) -> Report {
    var report = Report(initializer: start.initializer)
    let letters = start.letters
    var known: Set<Int> = [start.key]
    known.reserveCapacity(limit)
    // For each state, its predecessor and the letter in between.
    var origins: [(parent: Int32, letter: UInt8)] = [(-1, 0)]
    var level = [Node(world: start, number: 0)]
    while !level.isEmpty {
      var next: [Node] = []
      for node in level {
        for (index, letter) in letters.enumerated() {
          var world = node.world
          world.play(letter)
          report.turns += 1
          let isNew = world.violation != nil || known.insert(world.key).inserted
          guard isNew else { continue }
          origins.append((node.number, UInt8(index)))
          let number = Int32(origins.count - 1)
          if let violation = world.violation ?? world.afterCalm() {
            report.violation = violation
            report.path = path(to: number, origins)
            report.states = known.count
            return report
          }
          next.append(Node(world: world, number: number))
          if known.count >= limit {
            report.states = known.count
            return report
          }
        }
      }
      report.depth += 1
      level = next
    }
    report.states = known.count
    return report
  }

  private func path(to number: Int32, _ origins: [(parent: Int32, letter: UInt8)]) -> [World.Letter] {
    var path: [World.Letter] = []
    var number = Int(number)
    while number > 0 {
      path.append(start.letters[Int(origins[number].letter)])
      number = Int(origins[number].parent)
    }
    return path.reversed()
  }
}

extension World: ExploredWorld {
  var letters: [Letter] { isPhone ? Self.phoneLetters : bound == nil ? Self.letters : Self.lookLetters }
  var initializer: String {
    let arguments = (bound.map { ["bound: \($0)"] } ?? []) + (isPhone ? ["isPhone: true"] : [])
    return "World(\(arguments.joined(separator: ", ")))"
  }
  func afterCalm() -> String? { Rules.afterCalm(self) }

  var key: Int {
    var hasher = Hasher()
    hasher.combine(isWaiting)
    hasher.combine(isKept)
    combine(restSince.map { max($0, now.uptime - .seconds(181)) }, into: &hasher)
    hasher.combine(permission)
    hasher.combine(core.state)
    switch core.phase {
    case .prompted(let deadline): combine(deadline, into: &hasher)
    case .waiting(let sleep):
      combine(max(sleep.cooldownEnd, now.uptime), into: &hasher)
      combine(sleep.doubted?.wrappedValue, into: &hasher)
    case .acquiring(let run):
      hasher.combine(run.timeToFirstLocation(at: now.uptime) == nil)
      if core.planner != nil { combine(min(run.began, now.uptime), into: &hasher) }
    case .initial, .denied, .paused, .released: break
    }
    hasher.combine(core.authorization)
    hasher.combine(core.motion)
    hasher.combine(core.isOutOfTime)
    hasher.combine(core.saved.isPaused)
    hasher.combine(core.saved.needsLocation)
    hasher.combine(core.hardware.receiver)
    combine(core.location, into: &hasher)
    combine(core.hardware.timer.map { max($0, now.uptime) }, into: &hasher)
    combine(core.saved.time.map { max($0, now.uptime - .seconds(10)) }, into: &hasher)
    if let acquisition = core.acquisition {
      combine(acquisition.trigger, into: &hasher)
      combine(acquisition.previous, into: &hasher)
      combine(acquisition.best, into: &hasher)
      combine(acquisition.doubted, into: &hasher)
      hasher.combine(acquisition.best.map(acquisition.policy.isSatisfied))
      hasher.combine(acquisition.errors)
    }
    hasher.combine(core.hardware.region)
    hasher.combine(core.wakeSources)
    if let planner = core.planner { combine(planner, into: &hasher) }
    for demand in core.demands.all {
      hasher.combine(demand.id)
      switch demand.want {
      case .policy(let deadline): combine(deadline, into: &hasher)
      case .one(let one):
        combine(one.deadline, into: &hasher)
        combine(one.best, into: &hasher)
        hasher.combine(one.best.map(one.isSatisfied))
      case .every(let filter):
        hasher.combine(filter.settings)
        combine(filter.last, into: &hasher)
      case .accepted(let acceptance):
        combine(acceptance.last, into: &hasher)
        combine(acceptance.waitEnds, into: &hasher)
        for location in acceptance.pending { combine(location, into: &hasher) }
      case .fixes(let filter): combine(filter?.last, into: &hasher)
      case .bound(let bound, let keepsRunning):
        hasher.combine(bound)
        hasher.combine(keepsRunning)
      }
    }
    return hasher.finalize()
  }

  private func combine(_ time: Duration?, into hasher: inout Hasher) {
    hasher.combine(time.map { $0 - now.uptime })
  }

  private func combine(_ planner: LookPlanner, into hasher: inout Hasher) {
    hasher.combine(planner.bound)
    hasher.combine(planner.state)
    hasher.combine(planner.motion)
    // Rounded: smaller differences have no effect.
    for value in [planner.trip.value, planner.moved, planner.lead, min(planner.still, 200)] {
      hasher.combine((value * 4).rounded())
    }
    hasher.combine(planner.fix?.latitude)
    hasher.combine(planner.fix?.speed)
    hasher.combine(planner.failures)
    hasher.combine(planner.hasLeftRegion)
    hasher.combine(planner.isAsleep)
    if planner.sources.contains(.keeper) {
      for time in [planner.wokeAt, planner.asleepAt, planner.place.since, planner.fixAt] {
        combine(max(time, now.uptime - .seconds(181)), into: &hasher)
      }
    }
    combine(max(planner.blockedUntil, now.uptime), into: &hasher)
    combine(planner.satellitesAt.map { max($0, now.uptime - .seconds(7_300)) }, into: &hasher)
  }

  private func combine(_ date: Date?, into hasher: inout Hasher) {
    // No rule looks back more than two minutes.
    hasher.combine(date.map { max($0.timeIntervalSince(now.date), -120) })
  }

  private func combine(_ location: Location?, into hasher: inout Hasher) {
    hasher.combine(location?.horizontalAccuracy)
    combine(location?.timestamp, into: &hasher)
  }
}
