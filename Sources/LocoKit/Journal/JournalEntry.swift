import Foundation

/// A line of a journal.
struct JournalEntry: Hashable, Sendable {
  /// What a line says.
  enum What: Hashable, Sendable {
    /// A manager begins: all that it knows then.
    case launch(Launch)
    /// The file goes on where another one has ended, in the middle of a launch.
    case continues
    /// What a manager takes in.
    case input(LocationCore.Input)
    /// What it decides to do, in words, without a place.
    case decisions(String)
    /// The app's own remark.
    case note(String)
    /// So many lines could not be kept: comparing ends here.
    case lost(Int)
  }

  /// What a manager knows when it begins.
  struct Launch: Hashable, Sendable {
    var version = LocoKitVersion.current
    var platform: String
    var authorization: Authorization
    var wakeSources: WakeSources
    var policy: AcquisitionPolicy
    var location: Location?
    var isPaused: Bool
  }

  var now: LocationCore.Now
  var what: What

  var isLaunch: Bool { if case .launch = what { true } else { false } }
}

/// Which LocoKit this is.
enum LocoKitVersion {
  static let current = "0.1.0"
}

// MARK: - As a line

extension JournalEntry {
  /// The entry as a line, without its end.
  var line: JournalLine {
    var line = JournalLine(t: now.uptime.inNanoseconds, d: now.date.timeIntervalSinceReferenceDate, is: .continues)
    switch what {
    case .launch(let launch):
      line.is = .launch
      (line.format, line.version, line.platform) = (JournalLine.format, launch.version, launch.platform)
      (line.authorization, line.policy) = (launch.authorization, launch.policy)
      (line.sources, line.isPaused) = (launch.wakeSources.rawValue, launch.isPaused)
      line.fixes = launch.location.map { [$0] }
    case .continues:
      line.format = JournalLine.format
    case .note(let text):
      (line.is, line.text) = (.note, text)
    case .lost(let count):
      (line.is, line.count) = (.lost, count)
    case .decisions(let text):
      (line.is, line.text) = (.decisions, text)
    case .input(let input):
      line.set(input)
    }
    return line
  }

  /// - Throws: `JournalLine.Problem` where a field is missing or out of range.
  init(_ line: JournalLine) throws(JournalLine.Problem) {
    let (uptime, date) = (Duration.nanoseconds(line.t), Date(timeIntervalSinceReferenceDate: line.d))
    guard line.t >= 0 else { throw JournalLine.Problem("the time t is negative") }
    guard line.t <= JournalLine.latest else { throw JournalLine.Problem("the time t is out of range") }
    guard abs(line.d) <= JournalLine.latestDate else { throw JournalLine.Problem("the date d is out of range") }
    now = LocationCore.Now(uptime: uptime, date: date)
    switch line.is {
    case .launch:
      guard line.format == JournalLine.format else {
        throw JournalLine.Problem(
          "the format is \(line.format.map(String.init) ?? "not named"), and this LocoKit reads \(JournalLine.format)")
      }
      what = .launch(
        Launch(
          version: try line.the(\.version, "version"), platform: try line.the(\.platform, "platform"),
          authorization: try line.the(\.authorization, "authorization"),
          wakeSources: WakeSources(rawValue: try line.the(\.sources, "sources")),
          policy: try line.the(\.policy, "policy"),
          location: line.fixes?.first, isPaused: line.isPaused ?? false))
    case .continues: what = .continues
    case .note:
      let text = try line.the(\.text, "text")
      guard text.unicodeScalars.count <= JournalLine.longestNote else {
        throw JournalLine.Problem("a note has more than \(JournalLine.longestNote) characters")
      }
      what = .note(text)
    case .lost: what = .lost(line.count ?? 0)
    case .decisions: what = .decisions(try line.the(\.text, "text"))
    default: what = .input(try line.input())
    }
  }
}

extension JournalLine {
  fileprivate func the<Value>(_ field: KeyPath<Self, Value?>, _ name: String) throws(Problem) -> Value {
    guard let value = self[keyPath: field] else { throw Problem("a line of the kind \(`is`.rawValue) has no \(name)") }
    return value
  }

  fileprivate mutating func set(_ input: LocationCore.Input) {
    switch input {
    case .command(let event): (`is`, self.event) = (.command, event)
    case .report(let report): set(report)
    case .policy(let policy): (`is`, self.policy) = (.policy, policy)
    case .promptTimeLimit(let limit): (`is`, nanoseconds) = (.promptTimeLimit, limit.inNanoseconds)
    case .errorBound(let bound): (`is`, metres) = (.errorBound, bound)
    case .begin(let id, let want): begin(id, want)
    case .setAlarm(let id, let time): (`is`, self.id, nanoseconds) = (.callBack, id, time?.inNanoseconds)
    case .end(let id): (`is`, self.id) = (.end, id)
    case .restartReceiver: `is` = .restartReceiver
    case .release: `is` = .release
    }
  }

