#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitJournal

  /// The options of `study`.
  struct StudyOptions: Command {
    private(set) var journals: [URL] = []
    var isJSON = false

    static let operands: String? = "FILE..."

    static var options: [Option<Self>] {
      [
        Option(
          \.isJSON, "--json",
          help: "print a line of JSON for each FILE or FOLDER, in their order, instead of the figures of "
            + "all together; unknown values are null. In addition to the figures, a line has journal, "
            + "the last part of the path; platform and model, of the last launch; "
            + "widestErrorBoundMetres, the widest bound that the app set, null if it set no bound or "
            + "removed one; and sums, the unrounded sums and sorted lists that pool the figures of "
            + "several journals. The keys of power: model, secondsInState and wakes of the journal; "
            + "run, with n, hours, secondsInState, wakes, measuredPercent and predictedPercent; ratio, "
            + "ratioAtLeast, ratioAtMost; hoursToResolve, the length of a run that resolves the ratio "
            + "to 20 %; isAsRecorded, false if the replay differs from the recording. A journal that "
            + "can't be read has a line with journal and error instead, and the next journal follows")
      ]
    }

    mutating func finish(_ given: Given) throws {
      guard !given.operands.isEmpty else {
        throw Failure.usage("study needs files of journals, or their folders.")
      }
      var folders: Set<URL> = []
      for file in given.operands where JournalFiles.number(of: file.lastPathComponent) != nil {
        let folder = file.standardizedFileURL.deletingLastPathComponent()
        guard folders.insert(folder).inserted else {
          throw Failure.usage("the files in \(folder.relativePath) are one journal: pass the folder.")
        }
      }
      let secrets = Set(given.operands.map { JournalFiles.secret(of: $0.absoluteURL).path })
      // A pattern such as journals/* also names the secrets of the folders beside it.
      journals = given.operands.filter { !secrets.contains($0.absoluteURL.standardizedFileURL.path) }
    }

    static let examples: KeyValuePairs = [
      "study journal": "the figures of one phone",
      "study journals/* --json": "a line of JSON for each journal",
    ]

    static let about = """
      Prints figures about receivers, wake-ups and batteries from journals, most of them with the number of observations. A – means that
      a figure is unknown.

      USAGE: LocoKitDemo study FILE|FOLDER... [--json]

      A fix counts if it is from the GPS and its accuracy is 100 m or better. The time to the first fix begins when the GPS is turned on,
      and counts if a fix arrived before the GPS was turned off. The phone is at rest during five minutes or more in which all fixes lie
      within 50 m of the first one, or within the sum of both accuracies if that is more. Motion that is reported at rest is false. A
      wake-up is a significant change, a region exit, a visit, a change of the cell, a motion after rest, or a timer, while the GPS was
      off. Battery levels are read from notes such as "battery 0.83 unplugged". In the battery rates, the app is kept running if timers
      run in the background.

      Battery levels have steps of 1 or 5 %. A run ends with a charge, or with a change between asleep and kept running. The difference of
      the levels over a run is off by at most one step, and the rate by the step divided by the run's hours. A run of 8 h resolves the
      1.3 %/h that keeping an app running cost an iPhone 6, even with steps of 5 %; 0.1 %/h needs 10 h with steps of 1 %, and 50 h
      with steps of 5 %. The steps of several runs add up.

      The power is compared with a model of an iPhone 6 with iOS 12 and a new battery. Here, a run is a time without a charge, below
      100 %, and without lost lines. The ratio is the measured drop divided by the drop that the model predicts from the time in each state;
      its uncertainty is a step of the levels for each run. The ratio is that of the whole phone: the screen, other apps and a worn
      battery raise it. Pass only journals of one phone.

      For the power, the states follow from the manager's commands in the replay. The tail is the time after the GPS was turned off in
      which the receiver still uses power. The app is kept running while the manager commands it, or, if the device can't keep an app
      running, while timers run in the background. At all other times the app is asleep, also between two launches. A wake is a
      significant change, a region exit, an arrival or a departure while the app is asleep. The phone is in motion from the motion
      sensor's report of motion to its next report of rest, or until five minutes after the app falls asleep or loses the sensor. It is
      also in motion for five minutes after a fix with a speed of more than 1 m/s, unless a slower fix ends the motion.
      """

    static let notes = """
      EXIT CODES: 0 done, 64 wrong usage, 65 a file is not a journal, 66 there is no such file, or it cannot be read,
                  74 the output cannot be written, 141 the output's reader is gone (prints no message)
      """

    /// Replays the journals, and prints their figures.
    func run() throws -> ExitCode {
      guard !isJSON else { return try printLines() }
      var figures = Figures()
      for url in journals {
        let watch: FieldWatch
        do { watch = try FieldWatch.study(url, figures) } catch { throw Failure(error) }
        Output.error.write(watch.note)
        figures = watch.end()
      }
      Output.standard.write(figures.text)
      return .done
    }

    /// Prints a line for each journal. After a damaged journal, the others follow.
    @MainActor
    private func printLines() throws -> ExitCode {
      var failures: [FileFailure] = []
      for url in journals where Output.standard.isOpen {
        let name = url.standardizedFileURL.lastPathComponent
        do {
          let watch = try FieldWatch.study(url, Figures())
          Output.error.write(watch.note)
          Output.standard.write(watch.line(journal: name))
        } catch {
          failures.append(error)
          Output.standard.write(DamagedLine(journal: name, error).jsonLine)
        }
      }
      try Output.standard.check()
      guard !failures.isEmpty else { return .done }
      throw Failure(
        code: failures.allSatisfy { $0.line == 0 } ? .noInput : .badData,
        message: "\(failures.count) of \(journals.count) journals can't be read: their lines say why.")
    }
  }

  /// The line of a journal that can't be read. The line contains no path, because a path may contain the name of the user.
  private struct DamagedLine: Encodable {
    let journal: String
    let error: String

    init(journal: String, _ failure: FileFailure) {
      let file = URL(filePath: failure.file).lastPathComponent
      self.journal = journal
      error = FileFailure(file, failure.line, failure.reason).description.printable
    }
  }

  /// Collects the figures of a journal during its replay.
  final class FieldWatch: LocationManagerListener {
    private let player: JournalProvider
    private var manager: LocationManager
    private var figures: Figures
    private var isGPSOn = false
    /// The start of the GPS, until its first fix.
    private var awaited: (since: Duration, date: Date, start: Figures.Start)?
    private var lastFix: (location: Location, uptime: Duration)?
    private var hasFailed = false
    private var leftRegion: Location?
    private var rest: Rest?
    private var cell: String?
    private var motion = LocationManager.Motion.still
    private var battery: BatteryNote?
    private var meter = StateMeter(PowerFit.profile)
    /// The last level below 100 % without a charger, with the times up to its note.
    private var level: (value: Double, times: StateTimes, isInRun: Bool)?
    private var hasGap = false
    /// The widest error bound that the app set.
    private var widestBound: Double?
    /// Whether the app removed an error bound.
    private var hasNoBound = false

    /// The worst accuracy of a fix that counts, in metres.
    private static let accuracy = 100.0

    init(_ player: JournalProvider, _ figures: Figures) {
      (self.player, self.figures) = (player, figures)
      manager = LocationManager(provider: player, store: player.store)
      isGPSOn = manager.state.mode == .gps
      manager.listeners.add(self)
      self.figures.launches += 1
      player.onRelaunch = { [weak self] in self?.relaunch() }
      player.onPlay = { [weak self] in self?.handle($0) }
      player.onMode = { [weak self] in self?.setMode($0) }
      player.willChangeService = { [weak self] in self?.countTime() }
    }

    /// Replays a journal, and adds its figures to the given ones.
    static func study(_ url: URL, _ figures: Figures) throws(FileFailure) -> FieldWatch {
      let player = try JournalProvider(contentsOf: url)
      let watch = FieldWatch(player, figures)
      try player.run()
      return watch
    }

    /// A note with the number of skipped lines; empty if every line is played.
    var note: String { player.leftOutNote }

    /// Ends the replay of a journal. Returns its line of JSON.
    func line(journal: String) -> String {
      let bound = hasNoBound ? nil : widestBound
      return end().line(journal: journal, platform: player.platform, model: player.model, bound: bound)
    }

    private func countTime() { meter.count(player) }

    /// Ends the replay of a journal. Returns the figures.
    func end() -> Figures {
      meter.count(player)
      forget()
      figures.seconds += player.recordedTime.seconds
      figures.gpsOnSeconds += player.receiverOnTime.seconds
      figures.power.times += meter.times
      if player.difference != nil { figures.power.isAsRecorded = false }
      (player.onMode, player.willChangeService) = (nil, nil)
      return figures
    }

    private func relaunch() {
      player.onMode = nil
      manager = LocationManager(provider: player, store: player.store)
      manager.listeners.add(self)
      player.onMode = { [weak self] in self?.setMode($0) }
      isGPSOn = manager.state.mode == .gps
      figures.launches += 1
    }

    /// Forgets the current state, because a launch has ended or lines are missing.
    private func forget() {
      endRest()
      (awaited, lastFix, hasFailed, leftRegion, rest, cell, motion) = (nil, nil, false, nil, nil, nil, .still)
      meter.forget()
    }

    // MARK: - The replay

    private func handle(_ played: JournalProvider.Played) {
      meter.count(player)
      if let battery, battery.isKeptRunning != isKeptRunning { self.battery = nil }
      switch played {
      case .launch:
        forget()
        hasGap = false
      case .gap:
        forget()
        // The replay doesn't know the state until the next launch.
        (hasGap, level, battery) = (true, nil, nil)
      case .report(let report):
        meter.handle(report, player.service)
        handle(report)
      case .note(let text): note(text)
      case .errorBound(let bound?): widestBound = max(bound, widestBound ?? bound)
      case .errorBound(nil): hasNoBound = true
      case .command, .policy: break
      }
    }

    private func handle(_ report: ProviderReport) {
      switch report {
      case .fixes(let fixes):
        for fix in fixes where fix.source == .gps && fix.isGood(to: Self.accuracy) { find(fix) }
      case .wake(let event): handle(event)
      case .promptShown, .authorization, .pastMotion, .wakeSources, .battery, .app, .failure: break
      }
    }

    private func handle(_ event: WakeEvent) {
      var isWake = true
      switch event {
      case .regionExit: leftRegion = lastFix?.location
      case .cell(let name):
        isWake = cell != nil && cell != name
        if isWake { rest?.newCells += 1 }
        cell = name
      case .motion(let motion):
        isWake = self.motion == .still && motion != .still
        if isWake { rest?.newMotions += 1 }
        self.motion = motion
      default: break
      }
      if isWake, !isGPSOn { figures.wakes[event.kind, default: 0] += 1 }
    }

    private func setMode(_ mode: ReceiverMode) {
      guard (mode == .gps) != isGPSOn else { return }
      isGPSOn = mode == .gps
      if isGPSOn {
        awaited = (player.uptime, player.date, start)
      } else if let awaited {
        figures.unanswered[awaited.start, default: 0] += 1
        (self.awaited, hasFailed) = (nil, true)
      }
    }

    /// The receiver's knowledge of the satellites, as in `LookLimits`.
    private var start: Figures.Start {
      guard let lastFix else { return .first }
      if hasFailed { return .afterFailure }
      return player.uptime - lastFix.uptime > AcquisitionPolicy.LookLimits.ephemerisLife ? .oldEphemeris : .recentFix
    }

    func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
      if transition.to == .acquiring, transition.from != .acquiring { figures.looks += 1 }
    }

    func locationManager(_ manager: LocationManager, didFailToAcquire failure: AcquisitionFailure) {
      figures.failedLooks += 1
    }

    // MARK: - Fixes

    private func find(_ fix: Location) {
      // A fix from before the start is from a cache. The clocks may differ by a second.
      if let awaited, fix.timestamp.timeIntervalSince(awaited.date) >= -1 {
        figures.firstFixes[awaited.start, default: []].append((player.uptime - awaited.since).seconds)
        (self.awaited, hasFailed) = (nil, false)
      }
      if let left = leftRegion {
        figures.exits.append(left.distance(to: fix))
        leftRegion = nil
      }
      if var rest = self.rest, rest.holds(fix) {
        rest.extend(to: fix, at: player.uptime)
        self.rest = rest
      } else {
        if let lastFix, let rest {
          figures.add(way: lastFix.location.distance(to: fix), cells: rest.newCells, hasCells)
        }
        endRest()
        rest = Rest(fix, at: player.uptime)
      }
      lastFix = (fix, player.uptime)
    }

    private var hasCells: Bool { player.wakeSources.contains(.cell) }

    private func endRest() {
      guard let rest else { return }
      self.rest = nil
      guard rest.isLong else { return figures.add(way: rest.way, cells: rest.cells, hasCells) }
      let hours = rest.duration.seconds / 3_600
      if hasCells {
        figures.restHoursWithCells += hours
        figures.cellsAtRest += rest.cells
      }
      if player.wakeSources.contains(.motion) {
        figures.restHoursWithMotion += hours
        figures.falseMotions += rest.motions
      }
    }

    /// A period with all fixes near the first one.
    private struct Rest {
      let place: Location
      let began: Duration
      /// The distance from the first fix to the last one, in metres: the way of a device that doesn't rest, and has many fixes.
      private(set) var way = 0.0
      private(set) var duration = Duration.zero
      private(set) var cells = 0
      private(set) var motions = 0
      /// The number of cell changes and of motions since the last fix. Both belong to the rest if the next fix does.
      var newCells = 0
      var newMotions = 0

      init(_ place: Location, at uptime: Duration) { (self.place, began) = (place, uptime) }

      var isLong: Bool { duration >= .seconds(300) }

      func holds(_ fix: Location) -> Bool {
        place.distance(to: fix) <= max(50, place.horizontalAccuracy + fix.horizontalAccuracy)
      }

      mutating func extend(to fix: Location, at uptime: Duration) {
        (duration, way) = (uptime - began, place.distance(to: fix))
        cells += newCells
        motions += newMotions
        (newCells, newMotions) = (0, 0)
      }
    }

    // MARK: - Notes

    private func note(_ text: String) {
      guard let match = text.wholeMatch(of: /battery ([01](?:\.\d{1,4})?) (unplugged|charging|full)/),
        let level = Double(match.1), level <= 1
      else { return }
      figures.add(batteryLevel: level)
      fit(level, isUnplugged: match.2 == "unplugged")
      guard match.2 == "unplugged", !hasGap else {
        battery = nil
        return
      }
      var note = BatteryNote(level: level, time: player.elapsed, isKeptRunning: isKeptRunning)
      if let last = battery, let hours = note.hours(since: last) {
        figures.add(
          battery: last.level - level, hours: hours, isKeptRunning: note.isKeptRunning, beginsRun: !last.isInRun)
        note.isInRun = true
      }
      battery = note
    }

    /// Adds the time since the last level to the fit, if the level didn't rise.
    ///
    /// A run begins below 100 %, because a charged battery stays at 100 % for a while.
    private func fit(_ value: Double, isUnplugged: Bool) {
      if isUnplugged { figures.power.hasLevel = true }
      guard isUnplugged, value < 1, !hasGap else { return level = nil }
      var isInRun = false
      if let last = level, value <= last.value {
        let times = meter.times - last.times
        // Without time between the notes, there is nothing to fit.
        guard times.seconds > 0 else { return }
        figures.power.add(drop: last.value - value, times, beginsRun: !last.isInRun)
        isInRun = true
      }
      level = (value, meter.times, isInRun)
    }

    /// Whether the app is kept running: only then do timers run in the background.
    private var isKeptRunning: Bool { player.wakeSources.contains(.timer) }

    private struct BatteryNote {
      let level: Double
      /// The time of the journal, which never decreases.
      let time: Duration
      let isKeptRunning: Bool
      /// Whether the difference from the previous note was counted.
      var isInRun = false

      /// Returns the hours since `last`; `nil` if no time passed, if the level rose in between, or if the app was kept running at only one
      /// of the two notes.
      func hours(since last: BatteryNote) -> Double? {
        let seconds = (time - last.time).seconds
        return last.isKeptRunning == isKeptRunning && seconds > 0 && level <= last.level ? seconds / 3_600 : nil
      }
    }
  }
#endif
