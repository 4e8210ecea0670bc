import Foundation
import Testing

@_spi(Benchmarks) @testable import LocoKit
@_spi(Benchmarks) @testable import LocoMachine
@testable import TestSupport

extension World {
  /// A hash of the core and its surroundings, with times relative to now.
  ///
  /// Two worlds with the same key have the same future: properties that the key omits, and old times that count as equal, have no effect.
  /// `WorldKeyTests` fails if a type of the core contains a time and has a property that isn't in ``RelativeHasher/properties``.
  var key: Int {
    var key = RelativeHasher(now)
    key.add(permission, isWaiting, isKept, bound, isPhone)
    // `Rules.keeper` asks whether the rest is longer than three minutes.
    key.add(uptime: restSince, sameBefore: 181)
    key.add(uptime: searchingSince)
    key.add(core)
    return key.finalize()
  }
}

/// Hashes values, with times relative to now.
struct RelativeHasher {
  /// The stored properties, by type, of the core's types that contain a time, and of some others.
  static let properties: [String: Set<String>] = [
    "LocationCore": [
      "phase", "settings", "location", "cause", "acquiring", "surroundings", "saved",
    ],
    "Surroundings": ["device", "planner", "planning", "monitoring"],
    "Settings": ["policy", "promptTimeLimit", "errorBound", "boundTarget"],
    "Device": [
      "authorization", "wakeSources", "backgroundUpdates", "watchesRegions", "motion", "battery", "app", "isOutOfTime",
    ],
    "Monitoring": ["presence", "lastReported", "health", "hasLeft"],
    "PresenceWatch": ["shared"],
    "Presence": ["place", "radius", "reasons", "until"],
    "HealthWatch": [
      "movedAt", "watchedSince", "missedExits", "recalled", "wasNotRelaunched", "isReduced", "lastReported", "isStale",
    ],
    "Acquiring": ["demands", "unjudged", "undelivered"],
    "Planning": ["plan", "hasLeftRegion"],
    "Sleep": ["cooldownEnd", "doubted"],
    "Run": ["_acquisition", "began", "hasDelivered", "cause", "signal"],
    "Signal": ["lastFix", "isLost", "failures"],
    "Acquisition": ["policy", "trigger", "previous", "best", "isGoodEnough", "doubted", "errors"],
    "ReceiverPlan": [
      "mode", "desiredAccuracy", "region", "regionNumber", "errorBound", "keepsAppRunning", "coarseFixesFrom", "timer",
    ],
    "Saved": ["isPaused", "needsLocation", "time"],
    "Demands": ["all", "alarms"],
    "Alarm": ["id", "time"],
    "Demand": ["id", "kind"],
    "OneLocation": [
      "desiredAccuracy", "timeLimit", "maximumAge", "acceptableAccuracy", "deadline", "best", "acceptsReducedAccuracy",
    ],
    "TrackFilter": ["desiredAccuracy", "distanceFilter", "last"],
    "Acceptance": ["policy", "waitEnds", "last", "pending"],
    "LookPlanner": [
      "settings", "phase", "found", "trip", "counter", "looks", "place", "cells", "wakeRegion", "sleep",
    ],
    "LookSettings": [
      "bound", "target", "mustKeepRunning", "backgroundUpdates", "runsTimers", "hearsMotion", "watchesRegions",
      "hearsCells", "isAssisted",
    ],
    "FoundFix": ["fix", "time", "repeatCount"],
    "MotionCounter": ["isStillnessDoubted", "motion", "moved", "still", "stood", "time"],
    "LookHistory": ["lead", "failures", "satellitesAt", "blockedUntil", "hint"],
    "WakeRegion": ["fix", "pace", "setAt"],
    "LookSleep": ["wokeAt", "slowSince", "hasLookedAtRest", "arrivedAt", "exits"],
    "TripPace": ["value", "learntFor", "start", "seconds"],
    "RestPlace": ["fix", "since", "seenAt"],
  ]

  private var hasher = Hasher()
  private let now: LocationCore.Now

  init(_ now: LocationCore.Now) { self.now = now }

  func finalize() -> Int { hasher.finalize() }

  mutating func add<each Value: Hashable>(_ value: repeat each Value) {
    repeat hasher.combine(each value)
  }

