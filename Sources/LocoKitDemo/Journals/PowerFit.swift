#if os(Linux) || os(macOS)
  @_spi(Benchmarks) import LocoKit
  @_spi(Benchmarks) import LocoKitSimulation

  /// The ratio of a phone's power to that of the measured phone, from the battery's levels in its journals.
  struct PowerFit {
    static let profile = SimulatedProvider.EnergyProfile.phone
    /// The uncertainty of a resolved ratio, as a share of it.
    static let resolution = 0.2

    /// The time in each state in all journals.
    var times = StateTimes()
    /// Whether the replay makes the recorded decisions.
    var isAsRecorded = true
    /// The number of runs without a charge.
    private(set) var runs = 0
    /// The total drop of the level in all runs, where 1 is a full battery.
    private(set) var drop = 0.0
    /// The time in each state in all runs.
    private(set) var runTimes = StateTimes()
    /// Whether a level was noted while the phone was unplugged.
    var hasLevel = false

    /// Adds the time between two consecutive notes.
    mutating func add(drop: Double, _ times: StateTimes, beginsRun: Bool) {
      self.drop += drop
      runTimes += times
      if beginsRun { runs += 1 }
    }

    /// Returns the share of a new battery that a phone with the profile uses in the given times, in percent.
    private static func percent(_ times: StateTimes) -> Double {
      times.joules(profile) / 3_600 / (profile.batteryCapacity ?? .infinity) * 100
    }

    // MARK: - Output

    struct Report: Encodable {
      struct Run: Encodable {
        let n: Int
        let hours: Double
        let secondsInState: StateTimes
        let wakes: Int
        let measuredPercent: Double
        let predictedPercent: Double
      }

      let model: String
      let isAsRecorded: Bool
      let secondsInState: StateTimes
      let wakes: Int
      @OrNull var run: Run? = nil
      @OrNull var ratio: Double? = nil
      @OrNull var ratioAtLeast: Double? = nil
      @OrNull var ratioAtMost: Double? = nil
      @OrNull var hoursToResolve: Double? = nil
    }

    /// - Parameter step: The step of the levels, in percent.
    func report(step: Int) -> Report {
      func rounded(_ value: Double) -> Double { value.rounded(decimals: 3) }
      var report = Report(
        model: Self.profile.name, isAsRecorded: isAsRecorded, secondsInState: times, wakes: times.wakes,
        hoursToResolve: hours(step: step).map(rounded))
      guard runs > 0 else { return report }
      let (measured, predicted) = (drop * 100, Self.percent(runTimes))
      report.run = Report.Run(
        n: runs, hours: rounded(runTimes.seconds / 3_600), secondsInState: runTimes, wakes: runTimes.wakes,
        measuredPercent: rounded(measured), predictedPercent: rounded(predicted))
      report.ratioAtMost = rounded((measured + Double(runs * step)) / predicted)
      if isEnough(step: step) {
        report.ratio = rounded(measured / predicted)
        report.ratioAtLeast = rounded((measured - Double(runs * step)) / predicted)
      }
      return report
    }

    /// Returns whether the drop is larger than its uncertainty, which is one step for each run.
    private func isEnough(step: Int) -> Bool { (drop * 100).rounded() > Double(runs * step) }

    /// Returns the length of a run that resolves the ratio, in hours, if the states have the same shares as in the journals.
    ///
    /// The battery falls at the measured rate, or at the profile's rate if the measured drop is too small. Returns `nil` if the journals
    /// cover no time.
    private func hours(step: Int) -> Double? {
      let isMeasured = runs > 0 && isEnough(step: step)
      let mix = runs > 0 ? runTimes : times
      let percent = isMeasured ? drop * 100 : Self.percent(mix)
      return percent > 0 ? Double(step) / Self.resolution / percent * mix.seconds / 3_600 : nil
    }

    /// The rows of the output.
    ///
    /// - Parameter step: The step of the levels, in percent; `nil` if it isn't known.
    func rows(step: Int?) -> [(String, String)] {
      let report = report(step: step ?? 5)
      let times = report.run?.secondsInState ?? report.secondsInState
      let states = [
        ("GPS on", times.gps), ("the receiver's tail", times.tail), ("kept running", times.keptRunning),
        ("asleep", times.asleep),
      ]
      var rows = states.map { ("", "\($0): \($1.resting.whole) s at rest, \($1.moving.whole) s in motion") }
      rows[0].0 = "states"
      func add(_ label: String, _ text: String) { rows.append((label, text)) }
      add("", "\(report.run?.wakes ?? report.wakes) wake-ups")
      if let run = report.run {
        add(
          "power",
          "the battery fell by \(run.measuredPercent) % in \(run.hours) h (n = \(run.n)); the model of the "
            + "\(report.model) predicts \(run.predictedPercent) %")
        let most = report.ratioAtMost.map { "\($0)" } ?? "–"
        if let ratio = report.ratio, let least = report.ratioAtLeast {
          add("", "ratio \(ratio) (\(least) – \(most))")
        } else {
          add("", "the drop is too small for a ratio: at most \(most)")
        }
      } else {
        add("power", "no ratio: \(hasLevel ? "no run between two levels" : "no level of an unplugged battery")")
      }
      let lengths = (step.map { [$0] } ?? [1, 5]).compactMap { step in
        hours(step: step).map { "\($0.oneDecimal) h with steps of \(step) %" }
      }
      if !lengths.isEmpty { add("", "a run resolves the ratio to 20 % after " + lengths.joined(separator: ", or ")) }
      if !isAsRecorded { add("", "the states are those of the replay, which differs from the recording") }
      return rows
    }
  }

  extension Double {
    fileprivate var whole: String { "\(Int(rounded()))" }
  }
#endif
