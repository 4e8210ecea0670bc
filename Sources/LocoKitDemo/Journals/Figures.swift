#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// Figures of receivers, wake-ups and batteries from journals.
  struct Figures {
    /// The receiver's knowledge of the satellites when the GPS is turned on.
    enum Start: String, CaseIterable {
      case recentFix, afterFailure, oldEphemeris, first

      fileprivate var words: String {
        switch self {
        case .recentFix: "after a fix"
        case .afterFailure: "after a failure"
        case .oldEphemeris: "over 2 h after a fix"
        case .first: "the first"
        }
      }
    }

    var launches = 0
    var seconds = 0.0
    var gpsOnSeconds = 0.0
    var wakes: [WakeKind: Int] = [:]
    var looks = 0
    var failedLooks = 0
    /// The times from the start of the GPS to the first fix, in seconds.
    var firstFixes: [Start: [Double]] = [:]
    /// The number of starts without a fix.
    var unanswered: [Start: Int] = [:]
    /// The distances from the last fix before a region exit to the first fix after it, in metres.
    var exits: [Double] = []
    var falseMotions = 0
    var restHoursWithMotion = 0.0
    var cellsAtRest = 0
    var restHoursWithCells = 0.0
    private(set) var cellsOnWay = 0
    private(set) var kilometresWithCells = 0.0
    var power = PowerFit()
    private var asleep = Battery()
    private var keptRunning = Battery()

    /// The levels of the battery that were noted, in whole percents.
    private var levels: Set<Int> = []

    private struct Battery: Encodable {
      var used = 0.0
      var hours = 0.0
      var count = 0
      /// The number of runs of consecutive notes. The difference over a run is off by at most one step.
      var runs = 0

      private enum CodingKeys: String, CodingKey { case used, hours, count = "n", runs }
    }

    /// The step of the battery's levels, in percent: 1 if a level isn't a multiple of 5; otherwise 5 if at least three different levels
    /// were noted, or `nil` if fewer.
    private var batteryStep: Int? {
      if levels.contains(where: { $0 % 5 != 0 }) { return 1 }
      // With steps of 1 %, three levels are by chance all multiples of 5 in 1 of 125 journals.
      return levels.count >= 3 ? 5 : nil
    }

    mutating func add(way metres: Double, cells: Int, _ hasCells: Bool) {
      guard hasCells else { return }
      kilometresWithCells += metres / 1_000
      cellsOnWay += cells
    }

    /// Adds a level, from 0 to 1, to those that determine the step.
    mutating func add(batteryLevel level: Double) { levels.insert(Int((level * 100).rounded())) }

    /// Adds the difference between two consecutive notes.
    ///
    /// - Parameter beginsRun: Whether a run begins here: the previous difference wasn't added to the same sum.
    mutating func add(battery used: Double, hours: Double, isKeptRunning: Bool, beginsRun: Bool) {
      func add(_ battery: inout Battery) {
        battery.used += used
        battery.hours += hours
        battery.count += 1
        if beginsRun { battery.runs += 1 }
      }
      if isKeptRunning { add(&keptRunning) } else { add(&asleep) }
    }

    // MARK: - Output

    /// A count per amount.
    private struct Rate: Encodable {
      let n: Int
      let per: Double
      @OrNull private(set) var rate: Double? = nil

      init(_ count: Int, per amount: Double) {
        (n, per) = (count, amount.rounded(decimals: 2))
        rate = amount > 0 ? (Double(count) / amount).rounded(decimals: 3) : nil
      }

      func text(_ unit: String, per amount: String, _ what: String = "") -> String {
        guard let rate else { return "–" }
        return "\(rate) \(unit)\(what) (n = \(n), in \(per) \(amount))"
      }
    }

    /// A rate of discharge in percent per hour, with the uncertainty that results from the rounding of levels.
    private struct BatteryRate: Encodable {
      let n: Int
      let per: Double
      @OrNull private(set) var rate: Double? = nil
      @OrNull private(set) var within: Double? = nil

      init(_ battery: Battery, step: Int) {
        (n, per) = (battery.count, battery.hours.rounded(decimals: 2))
        guard battery.hours > 0 else { return }
        rate = (battery.used * 100 / battery.hours).rounded(decimals: 3)
        within = (Double(battery.runs * step) / battery.hours).rounded(decimals: 3)
      }

      func text(_ what: String) -> String {
        guard let rate, let within else { return "–" }
        return "\(rate) ± \(within) %/h \(what) (n = \(n), in \(per) h)"
      }
    }

    /// Sorted values with their percentiles.
    private struct Spread: Encodable {
      let sorted: [Double]

      init(_ values: [Double]?) { sorted = (values ?? []).sorted() }

      func percentile(_ percent: Int) -> Double? {
        guard !sorted.isEmpty else { return nil }
        return sorted[max(0, (sorted.count * percent + 99) / 100 - 1)].rounded(decimals: 1)
      }

      func text(_ percent: Int) -> String { percentile(percent).map { "\($0)" } ?? "–" }

      private enum Key: CodingKey { case n, p25, median, p75, p90, p95 }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(sorted.count, forKey: .n)
        for (key, percent) in [(Key.p25, 25), (.median, 50), (.p75, 75), (.p90, 90), (.p95, 95)] {
          try container.encode(percentile(percent), forKey: key)
        }
      }
    }

    private struct FirstFix: Encodable {
      let time: Spread
      let unanswered: Int
    }

    private struct Report: Encodable {
      let launches: Int
      let hours: Double
      @OrNull var gpsOnSecondsPerHour: Double? = nil
      let wakesPerHour: [String: Rate]
      let failedLooks: Rate
      let secondsToFirstFix: [String: FirstFix]
      let metresAfterRegionExit: Spread
      let falseMotionsPerHourAtRest: Rate
      let cellChangesPerKilometre: Rate
      let cellChangesPerHourAtRest: Rate
      let batteryPercentPerHourAsleep: BatteryRate
      let batteryPercentPerHourKeptRunning: BatteryRate
      @OrNull var batteryStepPercent: Int? = nil
      let power: PowerFit.Report
    }

    private var report: Report {
      let hours = seconds / 3_600
      var wakesPerHour: [String: Rate] = [:]
      for kind in WakeKind.allCases { wakesPerHour[kind.rawValue] = Rate(wakes[kind] ?? 0, per: hours) }
      var firstFixes: [String: FirstFix] = [:]
      for start in Start.allCases {
        firstFixes[start.rawValue] = FirstFix(
          time: Spread(self.firstFixes[start]), unanswered: unanswered[start] ?? 0)
      }
      return Report(
        launches: launches, hours: hours.rounded(decimals: 2),
        gpsOnSecondsPerHour: hours > 0 ? (gpsOnSeconds / hours).rounded(decimals: 1) : nil, wakesPerHour: wakesPerHour,
        failedLooks: Rate(failedLooks, per: Double(looks)), secondsToFirstFix: firstFixes,
        metresAfterRegionExit: Spread(exits),
        falseMotionsPerHourAtRest: Rate(falseMotions, per: restHoursWithMotion),
        cellChangesPerKilometre: Rate(cellsOnWay, per: kilometresWithCells),
        cellChangesPerHourAtRest: Rate(cellsAtRest, per: restHoursWithCells),
        batteryPercentPerHourAsleep: BatteryRate(asleep, step: batteryStep ?? 5),
        batteryPercentPerHourKeptRunning: BatteryRate(keptRunning, step: batteryStep ?? 5),
        batteryStepPercent: batteryStep, power: power.report(step: batteryStep ?? 5))
    }

    // MARK: - A line of JSON

    /// The unrounded sums and sorted lists of a journal. The figures of several journals, except the launches and the power, can be
    /// computed from all their sums.
    private struct Sums: Encodable {
      let seconds: Double
      let gpsOnSeconds: Double
      let looks: Int
      let failedLooks: Int
      let wakes: [String: Int]
      let secondsToFirstFix: [String: [Double]]
      let unanswered: [String: Int]
      let metresAfterRegionExit: [Double]
      let falseMotions: Int
      let restHoursWithMotion: Double
      let cellsAtRest: Int
      let restHoursWithCells: Double
      let cellsOnWay: Int
      let kilometresWithCells: Double
      let batteryAsleep: Battery
      let batteryKeptRunning: Battery
      let batteryLevels: [Int]
    }

    private var sums: Sums {
      func byStart<Value>(_ value: (Start) -> Value) -> [String: Value] {
        Dictionary(uniqueKeysWithValues: Start.allCases.map { ($0.rawValue, value($0)) })
      }
      return Sums(
        seconds: seconds, gpsOnSeconds: gpsOnSeconds, looks: looks, failedLooks: failedLooks,
        wakes: Dictionary(uniqueKeysWithValues: WakeKind.allCases.map { ($0.rawValue, wakes[$0] ?? 0) }),
        secondsToFirstFix: byStart { (firstFixes[$0] ?? []).sorted() }, unanswered: byStart { unanswered[$0] ?? 0 },
        metresAfterRegionExit: exits.sorted(), falseMotions: falseMotions, restHoursWithMotion: restHoursWithMotion,
        cellsAtRest: cellsAtRest, restHoursWithCells: restHoursWithCells, cellsOnWay: cellsOnWay,
        kilometresWithCells: kilometresWithCells, batteryAsleep: asleep, batteryKeptRunning: keptRunning,
        batteryLevels: levels.sorted())
    }

    /// The figures of one journal, with its device and its sums.
    private struct Line: Encodable {
      let journal: String
      let platform: String
      let model: String?
      let widestErrorBoundMetres: Double?
      let report: Report
      let sums: Sums

      private enum Key: CodingKey { case journal, platform, model, widestErrorBoundMetres, sums }

      func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(journal, forKey: .journal)
        try container.encode(platform, forKey: .platform)
        try container.encode(model, forKey: .model)
        try container.encode(widestErrorBoundMetres, forKey: .widestErrorBoundMetres)
        try container.encode(sums, forKey: .sums)
      }
    }

    /// Returns the line of JSON of the journal that these figures describe.
    func line(journal: String, platform: String, model: String?, bound: Double?) -> String {
      Line(
        journal: journal, platform: platform, model: model, widestErrorBoundMetres: bound, report: report, sums: sums
      ).jsonLine
    }

    // MARK: - Text

    var text: String {
      let report = report
      var rows: [(String, String)] = []
      func add(_ label: String, _ text: String) { rows.append((label, text)) }
      add("time", "\(report.hours) h, \(launches) launches")
      add("GPS on", report.gpsOnSecondsPerHour.map { "\($0) s/h" } ?? "–")
      for kind in WakeKind.allCases {
        let rate = report.wakesPerHour[kind.rawValue]?.rate.map { "\($0)/h" } ?? "–"
        add(kind == WakeKind.allCases.first ? "wake-ups" : "", "\(kind.facts.many) \(rate) (n = \(wakes[kind] ?? 0))")
      }
      add("looks", report.failedLooks.rate.map { "\($0.percent) failed (n = \(looks))" } ?? "–")
      for start in Start.allCases {
        guard let times = report.secondsToFirstFix[start.rawValue] else { continue }
        let time = times.time
        add(
          start == .recentFix ? "first fix" : "",
          "\(start.words): median \(time.text(50)) s, quartiles \(time.text(25)) – \(time.text(75)) s, 95 % "
            + "\(time.text(95)) s (n = \(time.sorted.count); none came: \(times.unanswered))")
      }
      let exits = report.metresAfterRegionExit
      add(
        "region exits",
        "\(exits.text(50)) m from the last fix (a median); 75 % \(exits.text(75)) m, 90 % \(exits.text(90)) m "
          + "(n = \(exits.sorted.count))")
      add("false motion", report.falseMotionsPerHourAtRest.text("motions/h", per: "h", " at rest"))
      add("cells", report.cellChangesPerKilometre.text("changes/km", per: "km", " under way"))
      add("", report.cellChangesPerHourAtRest.text("changes/h", per: "h", " at rest"))
      add("battery", report.batteryPercentPerHourAsleep.text("asleep"))
      add("", report.batteryPercentPerHourKeptRunning.text("kept running"))
      add("", resolution)
      return table(rows + power.rows(step: batteryStep))
    }

    /// The run lengths that resolve a rate, as text.
    private var resolution: String {
      let steps = batteryStep.map { [$0] } ?? [1, 5]
      func list(_ values: [Int]) -> String { values.map(String.init).joined(separator: " or ") }
      func hours(perTenths tenths: Int) -> String { list(steps.map { $0 * 10 / tenths }) }
      return
        "levels have steps of \(list(steps)) %: a run without a charge resolves 0.1 %/h after \(hours(perTenths: 1)) h, "
        + "0.5 %/h after \(hours(perTenths: 5)) h"
    }
  }
#endif
