#if os(Linux) || os(macOS)
  import Foundation
  @_spi(Benchmarks) import LocoKit

  /// Which drives to compare policies on.
  struct CompareOptions {
    var tracks: [URL]
    var builtIn: BuiltInRoute
    /// The error bounds, metres.
    var bounds: [Double]
    var seeds: [UInt64]
    /// How long the receiver takes to a fix after a hot start, a median.
    var hotStart: Duration
    var isJSON: Bool
    var report: URL?

    static let known = [
      KnownOption("--gpx", takesValue: true), KnownOption("--route", takesValue: true),
      KnownOption("--within", takesValue: true), KnownOption("--seed", takesValue: true),
      KnownOption("--seeds", takesValue: true), KnownOption("--hot-start", takesValue: true), KnownOption("--json"),
      KnownOption("--report", takesValue: true),
    ]

    /// Why these options are not accepted together; `nil` where they are.
    static func refusal(of names: Set<String>) -> String? { BuiltInRoute.refusal(of: names) }

    init(_ given: GivenOptions) throws {
      tracks = given.texts("--gpx").map { URL(filePath: $0) }
      builtIn = try given.choice("--route", .freeway)
      let bounds = try given.bounds()
      self.bounds = bounds.isEmpty ? [200, 500, 1_000] : bounds
      let text = given.text("--seeds") ?? "10"
      guard let count = UInt64(text), (1...1_000).contains(count) else {
        throw Failure.usage("--seeds is a whole number from 1 to 1000, not '\(text)'.")
      }
      let seed = try given.seed()
      seeds = (0..<count).map { seed &+ $0 }
      hotStart = try given.duration("--hot-start") ?? SimulatedProvider.ReceiverModel.phone.hotStart
      isJSON = given.has("--json")
      report = given.text("--report").map { URL(filePath: $0) }
    }

    static let help = """
      Compares what policies cost and what they give, on the same drives: Loco's rules, looks now and then, error bounds, and the
      least possible.

      USAGE: LocoKitDemo compare [options]

      OPTIONS:
        --gpx FILE            a recorded track; several are driven one by one, and their seconds pooled
        --route NAME          without one: freeway, half an hour on the 101 through Los Angeles (default), or day, a day with
                              long stays indoors
        --within METRES       an error bound, 100 or more; may be repeated (default: 200, 500 and 1000)
        --seed N              the first seed: what decides all chance (default: 1)
        --seeds N             how many seeds each track is driven with (default: 10)
        --hot-start SECONDS   how long the receiver takes to a fix of satellites while it knows them, a median (default: 4)
        --json                print one JSON object
        --report FILE         write a page for a browser, with what each policy costs and gives as a picture
        -h, --help            print this

      The GPS on, what the app takes of an iPhone 6, starts and wakes are over all the time. Errors are how far the last location is from the device, once a
      second, under way: more than 100 m from where it was, or will be, within five minutes; the rest is dwelling. The least
      possible is what a policy would need that knows the whole way; "× least" is the time with the GPS on as a multiple of
      that, for errors as small as the policy's 95th percentile.

      EXIT CODES: 0 done, 64 wrong usage, 65 a file cannot be used, 66 there is no such file,
                  73 the report cannot be created for its owner alone, 74 the output or the report cannot be written,
                  141 the output's reader has gone (nothing is said)

      """
  }

  /// Drives the same tracks with one policy after another.
  @MainActor
  struct Compare {
    private let options: CompareOptions

    init(_ options: CompareOptions) {
      self.options = options
    }

    func run() throws -> ExitCode {
      var tracks: [Comparison.Track] = []
      for file in options.tracks {
        let (route, notes) = try BuiltInRoute.recorded(file)
        for note in notes { Output.error.write("note: \(file.lastPathComponent): \(note)\n") }
        tracks.append(Comparison.Track(name: file.lastPathComponent, route: route))
      }
      if tracks.isEmpty {
        tracks.append(Comparison.Track(name: options.builtIn.rawValue, route: options.builtIn.route))
      }
      let report = try options.report.map(ReportFile.init)
      let policies = ComparedPolicy.all(options.bounds)
      var comparison = Comparison(tracks: tracks, seeds: options.seeds, hotStart: options.hotStart)
      for (index, policy) in policies.enumerated() {
        guard Output.standard.isOpen else { break }
        if Output.error.isTerminal {
          Output.error.write("\r\u{1B}[K\(index * 100 / policies.count) %  \(policy.title)\r")
        }
        comparison.drive(policy)
      }
      if Output.error.isTerminal { Output.error.write("\r\u{1B}[K") }
      for bound in options.bounds { comparison.addLeast(within: bound) }
      Output.standard.write(options.isJSON ? comparison.json : comparison.text(options.bounds))
      try report?.write(comparison.page)
      return .done
    }
  }

  /// What decides when a device looks where it is.
  struct ComparedPolicy {
    /// What can wake an app with an error bound, beside significant changes.
    enum Sources: String, CaseIterable, Codable {
      case none
      case cells
      case motion
      case all
      /// All of them, where the bound holds for the estimate.
      case estimate
      case keptAtRest
      case suspendedAtRest
      case suspended

      /// Such an app, in a few words.
      var title: String {
        switch self {
        case .none: "timers alone"
        case .cells: "timers, cells"
        case .motion: "timers, motion"
        case .all: "timers, cells, motion"
        case .estimate: "the same, bounding the estimate"
        case .keptAtRest: "kept running, at rest too"
        case .suspendedAtRest: "kept running; regions at rest"
        case .suspended: "regions alone"
        }
      }

      var wakeSources: WakeSources {
        switch self {
        case .none: DriveOptions.Sensors.none.wakeSources
        case .cells: DriveOptions.Sensors.cells.wakeSources
        case .motion: DriveOptions.Sensors.motion.wakeSources
        case .all, .estimate: DriveOptions.Sensors.all.wakeSources
        case .keptAtRest: Self.suspendedAtRest.wakeSources.union(.keeperAtRest)
        case .suspendedAtRest: SimulatedProvider.Configuration.phoneInBackground.wakeSources
        case .suspended: [.significantChanges, .regionExit]
        }
      }
    }

    let title: String
    var bound: Double?
    var sources: Sources?
    var trigger = SimulatedProvider.Trigger.apple
    var period: Duration?

    static func all(_ bounds: [Double]) -> [ComparedPolicy] {
      [
        ComparedPolicy(title: "Loco, Apple's rule"),
        ComparedPolicy(title: "Loco, any cell", trigger: .cell),
        ComparedPolicy(title: "every 60 s", period: .seconds(60)),
        ComparedPolicy(title: "every 300 s", period: .seconds(300)),
      ]
        + bounds.flatMap { bound in
          Sources.allCases.map {
            ComparedPolicy(
              title: "within \(bound.metres)" + ($0 == .all ? "" : ", \($0.title)"), bound: bound, sources: $0)
          }
        }
    }

    func setup(_ seed: UInt64, hotStart: Duration) -> Setup {
      var setup = Setup(seed: seed, bound: bound, period: period)
      if sources == .estimate { setup.target = .estimate }
      setup.configuration.trigger = trigger
      // A device that runs timers without a keeper is not a phone: its receiver has no network.
      if sources?.wakeSources.contains(.timersWhileAsleep) ?? false {
        setup.configuration.receiver = SimulatedProvider.ReceiverModel(
          hotStart: hotStart, warmStart: SimulatedProvider.ReceiverModel.phone.warmStart,
          coldStart: SimulatedProvider.ReceiverModel.phone.coldStart)
        setup.configuration.receiver.firstStart = .hot
      }
      setup.configuration.receiver.hotStart = hotStart
      setup.configuration.wakeSources =
        sources?.wakeSources ?? (period == nil ? .significantChanges : .timersWhileAsleep)
      return setup
    }
  }

  /// What policies came to on the same tracks.
  struct Comparison {
    struct Track {
      let name: String
      let route: SimulatedProvider.Route
      let truth: GroundTruth

      init(name: String, route: SimulatedProvider.Route) {
        self.name = name
        self.route = route
        truth = GroundTruth(route)
      }
    }

    private let tracks: [Track]
    private let seeds: [UInt64]
    private let hotStart: Duration
    private var rows: [Row] = []

    init(tracks: [Track], seeds: [UInt64], hotStart: Duration) {
      self.tracks = tracks
      self.seeds = seeds
      self.hotStart = hotStart
    }

    /// What a policy came to. What is unknown is `nil`.
    struct Row: Encodable {
      var policy: String
      @OrNull var boundMeters: Double? = nil
      @OrNull var sources: ComparedPolicy.Sources? = nil
      /// Of all the time, 0…1.
      @OrNull var gpsOnShare: Double? = nil
      /// Of the time while dwelling, 0…1.
      @OrNull var dwellGPSOnShare: Double? = nil
      /// How long the tracks dwell, driven once.
      @OrNull var dwellSeconds: Double? = nil
      @OrNull var startsPerHour: Double? = nil
      @OrNull var wakesPerHour: Double? = nil
      /// The share of all the time that the app was kept running with the GPS off, 0…1.
      @OrNull var keptRunningShare: Double? = nil
      /// The power that the app takes, above that of the device without the app.
      @OrNull var milliwatts: Double? = nil
      /// The same in hundredths of a new battery an hour.
      @OrNull var percentPerHour: Double? = nil
      @OrNull var medianErrorUnderWayMeters: Double? = nil
      @OrNull var p95ErrorUnderWayMeters: Double? = nil
      @OrNull var estimateP95ErrorMeters: Double? = nil
      /// The share of the time with a last location, 0…1.
      @OrNull var coverage: Double? = nil
      /// The time with the GPS on, as a multiple of the oracle's at the policy's own 95th percentile.
      @OrNull var timesOracle: Double? = nil
    }

    /// Drives all tracks with all seeds.
    mutating func drive(_ policy: ComparedPolicy) {
      var score = Score()
      var energy = SimulatedProvider.EnergyUse()
      var wakes = 0
      for track in tracks {
        for seed in seeds {
          let trip = Trip(policy.setup(seed, hotStart: hotStart), route: track.route, truth: track.truth)
          trip.manager.tryPromptAuthorization()
          for _ in track.truth.places { trip.advance() }
          score.add(trip.samples, along: track.truth)
          energy = energy + trip.provider.energy
          wakes += trip.wakes.count
        }
      }
      let hours = score.seconds / 3_600
      let least = score.errorUnderWay.map { leastSeconds(within: $0.p95) * Double(seeds.count) }
      rows.append(
        Row(
          policy: policy.title, boundMeters: policy.bound, sources: policy.sources, gpsOnShare: score.gpsOnShare,
          dwellGPSOnShare: score.dwellGPSOnShare, dwellSeconds: score.dwelled / Double(seeds.count),
          startsPerHour: hours > 0 ? Double(energy.gpsStarts) / hours : nil,
          wakesPerHour: hours > 0 ? Double(wakes) / hours : nil,
          keptRunningShare: energy.keptRunningShare,
          milliwatts: energy.milliwatts(.phone).map { ($0 * 100).rounded() / 100 },
          percentPerHour: energy.percentPerHour(.phone).map { ($0 * 10_000).rounded() / 10_000 },
          medianErrorUnderWayMeters: score.errorUnderWay?.median, p95ErrorUnderWayMeters: score.errorUnderWay?.p95,
          estimateP95ErrorMeters: score.estimateError?.p95, coverage: score.coverage,
          timesOracle: least.flatMap { $0 > 0 ? score.gpsOn / $0 : nil }))
    }

    /// Adds what is least possible.
    mutating func addLeast(within bound: Double) {
      let seconds = tracks.reduce(0) { $0 + $1.truth.places.count }
      rows.append(
        Row(
          policy: "the least possible within \(bound.metres)", boundMeters: bound,
          gpsOnShare: seconds > 0 ? leastSeconds(within: bound) / Double(seconds) : nil))
    }

    /// The least time with the GPS on, all tracks driven once.
    private func leastSeconds(within bound: Double) -> Double {
      tracks.reduce(0) { $0 + Double($1.truth.oracle.secondsOn(within: bound)) }
    }
  }

  // MARK: - As text and as JSON

  extension Comparison {
    struct Figures: Encodable {
      var policies: [Row]
      var tracks: [String]
      var durationSeconds: Int
      var seeds: [UInt64]
      var assumptions: Assumptions
    }

    /// What the figures depend on and nobody has measured, or that differs from device to device.
    struct Assumptions: Encodable {
      var hotStartSeconds: Double
      var warmStartSeconds = SimulatedProvider.ReceiverModel.phone.warmStart.seconds
      var acquisitionSecondsOfOracle = Oracle.acquisitionSeconds
      /// The device whose powers these are.
      var energyProfile = SimulatedProvider.EnergyProfile.phone.name
      var desiredAccuracyMetersWithoutBound = AcquisitionPolicy.loco.desiredAccuracy
    }

    private var assumptions: Assumptions {
      Assumptions(hotStartSeconds: hotStart.seconds)
    }

    private var duration: Int { tracks.reduce(0) { $0 + $1.truth.places.count } }

    var json: String { figures.jsonLine }

    private var figures: Figures {
      Figures(
        policies: rows, tracks: tracks.map(\.name), durationSeconds: duration, seeds: seeds, assumptions: assumptions)
    }

    /// The report's page.
    var page: Report {
      Report(
        kind: .compare, title: tracks.map(\.name).joined(separator: ", "),
        facts: ["driven with \(seeds.count) seed\(seeds.count == 1 ? "" : "s")"],
        comparison: figures, least: least)
    }

    /// What is least possible for errors as the policies had them, and somewhat beyond.
    private var least: [Report.Least] {
      let errors = rows.compactMap(\.p95ErrorUnderWayMeters).filter { $0 > 0 }
      guard let smallest = errors.min(), let largest = errors.max(), duration > 0 else { return [] }
      let (first, last, steps) = (smallest / 1.5, largest * 1.5, 20)
      return (0...steps).map {
        let bound = first * pow(last / first, Double($0) / Double(steps))
        return .init(errorMeters: bound, gpsOnShare: leastSeconds(within: bound) / Double(duration))
      }
    }

    func text(_ bounds: [Double]) -> String {
      let shown = rows.filter { $0.sources == nil || $0.sources == .all }
      let assumed = assumptions
      return Self.table(
        [
          "", "GPS on", "kept", "power", "battery", "starts", "wakes", "error", "error", "estimate", "known", "GPS on",
          "×",
        ],
        ["", "", "running", "", "an hour", "an hour", "an hour", "median", "95 %", "95 %", "", "dwelling", "least"],
        shown.map { row in
          [
            row.policy, row.gpsOnShare?.percent, row.keptRunningShare?.percent, row.milliwatts?.milliwatts,
            row.percentPerHour?.twoDecimals, row.startsPerHour?.oneDecimal, row.wakesPerHour?.oneDecimal,
            row.medianErrorUnderWayMeters?.metres, row.p95ErrorUnderWayMeters?.metres,
            row.estimateP95ErrorMeters?.metres,
            row.coverage?.percent, row.dwellGPSOnShare?.percent, row.timesOracle?.oneDecimal,
          ]
        })
        + "\nby what can wake the app beside significant changes: the GPS on, the power, and 95 % of the errors\n"
        + Self.table(
          [""] + bounds.map { "within \($0.metres)" }, [],
          ComparedPolicy.Sources.allCases.map { sources in
            [sources.title]
              + bounds.map { bound in
                rows.first { $0.boundMeters == bound && $0.sources == sources }.map {
                  [
                    $0.gpsOnShare?.percent, $0.milliwatts?.milliwatts,
                    (sources == .estimate ? $0.estimateP95ErrorMeters : $0.p95ErrorUnderWayMeters)?.metres,
                  ]
                  .map { $0 ?? "–" }.joined(separator: "  ")
                }
              }
          })
          + """

          \(tracks.map(\.name).joined(separator: ", ")): \(Double(duration).clock), \(seeds.count) times. Errors are under way.
          Power is what all that the app has on takes of an \(assumed.energyProfile), beyond what that takes anyway.
          Assumed: a phone whose receiver has a fix of satellites \(assumed.hotStartSeconds) s after a hot start, a median, and Wi-Fi and \
          cells one after 0.7 s.
          Loco's rules and looks now and then stop at \(assumed.desiredAccuracyMetersWithoutBound.metres), a bound's at a third of it. \
          The least possible is reckoned with \(assumed.acquisitionSecondsOfOracle) s a look.

          """
    }

    /// In columns, the first to the left and the others to the right.
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
    /// Hundredths: `0.43 %`.
    var twoDecimals: String { String(format: "%.2f %%", self) }
  }
#endif
