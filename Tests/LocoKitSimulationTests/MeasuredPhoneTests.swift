#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @_spi(Benchmarks) @testable import LocoKit
  @_spi(Benchmarks) @testable import LocoKitSimulation
  import LocoKitTrips
  @_spi(Benchmarks) @testable import LocoMachine
  @testable import TestSupport

  /// Measurements of phones on real outings, compared with the simulated phone on the same routes.
  ///
  /// Quantiles may differ by at most a quarter. Each comparison of shares has its own tolerance.
  @Suite(
    "The simulated phone and the measured phone", .long,
    .enabled(if: Outings.areThere, "the recorded outings are missing"))
  struct MeasuredPhoneTests {
    /// Expects quantiles that differ by at most a quarter from the measured ones.
    private static func compare(
      _ name: String, _ measured: [Double], _ simulated: [Double], at shares: [Int] = [50, 75, 90]
    ) {
      print("\(name): \(measured.count) measured, \(simulated.count) simulated")
      for share in shares {
        let (real, made) = (quantile(measured, share), quantile(simulated, share))
        print("\(name), \(share) %: measured \(rounded(real)), simulated \(rounded(made))")
        #expect(
          (real * 0.75...real * 1.25).contains(made),
          "\(name), \(share) %: measured \(rounded(real)), simulated \(rounded(made))")
      }
    }

    /// Expects a simulated share that differs from the measured one by less than the tolerance.
    private static func compare(share name: String, _ measured: Double, _ simulated: Double, tolerance: Double) {
      print("\(name): measured \(rounded(measured)), simulated \(rounded(simulated))")
      #expect(
        abs(measured - simulated) < tolerance, "\(name): measured \(rounded(measured)), simulated \(rounded(simulated))"
      )
    }

    /// Returns the quantile of a share in percent.
    private static func quantile(_ values: [Double], _ share: Int) -> Double {
      values.sorted()[values.count * share / 100]
    }

    /// Returns a value with three decimals.
    private static func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
  }

  // MARK: - Coarse fixes

  extension MeasuredPhoneTests {
    /// A fix of a phone that requested an accuracy of 100 m, while the truth was known and the phone moved.
    struct Fix {
      /// The time of the fix, in seconds.
      let time: Double
      /// The claim, in metres.
      let accuracy: Double
      /// The distance from the true place, in metres.
      let error: Double
      /// The true speed, in metres per second.
      let speed: Double
      /// The seconds since the previous fix on the same stretch of known truth, if they are between 1 and 120.
      let interval: Double?
    }

    @Test("Coarse fixes have the same interval, claims and errors")
    func coarseFixes() throws {
      let fixes = try MeasuredOuting.all.get().flatMap(Self.coarseFixes)
      try #require(fixes.count > 5_000)
      var simulated: [Fix] = []
      for seed in 1...5 as ClosedRange<UInt64> {
        var locator = CoarseLocator(seed: seed)
        var time = 0.0
        for fix in fixes {
          let interval = locator.wait(standingFor: 0)
          time += interval
          let drawn = locator.fix(at: time, speed: fix.speed)
          let error = (drawn.error.north * drawn.error.north + drawn.error.east * drawn.error.east).squareRoot()
          simulated.append(
            Fix(time: time, accuracy: drawn.accuracy, error: error, speed: fix.speed, interval: interval))
        }
      }
      // Claims have few values, so shares are more informative than quantiles.
      for limit in [66.0, 170, 500] {
        Self.compare(
          share: "claims up to \(limit) m", Self.share(of: fixes, upTo: limit), Self.share(of: simulated, upTo: limit),
          tolerance: 0.07)
      }
      for (name, value) in [
        ("interval of coarse fixes, s", { $0.interval }),
        ("error of coarse fixes that claim at most 100 m, m", { $0.accuracy <= 100 ? $0.error : nil }),
      ] as [(String, (Fix) -> Double?)] {
        Self.compare(name, fixes.compactMap(value), simulated.compactMap(value), at: [10, 50, 75, 90])
      }
    }

    /// Returns the share of fixes with claims up to a limit.
    private static func share(of fixes: [Fix], upTo limit: Double) -> Double {
      Double(fixes.count { $0.accuracy <= limit }) / Double(fixes.count)
    }

    /// Returns the fixes in motion with a known truth, of phones that requested 100 m with a data connection and without a filter of 30 m.
    private static func coarseFixes(of outing: MeasuredOuting) -> [Fix] {
      let truth = outing.truth
      return outing.phones.filter { $0.accuracy == "100m" && $0.filter != 30 && !$0.isOffline }.flatMap { phone in
        var fixes: [Fix] = []
        var last: Double?
        for fix in phone.fixes {
          let after = truth.partitioningIndex { $0.time > fix.time }
          guard after >= 4, after + 3 < truth.count, truth[after + 3].time - truth[after - 4].time < 8 else {
            last = nil
            continue
          }
          let speed = truth[after - 4].place.distance(to: truth[after + 3].place) / 7
          guard speed > 1 else { continue }
          let wait = last.map { fix.time - $0 }
          // Two fixes within a second are one fix that was delivered twice.
          if wait ?? 1 >= 1 || wait ?? 1 < 0 {
            let near = truth[after - 1].time + 0.5 < fix.time ? truth[after] : truth[after - 1]
            fixes.append(
              Fix(
                time: fix.time, accuracy: fix.accuracy, error: near.place.distance(to: fix.place), speed: speed,
                interval: wait.flatMap { $0 >= 1 && $0 < 120 ? $0 : nil }))
          }
          last = fix.time
        }
        return fixes
      }
    }
  }

  extension [(time: Double, place: Location)] {
    /// Returns the first index whose element and all later ones match.
    fileprivate func partitioningIndex(_ isWanted: (Element) -> Bool) -> Int {
      var (low, high) = (0, count)
      while low < high {
        let middle = (low + high) / 2
        if isWanted(self[middle]) { high = middle } else { low = middle + 1 }
      }
      return low
    }
  }

  // MARK: - Satellite fixes

  extension MeasuredPhoneTests {
    /// The 50th and 95th percentiles of the error, and of its change over 1, 3, 10, 30 and 100 s, in metres. From 17 phones on 44 outings:
    /// 6,890 fixes on foot and 23,528 on roads and rails, with claims up to 20 m. 15 of these outings aren't among the recorded outings.
    static let satelliteErrors: [(isOnFoot: Bool, error: [Double], changes: [(after: Double, metres: [Double])])] = [
      (true, [5.3, 17], [(1, [0.6, 2.9]), (3, [1.5, 5.4]), (10, [2.9, 9.1]), (30, [5.1, 16]), (100, [5.9, 20])]),
      (false, [4.9, 20], [(1, [1.2, 6.6]), (3, [2.3, 12]), (10, [3.7, 17]), (30, [5.2, 23]), (100, [6.7, 26])]),
    ]

    @Test("Satellite fixes have errors of the measured size, which change at the measured rate")
    func satellites() throws {
      let ridden = try MeasuredOuting.all.get().flatMap(Self.rides)
      try #require(ridden.map(\.count).reduce(0, +) > 15_000)
      let rides = (0..<4).flatMap { _ in ridden }
      let drawn = rides.enumerated().map { number, ride in
        var model = SatelliteError(seed: SeededGenerator.mix(UInt64(number)))
        return ride.map { fix -> (north: Double, east: Double)? in
          model.pass(to: fix.time, speed: fix.speed)
          // The table has no claims of 30 m.
          return model.claim <= 20 ? model.metres(speed: fix.speed) : nil
        }
      }
      for (isOnFoot, error, changes) in Self.satelliteErrors {
        let name = isOnFoot ? "on foot" : "on the road"
        let errors = zip(rides, drawn).flatMap { ride, drawn in
          zip(ride, drawn).compactMap { fix, error in fix.isOnFoot == isOnFoot ? error.map(Self.length) : nil }
        }
        Self.compare("satellite error \(name), m", table: error, errors, at: [50, 95])
        for (time, metres) in changes {
          let values = zip(rides, drawn).flatMap { Self.changes(of: $1, in: $0, after: time, isOnFoot: isOnFoot) }
          Self.compare("change over \(time) s \(name), m", table: metres, values, at: [50, 95])
        }
      }
    }

    private static func length(_ error: (north: Double, east: Double)) -> Double {
      (error.north * error.north + error.east * error.east).squareRoot()
    }

    /// Expects quantiles that differ by at most a quarter from those of the table.
    private static func compare(_ name: String, table: [Double], _ simulated: [Double], at shares: [Int]) {
      for (real, share) in zip(table, shares) {
        let made = quantile(simulated, share)
        let text = "\(name), \(share) %: measured \(real), simulated \(rounded(made))"
        print(text)
        #expect((real * 0.75...real * 1.25).contains(made), "\(text)")
      }
    }

    /// Returns the lengths of the differences between errors `time` apart, give or take a tenth of it, or half a second if that is more.
    private static func changes(
      of errors: [(north: Double, east: Double)?], in ride: [(time: Double, speed: Double, isOnFoot: Bool)],
      after time: Double, isOnFoot: Bool
    ) -> [Double] {
      var (later, changes) = (0, [Double]())
      let tolerance = max(0.5, time / 10)
      for (index, fix) in ride.enumerated() {
        while later < ride.count, ride[later].time < fix.time + time - tolerance { later += 1 }
        guard later < ride.count, ride[later].time <= fix.time + time + tolerance, fix.isOnFoot == isOnFoot else {
          continue
        }
        guard let first = errors[index], let second = errors[later] else { continue }
        changes.append(length((second.north - first.north, second.east - first.east)))
      }
      return changes
    }

    /// Returns the fixes in motion that claim at most 20 m, for each phone that requested 10 m or better with a data connection and a
    /// filter of at most 1 m: the time, the true speed, and whether the phone was carried on foot.
    private static func rides(of outing: MeasuredOuting) -> [[(time: Double, speed: Double, isOnFoot: Bool)]] {
      let phones = outing.phones.filter { ["best", "10m"].contains($0.accuracy) && $0.filter <= 1 && !$0.isOffline }
      return phones.map { phone in
        phone.fixes.sorted { $0.time < $1.time }.compactMap { fix in
          guard fix.accuracy <= 20, outing.place(at: fix.time) != nil else { return nil }
          guard let leg = outing.legs.first(where: { ($0.from..<$0.to).contains(fix.time) }) else { return nil }
          guard !leg.name.hasPrefix("wait") else { return nil }
          let speed = outing.speed(at: fix.time)
          let isOnFoot = leg.name.contains("walk") || leg.name.hasPrefix("tt_")
          return speed > 0.5 ? (fix.time, speed, isOnFoot) : nil
        }
      }
    }
  }

  // MARK: - Changes of coarse errors

  extension MeasuredPhoneTests {
    /// The 50th and 95th percentiles of the error, and of its change over 10, 30 and 100 s, in metres. From coarse fixes that claim at most
    /// 100 m: 3,799 on foot, 5,034 on roads and rails and 2,364 at rest. Speeds are in metres per second.
    static let coarseErrors:
      [(name: String, speeds: ClosedRange<Double>, error: [Double], changes: [(after: Double, metres: [Double])])] =
        [
          ("on foot", 1...2.5, [24, 77], [(10, [15, 45]), (30, [21, 66]), (100, [30, 87])]),
          ("on the road", 2.5...100, [32, 102], [(10, [34, 103]), (30, [39, 128]), (100, [41, 127])]),
          ("at rest", 0...0, [32, 106], [(10, [10, 41]), (30, [13, 51]), (100, [21, 93])]),
        ]

    @Test(
      "Coarse fixes have errors of the measured size, which change at the measured rate",
      arguments: coarseErrors.indices)
    func coarseChanges(index: Int) throws {
      let (name, range, error, changes) = Self.coarseErrors[index]
      let speeds = try MeasuredOuting.all.get().flatMap(Self.coarseFixes).map(\.speed).filter(range.contains)
      var (errors, differences) = ([Double](), changes.map { _ in [Double]() })
      for seed in 0..<400 as Range<UInt64> {
        var locator = CoarseLocator(seed: seed)
        let speed = speeds.isEmpty ? 0 : speeds[speeds.count * Int(seed) / 400]
        var drawn: [Double: (north: Double, east: Double)] = [:]
        for time in stride(from: 0, through: 200, by: 10) as StrideThrough<Double> {
          let fix = locator.fix(at: time, speed: speed)
          if fix.accuracy <= 100 { drawn[time] = fix.error }
        }
        errors += drawn.values.map(Self.length)
        for (index, change) in changes.enumerated() {
          for (time, first) in drawn {
            guard let second = drawn[time + change.after] else { continue }
            differences[index].append(Self.length((second.north - first.north, second.east - first.east)))
          }
        }
      }
      Self.compare("coarse error \(name), m", table: error, errors, at: [50, 95])
      for (change, values) in zip(changes, differences) {
        Self.compare("change over \(change.after) s \(name), m", table: change.metres, values, at: [50, 95])
      }
    }
  }

  // MARK: - A manager on the simulated phone

  extension MeasuredPhoneTests {
    /// The figures of a manager on the recorded outings, from `Benchmarks/phone --json --seeds 20 --policies default`: the bound in metres,
    /// the percentage of the battery per hour on a day of 22 hours at rest and two in motion, the looks per hour in motion and at rest, and
    /// those in motion by their causes, if there are at least two per hour.
    static let replays: [Replayed] = [
      Replayed(bound: 200, day: 0.335, moving: 53.6, rest: 1.50, causes: [.bound: 43.5, .retry: 4.76]),
      Replayed(
        bound: 500, day: 0.207, moving: 33.1, rest: 1.23, causes: [.bound: 21.3, .retry: 4.18, .regionExit: 3.03]),
      Replayed(
        bound: 1_000, day: 0.168, moving: 17.7, rest: 1.07, causes: [.bound: 6.15, .retry: 2.08, .regionExit: 4.56]),
    ]

    /// What a manager did on the recorded outings.
    struct Replayed {
      let bound, day, moving, rest: Double
      let causes: [LocationManager.Cause: Double]
    }

    /// The outings with an unfiltered recording of coarse fixes.
    static let replayed = [
      "car-00", "car-01", "car-06", "train-00", "train-02", "train-06", "train-08", "uni-01", "uni-02",
    ]

    @Test(
      "A manager with an error bound costs about as much on the simulated phone as on the recordings",
      arguments: replays.indices)
    func manager(index: Int) throws {
      let recorded = Self.replays[index]
      let bound = recorded.bound
      let profile = SimulatedProvider.EnergyProfile.phone
      // In a journey, and at rest.
      var (seconds, joules, looks) = ([0.0, 0], [0.0, 0], [0.0, 0])
      var causes: [[LocationManager.Cause: Double]] = [[:], [:]]
      for outing in try MeasuredOuting.all.get() where Self.replayed.contains(outing.name) {
        for seed in 0..<3 as Range<UInt64> {
          let device = SimulatedProvider(route: outing.route, seed: seed, configuration: .phoneInBackground)
          let manager = LocationManager(provider: device)
          manager.errorBound = bound
          let counter = LookCounter()
          manager.listeners.add(counter)
          manager.tryPromptAuthorization()
          device.advance(by: .seconds(MeasuredOuting.rest))
          counter.causes = []
          let end = outing.journeys.map(\.to).max() ?? 0
          var before = (energy: device.energy.joules(profile), starts: device.energy.gpsStarts)
          for second in stride(from: 0, to: end, by: 1) {
            device.advance(by: .seconds(1))
            let after = (energy: device.energy.joules(profile), starts: device.energy.gpsStarts)
            let kind = outing.journeys.contains { ($0.from..<$0.to).contains(second) } ? 0 : 1
            for cause in counter.causes { causes[kind][cause, default: 0] += 1 }
            counter.causes = []
            seconds[kind] += 1
            joules[kind] += after.energy - before.energy
            looks[kind] += Double(after.starts - before.starts)
            before = after
          }
        }
      }
      let watts = zip(joules, seconds).map { $0 / $1 }
      let name = "within \(bound) m"
      let percent = (22 * watts[1] + 2 * watts[0]) / 24 / (profile.batteryCapacity ?? .nan) * 100
      print("\(name): \(Self.rounded(watts[0] * 1_000)) mW moving, \(Self.rounded(watts[1] * 1_000)) mW at rest")
      Self.compare("\(name), %/h", table: [recorded.day], [percent], at: [0])
      Self.compare(
        "\(name), looks per hour in motion", table: [recorded.moving], [looks[0] / seconds[0] * 3_600], at: [0])
      for (cause, real) in recorded.causes {
        // A known difference: within 200 m, the bound starts a third more looks than on the recordings.
        let tolerance = bound == 200 && cause == .bound ? 0.4 : 0.25
        Self.compare(
          share: "\(name), looks per hour because of \(cause)", real, (causes[0][cause] ?? 0) / seconds[0] * 3_600,
          tolerance: real * tolerance)
      }
      // A known difference: half as many looks at rest. The recorded phones were carried about in buildings, and the true place of a stay
      // is a point.
      Self.compare(
        share: "\(name), looks per hour at rest", recorded.rest, looks[1] / seconds[1] * 3_600,
        tolerance: recorded.rest * 0.6)
    }

    final class LookCounter: LocationManagerListener {
      var causes: [LocationManager.Cause] = []
      func locationManager(_ manager: LocationManager, didBeginLookBecauseOf cause: LocationManager.Cause) {
        causes.append(cause)
      }
    }

    final class Trips: TripRecorderListener {
      private(set) var all: [Trip] = []
      func tripRecorder(_ recorder: TripRecorder, didEnd trip: Trip) { all.append(trip) }
    }

    @Test("An automatic trip recorder finds about as many journeys as on the recordings, and their starts as precisely")
    func trips() throws {
      var (journeys, found, punctual, invented) = (0.0, 0.0, 0.0, 0)
      for outing in try MeasuredOuting.all.get() where Self.replayed.contains(outing.name) {
        for seed in 0..<3 as Range<UInt64> {
          let device = SimulatedProvider(route: outing.route, seed: seed, configuration: .phoneInBackground)
          let manager = LocationManager(provider: device)
          let recorder = TripRecorder.automatic(manager)
          let (listener, start) = (Trips(), device.date)
          recorder.listeners.add(listener)
          manager.tryPromptAuthorization()
          device.advance(by: outing.route.duration + .seconds(600))
          recorder.stop()
          let trips = listener.all.map { trip in
            let end = trip.ended ?? trip.began
            return (
              from: trip.began.timeIntervalSince(start) - MeasuredOuting.rest,
              to: end.timeIntervalSince(start) - MeasuredOuting.rest
            )
          }
          invented += trips.count { trip in !outing.journeys.contains { $0.from < trip.to && trip.from < $0.to } }
          for journey in outing.journeys {
            journeys += 1
            guard let trip = trips.first(where: { $0.from < journey.to && journey.from < $0.to }) else { continue }
            found += 1
            // A journey's start is the press of a button. The person with the phones left up to several minutes later.
            let seconds = stride(from: journey.from, to: journey.to, by: 1)
            let place = outing.place(at: journey.from)
            let left = seconds.first { second in
              place.flatMap { outing.place(at: second)?.distance(to: $0) } ?? 0 > 50
            }
            if trip.from >= journey.from - 60, trip.from <= (left ?? journey.from) + 60 { punctual += 1 }
          }
        }
      }
      // On the recordings, with 10 seeds, the recorder found 220 of 220 journeys and invented no trip at rest.
      Self.compare(share: "journeys found", 1, found / journeys, tolerance: 0.05)
      Self.compare(share: "starts within 60 s", 0.93, punctual / found, tolerance: 0.1)
      #expect(Double(invented) <= journeys / 20, "\(invented) invented trips of \(journeys) journeys")
    }
  }

  // MARK: - Regions

  extension MeasuredPhoneTests {
    /// The crossing of a region's edge while a phone watched the region.
    struct Crossing {
      /// The outing of the phone.
      let outing: MeasuredOuting
      /// The centre of the region.
      let centre: Location
      /// The last second inside.
      let time: Double
      /// The time of the report; `nil` if the departure from the visit was reported first.
      let report: Double?
    }

    @Test("Exits have the same delay, distance and losses")
    func exits() throws {
      let crossings = try MeasuredOuting.all.get().flatMap(Self.crossings)
      try #require(crossings.count > 80)
      var (late, far) = ([Double](), [Double]())
      var (simulatedLate, simulatedFar, count) = ([Double](), [Double](), 0)
      for (index, crossing) in crossings.enumerated() {
        let outing = crossing.outing
        func distance(_ time: Double) -> Double? {
          outing.place(at: time).map { _ in outing.distance(from: crossing.centre, at: time) }
        }
        if let report = crossing.report {
          late.append(report - crossing.time)
          if let distance = distance(report) { far.append(distance) }
        }
        let region = Location.Region(
          latitude: crossing.centre.latitude, longitude: crossing.centre.longitude, radius: 100)
        for seed in 0..<20 as Range<UInt64> {
          count += 1
          var random = SeededGenerator(seed: SeededGenerator.mix(UInt64(index) * 20 + seed))
          var monitor = RegionMonitor(region, .init(), &random)
          guard let exit = Self.exit(&monitor, from: crossing.time + MeasuredOuting.rest, outing.route) else {
            continue
          }
          let report = exit - MeasuredOuting.rest
          simulatedLate.append(report - crossing.time)
          if let distance = distance(report) { simulatedFar.append(distance) }
        }
      }
      Self.compare("exit after the edge was crossed, s", late, simulatedLate, at: [10, 50, 75, 90])
      Self.compare("distance from the centre at the exit, m", far, simulatedFar)
      // An exit that counts as never reported may have been reported after the departure. A share of 8 % of 100
      // crossings has a standard error of 2.7 %.
      Self.compare(
        share: "exits never reported", 1 - Double(late.count) / Double(crossings.count),
        1 - Double(simulatedLate.count) / Double(count), tolerance: 0.05)
    }

    /// Returns the time of a monitor's report of the exit; `nil` if there is no report, usually because the monitor loses the exit.
    private static func exit(
      _ monitor: inout RegionMonitor, from start: Double, _ route: SimulatedProvider.Route
    ) -> Double? {
      var time = start
      while true {
        switch monitor.check(at: time, on: route) {
        case .exit: return time
        case .check(let next): time = max(time + 0.01, next)
        case .nothing: return nil
        }
      }
    }

    /// Returns the crossings of regions' edges by the outing's duty-cycled phones with a data connection, if the true places at the
    /// crossing are known.
    private static func crossings(of outing: MeasuredOuting) -> [Crossing] {
      outing.phones.filter { $0.isDutyCycled && !$0.isOffline }.flatMap { phone in
        var crossings: [Crossing] = []
        var armed: Double?
        for event in phone.events {
          if ["INIT_COMPLETE", "TRIP_ENDED"].contains(event.name) { armed = event.time }
          guard let start = armed, event.isWaiting,
            ["EXITED_GEOFENCE", "VISIT_ENDED", "TRIP_STARTED", "FORCE_STOP_TRACKING"].contains(event.name)
          else { continue }
          armed = nil
          guard event.name == "EXITED_GEOFENCE" || event.name == "VISIT_ENDED" else { continue }
          // The region's centre is the last fix. Without a recent fix, it is the true place.
          let fix = phone.fixes.last { $0.delivered <= start + 10 && $0.time >= start - 300 }
          let places = stride(from: max(0, start), through: event.time, by: 1).map { outing.place(at: $0) }
          guard let centre = fix?.place ?? places.lazy.prefix(60).compactMap({ $0 }).first else { continue }
          let isOutside = places.map { $0.map { $0.distance(to: centre) > 100 } }
          guard isOutside.last != false, let inside = isOutside.lastIndex(of: false), isOutside[inside + 1] == true
          else {
            continue
          }
          crossings.append(
            Crossing(
              outing: outing, centre: centre, time: max(0, start) + Double(inside),
              report: event.name == "EXITED_GEOFENCE" ? event.time : nil))
        }
        return crossings
      }
    }
  }

  // MARK: - Visits

  extension MeasuredPhoneTests {
    @Test("Departures have the same delay")
    func departures() throws {
      var (measured, simulated) = ([Double](), [Double]())
      var seed: UInt64 = 0
      for outing in try MeasuredOuting.all.get() {
        for journey in outing.journeys {
          // An earlier report belongs to the previous visit. Journeys are longer than the delay.
          let reports = journey.from + 120...journey.from + 1_500
          for phone in outing.phones where phone.accuracy != "off" && !phone.isOffline {
            let report = phone.events.first { $0.name == "VISIT_ENDED" && reports.contains($0.time) }
            if let report { measured.append(report.time - journey.from) }
          }
          // The simulated delay counts from the end of the stay, some 100 s after the start of the journey.
          for _ in 0..<20 {
            seed += 1
            let times = Visits.departures(seed: seed, from: Visits.stays(on: outing.route)).map {
              $0.time - MeasuredOuting.rest
            }
            if let time = times.first(where: reports.contains) { simulated.append(time - journey.from) }
          }
        }
      }
      try #require(measured.count > 80)
      Self.compare("departure after the trip's start, s", measured, simulated)
    }
  }

  extension MeasuredPhoneTests {
    @Test("Arrivals have the measured delay, and 97 % of them are reported")
    func arrivals() throws {
      var delays: [Double] = []
      let home = SimulatedProvider.Route.Waypoint(latitude: 48, longitude: 11, speed: 10, pause: .seconds(3_600))
      let office = SimulatedProvider.Route.Waypoint(latitude: 48.1, longitude: 11, speed: 10, pause: .seconds(3_600))
      let route = SimulatedProvider.Route(waypoints: [home, office, home])
      for seed in 0..<1_000 as Range<UInt64> {
        for report in Visits.arrivals(seed: seed, at: Visits.stays(on: route)) {
          let stay = try #require([3_600 + 1_112.0, 7_200 + 2_224].last { $0 - 60 < report.time })
          delays.append(report.time - stay)
        }
      }
      // 111 of 114 were reported, 235 s (median) after the phone was within 75 m.
      #expect((1_900...1_980).contains(delays.count), "\(delays.count)")
      Self.compare("arrival, s", table: [77, 235, 318], delays, at: [10, 50, 90])
    }
  }

  // MARK: - Motion

  extension MeasuredPhoneTests {
    @Test("A car is recognized with the same delay")
    func cars() throws {
      var (measured, simulated) = ([Double](), [Double]())
      var seed: UInt64 = 0
      for outing in try MeasuredOuting.all.get() {
        for leg in outing.legs where leg.name.contains("driving") {
          let seconds = stride(from: leg.from - 60, to: leg.to, by: 1)
          guard let start = seconds.first(where: { outing.speed(at: $0) > 5.5 }) else { continue }
          for phone in outing.phones where !phone.activities.isEmpty {
            let called = phone.activities.first { $0.isAutomotive && (leg.from..<leg.to).contains($0.time) }
            measured.append((called?.time ?? .infinity) - start)
          }
          for _ in 0..<50 {
            seed += 1
            var sensor = MotionSensor(seed: seed)
            let called = stride(from: leg.from - 300, to: leg.to, by: 1).first { time in
              _ = sensor.sense(at: time, speed: outing.speed(at: time), standingUntil: time)
              return time >= leg.from && [.vehicle, .standing].contains(sensor.motion)
            }
            simulated.append((called ?? .infinity) - start)
          }
        }
      }
      try #require(measured.count > 20)
      Self.compare("automotive after the drive's start, s", measured, simulated)
    }

    @Test("At rest, the sensor reports nothing for the same share of time")
    func silence() throws {
      // Phones on a table for a day are never silent; these were carried to the places where they rested.
      var (silent, total) = (0.0, 0.0)
      for outing in try MeasuredOuting.all.get() where !outing.journeys.isEmpty {
        for phone in outing.phones where !phone.activities.isEmpty {
          let starts = [phone.span.from] + outing.journeys.map(\.to)
          let ends = outing.journeys.map(\.from) + [phone.span.to]
          for (start, end) in zip(starts, ends) where start < end {
            total += end - start
            for (activity, next) in zip(phone.activities, phone.activities.dropFirst().map(\.time) + [.infinity])
            where activity.isSilent { silent += max(0, min(end, next) - max(start, activity.time)) }
          }
        }
      }
      try #require(total > 200 * 3_600)
      var (simulated, time) = (0.0, 0.0)
      var sensor = MotionSensor(seed: 1)
      while time < 500 * 3_600 {
        let next = sensor.sense(at: time, speed: 0, standingUntil: .infinity)
        if sensor.motion == nil { simulated += next - time }
        time = next
      }
      let (real, made) = (silent / total, simulated / time)
      Self.compare(share: "time at rest without a motion", real, made, tolerance: real / 4)
    }
  }

  // MARK: - First fixes

  extension MeasuredPhoneTests {
    @Test(
      "The first fix after the exit from a region has the same delay",
      arguments: [("100m", 100.0), ("best", 100), ("best", 30)])
    func firstFixes(_ accuracy: String, _ limit: Double) throws {
      var (measured, simulated) = ([Double](), [Double]())
      for outing in try MeasuredOuting.all.get() {
        for phone in outing.phones
        where phone.isDutyCycled && !phone.isOffline && phone.accuracy == accuracy && !phone.fixes.isEmpty {
          for exit in phone.events where exit.isWaiting && exit.name == "EXITED_GEOFENCE" {
            let trip = exit.time...phone.endOfTrip(after: exit.time)
            let first = phone.fixes.first {
              trip.contains($0.delivered) && $0.time > exit.time - 5 && $0.accuracy <= limit
            }
            measured.append((first?.delivered ?? .infinity) - exit.time)
            let speed = outing.speed(at: exit.time)
            for seed in 0..<25 as Range<UInt64> {
              simulated.append(Self.firstFix(upTo: limit, withGPS: accuracy == "best", speed: speed, seed: seed))
            }
          }
        }
      }
      try #require(measured.count > 30)
      let name = "first fix of \(Int(limit)) m, \(accuracy) requested, s"
      // With 100 m requested, 42 of 47 first fixes took at most 0.9 s, and the others 4 s to 36 minutes. The 90th percentile
      // is the least of these others, so the share within 5 s replaces it. With 47 fixes, its standard error is 4 %.
      // For the same reason, the 90th percentile of satellite fixes of 30 m isn't compared: neighboring values are 15 s and 30 s.
      Self.compare(name, measured, simulated, at: accuracy == "best" && limit == 100 ? [50, 75, 90] : [50, 75])
      let seconds = limit == 100 ? 5.0 : 15
      Self.compare(
        share: "\(name), share within \(seconds) s", Self.share(of: measured, upTo: seconds),
        Self.share(of: simulated, upTo: seconds), tolerance: 0.1)
    }

    /// Returns the share of times up to a limit.
    private static func share(of times: [Double], upTo limit: Double) -> Double {
      Double(times.count { $0 <= limit }) / Double(times.count)
    }

    /// Returns the time from the start of a simulated phone's GPS or keeper to the first fix that is accurate enough, in seconds.
    private static func firstFix(upTo limit: Double, withGPS: Bool, speed: Double, seed: UInt64) -> Double {
      let route = speed < 0.5 ? KeeperTests.still : KeeperTests.drive(speed)
      let device = KeeperTests.device(route, seed: SeededGenerator.mix(seed ^ speed.bitPattern))
      // Receivers measure at whole seconds, and exits occur between these.
      device.advance(by: .milliseconds(10_000 + 97 * Int(seed)))
      let (log, start) = (KeeperTests.Log(device), device.uptime.inSeconds)
      device.setMode(withGPS ? .gps : .significantChanges)
      device.setKeptRunning(true)
      device.advance(by: .seconds(60))
      return (log.fixes.first { $0.fix.horizontalAccuracy <= limit }?.time ?? .infinity) - start
    }
  }
#endif
