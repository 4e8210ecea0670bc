public import Foundation

/// A provider that plays a journal to a manager: what a device really did, on virtual time.
///
/// ```swift
/// let journal = try JournalProvider(contentsOf: file)
/// let manager = LocationManager(provider: journal, store: journal.store)
/// try journal.run()
/// manager.state           // .waitingSignificantChange
/// journal.difference      // nil
/// ```
///
/// It reports what was reported, gives the commands and wishes that the app gave, and compares what the manager decides with what was
/// written: the first line at which they differ is ``difference``. A journal has a launch for each manager that there was; for
/// all but the first, ``onRelaunch`` makes the next one.
///
/// With an ``Alternative`` it answers what would have been: another policy or bound on the same reports. Timers then run as the
/// manager sets them. What was never reported it cannot know: where the recorded receiver was off there is no fix, so that a
/// look then finds nothing, and what a more frugal policy would have saved is a fair question, but not what a more eager one would have found.
public final class JournalProvider: LocationProvider, TurnObserver {
  /// What is to be other than it was.
  public struct Alternative: Hashable, Sendable {
    /// Another error bound.
    public enum ErrorBound: Hashable, Sendable {
      /// Those that were in force.
      case asRecorded
      /// No bound, which is Loco's rule.
      case absent
      /// So many metres, 100 or more.
      case metres(Double)
    }

    /// The policy, instead of all that were in force; `nil` is those.
    public var policy: AcquisitionPolicy?
    /// The error bound, instead of all that were in force.
    public var errorBound: ErrorBound

    /// An alternative from its parts.
    public init(policy: AcquisitionPolicy? = nil, errorBound: ErrorBound = .asRecorded) {
      (self.policy, self.errorBound) = (policy, errorBound)
    }
  }

  /// Where a manager decides otherwise than it is written.
  public struct Difference: Hashable, Sendable, CustomStringConvertible {
    /// The file's name.
    public let file: String
    /// The line of what was taken in.
    public let line: Int
    /// What was decided then.
    public let recorded: String
    /// What is decided now.
    public let replayed: String

    /// `file:line:` and both.
    public var description: String {
      "\(file):\(line): recorded \(recorded.isEmpty ? "nothing" : recorded), now \(replayed.isEmpty ? "nothing" : replayed)"
    }
  }

  /// What is being played.
  public enum Played: Hashable, Sendable {
    /// A manager begins, on such a platform, by such a version of LocoKit.
    case launch(platform: String, version: String)
    /// The provider said this.
    case report(ProviderReport)
    /// The app gave this command.
    case command(LocationMachine.Event)
    /// The app set this policy.
    case policy(AcquisitionPolicy)
    /// The app set this error bound.
    case errorBound(Double?)
    /// The app's own remark, of at most 1,000 characters: ``RecordingProvider/note(_:)``.
    case note(String)
    /// Lines were lost here: until the next launch nothing is compared.
    case gap
  }

  /// The first difference; `nil` where there was none so far.
  public private(set) var difference: Difference?
  /// How many inputs were compared.
  package private(set) var compared = 0
  /// Whether all is played.
  package private(set) var isAtEnd = false
  /// Called at each launch but the first: let go of the old manager, and make a new one with this provider and its ``store``.
  public var onRelaunch: (() -> Void)?
  /// Called with all that is played, before it is.
  public var onPlay: ((Played) -> Void)?
  /// Called with each mode that the manager sets.
  package var onMode: ((ReceiverMode) -> Void)?
  /// Called before ``service`` changes, at the uptime until which it lasted.
  package var willChangeService: (() -> Void)?
  /// For how long the manager has had the GPS on, in all launches together. A launch that was killed counts up to its last line.
  package var receiverOnTime: Duration { pastOnTime + (receiverOnSince.map { uptime - $0 } ?? .zero) }
  /// The sum of the durations of all launches, each from its first line to its last one.
  package var recordedTime: Duration { pastTime + uptime - launchedAt }
  /// The time since the first launch: uptime within a launch, and the difference of the dates between two launches, if it is positive.
  /// It never decreases, even if the clock was set back.
  package var elapsed: Duration { recordedTime + timeBetweenLaunches }
  /// The number of lines before the first launch. They belong to a launch whose first file is missing, and cannot be replayed.
  package private(set) var leftOut = 0
  /// How much of the files is read, by their bytes: 0…1.
  package var progress: Double { reader.progress }
  /// What the store had at the launch that is being played.
  public private(set) var store: any LocationStore = JournalStore()

  /// The time of the line that is played.
  public private(set) var uptime = Duration.zero
  /// The date of the line that is played.
  public private(set) var date = Date.distantPast
  /// As the journal says.
  public private(set) var authorization = Authorization.notDetermined
  /// As the journal says.
  public private(set) var wakeSources: WakeSources = .significantChanges
  /// As the journal says, or the alternative's.
  public private(set) var recommendedPolicy = AcquisitionPolicy.loco
  /// Set by the manager.
  public var onReport: ((ProviderReport) -> Void)?
  var onInput: ((LocationCore.Input) -> Void)?
  let firstDemandID = 1 << 30

