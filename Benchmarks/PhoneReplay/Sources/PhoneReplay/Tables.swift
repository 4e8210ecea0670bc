extension Policy {
  /// The policy's description in the short table.
  var words: String {
    switch self {
    case .default: "**a bound**, as an app gets it"
    case .pessimistic: "the same, on a phone worse than recorded"
    case .oracle: "the least possible, with the route known"
    case .dutyCycled: "a bound, `keepsRunning = .dutyCycled`, with assumed powers"
    case .dutyCycledPessimistic: "the same, on the worse phone"
    case .briefly: "a bound, `backgroundUpdates = .briefly`"
    case .always: "a bound, kept running at rest too"
    case .never: "a bound, never kept running"
    case .coarseIgnored: "a bound, always kept running, coarse fixes thrown away"
    case .significantChanges: "no bound: a look at each significant change"
    case .tracking100m: "no bound: every location of 100 m mode"
    case .trackingBest: "no bound: every location of Best mode"
    }
  }
}

extension Row {
  /// Returns a short Markdown table with a row for each policy and a column for each bound.
  public static func shortTable(_ rows: [Row]) -> String {
    var bounds: [Double] = []
    var policies: [Policy] = []
    for row in rows {
      if let bound = row.candidate.bound, !bounds.contains(bound) { bounds.append(bound) }
      if !policies.contains(row.candidate.policy) { policies.append(row.candidate.policy) }
    }
    let columns = max(1, bounds.count)
    var lines = [
      "| | " + (bounds.isEmpty ? [""] : bounds.map { "within \(number($0, 0)) m" }).joined(separator: " | ") + " |",
      "|---|" + String(repeating: "---|", count: columns),
    ]
    for policy in policies {
      var cells = bounds.map { bound in
        rows.first { $0.candidate == Candidate(policy, bound: bound) }?.shortCell ?? ""
      }
      if let row = rows.first(where: { $0.candidate == Candidate(policy) }) {
        cells = [row.shortCell] + Array(repeating: "", count: columns - 1)
      }
      lines.append("| \(policy.words) | " + cells.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n")
  }

  private var shortCell: String {
    [
      movingMilliwatts.map { "\(number($0, 0)) mW" },
      dayPercentPerHour.map { "\(number($0, 2)) %/h" + (recentDay.map { " (\(Self.percents($0)))" } ?? "") },
      Self.metres(trips.surface.quantile(0.95)),
      candidate.bound == nil ? nil : Self.percent(trips.surface.beyondShare),
    ].map { $0 ?? "–" }.joined(separator: " · ")
  }

  /// Returns a Markdown table with a row for each policy and bound.
  public static func table(_ rows: [Row]) -> String {
    var lines = [
      "| policy | bound | moving mW | day %/h | with 4 journeys | day, iPhone 13 Pro Max | surface p50 | surface p95 | surface beyond | rails beyond | all moving p95 | leaving p95 | rest mW | "
        + "rest p95 | still mW | looks/h moving | looks/h rest | keeper moving | keeper rest | without |",
      "|---|" + String(repeating: "---:|", count: 19),
    ]
    for row in rows {
      let cells = [
        row.candidate.policy.rawValue, row.candidate.bound.map { "\(number($0, 0)) m" },
        row.movingMilliwatts.map { number($0, 0) }, row.dayPercentPerHour.map { number($0, 3) },
        row.dayPercentPerHour(journeys: 4).map { number($0, 3) }, row.recentDay.map(percents),
        metres(row.trips.surface.quantile(0.5)),
        metres(row.trips.surface.quantile(0.95)),
        row.candidate.bound == nil ? nil : percent(row.trips.surface.beyondShare),
        row.candidate.bound == nil ? nil : percent(row.trips.rails.beyondShare),
        metres(row.trips.moving.quantile(0.95)), metres(row.trips.leaving.quantile(0.95)),
        row.restMilliwatts.map { number($0, 1) }, metres(row.trips.rest.quantile(0.95)),
        row.stillMilliwatts.map { number($0, 1) }, row.looksPerHour(moving: true).map { number($0, 0) },
        row.looksPerHour(moving: false).map { number($0, 1) }, percent(row.share(.coarse, moving: true)),
        percent(row.share(.coarse, moving: false)), percent(row.withoutLocation),
      ]
      lines.append("| " + cells.map { $0 ?? "–" }.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n")
  }

  private static func percents(_ range: ClosedRange<Double>) -> String {
    "\(number(range.lowerBound, 2))–\(number(range.upperBound, 2))"
  }

  private static func metres(_ value: Double?) -> String? {
    value.map { $0 >= 1_950 ? "\(number($0 / 1_000, 1)) km" : "\(number($0, 0)) m" }
  }

  private static func percent(_ share: Double?) -> String? {
    share.map { "\(number($0 * 100, $0 < 0.0995 ? 1 : 0)) %" }
  }
}

extension BatteryCheck {
  /// Returns a Markdown table of all runs, and a summary.
  public static func table(_ checks: [BatteryCheck]) -> String {
    var lines = [
      "| outing | phone | mode | hours | on, hours | measured | by the model | |",
      "|---|---|---|---:|---:|---:|---:|---|",
    ]
    for check in checks {
      lines.append(
        "| \(check.outing) | \(check.phone) | \(check.mode) | \(number(check.hours, 1)) | \(number(check.hoursOn, 1)) | "
          + "\(number(check.measured, 0)) % | \(number(check.predicted, 1)) % | \(check.isGood ? "" : "off") |")
    }
    return lines.joined(separator: "\n") + "\n\n" + summary(checks)
  }

  /// Returns a summary: the number of runs, and of those with a good prediction.
  public static func summary(_ checks: [BatteryCheck]) -> String {
    "In \(checks.count) duty-cycled runs with a data connection, the battery dropped by \(number(minimumDrop, 0)) % or more. The model's "
      + "error is within \(number(tolerance * 100, 0)) % of the drop in \(checks.filter(\.isGood).count) of them, and in "
      + "\(checks.filter(\.isGoodWithinReadings).count) if the drop may be off by one percentage point, since readings "
      + "are whole percents."
  }
}