  private mutating func set(_ report: ProviderReport) {
    switch report {
    case .promptShown: `is` = .promptShown
    case .authorization(let authorization): (`is`, self.authorization) = (.authorization, authorization)
    case .fixes(let fixes): (`is`, self.fixes) = (.fixes, fixes)
    case .significantChange(let change): (`is`, fixes) = (.significantChange, change.map { [$0] })
    case .regionExited: `is` = .regionExited
    case .motion(let motion): (`is`, self.motion) = (.motion, motion)
    case .cell(let name): (`is`, text) = (.cell, name)
    case .wakeSources(let sources): (`is`, self.sources) = (.wakeSources, sources.rawValue)
    case .failure(.locationUnknown): (`is`, wish) = (.failure, "locationUnknown")
    case .failure(.accessDenied): (`is`, wish) = (.failure, "accessDenied")
    case .failure(.backgroundTimeExpired): (`is`, wish) = (.failure, "backgroundTimeExpired")
    case .failure(.other(let text)): (`is`, wish, self.text) = (.failure, "other", text)
    case .timer: `is` = .timer
    case .replaced: `is` = .release
    }
  }

  private mutating func begin(_ id: Demand.ID, _ want: Demand.Want) {
    (`is`, self.id) = (.begin, id)
    switch want {
    case .one(let one): (wish, metres, nanoseconds) = ("one", one.desiredAccuracy, one.timeLimit.inNanoseconds)
    case .every(let filter): set("every", filter.settings)
    case .fixes(let filter?): set("fixes", filter.settings)
    case .fixes(nil): wish = "nothing"
    case .accepted(let acceptance):
      let policy = acceptance.policy
      (wish, metres, filter) = ("accepted", policy.requiredAccuracy, policy.distanceFilter)
      (nanoseconds, holds) = (policy.pendingTimeLimit.inNanoseconds, policy.holdTime.inNanoseconds)
      (count, ignores) = (policy.maximumPendingFixes, policy.ignoresPossibleDuplicates)
    case .policy: preconditionFailure("Only the core begins the manager's own acquisition.")
    }
  }

  private mutating func set(_ wish: String, _ settings: ReceiverSettings) {
    (self.wish, metres, filter) = (wish, settings.desiredAccuracy, settings.distanceFilter)
  }

  fileprivate func input() throws(Problem) -> LocationCore.Input {
    switch `is` {
    case .command: .command(try command())
    case .promptShown: .report(.promptShown)
    case .authorization: .report(.authorization(try the(\.authorization, "authorization")))
    case .fixes: .report(.fixes(try the(\.fixes, "fixes")))
    case .significantChange: .report(.significantChange(fixes?.first))
    case .regionExited: .report(.regionExited)
    case .motion: .report(.motion(try the(\.motion, "motion")))
    case .cell: .report(.cell(try the(\.text, "text")))
    case .wakeSources: .report(.wakeSources(WakeSources(rawValue: try the(\.sources, "sources"))))
    case .failure: .report(.failure(try failure()))
    case .timer: .report(.timer)
    case .policy: .policy(try the(\.policy, "policy"))
    case .promptTimeLimit: .promptTimeLimit(try duration(\.nanoseconds, "nanoseconds", 1...Self.day))
    case .errorBound: .errorBound(try errorBound())
    case .begin: .begin(try the(\.id, "id"), try wanted())
    case .callBack:
      .setAlarm(
        try the(\.id, "id"),
        at: nanoseconds == nil ? nil : try duration(\.nanoseconds, "nanoseconds", -Self.latest...Self.latest))
    case .end: .end(try the(\.id, "id"))
    case .restartReceiver: .restartReceiver
    case .release: .release
    case .launch, .continues, .lost, .decisions, .note: throw Problem("a line of the kind \(`is`.rawValue) is no input")
    }
  }

  private static let day: Int64 = 86_400_000_000_000

  private func duration(
    _ field: KeyPath<Self, Int64?>, _ name: String, _ range: ClosedRange<Int64>
  ) throws(Problem) -> Duration {
    let value = try the(field, name)
    guard range.contains(value) else { throw Problem("\(name) is out of range") }
    return .nanoseconds(value)
  }

  private func number(_ field: KeyPath<Self, Double?>, _ name: String, from least: Double) throws(Problem) -> Double {
    let value = try the(field, name)
    guard value >= least, value.isFinite else { throw Problem("\(name) is out of range") }
    return value
  }

