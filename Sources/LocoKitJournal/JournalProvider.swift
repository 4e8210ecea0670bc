public import LocoFoundation
public import LocoKit

/// A provider that replays a journal to a manager in virtual time.
///
/// ```swift
/// let journal = try JournalProvider(contentsOf: file)
/// let manager = LocationManager(provider: journal, store: journal.store)
/// try journal.run()
/// manager.state           // .waitingSignificantChange
/// journal.difference      // nil
/// ```
///
/// The provider repeats the recorded reports, commands and demands, and compares the manager's decisions with the recorded ones.
/// ``difference`` is the first decision that differs. A journal contains a launch for each recorded manager; ``onRelaunch`` creates the
/// manager of each launch after the first.
///
/// An ``Alternative`` replays the same reports with another policy or error bound. Timers then fire as the manager sets them. A journal
/// contains no GPS fixes from times when the recorded GPS was off, so a look at such a time fails, unless a recorded coarse fix satisfies
/// it. The replay can therefore show what a more frugal policy saves, but not what a more accurate one finds.
public final class JournalProvider: LocationProvider, TurnObserver {
  /// The settings that replace the recorded ones.
  public struct Alternative: Hashable, Sendable {
    /// An error bound that replaces those that the app set on its manager. The bounds of consumers, such as a trip recorder, stay.
    package enum ErrorBound: Hashable, Sendable {
      /// The recorded bounds.
      case asRecorded
      /// No bound: the manager looks when the system reports a significant change.
      case absent
      /// A bound in metres, 100 or more.
      case metres(Double)
    }

    /// The policy that replaces all recorded ones; `nil` keeps the recorded ones.
    package var policy: AcquisitionPolicy?
    /// The error bound that replaces those that the app set on its manager.
    package var errorBound: ErrorBound

    package init(policy: AcquisitionPolicy?, bound: ErrorBound) { (self.policy, errorBound) = (policy, bound) }

    /// Creates an alternative with a policy, and with the recorded error bounds.
    ///
    /// - Parameter policy: The policy that replaces all recorded ones; `nil` keeps the recorded ones.
    public init(policy: AcquisitionPolicy? = nil) { self.init(policy: policy, bound: .asRecorded) }

    /// Creates an alternative with an error bound instead of those that the app set on its manager.
    ///
    /// - Parameters:
    ///   - policy: The policy that replaces all recorded ones; `nil` keeps the recorded ones.
    ///   - errorBound: The error bound in metres, 100 or more; `nil` for none: the manager then looks when the system reports a significant
    ///     change.
    public init(policy: AcquisitionPolicy? = nil, errorBound: Double?) {
      self.init(policy: policy, bound: errorBound.map { .metres($0) } ?? .absent)
    }
  }

  /// An event of the journal.
  public enum Played: Hashable, Sendable {
    /// A manager was created, on a platform, by a version of LocoKit.
    case launch(platform: String, version: String)
    /// A report of the provider.
    case report(ProviderReport)
    /// A command of the app.
    case command(LocationMachine.Event)
    /// The app set this policy.
    case policy(AcquisitionPolicy)
    /// The app set this error bound.
    case errorBound(Double?)
    /// A note of the app, of at most 1,000 characters: ``RecordingProvider/note(_:)``.
    case note(String)
    /// Lines are missing. Decisions aren't compared until the next launch.
    case gap
  }

  /// The first decision that differs from the recorded one, as text: the path of the journal's file and the line of the input that led to the
  /// decision, and both decisions. `nil` if there is none so far.
  public private(set) var difference: String?
  /// The number of inputs whose decisions were compared.
  public private(set) var compared = 0
  /// Called at each launch after the first. Release the old manager, and create a new one with this provider and its ``store``.
  public var onRelaunch: (() -> Void)?
  /// Called before each event is replayed, except the first launch. With an alternative, it isn't called for recorded timers.
  public var onPlay: ((Played) -> Void)?
  /// Called with each new mode that the manager sets.
  public var onMode: ((ReceiverMode) -> Void)?
  /// Called before ``service`` may change. If it changes, ``uptime`` is the end of the current service.
  package var willChangeService: (() -> Void)?
  /// The time with the GPS on, in all launches together. A launch that was killed counts up to its last line.
  package var receiverOnTime: Duration { pastOnTime + (receiverOnSince.map { uptime - $0 } ?? .zero) }
  /// The sum of the durations of all launches, each from its first line to its last one.
  package var recordedTime: Duration { uptime - uptimeAtZero }
  /// The time since the first launch: uptime within a launch, and the difference of the dates between two launches, if it is positive.
  /// It never decreases, even if the clock was set back.
  package var elapsed: Duration { recordedTime + timeBetweenLaunches }
  /// The system's name and version at the current launch.
  package private(set) var platform = ""
  /// The name of the hardware at the current launch; `nil` if it wasn't recorded.
  package private(set) var model: String?
  /// The number of lines before the first launch. They belong to a launch whose first file is missing, and can't be replayed.
  package private(set) var leftOut = 0
  /// The share of the files' bytes that has been read: 0…1. Has no meaning for a journal in memory.
  package var progress: Double { reader.progress }
  /// The contents of the app's store at the current launch.
  public private(set) var store: any LocationStore = JournalStore()