  /// The service that keeps the app running.
  package enum Service: Hashable, Sendable {
    case gps, keptRunning, asleep
  }

  /// The service by the commands of the manager. An app without a keeper is kept running if its timers run while it is asleep.
  package var service: Service {
    switch mode {
    case .gps: .gps
    case .off: .asleep
    case .significantChanges:
      (wakeSources.contains(.keeper) ? isKeptRunning : wakeSources.contains(.timersWhileAsleep))
        ? .keptRunning : .asleep
    }
  }

  private var mode = ReceiverMode.off
  private var isKeptRunning = false
  private let alternative: Alternative?
  private var reader: JournalReader
  private var pending: JournalEntry?
  private var decisions: [String] = []
  /// The input whose decisions are being collected, by its line.
  private var input: (file: String, line: Int)?
  private var isComparing = true
  private var timer: Duration?
  private var receiverOnSince: Duration?
  /// For how long the GPS was on before that.
  private var pastOnTime = Duration.zero
  /// The uptime at the beginning of the launch, the duration of all earlier launches, and the time between launches.
  private var launchedAt = Duration.zero
  private var pastTime = Duration.zero
  private var timeBetweenLaunches = Duration.zero
  /// Whether the launch's manager does not know of the alternative yet.
  private var isAlternativeDue = false

  /// A provider that plays a file, or all files of a journal's folder.
  ///
  /// - Parameters:
  ///   - url: A file or a folder.
  ///   - alternative: What is to be other than it was; `nil` compares.
  /// - Throws: `FileFailure` where there is no journal, or no launch in it.
  public convenience init(contentsOf url: URL, instead alternative: Alternative? = nil) throws(FileFailure) {
    try self.init(try JournalReader(contentsOf: url), instead: alternative)
  }

  init(_ reader: JournalReader, instead alternative: Alternative? = nil) throws(FileFailure) {
    if case .metres(let bound) = alternative?.errorBound, let problem = LookPlanner.problem(withBound: bound) {
      preconditionFailure(problem)
    }
    alternative?.policy?.check()
    self.alternative = alternative
    self.reader = reader
    // A file that goes on where another one ended is played from its first launch on.
    while let entry = try self.reader.next() {
      if case .launch(let launch) = entry.what {
        begin(launch, at: entry.now)
        return
      }
      leftOut += 1
    }
    throw FileFailure(
      self.reader.file, max(1, self.reader.line),
      "there is no launch in it: give the folder, or the files before this one too; where the journal has removed the one in which the "
        + "launch begins, its lines cannot be played any more, but those of the program's next launch can")
  }

  /// Plays to the end.
  ///
  /// - Throws: `FileFailure` at a line that cannot be read; what is before it is played.
  public func run() throws(FileFailure) { while try step() {} }

  /// Plays all up to an uptime.
  ///
  /// - Throws: `FileFailure` at a line that cannot be read; what is before it is played.
  public func run(until deadline: Duration) throws(FileFailure) {
    while let entry = try nextEntry() {
      // In another launch the uptime may have begun anew.
      if entry.now.uptime > deadline, !entry.isLaunch {
        pending = entry
        return
      }
      try play(entry)
    }
    isAtEnd = true
  }

  /// Plays the next line.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: `FileFailure` where it cannot be read.
  @discardableResult
  package func step() throws(FileFailure) -> Bool {
    guard let entry = try nextEntry() else {
      isAtEnd = true
      return false
    }
    try play(entry)
    return true
  }

  private func nextEntry() throws(FileFailure) -> JournalEntry? {
    guard let entry = pending else { return try reader.next() }
    pending = nil
    return entry
  }

  private func play(_ entry: JournalEntry) throws(FileFailure) {
    // An input without a line of decisions after it had none; but for the last one of a launch, whose may not have been written.
    if case .decisions(let recorded) = entry.what { return compare(with: recorded) }
    if case .input = entry.what { compare(with: "") }
    fireTimers(before: entry)
    switch entry.what {
    case .launch(let launch):
      guard let onRelaunch else {
        throw FileFailure(
          reader.file, reader.line, "the app was launched again here: onRelaunch has to make its manager")
      }
      turnOff()
      pastTime = recordedTime
      timeBetweenLaunches += .seconds(max(0, entry.now.date.timeIntervalSince(date)))
      begin(launch, at: entry.now)
      onPlay?(.launch(platform: launch.platform, version: launch.version))
      onRelaunch()
    case .continues, .decisions: break
    case .note(let text):
      pass(to: entry.now)
      onPlay?(.note(text))
    case .lost:
      isComparing = false
      onPlay?(.gap)
    case .input(let input):
      // A manager of a terminated app is released when the next one is created: the GPS was off before.
      if input == .release { turnOff() }
      pass(to: entry.now)
      applyAlternative()
      self.input = (reader.file, reader.line)
      play(input)
    }
  }