  /// Adds a time. Times that are `seconds` or more before now count as equal.
  mutating func add(uptime: Duration?, sameBefore seconds: Double? = nil) {
    hasher.combine(
      uptime.map { uptime in
        let relative = uptime - now.uptime
        return seconds.map { max(relative, .seconds(-$0)) } ?? relative
      })
  }

  mutating func add(_ location: Location?) {
    hasher.combine(
      location.map { location in
        var location = location
        location.timestamp = relative(location.timestamp)
        return location
      })
  }

  private func relative(_ date: Date) -> Date {
    Date(timeIntervalSinceReferenceDate: date.timeIntervalSince(now.date))
  }

  // MARK: - The core

  mutating func add(_ core: LocationCore) {
    switch core.phase {
    case .initial, .denied, .paused, .released: break
    case .prompted(let deadline): add(uptime: deadline)
    case .waiting(let sleep):
      // The time of a cool-down that has ended doesn't matter.
      add(uptime: sleep.cooldownEnd, sameBefore: 0)
      add(sleep.doubted?.value)
    case .acquiring(let run):
      add(uptime: run.began)
      add(run.hasDelivered, run.cause)
      // The longest signal timeout of the worlds is 20 s.
      add(uptime: run.signal.lastFix, sameBefore: 21)
      add(run.signal.isLost, run.signal.failures)
      add(run.acquisition)
    }
    add(
      core.isReleased, core.state, core.device.authorization, core.device.motion, core.device.battery, core.device.app,
      core.settings.policy, core.settings.promptTimeLimit)
    add(
      core.settings.errorBound, core.settings.boundTarget, core.device.wakeSources, core.device.backgroundUpdates,
      core.device.isOutOfTime)
    add(core.location)
    for location in core.acquiring.unjudged + core.acquiring.undelivered { add(location) }
    let plan = core.plan
    // Only the provider counts the regions. Here it matters whether there was one.
    add(plan.mode, plan.keepsAppRunning, plan.desiredAccuracy, plan.region, plan.regionNumber > 0, plan.errorBound)
    add(core.surroundings.planning.hasLeftRegion)
    add(uptime: plan.timer)
    add(uptime: plan.coarseFixesFrom, sameBefore: 0)
    add(core.saved.isPaused, core.saved.needsLocation)
    // Ten seconds after the last write, the next one is always possible.
    add(uptime: core.saved.time, sameBefore: 10)
    for demand in core.demands.all { add(demand) }
    for alarm in core.demands.alarms {
      add(alarm.id)
      add(uptime: alarm.time)
    }
    if let planner = core.planner { add(planner) }
    add(core.cause)
    add(core.surroundings.monitoring)
  }

  private mutating func add(_ monitoring: Monitoring) {
    add(monitoring.health.isStale, monitoring.hasLeft)
    for presence in [monitoring.presence.stored, monitoring.lastReported.stored] {
      add(presence?.radius, presence?.reasons, presence.map { relative($0.until) })
      add(presence?.place)
    }
    let health = monitoring.health
    add(health.missedExits, health.wasNotRelaunched, health.isReduced, health.lastReported)
    add(uptime: health.movedAt)
    add(health.recalled?.value)
    // A missed exit counts only if the region was watched for ten minutes.
    add(uptime: health.watchedSince, sameBefore: 600)
  }

  private mutating func add(_ acquisition: Acquisition) {
    add(acquisition.policy, acquisition.errors, acquisition.isGoodEnough, acquisition.trigger.map(relative))
    for location in [acquisition.previous, acquisition.best, acquisition.doubted] { add(location) }
  }

  private mutating func add(_ demand: Demand) {
    add(demand.id)
    switch demand.kind {
    case .policy(let deadline):
      add("policy")
      add(uptime: deadline)
    case .one(let one):
      add(one.desiredAccuracy, one.timeLimit, one.maximumAge, one.acceptableAccuracy, one.acceptsReducedAccuracy)
      add(uptime: one.deadline)
      add(one.best)
    case .every(let filter):
      add("every", filter.desiredAccuracy, filter.distanceFilter)
      add(filter.last)
    case .fixes(let filter):
      add("fixes", filter?.desiredAccuracy, filter?.distanceFilter)
      add(filter?.last)
    case .accepted(let acceptance):
      add(acceptance.policy)
      add(uptime: acceptance.waitEnds)
      add(acceptance.last)
      for location in acceptance.pending { add(location) }
    case .bound(let bound, let keepsRunning): add(bound, keepsRunning)
    }
  }

