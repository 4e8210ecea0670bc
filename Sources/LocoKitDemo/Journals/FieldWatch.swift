#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitJournal

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
