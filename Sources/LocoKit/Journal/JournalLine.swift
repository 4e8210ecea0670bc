import Foundation

/// A line of a journal: one case for each kind, with the fields of that kind in the file's units. *Keeping a journal* describes
/// them.
enum JournalLine: Hashable, Sendable {
  case launch(JournalEntry.Launch)
  case continues
  case decisions(text: String)
  case note(text: String)
  case lost(count: Int)
  case command(LocationMachine.Event)
  case promptShown
  case authorization(Authorization)
  case fixes([Location])
  case significantChange(Location?)
  case regionExited
  case arrival
  case departure
  case motion(Motion)
  case pastMotion([Motion.Change])
  case battery(LocationManager.BatteryStatus)
  case cell(text: String)
  case wakeSources(WakeSources)
  case failure(ProviderFailure)
  case timer
  case policy(AcquisitionPolicy)
  case promptTimeLimit(nanoseconds: Int64)
  case errorBound(metres: Double?)
  case boundTarget(LocationManager.BoundTarget)
  case begin(id: Int, Wish)
  case callBack(id: Int, nanoseconds: Int64?)
  case end(id: Int)
  case restartReceiver
  case release

  /// The demand of a `begin` line.
  enum Wish: Hashable, Sendable {
    case one(metres: Double, nanoseconds: Int64, age: Int64 = 0)
    case every(metres: Double, filter: Double)
    case fixes(metres: Double, filter: Double)
    case accepted(metres: Double, filter: Double, nanoseconds: Int64, holds: Int64, count: Int, ignores: Bool)
    case nothing
    case bound(metres: Double, keepsRunning: Bool)
  }

  /// The kinds, by their names in `is`.
  enum Kind: String, CaseIterable {
    case launch, continues, lost, note
    case command, promptShown, authorization, fixes, significantChange, regionExited, arrival, departure, motion,
      pastMotion, battery, cell, wakeSources, failure, timer
    case policy, promptTimeLimit, errorBound, boundTarget, begin, callBack, end, restartReceiver, release
    case decisions = "do"
  }

  /// The fields of all kinds. Every line has `t`, the uptime in nanoseconds, `d`, the date in seconds since the beginning of 2001,
  /// UTC, and `is`, the kind.
  enum Field: String, CodingKey, CaseIterable {
    case t, d, `is`
    case format, version, platform, authorization, policy, sources, isPaused, fixes
    case event, motion, text, failure, count, metres, nanoseconds, id, wish, filter, holds, ignores, target, changes
    case age, level, state
  }

  /// The names of the failures in `failure`, and of the wishes in `wish`.
  enum FailureName: String { case locationUnknown, accessDenied, backgroundTimeExpired, other }
  enum WishName: String { case one, every, fixes, accepted, nothing, bound }

  /// The version of the format, in the lines that begin a file.
  static let format = 1
  /// How many fixes a report may have.
  static let maximumFixes = 10_000
  /// How many changes of the motion a report may have.
  static let maximumChanges = 10_000
  /// How many characters a note may have.
  static let longestNote = 1_000
  /// Times are within a century of the system's start, nanoseconds.
  static let latest = Duration.century.inNanoseconds
  /// Dates are within some three thousand years of 2001.
  static let latestDate = 1e11

  /// What is wrong with a line.
  struct Problem: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  var kind: Kind {
    switch self {
    case .launch: .launch
    case .continues: .continues
    case .decisions: .decisions
    case .note: .note
    case .lost: .lost
    case .command: .command
    case .promptShown: .promptShown
    case .authorization: .authorization
    case .fixes: .fixes
    case .significantChange: .significantChange
    case .regionExited: .regionExited
    case .arrival: .arrival
    case .departure: .departure
    case .motion: .motion
    case .pastMotion: .pastMotion
    case .battery: .battery
    case .cell: .cell
    case .wakeSources: .wakeSources
    case .failure: .failure
    case .timer: .timer
    case .policy: .policy
    case .promptTimeLimit: .promptTimeLimit
    case .errorBound: .errorBound
    case .boundTarget: .boundTarget
    case .begin: .begin
    case .callBack: .callBack
    case .end: .end
    case .restartReceiver: .restartReceiver
    case .release: .release
    }
  }
}

// MARK: - Writing