  /// The uptime of the current line, or of a timer before it. It never decreases within a launch.
  public private(set) var uptime = Duration.zero
  /// The date of the current line, or of a timer before it.
  public private(set) var date = Date.distantPast
  /// The recorded authorization.
  public private(set) var authorization = Authorization.notDetermined
  /// The recorded wake-up sources.
  public private(set) var wakeSources: Set<WakeKind> = [.significantChange]
  /// The recorded background updates.
  public private(set) var backgroundUpdates = LocationManager.BackgroundUpdates.never
  /// The recorded policy, or the alternative's.
  public private(set) var recommendedPolicy = AcquisitionPolicy.loco
  /// Set by the manager.
  public var onReport: ProviderReport.Handler?
  package var onInput: ((LocationCore.Input) -> Void)?
  package let firstDemandID = 1 << 30

  /// Whether the app uses the GPS, is kept running without it, or is asleep.
  package enum Service: Equatable, Sendable {
    case gps, keptRunning, asleep
  }

  /// The current service, from the manager's commands. While an app without a keeper waits for significant changes, it counts as kept
  /// running if its wake-up sources contain timers while asleep.
  package var service: Service {
    switch plan.mode {
    case .gps: .gps
    case .off: .asleep
    case .significantChanges where backgroundUpdates != .never: plan.keepsAppRunning ? .keptRunning : .asleep
    case .significantChanges: wakeSources.contains(.timer) ? .keptRunning : .asleep
    }
  }

  /// The manager's plan, without a timer that has fired.
  private(set) var plan = ReceiverPlan()
  private let alternative: Alternative?
  private var reader: JournalReader
  private var decisions: [String] = []
  /// The last plan that the manager decided.
  private var decided = ReceiverPlan()
  /// The position of the input whose decisions are collected.
  private var input: (file: String, line: Int)?
  private var isComparing = true
  private var receiverOnSince: Duration?
  /// The time with the GPS on before `receiverOnSince`.
  private var pastOnTime = Duration.zero
  /// The uptime when ``recordedTime`` is zero, and the sum of the times between launches.
  private var uptimeAtZero = Duration.zero
  private var timeBetweenLaunches = Duration.zero
  /// Whether the launch's manager hasn't received the alternative yet.
  private var isAlternativeDue = false

