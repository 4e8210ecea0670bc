#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitSimulation

  /// The output of the program without arguments: a day within an error bound, beside the GPS always on.
  struct Overview {
    private static let bound = 500.0
    /// The seed of a typical day: of the seeds 1 to 20, half keep the bound for less of the time.
    static let seed: UInt64 = 14
    /// The duration of a mark of the day's strip.
    private static let secondsPerMark = 1_800

    private let summary: Summary
    private let percentPerHourAlwaysOn: Double?
    /// The time with the GPS on in each second, in seconds.
    private let gpsOn: [Float]

    /// Simulates the day.
    @MainActor
    init() {
      var options = DriveOptions()
      (options.within, options.seed) = (Self.bound, Self.seed)
      let (route, setup) = (BuiltInRoute.day.route, options.setup)
      let truth = GroundTruth(route)
      let trip = Trip(setup, route: route, truth: truth)
      trip.manager.tryPromptAuthorization()
      for _ in truth.places { trip.advance() }
      (summary, gpsOn) = (trip.summary, trip.samples.gpsOn)
      percentPerHourAlwaysOn = trip.provider.energy.alwaysOn.gps.percentPerHour(setup.configuration.energyProfile)
    }

    var text: String {
      let share = summary.withinBoundShare.map { "\($0.percent) of the time under way within \(Self.bound.metres)" }
      let p95 = summary.p95ErrorUnderWayMeters.map { "95 % under \($0.metres)" }
      return """
        A day of an app in the background, on a simulated iPhone 6:
        within \(Self.bound.metres)    \(Self.battery(summary.percentPerHour))
                        \([share, p95].compactMap { $0 }.joined(separator: ", "))
        GPS always on   \(Self.battery(percentPerHourAlwaysOn))
        \(strip) GPS \(Int(summary.gpsOnSeconds.rounded())) s of 24 h

        LocoKitDemo drive prints each call of a drive; LocoKitDemo --help has more.

        """
    }

    /// The day as marks from midnight to midnight; the height is the time with the GPS on.
    private var strip: String {
      let marks = Array("▁▂▃▄▅▆▇█")
      let times = stride(from: 0, to: gpsOn.count, by: Self.secondsPerMark).map { start in
        gpsOn[start..<min(start + Self.secondsPerMark, gpsOn.count)].reduce(0, +)
      }
      let most = max(times.max() ?? 0, 1)
      return String(times.map { marks[Int(($0 / most * Float(marks.count - 1)).rounded(.up))] })
    }

    private static func battery(_ percentPerHour: Double?) -> String {
      guard let percentPerHour else { return "unknown" }
      return String(format: "%.2f %% of the battery per hour, %.0f %% a day", percentPerHour, 24 * percentPerHour)
    }
  }
#endif