extension JournalLine: Codable {
  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(kind.rawValue, forKey: .is)
    switch self {
    case .launch(let launch): try Self.encode(launch, in: &fields)
    case .continues: try fields.encode(Self.format, forKey: .format)
    case .decisions(let text), .note(let text), .cell(let text): try fields.encode(text, forKey: .text)
    case .lost(let count): try fields.encode(count, forKey: .count)
    case .command(let event): try fields.encode(event.rawValue, forKey: .event)
    case .authorization(let authorization): try fields.encode(authorization.rawValue, forKey: .authorization)
    case .fixes(let fixes): try fields.encode(fixes.map(JournalLocation.init), forKey: .fixes)
    case .significantChange(let location): try Self.encode(location, in: &fields)
    case .motion(let motion): try fields.encode(motion.rawValue, forKey: .motion)
    case .pastMotion(let changes): try fields.encode(changes, forKey: .changes)
    case .battery(let battery):
      try fields.encodeIfPresent(battery.level, forKey: .level)
      try fields.encodeIfPresent(battery.state, forKey: .state)
    case .wakeSources(let sources): try fields.encode(sources.rawValue, forKey: .sources)
    case .failure(let failure): try Self.encode(failure, in: &fields)
    case .policy(let policy): try fields.encode(policy, forKey: .policy)
    case .promptTimeLimit(let nanoseconds): try fields.encode(nanoseconds, forKey: .nanoseconds)
    case .errorBound(let metres): try fields.encodeIfPresent(metres, forKey: .metres)
    case .boundTarget(let target): try fields.encode(target.rawValue, forKey: .target)
    case .begin(let id, let wish):
      try fields.encode(id, forKey: .id)
      try Self.encode(wish, in: &fields)
    case .callBack(let id, let nanoseconds):
      try fields.encode(id, forKey: .id)
      try fields.encodeIfPresent(nanoseconds, forKey: .nanoseconds)
    case .end(let id): try fields.encode(id, forKey: .id)
    case .promptShown, .regionExited, .arrival, .departure, .timer, .restartReceiver, .release: break
    }
  }

  private typealias Fields = KeyedEncodingContainer<Field>

  private static func encode(_ launch: JournalEntry.Launch, in fields: inout Fields) throws {
    try fields.encode(format, forKey: .format)
    try fields.encode(launch.version, forKey: .version)
    try fields.encode(launch.platform, forKey: .platform)
    try fields.encode(launch.authorization.rawValue, forKey: .authorization)
    try fields.encode(launch.policy, forKey: .policy)
    try fields.encode(launch.wakeSources.rawValue, forKey: .sources)
    try fields.encode(launch.isPaused, forKey: .isPaused)
    try encode(launch.location, in: &fields)
  }

  private static func encode(_ location: Location?, in fields: inout Fields) throws {
    try fields.encodeIfPresent(location.map { [JournalLocation($0)] }, forKey: .fixes)
  }

  private static func encode(_ failure: ProviderFailure, in fields: inout Fields) throws {
    let name: FailureName =
      switch failure {
      case .locationUnknown: .locationUnknown
      case .accessDenied: .accessDenied
      case .backgroundTimeExpired: .backgroundTimeExpired
      case .other: .other
      }
    try fields.encode(name.rawValue, forKey: .failure)
    if case .other(let text) = failure { try fields.encode(text, forKey: .text) }
  }

  private static func encode(_ wish: Wish, in fields: inout Fields) throws {
    func encode(_ name: WishName, metres: Double, filter: Double? = nil, nanoseconds: Int64? = nil) throws {
      try fields.encode(name.rawValue, forKey: .wish)
      try fields.encode(metres, forKey: .metres)
      try fields.encodeIfPresent(filter, forKey: .filter)
      try fields.encodeIfPresent(nanoseconds, forKey: .nanoseconds)
    }
    switch wish {
    case .one(let metres, let nanoseconds, let age):
      try encode(.one, metres: metres, nanoseconds: nanoseconds)
      if age != 0 { try fields.encode(age, forKey: .age) }
    case .every(let metres, let filter): try encode(.every, metres: metres, filter: filter)
    case .fixes(let metres, let filter): try encode(.fixes, metres: metres, filter: filter)
    case .accepted(let metres, let filter, let nanoseconds, let holds, let count, let ignores):
      try encode(.accepted, metres: metres, filter: filter, nanoseconds: nanoseconds)
      try fields.encode(holds, forKey: .holds)
      try fields.encode(count, forKey: .count)
      try fields.encode(ignores, forKey: .ignores)
    case .nothing: try fields.encode(WishName.nothing.rawValue, forKey: .wish)
    case .bound(let metres, let keepsRunning):
      try encode(.bound, metres: metres)
      try fields.encode(keepsRunning ? 1 : 0, forKey: .holds)
    }
  }
}