  /// Creates a provider that replays a file, or all files of a journal's folder.
  ///
  /// - Parameters:
  ///   - url: A file or a folder.
  ///   - alternative: The settings that replace the recorded ones; `nil` keeps those, and compares decisions.
  /// - Throws: `FileFailure` if there is no journal, if no launch is in it, or if a file or a line up to the first launch can't be read.
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
    // Lines before the first launch belong to a launch whose first file is missing.
    while let entry = try self.reader.next() {
      if case .launch(let launch) = entry.what {
        begin(launch, at: entry.now)
        return
      }
      leftOut += 1
    }
    throw FileFailure(
      self.reader.file, max(1, self.reader.line),
      leftOut == 0
        ? "there is no launch in it, and no complete line of a journal"
        : "there is no launch in it: pass the folder of the journal, which has the files before this one; if the journal has deleted the "
          + "file in which the launch begins, the rest of that launch can't be replayed")
  }

  /// Creates a provider that replays a journal in memory.
  package convenience init(_ journal: [UInt8], instead alternative: Alternative? = nil) throws(FileFailure) {
    try self.init(JournalReader(journal), instead: alternative)
  }

  /// Creates a provider that replays one launch. Pass its inputs to ``play(_:at:)``.
  init(_ launch: JournalEntry.Launch, at now: LocationCore.Now) {
    (alternative, reader) = (nil, JournalReader([]))
    begin(launch, at: now)
  }

  /// Plays an input. Returns the decisions in words, as they are in a journal.
  func play(_ input: LocationCore.Input, at now: LocationCore.Now) -> String {
    advance(to: now)
    // A timer fires once. The manager may set another one.
    if input == .report(.wake(.timer)) { plan.timer = nil }
    play(input)
    defer { decisions = [] }
    return decisions.joined(separator: "; ")
  }

  /// Replays the journal to its end.
  ///
  /// - Throws: `FileFailure` at a line that can't be read, or at a launch after the first if ``onRelaunch`` isn't set. All lines before it
  ///   were replayed then.
  public func run() throws(FileFailure) { while try step() {} }

  /// Replays the next line. Returns whether there was one.
  ///
  /// - Throws: `FileFailure` if the line can't be read, or if it is a launch and ``onRelaunch`` isn't set.
  @discardableResult
  package func step() throws(FileFailure) -> Bool {
    guard let entry = try reader.next() else { return false }
    // An input that no line of decisions follows led to no decision. If it is the last input of a launch, it isn't
    // compared, because the line may be lost.
    if case .input = entry.what { compare(with: "") }
    if case .decisions(let recorded) = entry.what { compare(with: recorded) } else { fireTimers(before: entry) }
    switch entry.what {
    case .launch(let launch):
      guard let onRelaunch else {
        throw FileFailure(reader.file, reader.line, "the app was relaunched here: set onRelaunch to create its manager")
      }
      turnOff()
      timeBetweenLaunches += .seconds(max(0, entry.now.date.timeIntervalSince(date)))
      begin(launch, at: entry.now)
      onPlay?(.launch(platform: launch.platform, version: launch.version))
      onRelaunch()
    case .continues, .decisions: break
    case .note(let text):
      advance(to: entry.now)
      onPlay?(.note(text))
    case .lost:
      isComparing = false
      onPlay?(.gap)
    case .input(let input):
      // The release of a terminated app's manager may be recorded as late as the next launch. The GPS was off before.
      if input == .release { turnOff() }
      advance(to: entry.now)
      applyAlternative()
      self.input = (reader.file, reader.line)
      play(input)
    }
    return true
  }

  private func begin(_ launch: JournalEntry.Launch, at now: LocationCore.Now) {
    uptimeAtZero += now.uptime - uptime
    (uptime, date) = (now.uptime, now.date)
    (platform, model) = (launch.platform, launch.model)
    authorization = launch.authorization
    wakeSources = launch.wakeSources
    backgroundUpdates = launch.backgroundUpdates
    recommendedPolicy = alternative?.policy ?? launch.policy
    store = JournalStore(launch)
    plan = ReceiverPlan()
    (input, decisions, isComparing) = (nil, [], alternative == nil)
    isAlternativeDue = alternative != nil
  }

  private func advance(to now: LocationCore.Now) { (uptime, date) = (max(uptime, now.uptime), now.date) }

  private func turnOff() {
    willChangeService?()
    (plan.mode, plan.keepsAppRunning) = (.off, false)
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
      if case .wakeSources(let sources, let backgroundUpdates) = report {
        willChangeService?()
        wakeSources = sources
        self.backgroundUpdates = backgroundUpdates
      }
      // With an alternative, `fireTimers` fires the manager's own timers.
      if alternative != nil, report == .wake(.timer) { return }
      onPlay?(.report(report))
      onReport?(report)
    case .release: onReport?.releaseManager()
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

  /// The maximum number of timers between two lines. They are seconds apart while the GPS is on, and otherwise minutes.
  private static let maximumTimers = 10_000

  private func fireTimers(before entry: JournalEntry) {
    guard alternative != nil, !entry.isLaunch else { return }
    for _ in 0..<Self.maximumTimers {
      guard let due = plan.timer, due <= entry.now.uptime else { return }
      plan.timer = nil
      if due > uptime {
        date += (due - uptime).inSeconds
        uptime = due
      }
      onReport?(.wake(.timer))
    }
  }

  private func compare(with recorded: String) {
    defer { (input, decisions) = (nil, []) }
    guard let input, isComparing else { return }
    compared += 1
    let replayed = decisions.joined(separator: "; ")
    guard replayed != recorded, difference == nil else { return }
    let (old, new) = (recorded.isEmpty ? "nothing" : recorded, replayed.isEmpty ? "nothing" : replayed)
    difference = "\(input.file):\(input.line): recorded \(old), now \(new)"
  }

  package func recalled(_ location: Location) -> Location { location }
  package func begin(_ core: LocationCore) { decided = core.plan }
  package func willTake(_ input: LocationCore.Input, at now: LocationCore.Now) {}
  package func didEndTurn() {}
  package func didDecide(_ action: LocationCore.Action) {
    if isComparing, let words = action.words(after: decided) { decisions.append(words) }
    if case .apply(let plan) = action { decided = plan }
  }

  /// Measures the time with the GPS on, and stores what determines `service`. The journal contains the effects. With an alternative, the timer
  /// fires at its time; otherwise, at its line in the journal.
  public func apply(_ plan: ReceiverPlan) {
    willChangeService?()
    let isNewMode = plan.mode != self.plan.mode
    self.plan = plan
    guard isNewMode else { return }
    (pastOnTime, receiverOnSince) = (receiverOnTime, plan.mode == .gps ? uptime : nil)
    onMode?(plan.mode)
  }
  /// Does nothing: the journal contains the answer.
  public func perform(_ request: ReceiverRequest) {}
}

@available(*, unavailable)
extension JournalProvider: Sendable {}

/// The contents of a store at a launch. Changes stay in memory.
private final class JournalStore: LocationStore {
  var location: Location?
  var isPaused = false

  init(_ launch: JournalEntry.Launch? = nil) {
    (location, isPaused) = (launch?.location, launch?.isPaused ?? false)
  }
}
