#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitSimulation

  /// The figures of policies on the same tracks.
  struct Comparison {
    struct Track {
      let name: String
      let route: SimulatedProvider.Route
      let truth: GroundTruth
    }

    let tracks: [Track]
    let seeds: [UInt64]
    let phone: Phone
    let hotStart: Duration?
    private(set) var rows: [Row] = []

    /// The figures of a policy; unknown ones are `nil`.
    struct Row: Encodable {
      var policy: String
      @OrNull var boundMeters: Double? = nil
      @OrNull var phone: Phone? = nil
      /// Whether the bound applies to the estimate.
      var isForEstimate = false
      /// The share of the time with the GPS on, 0…1.
      @OrNull var gpsOnShare: Double? = nil
      /// The share of the dwelling time with the GPS on, 0…1.
      @OrNull var dwellGPSOnShare: Double? = nil
      /// The dwelling time of the tracks.
      @OrNull var dwellSeconds: Double? = nil
      @OrNull var startsPerHour: Double? = nil
      @OrNull var wakesPerHour: Double? = nil
      /// The share of the time with the app kept running and the GPS off, 0…1.
      @OrNull var keptRunningShare: Double? = nil
      /// The power that the app adds to that of the device.
      @OrNull var milliwatts: Double? = nil
      /// The added power as a percentage of a new battery per hour.
      @OrNull var percentPerHour: Double? = nil
      /// The percentage on an iPhone 13 Pro Max: the least and the most.
      @OrNull var percentPerHour13ProMax: [Double]? = nil
      @OrNull var medianErrorUnderWayMeters: Double? = nil
      @OrNull var p95ErrorUnderWayMeters: Double? = nil
      /// The share of the time under way with an error within the bound, 0…1.
      @OrNull var withinBoundShare: Double? = nil
      @OrNull var estimateP95ErrorMeters: Double? = nil
      /// The share of the time with a last location, 0…1.
      @OrNull var coverage: Double? = nil
      /// The GPS time as a multiple of the least possible at the policy's own 95th percentile.
      @OrNull var timesOracle: Double? = nil

      /// The 95th percentile of the error that the bound applies to.
      private var boundedError: Double? { isForEstimate ? estimateP95ErrorMeters : p95ErrorUnderWayMeters }

      /// The 95th percentile as text, which says whether it exceeds the bound.
      var errorText: String? {
        boundedError.map { error in error.metres + (boundMeters.map { error > $0 } == true ? ", missed" : "") }
      }
    }

    /// Drives all tracks with all seeds, and adds a row.
    mutating func drive(_ policy: ComparedPolicy) {
      var score = Score()
      var energy = SimulatedProvider.EnergyUse()
      for track in tracks {
        for seed in seeds {
          let trip = Trip(policy.setup(seed, hotStart: hotStart), route: track.route, truth: track.truth)
          trip.manager.tryPromptAuthorization()
          for _ in track.truth.places { trip.advance() }
          score.add(trip.samples, along: track.truth)
          energy = energy + trip.provider.energy
        }
      }
      let hours = score.seconds / 3_600
      let profile = policy.phone.configuration(hasBound: true).energyProfile
      let least = score.errorUnderWay.map { minimumSeconds(within: $0.p95) * Double(seeds.count) }
      rows.append(
        Row(
          policy: policy.title, boundMeters: policy.bound, phone: policy.phone,
          isForEstimate: policy.target == .estimate,
          gpsOnShare: score.gpsOnShare,
          dwellGPSOnShare: score.dwellGPSOnShare, dwellSeconds: score.dwelled / Double(seeds.count),
          startsPerHour: hours > 0 ? Double(energy.gpsStarts) / hours : nil,
          wakesPerHour: hours > 0 ? Double(energy.wakes) / hours : nil,
          keptRunningShare: energy.keptRunningShare,
          milliwatts: energy.milliwatts(profile)?.rounded(decimals: 2),
          percentPerHour: energy.percentPerHour(profile)?.rounded(decimals: 4),
          percentPerHour13ProMax: profile == .phone ? energy.percentPerHour13ProMax : nil,
          medianErrorUnderWayMeters: score.errorUnderWay?.median, p95ErrorUnderWayMeters: score.errorUnderWay?.p95,
          withinBoundShare: policy.bound.flatMap { score.shareUnderWay(within: $0, of: policy.target) }
            .map { $0.rounded(decimals: 4) },
          estimateP95ErrorMeters: score.estimateError?.p95, coverage: score.coverage,
          // The oracle is that of the last location.
          timesOracle: policy.target == .estimate ? nil : least.flatMap { $0 > 0 ? score.gpsOn / $0 : nil }))
    }

    /// Adds the row of the least possible.
    mutating func addLeast(within bound: Double) {
      rows.append(
        Row(
          policy: "the least possible within \(bound.metres)", boundMeters: bound,
          gpsOnShare: duration > 0 ? minimumSeconds(within: bound) / Double(duration) : nil))
    }

    /// Returns the least possible GPS time of all tracks, in seconds.
    private func minimumSeconds(within bound: Double) -> Double {
      tracks.reduce(0) { $0 + Double($1.truth.oracle.secondsOn(within: bound)) }
    }
  }

  // MARK: - Output

  extension Comparison {
    struct Figures: Encodable {
      var policies: [Row]
      var tracks: [String]
      var durationSeconds: Int
      var seeds: [UInt64]
      var assumptions: Assumptions
    }

    /// Assumptions that weren't measured, or that depend on the device.
    struct Assumptions: Encodable {
      var hotStartSeconds: Double
      var warmStartSeconds: Double
      var acquisitionSecondsOfOracle = Oracle.acquisitionSeconds
      /// The device of the power figures.
      var energyProfile: String
      var phone: Phone
      var desiredAccuracyMetersWithoutBound: Double
    }

    private var assumptions: Assumptions {
      let configuration = phone.configuration(hasBound: true)
      return Assumptions(
        hotStartSeconds: (hotStart ?? configuration.receiver.hotStart).seconds,
        warmStartSeconds: configuration.receiver.warmStart.seconds, energyProfile: configuration.energyProfile.name,
        phone: phone, desiredAccuracyMetersWithoutBound: configuration.policy.desiredAccuracy)
    }
    private var duration: Int { tracks.reduce(0) { $0 + $1.truth.places.count } }

    var figures: Figures {
      Figures(
        policies: rows, tracks: tracks.map(\.name), durationSeconds: duration, seeds: seeds, assumptions: assumptions)
    }

    /// The report's page.
    var page: Report {
      Report(
        kind: .compare, title: tracks.map(\.name).joined(separator: ", "),
        facts: [phone.title, seeds.count == 1 ? "seed \(seeds[0])" : "seeds \(seeds[0]) to \(seeds[seeds.count - 1])"],
        comparison: figures, least: least)
    }

    /// The least possible GPS time for the range of the policies' errors, extended by a factor of 1.5 at both ends.
    private var least: [Report.Least] {
      let errors = rows.compactMap(\.p95ErrorUnderWayMeters).filter { $0 > 0 }
      guard let smallest = errors.min(), let largest = errors.max(), duration > 0 else { return [] }
      let (first, last, steps) = (smallest / 1.5, largest * 1.5, 20)
      return (0...steps).map {
        let bound = first * pow(last / first, Double($0) / Double(steps))
        return .init(errorMeters: bound, gpsOnShare: minimumSeconds(within: bound) / Double(duration))
      }
    }

    func text(_ bounds: [Double]) -> String {
      let shown = rows.filter { $0.phone == nil || $0.phone == phone && !$0.isForEstimate }
      let assumed = assumptions
      return "\(phone.title)\n"
        + Self.table(
          [
            "", "GPS on", "kept", "power", "battery", "13 Pro Max", "starts", "wake-ups", "error", "error", "within",
            "estimate",
            "known",
            "GPS on", "×",
          ],
          [
            "", "", "running", "", "per hour", "per hour", "per hour", "per hour", "median", "95 %", "bound", "95 %",
            "",
            "dwelling",
            "least",
          ],
          shown.map { row in
            [
              row.policy, row.gpsOnShare?.percent, row.keptRunningShare?.percent, row.milliwatts?.milliwatts,
              row.percentPerHour?.twoDecimals, row.percentPerHour13ProMax.map(Self.range),
              row.startsPerHour?.oneDecimal, row.wakesPerHour?.oneDecimal,
              row.medianErrorUnderWayMeters?.metres, row.errorText,
              row.withinBoundShare?.percent, row.estimateP95ErrorMeters?.metres,
              row.coverage?.percent, row.dwellGPSOnShare?.percent, row.timesOracle?.oneDecimal,
            ]
          })
        + "\nby how the app runs: GPS on, power, and the 95th percentile of the error\n"
        + Self.table(
          [""] + bounds.map { "within \($0.metres)" }, [],
          Phone.allCases.map { phone in
            [phone.title] + bounds.map { cell(of: $0, on: phone, isForEstimate: false) }
          } + [["the same, bounding the estimate"] + bounds.map { cell(of: $0, on: .gpsd, isForEstimate: true) }])
          + """

          \(tracks.map(\.name).joined(separator: ", ")): \(Double(duration).clock), \(seeds.count) times. Errors are measured under way.
          Power is what the app adds to the power of the device: an iPhone 6, or with gpsd only a receiver. For an iPhone 13 Pro Max, \
          only some powers were measured, so its battery use is a range.
          Assumed for \(phone.title): a satellite fix \(assumed.hotStartSeconds) s after a hot start (a median), and on a phone a fix from \
          Wi-Fi and cells after 0.7 s.
          Loco's rules and the looks at fixed intervals stop at \(assumed.desiredAccuracyMetersWithoutBound.metres), looks for an error \
          bound at a third of the bound. The least possible assumes \(assumed.acquisitionSecondsOfOracle) s per look.

          """
    }

    private static func range(_ percents: [Double]) -> String {
      percents.map { String(format: "%.2f", $0) }.joined(separator: "–") + " %"
    }

    private func cell(of bound: Double, on phone: Phone, isForEstimate: Bool) -> String? {
      rows.first { $0.boundMeters == bound && $0.phone == phone && $0.isForEstimate == isForEstimate }.map {
        [$0.gpsOnShare?.percent, $0.milliwatts?.milliwatts, $0.errorText].map { $0 ?? "–" }.joined(separator: "  ")
      }
    }

    /// Returns a table with the first column aligned to the left, the others to the right.
    private static func table(_ head: [String], _ second: [String], _ rows: [[String?]]) -> String {
      let lines = ([head] + (second.isEmpty ? [] : [second])) + rows.map { $0.map { $0 ?? "–" } }
      let widths = head.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
      return lines.map { line in
        let cells = zip(line, widths).enumerated().map { column, cell in
          let space = String(repeating: " ", count: cell.1 - cell.0.count)
          return column == 0 ? cell.0 + space : space + cell.0
        }
        return cells.joined(separator: "  ") + "\n"
      }.joined()
    }
  }

  extension Double {
    /// `1234 m`.
    var metres: String { String(format: "%.0f m", self) }
    /// `45 mW`.
    var milliwatts: String { String(format: "%.0f mW", self) }
    /// A percentage: `0.43 %`.
    var twoDecimals: String { String(format: "%.2f %%", self) }
  }
#endif
