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

extension JournalEntry: Codable {
  /// The entry as a line in UTF-8, with its end.
  var bytes: [UInt8] {
    get throws { Array(try JournalCoding.encoder.encode(self)) + [UInt8(ascii: "\n")] }
  }

  /// Reads a line in UTF-8, without its end.
  ///
  /// - Throws: `JournalLine.Problem` where it is no line of a journal, or a field is missing or out of range.
  init(_ bytes: ArraySlice<UInt8>) throws(JournalLine.Problem) {
    do { self = try JournalCoding.decoder.decode(Self.self, from: Data(bytes)) } catch {
      throw JournalLine.Problem(error)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: JournalLine.Field.self)
    try fields.encode(now.uptime.inNanoseconds, forKey: .t)
    try fields.encode(now.date.timeIntervalSinceReferenceDate, forKey: .d)
    try JournalLine(what).encode(to: encoder)
  }

  init(from decoder: any Decoder) throws {
    let fields = try JournalFields(decoder)
    let t: Int64 = try fields.common(try fields.integerIfPresent(.t), .t)
    let d = try fields.common(try fields.numberIfPresent(.d), .d)
    guard t >= 0 else { throw JournalLine.Problem("the time t is negative") }
    guard t <= JournalLine.latest else { throw JournalLine.Problem("the time t is out of range") }
    guard abs(d) <= JournalLine.latestDate else { throw JournalLine.Problem("the date d is out of range") }
    now = LocationCore.Now(uptime: .nanoseconds(t), date: Date(timeIntervalSinceReferenceDate: d))
    what = try JournalLine(fields).what
  }
}

// MARK: - What is written

extension JournalLine {
  init(_ what: JournalEntry.What) {
    switch what {
    case .launch(let launch): self = .launch(launch)
    case .continues: self = .continues
    case .note(let text): self = .note(text: text)
    case .lost(let count): self = .lost(count: count)
    case .decisions(let text): self = .decisions(text: text)
    case .input(let input): self.init(input)
    }
  }

  private init(_ input: LocationCore.Input) {
    switch input {
    case .command(let event): self = .command(event)
    case .report(let report): self.init(report)
    case .policy(let policy): self = .policy(policy)
    case .promptTimeLimit(let limit): self = .promptTimeLimit(nanoseconds: limit.inNanoseconds)
    case .errorBound(let bound): self = .errorBound(metres: bound)
    case .boundTarget(let target): self = .boundTarget(target)
    case .begin(let id, let want): self = .begin(id: id, Wish(want))
    case .setAlarm(let id, let time): self = .callBack(id: id, nanoseconds: time?.inNanoseconds)
    case .end(let id): self = .end(id: id)
    case .restartReceiver: self = .restartReceiver
    case .release: self = .release
    }
  }

  private init(_ report: ProviderReport) {
    switch report {
    case .promptShown: self = .promptShown
    case .authorization(let authorization): self = .authorization(authorization)
    case .fixes(let fixes): self = .fixes(fixes)
    case .significantChange(let location): self = .significantChange(location)
    case .regionExited: self = .regionExited
    case .arrival: self = .arrival
    case .departure: self = .departure
    case .motion(let motion): self = .motion(motion)
    case .pastMotion(let changes): self = .pastMotion(changes)
    case .battery(let battery): self = .battery(battery)
    case .cell(let name): self = .cell(text: name)
    case .wakeSources(let sources): self = .wakeSources(sources)
    case .failure(let failure): self = .failure(failure)
    case .timer: self = .timer
    case .replaced: self = .release
    }
  }
}

extension JournalLine.Wish {
  fileprivate init(_ want: Demand.Want) {
    switch want {
    case .one(let one):
      self = .one(
        metres: one.desiredAccuracy, nanoseconds: one.timeLimit.inNanoseconds, age: one.maximumAge.inNanoseconds)
    case .every(let filter):
      self = .every(metres: filter.settings.desiredAccuracy, filter: filter.settings.distanceFilter)
    case .fixes(let filter?):
      self = .fixes(metres: filter.settings.desiredAccuracy, filter: filter.settings.distanceFilter)
    case .fixes(nil): self = .nothing
    case .bound(let metres, let keepsRunning): self = .bound(metres: metres, keepsRunning: keepsRunning)
    case .accepted(let acceptance):
      let policy = acceptance.policy
      self = .accepted(
        metres: policy.requiredAccuracy, filter: policy.distanceFilter,
        nanoseconds: policy.pendingTimeLimit.inNanoseconds, holds: policy.holdTime.inNanoseconds,
        count: policy.maximumPendingFixes, ignores: policy.ignoresPossibleDuplicates)
    case .policy: preconditionFailure("Only the core begins the manager's own acquisition.")
    }
  }
}

// MARK: - What is read