  /// What an app may say: other events of the machine come of reports and of the time, and have something with them.
  private func command() throws(Problem) -> LocationMachine.Event {
    let event = try the(\.event, "event")
    switch event {
    case .tryPrompt, .forcePrompt, .pause, .resume, .forceAcquire: return event
    default: throw Problem("\(event.rawValue) is no command")
    }
  }

  private func failure() throws(Problem) -> ProviderFailure {
    switch try the(\.wish, "wish") {
    case "locationUnknown": .locationUnknown
    case "accessDenied": .accessDenied
    case "backgroundTimeExpired": .backgroundTimeExpired
    default: .other(text ?? "")
    }
  }

  private func errorBound() throws(Problem) -> Double? {
    guard let metres else { return nil }
    if let problem = LookPlanner.problem(withBound: metres) { throw Problem(problem) }
    return metres
  }

  private func wanted() throws(Problem) -> Demand.Want {
    switch try the(\.wish, "wish") {
    case "one":
      return .one(
        OneLocation(
          desiredAccuracy: try number(\.metres, "metres", from: .leastNonzeroMagnitude),
          within: try duration(\.nanoseconds, "nanoseconds", 1...Self.day)))
    case "every": return .every(try trackFilter())
    case "fixes": return .fixes(try trackFilter())
    case "accepted":
      let count = try the(\.count, "count")
      guard (1...1_000).contains(count) else { throw Problem("count is out of range") }
      return .accepted(
        Acceptance(
          AcceptancePolicy(
            requiredAccuracy: try number(\.metres, "metres", from: .leastNonzeroMagnitude),
            pendingTimeLimit: try duration(\.nanoseconds, "nanoseconds", 1...Self.day), maximumPendingFixes: count,
            holdTime: try duration(\.holds, "holds", 0...Self.day),
            distanceFilter: try number(\.filter, "filter", from: 0),
            ignoresPossibleDuplicates: ignores ?? true)))
    case "nothing": return .fixes(nil)
    default: throw Problem("the wish is unknown")
    }
  }

  private func trackFilter() throws(Problem) -> TrackFilter {
    TrackFilter(
      ReceiverSettings(
        desiredAccuracy: try number(\.metres, "metres", from: 0),
        distanceFilter: try number(\.filter, "filter", from: 0)))
  }
}

// MARK: - Decisions in words

extension LocationCore.Action {
  /// The action in words without a place: the same for the same decision. `nil` for what only says that somebody is told of what
  /// stands there already.
  var inJournal: String? {
    switch self {
    case .setReceiver(let settings): "receiver \(settings.desiredAccuracy) m every \(settings.distanceFilter) m"
    case .setMode(let mode): "mode \(mode.rawValue)"
    case .requestAuthorization: "requestAuthorization"
    case .setTimer(let time): "timer \(time.map { "\($0.inNanoseconds)" } ?? "none")"
    // Of places that are moved the last digits of a distance are others.
    case .setRegion(let region): "region \(region.map { "\(($0.radius * 10).rounded() / 10) m" } ?? "none")"
    case .transition(let transition):
      "\(transition.from.rawValue) → \(transition.to.rawValue) (\(transition.event.rawValue))"
    case .deliver(let location): "location \(location.inJournal)"
    case .notify, .significantChange, .promptShown, .giveFix, .setErrorBound, .restartReceiver: nil
    case .look(let cause): "look \(cause.rawValue)"
    case .acquisitionFailed(.timeLimit(let best)): "failed timeLimit \(best.map(\.inJournal) ?? "none")"
    case .acquisitionFailed(let failure): "failed \(failure)"
    case .authorizationChanged(let authorization): "authorization \(authorization.rawValue)"
    case .ignored(let event, _): "ignored \(event.rawValue)"
    case .judged(let judged, let isUsed):
      switch judged.verdict {
      case .candidate: "candidate"
      case .acquired: "acquired"
      case .rejected(let reason): "\(isUsed ? "used, " : "")rejected \(reason.rawValue)"
      }
    case .give(let location, let id): "given to \(id): \(location.inJournal)"
    case .finish(let id, let failure): "finished \(id)\(failure == nil ? "" : " without")"
    case .callBack(let id): "called back \(id)"
    case .providerFailed, .interrupted: nil
    case .savePause(let isPaused): "save pause \(isPaused)"
    case .save: "save location"
    }
  }
}

extension Location {
  /// When and how accurate: a location without its place.
  fileprivate var inJournal: String { "\(horizontalAccuracy) m at \(timestamp.timeIntervalSinceReferenceDate)" }
}