  private func begin(_ launch: JournalEntry.Launch, at now: LocationCore.Now) {
    (uptime, launchedAt, date) = (now.uptime, now.uptime, now.date)
    (authorization, wakeSources) = (launch.authorization, launch.wakeSources)
    recommendedPolicy = alternative?.policy ?? launch.policy
    store = JournalStore(launch)
    (timer, input, decisions, isComparing) = (nil, nil, [], alternative == nil)
    isAlternativeDue = alternative != nil
  }

  private func pass(to now: LocationCore.Now) {
    (uptime, date) = (max(uptime, now.uptime), now.date)
  }

  /// Ends all services.
  private func turnOff() {
    willChangeService?()
    (mode, isKeptRunning) = (.off, false)
    (pastOnTime, receiverOnSince) = (receiverOnTime, nil)
  }

  private func applyAlternative() {
    guard isAlternativeDue else { return }
    isAlternativeDue = false
    switch alternative?.errorBound {
    case .absent: onInput?(.errorBound(nil))
    case .metres(let bound): onInput?(.errorBound(bound))
    case .asRecorded, nil: break
    }
  }

  private func play(_ input: LocationCore.Input) {
    switch input {
    case .report(let report):
      if case .authorization(let authorization) = report { self.authorization = authorization }
      if case .wakeSources(let sources) = report {
        willChangeService?()
        wakeSources = sources
      }
      // Where decisions differ timers do.
      if alternative != nil, report == .timer { return }
      onPlay?(.report(report))
      onReport?(report)
    case .release: onReport?(.replaced)
    case .policy(let policy):
      onPlay?(.policy(policy))
      if alternative?.policy == nil { onInput?(input) }
    case .errorBound(let bound):
      onPlay?(.errorBound(bound))
      if alternative == nil || alternative?.errorBound == .asRecorded { onInput?(input) }
    case .command(let event):
      onPlay?(.command(event))
      onInput?(input)
    case .promptTimeLimit, .boundTarget, .begin, .setAlarm, .end, .restartReceiver: onInput?(input)
    }
  }

  /// How many timers run between two lines: a manager's are seconds apart where the GPS is on, and minutes where not.
  private static let mostTimers = 10_000

  /// With an alternative the manager's timers run between two lines.
  private func fireTimers(before entry: JournalEntry) {
    guard alternative != nil, !entry.isLaunch else { return }
    for _ in 0..<Self.mostTimers {
      guard let due = timer, due <= entry.now.uptime else { return }
      timer = nil
      if due > uptime {
        date += (due - uptime).inSeconds
        uptime = due
      }
      onReport?(.timer)
    }
  }

  private func compare(with recorded: String) {
    defer { (input, decisions) = (nil, []) }
    guard let input, isComparing else { return }
    compared += 1
    let replayed = decisions.joined(separator: "; ")
    guard replayed != recorded, difference == nil else { return }
    difference = Difference(file: input.file, line: input.line, recorded: recorded, replayed: replayed)
  }

  func recalled(_ location: Location) -> Location { location }
  func begin(_ core: LocationCore) {}
  func willTake(_ input: LocationCore.Input, at now: LocationCore.Now) {}
  func didEndTurn() {}
  func didDecide(_ action: LocationCore.Action) {
    if isComparing, let words = action.inJournal { decisions.append(words) }
  }

  /// Does nothing: the answer stands in the journal.
  public func requestAuthorization() {}
  /// Counts the time with the GPS on: what came of it stands in the journal.
  public func setMode(_ mode: ReceiverMode) {
    willChangeService?()
    self.mode = mode
    pastOnTime = receiverOnTime
    receiverOnSince = mode == .gps ? uptime : nil
    onMode?(mode)
  }
  /// Keeps the command, for the times in each state: its effects are in the journal.
  public func setKeptRunning(_ isKept: Bool) {
    willChangeService?()
    isKeptRunning = isKept
  }
  /// Does nothing: what came of it stands in the journal.
  public func restartReceiver() {}
  /// Heeded where there is an alternative; otherwise the journal says when it fired.
  public func setTimer(_ deadline: Duration?) { timer = deadline }
}

@available(*, unavailable)
extension JournalProvider: Sendable {}

/// What the store had when a launch began; what is written into it is kept in memory.
private final class JournalStore: LocationStore {
  var location: Location?
  var isPaused = false

  init(_ launch: JournalEntry.Launch? = nil) {
    (location, isPaused) = (launch?.location, launch?.isPaused ?? false)
  }
}