// MARK: - Reading

extension JournalLine {
  init(from decoder: any Decoder) throws { try self.init(JournalFields(decoder)) }

  /// Reads the fields of the line's kind, and leaves out all others.
  init(_ fields: JournalFields) throws {
    switch try fields.kind() {
    case .launch: self = .launch(try fields.launch())
    case .continues: self = .continues
    case .decisions: self = .decisions(text: try fields.string(.text))
    case .note: self = .note(text: try fields.string(.text))
    case .lost: self = .lost(count: try fields.integerIfPresent(.count) ?? 0)
    case .command: self = .command(try fields.choice(.event))
    case .promptShown: self = .promptShown
    case .authorization: self = .authorization(try fields.choice(.authorization))
    case .fixes: self = .fixes(try fields.require(try fields.locations(), .fixes))
    case .significantChange: self = .significantChange(try fields.locations()?.first)
    case .regionExited: self = .regionExited
    case .arrival: self = .arrival
    case .departure: self = .departure
    case .motion: self = .motion(try fields.choice(.motion))
    case .pastMotion: self = .pastMotion(try fields.changes())
    case .battery:
      self = .battery(
        LocationManager.BatteryStatus(
          level: try fields.numberIfPresent(.level), state: try fields.choiceIfPresent(.state)))
    case .cell: self = .cell(text: try fields.string(.text))
    case .wakeSources: self = .wakeSources(WakeSources(rawValue: try fields.integer(.sources)))
    case .failure: self = .failure(try fields.failure())
    case .timer: self = .timer
    case .policy: self = .policy(try fields.policy())
    case .promptTimeLimit: self = .promptTimeLimit(nanoseconds: try fields.integer(.nanoseconds))
    case .errorBound: self = .errorBound(metres: try fields.numberIfPresent(.metres))
    case .boundTarget: self = .boundTarget(try fields.choice(.target))
    case .begin: self = .begin(id: try fields.integer(.id), try fields.wish())
    case .callBack:
      self = .callBack(id: try fields.integer(.id), nanoseconds: try fields.integerIfPresent(.nanoseconds))
    case .end: self = .end(id: try fields.integer(.id))
    case .restartReceiver: self = .restartReceiver
    case .release: self = .release
    }
  }
}

extension JournalFields {
  fileprivate func launch() throws -> JournalEntry.Launch {
    let format: Int? = try integerIfPresent(.format)
    guard format == JournalLine.format else {
      throw JournalLine.Problem(
        "the format is \(format.map(String.init) ?? "not named"), and this LocoKit reads \(JournalLine.format)")
    }
    return JournalEntry.Launch(
      version: try string(.version), platform: try string(.platform), authorization: try choice(.authorization),
      wakeSources: WakeSources(rawValue: try integer(.sources)), policy: try policy(),
      location: try locations()?.first, isPaused: try booleanIfPresent(.isPaused) ?? false)
  }

  /// Reads the name of a failure from `failure`, or from `wish` in files of early versions. An unknown name is a failure in words.
  fileprivate func failure() throws -> ProviderFailure {
    let name = try stringIfPresent(.failure) ?? stringIfPresent(.wish)
    switch JournalLine.FailureName(rawValue: try require(name, .failure)) {
    case .locationUnknown: return .locationUnknown
    case .accessDenied: return .accessDenied
    case .backgroundTimeExpired: return .backgroundTimeExpired
    case .other, nil: return .other(try stringIfPresent(.text) ?? "")
    }
  }

  fileprivate func wish() throws -> JournalLine.Wish {
    switch JournalLine.WishName(rawValue: try string(.wish)) {
    case .one:
      return .one(
        metres: try number(.metres), nanoseconds: try integer(.nanoseconds), age: try integerIfPresent(.age) ?? 0)
    case .every: return .every(metres: try number(.metres), filter: try number(.filter))
    case .fixes: return .fixes(metres: try number(.metres), filter: try number(.filter))
    case .accepted:
      return .accepted(
        metres: try number(.metres), filter: try number(.filter), nanoseconds: try integer(.nanoseconds),
        holds: try integer(.holds), count: try integer(.count), ignores: try booleanIfPresent(.ignores) ?? true)
    case .nothing: return .nothing
    case .bound: return .bound(metres: try number(.metres), keepsRunning: try integer(.holds) != 0)
    case nil: throw JournalLine.Problem("the wish is unknown")
    }
  }
}