extension JournalLine {
  /// - Throws: `Problem` where a field is out of range.
  fileprivate var what: JournalEntry.What {
    get throws(Problem) {
      switch self {
      case .launch(let launch): .launch(launch)
      case .continues: .continues
      case .note(let text): .note(try Self.note(text))
      case .lost(let count): .lost(count)
      case .decisions(let text): .decisions(text)
      case .command(let event): .input(.command(try Self.command(event)))
      case .promptShown: .input(.report(.promptShown))
      case .authorization(let authorization): .input(.report(.authorization(authorization)))
      case .fixes(let fixes): .input(.report(.fixes(fixes)))
      case .significantChange(let location): .input(.report(.significantChange(location)))
      case .regionExited: .input(.report(.regionExited))
      case .arrival: .input(.report(.arrival))
      case .departure: .input(.report(.departure))
      case .motion(let motion): .input(.report(.motion(motion)))
      case .pastMotion(let changes): .input(.report(.pastMotion(changes)))
      case .battery(let battery): .input(.report(.battery(battery)))
      case .cell(let name): .input(.report(.cell(name)))
      case .wakeSources(let sources): .input(.report(.wakeSources(sources)))
      case .failure(let failure): .input(.report(.failure(failure)))
      case .timer: .input(.report(.timer))
      case .policy(let policy): .input(.policy(policy))
      case .promptTimeLimit(let limit): .input(.promptTimeLimit(try .inRange(limit, .nanoseconds, 1...Self.day)))
      case .errorBound(let metres): .input(.errorBound(try Self.errorBound(metres)))
      case .boundTarget(let target): .input(.boundTarget(target))
      case .begin(let id, let wish): .input(.begin(id, try wish.want))
      case .callBack(let id, nil): .input(.setAlarm(id, at: nil))
      case .callBack(let id, let time?):
        .input(.setAlarm(id, at: try .inRange(time, .nanoseconds, -Self.latest...Self.latest)))
      case .end(let id): .input(.end(id))
      case .restartReceiver: .input(.restartReceiver)
      case .release: .input(.release)
      }
    }
  }

  fileprivate static let day: Int64 = 86_400_000_000_000

  private static func note(_ text: String) throws(Problem) -> String {
    guard text.unicodeScalars.count <= longestNote else {
      throw Problem("a note has more than \(longestNote) characters")
    }
    return text
  }

  /// What an app may say: other events of the machine come of reports and of the time, and have something with them.
  private static func command(_ event: LocationMachine.Event) throws(Problem) -> LocationMachine.Event {
    switch event {
    case .tryPrompt, .forcePrompt, .pause, .resume, .forceAcquire: return event
    default: throw Problem("\(event.rawValue) is no command")
    }
  }

  private static func errorBound(_ metres: Double?) throws(Problem) -> Double? {
    if let metres, let problem = LookPlanner.problem(withBound: metres) { throw Problem(problem) }
    return metres
  }
}

extension Duration {
  fileprivate static func inRange(
    _ nanoseconds: Int64, _ field: JournalLine.Field, _ range: ClosedRange<Int64>
  ) throws(JournalLine.Problem) -> Duration {
    guard range.contains(nanoseconds) else { throw JournalLine.Problem("\(field.rawValue) is out of range") }
    return .nanoseconds(nanoseconds)
  }
}

extension JournalLine.Wish {
  fileprivate var want: Demand.Want {
    get throws(JournalLine.Problem) {
      switch self {
      case .one(let metres, let limit, let age):
        return .one(
          OneLocation(
            desiredAccuracy: try Self.inRange(metres, .metres, from: .leastNonzeroMagnitude),
            within: try .inRange(limit, .nanoseconds, 1...JournalLine.day),
            maximumAge: try .inRange(age, .age, 0...JournalLine.day)))
      case .every(let metres, let filter): return .every(try Self.trackFilter(metres, filter))
      case .fixes(let metres, let filter): return .fixes(try Self.trackFilter(metres, filter))
      case .accepted(let metres, let filter, let limit, let holds, let count, let ignores):
        guard (1...1_000).contains(count) else { throw JournalLine.Problem("count is out of range") }
        return .accepted(
          Acceptance(
            AcceptancePolicy(
              requiredAccuracy: try Self.inRange(metres, .metres, from: .leastNonzeroMagnitude),
              pendingTimeLimit: try .inRange(limit, .nanoseconds, 1...JournalLine.day), maximumPendingFixes: count,
              holdTime: try .inRange(holds, .holds, 0...JournalLine.day),
              distanceFilter: try Self.inRange(filter, .filter, from: 0), ignoresPossibleDuplicates: ignores)))
      case .nothing: return .fixes(nil)
      case .bound(let metres, let keepsRunning):
        if let problem = LookPlanner.problem(withBound: metres) { throw JournalLine.Problem(problem) }
        return .bound(metres, keepsRunning: keepsRunning)
      }
    }
  }

  private static func inRange(
    _ value: Double, _ field: JournalLine.Field, from least: Double
  ) throws(JournalLine.Problem) -> Double {
    guard value >= least, value.isFinite else { throw JournalLine.Problem("\(field.rawValue) is out of range") }
    return value
  }

  private static func trackFilter(_ metres: Double, _ filter: Double) throws(JournalLine.Problem) -> TrackFilter {
    TrackFilter(
      ReceiverSettings(
        desiredAccuracy: try inRange(metres, .metres, from: 0), distanceFilter: try inRange(filter, .filter, from: 0)))
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
    case .setKeptRunning(let isKept): isKept ? "kept running" : "not kept running"
    case .requestAuthorization: "requestAuthorization"
    case .setTimer(let time): "timer \(time.map { "\($0.inNanoseconds)" } ?? "none")"
    // Of places that are moved the last digits of a distance are others.
    case .setRegion(let region): "region \(region.map { "\(($0.radius * 10).rounded() / 10) m" } ?? "none")"
    case .transition(let transition):
      "\(transition.from.rawValue) → \(transition.to.rawValue) (\(transition.event.rawValue))"
    case .deliver(let location): "location \(location.inJournal)"
    case .notify, .significantChange, .motionChanged, .batteryChanged, .promptShown, .giveFix, .setErrorBound,
      .restartReceiver:
      nil
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
    case .providerFailed, .interrupted, .departed, .movedBefore: nil
    case .savePause(let isPaused): "save pause \(isPaused)"
    case .save: "save location"
    }
  }
}

extension Location {
  /// When and how accurate: a location without its place.
  fileprivate var inJournal: String { "\(horizontalAccuracy) m at \(timestamp.timeIntervalSinceReferenceDate)" }
}
