import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitSimulation
@testable import TestSupport

@Suite("The simulated motion sensor")
struct MotionSensorTests {
  /// Returns the changes of the reported motion, for parts of a trip with a speed in metres per second.
  static func changes(
    seed: UInt64, _ parts: [(speed: Double, seconds: Int)]
  ) -> [(time: Double, motion: LocationManager.Motion)] {
    var sensor = MotionSensor(seed: seed)
    var changes: [(time: Double, motion: LocationManager.Motion)] = []
    var (start, time) = (0.0, 0.0)
    for part in parts {
      let end = start + Double(part.seconds)
      while time < end {
        let next = sensor.sense(at: time, speed: part.speed, standingUntil: part.speed == 0 ? end : time)
        if let motion = sensor.motion, motion != changes.last?.motion ?? .still { changes.append((time, motion)) }
        time = next
      }
      start = end
    }
    return changes
  }

  static let seeds = 0..<100 as Range<UInt64>

  @Test(
    "An app in the foreground notices a drive after a rest within three minutes, usually before the sensor recognizes the vehicle"
  )
  func departure() {
    let route = SimulatedProvider.Route(waypoints: [
      .init(latitude: 48, longitude: 11, legSpeed: 12, pause: .seconds(900)), .init(latitude: 48.1, longitude: 11),
    ])
    var (looks, errors) = (0, 0)
    for seed in Self.seeds {
      var configuration = SimulatedProvider.Configuration()
      configuration.wakeSources = [.significantChange, .timer, .motion]
      let device = SimulatedProvider(route: route, seed: seed, configuration: configuration)
      let manager = LocationManager(provider: device)
      manager.errorBound = 500
      manager.tryPromptAuthorization()
      device.advance(by: .seconds(895))
      looks += device.energy.gpsStarts
      device.advance(by: .seconds(170))
      let error = manager.location.map { $0.distance(to: device.position) } ?? .infinity
      if error > 1_000 { errors += 1 }
    }
    #expect(errors < 10, "a drive of 1.9 km, unnoticed by \(errors) of 100 phones")
    #expect(looks < 300, "\(looks) looks in 25 hours of rest")
  }

  @Test("Walking is noticed within seconds, and ends a minute after the last step")
  func walking() {
    var late = 0
    for seed in Self.seeds {
      let changes = Self.changes(seed: seed, [(1.4, 300), (0, 900)])
      #expect(changes.first?.motion == .walking && changes[0].time < 8)
      let end = changes.first { $0.motion == .still }?.time ?? 0
      #expect(end >= 350)
      if end > 360 { late += 1 }
    }
    // Rest is reported later only if a burst of false motion or of silence comes first.
    #expect(late < 10)
  }

  @Test(
    "A vehicle is recognized minutes after the start (median) and reported until two minutes after the last fast second"
  )
  func vehicle() {
    var found: [Double] = []
    for seed in Self.seeds {
      let changes = Self.changes(seed: seed, [(15, 1_000), (0, 400)])
      found.append(changes.first { $0.motion == .vehicle }?.time ?? .infinity)
      #expect(changes.filter { $0.time < 1_000 }.map(\.motion) == [.vehicle], "before that, the sensor reports nothing")
      let end = changes.first { $0.time >= 1_000 && $0.motion != .standing }
      #expect(changes.contains { $0.time == 1_000 && $0.motion == .standing })
      // The next motion is later if the sensor reports nothing at that time.
      #expect((1_119...1_300).contains(end?.time ?? 0))
    }
    found.sort()
    #expect(found.allSatisfy { (24...900).contains($0) })
    // Real drives begin with slow seconds: see `MeasuredPhoneTests`.
    #expect((165...240).contains(found[50]) && (270...340).contains(found[75]), "\(found[50]) s, \(found[75]) s")
    // Neither a run nor a few fast seconds are a vehicle.
    #expect(!Self.changes(seed: 1, [(5, 600)]).contains { $0.motion == .vehicle })
    let spurts = (0..<40).map { (speed: $0.isMultiple(of: 2) ? 7.0 : 3, seconds: 10) }
    #expect(!Self.changes(seed: 1, spurts).contains { $0.motion == .vehicle })
  }

  @Test("Real motion ends a burst of false motion")
  func movesInABurst() throws {
    // The first burst of more than 70 s.
    var found: (sensor: MotionSensor, begin: Double)?
    for seed in 0..<2_000 as Range<UInt64> where found == nil {
      var (sensor, time) = (MotionSensor(seed: seed), 0.0)
      while time < 7_200, found == nil {
        let next = sensor.sense(at: time, speed: 0, standingUntil: .infinity)
        if sensor.motion == .walking, next - time > 70 { found = (sensor, time) }
        time = next
      }
    }
    var (sensor, begin) = try #require(found)
    _ = sensor.sense(at: begin + 1, speed: 1, standingUntil: begin + 1)
    _ = sensor.sense(at: begin + 2, speed: 0, standingUntil: .infinity)
    _ = sensor.sense(at: begin + 65, speed: 0, standingUntil: .infinity)
    #expect(sensor.motion == .still)
  }

  @Test("False motion occurs twice in three hours at rest, for about 14 s")
  func falseMotion() {
    var lengths: [Double] = []
    for seed in Self.seeds {
      let changes = Self.changes(seed: seed, [(0, 36_000)])
      #expect(changes.allSatisfy { $0.motion != .vehicle })
      for (begin, end) in zip(changes, changes.dropFirst()) where begin.motion == .walking {
        lengths.append(end.time - begin.time)
      }
    }
    // The rate is lower than the product of the model's constants, 0.67 an hour, because no burst begins within another.
    #expect((0.58...0.76).contains(Double(lengths.count) / 1_000), "\(Double(lengths.count) / 1_000) an hour")
    let median = lengths.sorted()[lengths.count / 2]
    #expect((13...16).contains(median), "\(median) s")
  }
}