  private mutating func add(_ planner: LookPlanner) {
    let (counter, looks, sleep, place) = (planner.counter, planner.looks, planner.sleep, planner.place)
    // A phase has no times, and is hashed as a whole.
    add(planner.settings, planner.phase, planner.cells, planner.found?.repeatCount ?? 0)
    add(counter.motion, counter.moved, looks.lead, looks.failures, looks.hint, sleep.hasLookedAtRest, sleep.exits)
    // After three minutes of stillness, more stillness changes nothing.
    add(min(counter.still, 181))
    // Nor does more standing after a quarter of an hour.
    add(min(counter.stood, LocationManager.Motion.longestJam.inSeconds + 1), planner.wakeRegion?.pace ?? 0)
    add(planner.trip.value, planner.trip.learntFor, planner.trip.seconds)
    for location in [planner.fix, planner.wakeRegion?.fix, planner.trip.start, place.fix] { add(location) }
    add(uptime: counter.time)
    // The time of a back-off that has ended doesn't matter.
    add(uptime: looks.blockedUntil, sameBefore: 0)
    // A fix counts as new for 20 s, and a region for a minute.
    add(uptime: planner.found?.time, sameBefore: 21)
    add(uptime: planner.wakeRegion?.setAt, sameBefore: 61)
    // The orbits of the satellites are known for two hours.
    add(uptime: looks.satellitesAt, sameBefore: 7_300)
    // A wake-up delays a suspension for at most two minutes.
    add(uptime: sleep.wokeAt, sameBefore: 121)
    add(uptime: place.since, sameBefore: 181)
    add(uptime: place.seenAt, sameBefore: 181)
    add(min(place.length, .seconds(181)))
    // The speed since the suspension is measured only if the device was slow.
    add(uptime: sleep.slowSince.map { max($0, planner.found?.time ?? $0) })
    // An arrival leads to a suspension after 15 s, and has no effect after a minute.
    add(uptime: sleep.arrivedAt, sameBefore: LookSleep.longestStay + 1)
  }
}

@Suite("The key of an explored world")
struct WorldKeyTests {
  @Test("The list of stored properties matches each type with a time in the cores that are reached")
  func complete() {
    var found: [String: Set<String>] = [:]
    for start in [World(), World(bound: 500), World(bound: 500, isPhone: true)] {
      var world = start
      let access: [World.Letter] = [.command(.forcePrompt), .authorization(.always)]
      for letter in start.letters + access + start.letters {
        world.play(letter)
        Self.collect(world.core, &found)
      }
    }
    for (type, properties) in found { #expect(properties == RelativeHasher.properties[type], "\(type)") }
    // No letter sets an alarm, and these paths don't lead to a rest in a region, which a presence needs.
    #expect(Set(found.keys) == Set(RelativeHasher.properties.keys).subtracting(["Alarm", "Presence"]))
  }

  /// Collects the properties of the types that contain a time, which a plain hash wouldn't make relative.
  @discardableResult
  private static func collect(_ value: Any, _ found: inout [String: Set<String>]) -> Bool {
    if value is Date || value is Duration || value is Location { return true }
    let mirror = Mirror(reflecting: value)
    var hasTime = false
    for child in mirror.children where collect(child.value, &found) { hasTime = true }
    let type = "\(type(of: value))"
    if mirror.displayStyle == .struct, isOfCore(value), RelativeHasher.properties[type] != nil || hasTime {
      found[type, default: []].formUnion(mirror.children.compactMap(\.label))
    }
    return hasTime
  }

  /// Policies have durations, and no times. `Shared` only wraps a value.
  private static func isOfCore(_ value: Any) -> Bool {
    !(value is AcquisitionPolicy || value is TrackingPolicy || value is AcquisitionPolicy.LookLimits)
      && !"\(type(of: value))".hasPrefix("Shared<")
  }

  @Test("The key doesn't depend on the time when a path begins", arguments: 0..<50 as Range<UInt64>)
  func relative(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let path = (0..<12).compactMap { _ in (World.lookLetters + World.letters).randomElement(using: &random) }
    func key(_ before: [World.Letter]) -> Int {
      var world = World()
      _ = world.play(before + [.command(.tryPrompt), .authorization(.always), .bound(500)] + path)
      return world.key
    }
    #expect(key([.wait(10_000)]) == key([.wait(22_345), .setClock(-700)]), "seed \(seed)")
  }
}
