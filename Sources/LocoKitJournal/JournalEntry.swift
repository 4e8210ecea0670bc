import LocoDurable
import LocoFoundation
import LocoKit

/// A line of a journal. *Keeping a journal* describes the format.
struct JournalEntry: Equatable, Sendable {
  enum What: Equatable, Sendable {
    // Indirect, so that copying the other entries is fast.
    indirect case launch(Launch)
    /// The file begins in the middle of a launch.
    case continues
    case input(LocationCore.Input)
    /// The decisions of a manager in words, without a place.
    case decisions(String)
    case note(String)
    /// The number of lines that could not be written.
    case lost(Int)
  }

  /// The initial data of a manager.
  struct Launch: Equatable, Sendable {
    var version = LocoKitVersion.current
    var platform: String
    /// The name of the hardware, such as `iPhone17,1`; `nil` if it is unknown.
    var model: String?
    var authorization: Authorization
    var wakeSources: Set<WakeKind>
    var backgroundUpdates: LocationManager.BackgroundUpdates
    var policy: AcquisitionPolicy
    var location: Location?
    var isPaused: Bool
  }

  var now: LocationCore.Now
  var what: What

  var isLaunch: Bool { if case .launch = what { true } else { false } }

  /// The values of the field `is`, besides those of `WakeKind`.
  enum Kind: String, CaseIterable {
    case launch, continues, lost, note
    case command, promptShown, authorization, fixes, pastMotion, battery, app, wakeSources, failure
    case policy, promptTimeLimit, errorBound, boundTarget, begin, callBack, end, restartReceiver, release
    case decisions = "do"
  }

  /// The fields of all kinds. Every line has `t`, the uptime in nanoseconds, `d`, the date in seconds since the beginning of 2001,
  /// UTC, and `is`, the kind.
  ///
  /// The order of the cases is alphabetical, as is the order of the fields in a line.
  enum Field: Int, CodingKey, CaseIterable {
    case age, arrived, authorization, background, changes, count, d, event, failure, filter, fixes, foreground, format,
      holds, id, interval, `is`, isPaused
    case left, level, lowPower, metres, model, motion, nanoseconds, platform, policy, signal, sources, state, t, target,
      text, updates, version, wish
  }

  private enum DemandName: String { case one, every, fixes, accepted, nothing, bound }
  private enum FailureName: String { case locationUnknown, accessDenied, backgroundTimeExpired, other }

  static let format = 1
  /// The maximum number of fixes, and of changes of the motion, in a report.
  private static let maximumCount = 10_000
  /// The maximum length of a note, in Unicode scalars.
  static let longestNote = 1_000
  /// Uptimes are within a century.
  private static let latest = Duration.century.inNanoseconds
  /// Dates are within about three thousand years of 2001, in seconds.
  private static let latestDate = 1e11
  private static let day: Int64 = 86_400_000_000_000

  struct Problem: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }
}

extension JournalEntry: Decodable {
  /// The line in UTF-8, with its newline.
  var bytes: [UInt8] {
    get throws {
      var line: [UInt8] = []
      try write(to: &line)
      return line
    }
  }

  /// Appends the line in UTF-8, with its newline.
  func write(to line: inout [UInt8]) throws {
    let (kind, contents) = Self.contents(of: what)
    var items =
      contents + [
        Item(.t, .integer(now.uptime.inNanoseconds)), Item(.d, .number(now.date.timeIntervalSinceReferenceDate)),
        Item(.is, .text(kind)),
      ]
    items.sort { $0.field.rawValue < $1.field.rawValue }
    var separator: StaticString = "{\""
    for item in items {
      guard let value = item.value else { continue }
      line.append(separator)
      line += item.field.stringValue.utf8
      line.append("\":")
      try value.write(to: &line)
      separator = ",\""
    }
    line.append("}\n")
  }

  /// Reads a line in UTF-8, without its newline.
  init(_ bytes: ArraySlice<UInt8>) throws(Problem) {
    do { self = try Self.decoder.decode(Self.self, foreign: Data(bytes)) } catch {
      throw error as? Problem ?? Problem("not a journal line: it is not a JSON object")
    }
  }

  private static let decoder: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }()

  // MARK: - Writing

  private struct Item {
    let field: Field
    let value: LineValue?
    init(_ field: Field, _ value: LineValue?) { (self.field, self.value) = (field, value) }
  }

  /// Returns the value of `is` and the fields.
  private static func contents(of what: What) -> (String, [Item]) {
    if case .input(.report(.wake(let event))) = what { return (event.kind.rawValue, fields(of: event)) }
    let (kind, fields) = contentsWithKind(of: what)
    return (kind.rawValue, fields)
  }

  private static func contentsWithKind(of what: What) -> (Kind, [Item]) {
    switch what {
    case .launch(let launch):
      let fields = [
        Item(.format, .integer(format)), Item(.version, .text(launch.version)),
        Item(.platform, .text(launch.platform)), Item(.model, launch.model.map(LineValue.text)),
        Item(.policy, .policy(launch.policy)), Item(.authorization, .name(launch.authorization)),
        Item(.sources, .kinds(launch.wakeSources)), Item(.updates, .name(launch.backgroundUpdates)),
        Item(.isPaused, .flag(launch.isPaused)),
        Item(.fixes, launch.location.map { .locations([$0]) }),
      ]
      return (.launch, fields)
    case .continues: return (.continues, [Item(.format, .integer(format))])
    case .decisions(let text): return (.decisions, [Item(.text, .text(text))])
    case .note(let text): return (.note, [Item(.text, .text(text))])
    case .lost(let count): return (.lost, [Item(.count, .integer(count))])
    case .input(let input): return contents(of: input)
    }
  }

  private static func contents(of input: LocationCore.Input) -> (Kind, [Item]) {
    switch input {
    case .command(let event): (.command, [Item(.event, .name(event))])
    case .report(let report): contents(of: report)
    case .policy(let policy): (.policy, [Item(.policy, .policy(policy))])
    case .promptTimeLimit(let limit): (.promptTimeLimit, [Item(.nanoseconds, .nanoseconds(limit))])
    case .errorBound(let bound): (.errorBound, [Item(.metres, bound.map(LineValue.number))])
    case .boundTarget(let target): (.boundTarget, [Item(.target, .name(target))])
    case .begin(let id, let demand): (.begin, [Item(.id, .integer(id))] + fields(of: demand))
    case .setAlarm(let id, let time):
      (.callBack, [Item(.id, .integer(id)), Item(.nanoseconds, time.map(LineValue.nanoseconds))])
    case .end(let id): (.end, [Item(.id, .integer(id))])
    case .restartReceiver: (.restartReceiver, [])
    case .release: (.release, [])
    }
  }

  private static func contents(of report: ProviderReport) -> (Kind, [Item]) {
    switch report {
    case .promptShown: (.promptShown, [])
    case .authorization(let authorization): (.authorization, [Item(.authorization, .name(authorization))])
    case .fixes(let fixes): (.fixes, [Item(.fixes, .locations(fixes))])
    case .wake: preconditionFailure("The field `is` of an event is its kind.")
    case .pastMotion(let changes): (.pastMotion, [Item(.changes, .changes(changes))])
    case .battery(let battery):
      (.battery, [Item(.level, battery.level.map(LineValue.number)), Item(.state, battery.state.map { .name($0) })])
    case .app(let isInForeground, let isLowPowerMode, let mayRefresh):
      (
        .app,
        [
          Item(.foreground, .flag(isInForeground)), Item(.lowPower, .flag(isLowPowerMode)),
          Item(.background, .flag(mayRefresh)),
        ]
      )
    case .wakeSources(let sources, let updates):
      (.wakeSources, [Item(.sources, .kinds(sources)), Item(.updates, .name(updates))])
    case .failure(.locationUnknown): (.failure, [Item(.failure, .name(FailureName.locationUnknown))])
    case .failure(.accessDenied): (.failure, [Item(.failure, .name(FailureName.accessDenied))])
    case .failure(.backgroundTimeExpired): (.failure, [Item(.failure, .name(FailureName.backgroundTimeExpired))])
    case .failure(.other(let text)): (.failure, [Item(.failure, .name(FailureName.other)), Item(.text, .text(text))])
    }
  }

  private static func fields(of event: WakeEvent) -> [Item] {
    switch event.contents {
    case .location(let location): [Item(.fixes, location.map { .locations([$0]) })]
    case .visit(let visit):
      [
        Item(.fixes, .locations([visit.place])),
        Item(.arrived, .number(visit.arrival.timeIntervalSinceReferenceDate)),
        Item(.left, visit.departure.map { .number($0.timeIntervalSinceReferenceDate) }),
      ]
    case .motion(let motion): [Item(.motion, .name(motion))]
    case .name(let name): [Item(.text, .text(name))]
    case .nothing: []
    }
  }

  private static func fields(of demand: Demand.Kind) -> [Item] {
    switch demand {
    case .one(let one):
      let age: LineValue? = one.maximumAge == .zero ? nil : .nanoseconds(one.maximumAge)
      return [
        Item(.wish, .name(DemandName.one)), Item(.metres, .number(one.desiredAccuracy)),
        Item(.nanoseconds, .nanoseconds(one.timeLimit)),
        Item(.age, age),
      ]
    case .every(let filter): return fields(of: filter, .every)
    case .fixes(let filter?): return fields(of: filter, .fixes)
    case .fixes(nil): return [Item(.wish, .name(DemandName.nothing))]
    case .bound(let metres, let keepsRunning):
      return [
        Item(.wish, .name(DemandName.bound)), Item(.metres, .number(metres)),
        Item(.holds, .integer(keepsRunning ? 1 : 0)),
      ]
    case .accepted(let acceptance):
      let policy = acceptance.policy
      return fields(
        of: TrackFilter(desiredAccuracy: policy.requiredAccuracy, distanceFilter: policy.distanceFilter), .accepted)
        + [
          Item(.nanoseconds, .nanoseconds(policy.pendingTimeLimit)), Item(.holds, .nanoseconds(policy.holdTime)),
          Item(.count, .integer(policy.maximumPendingFixes)),
          Item(.interval, policy.maximumInterval.map(LineValue.nanoseconds)),
          Item(.signal, policy.signalTimeout.map(LineValue.nanoseconds)),
        ]
    case .policy: preconditionFailure("Only the core begins the manager's own acquisition.")
    }
  }

  private static func fields(of filter: TrackFilter, _ name: DemandName) -> [Item] {
    [
      Item(.wish, .name(name)), Item(.metres, .number(filter.desiredAccuracy)),
      Item(.filter, .number(filter.distanceFilter)),
    ]
  }

  // MARK: - Reading

  /// Reads the fields of the line's kind, and ignores all others.
  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    let (t, d): (Int64, Double) = (try fields.value(.t), try fields.value(.d))
    guard t >= 0 else { throw Problem("the time t is negative") }
    guard t <= Self.latest else { throw Problem("the time t is out of range") }
    guard abs(d) <= Self.latestDate else { throw Problem("the date d is out of range") }
    now = LocationCore.Now(uptime: .nanoseconds(t), date: Date(timeIntervalSinceReferenceDate: d))
    what = try Self.what(in: fields)
  }

  private static func what(in fields: KeyedDecodingContainer<Field>) throws -> What {
    let name: String = try fields.value(.is)
    if let kind = WakeKind(rawValue: name) {
      var source = EventFields(fields: fields)
      return .input(.report(.wake(try WakeEvent(kind, from: &source))))
    }
    let kind: Kind = try fields.choice(.is)
    return switch kind {
    case .launch: .launch(try launch(in: fields))
    case .continues: .continues
    case .decisions: .decisions(try fields.value(.text))
    case .note: .note(try note(in: fields))
    case .lost: .lost(try fields.valueIfPresent(.count) ?? 0)
    case .command: .input(.command(try command(in: fields)))
    case .promptShown: .input(.report(.promptShown))
    case .authorization: .input(.report(.authorization(try fields.value(.authorization))))
    case .fixes:
      .input(.report(.fixes((try list(.fixes, of: "fixes", in: fields) as [ListedLocation]).map(\.location))))
    case .pastMotion: .input(.report(.pastMotion(try list(.changes, of: "changes of the motion", in: fields))))
    case .battery:
      .input(
        .report(.battery(.init(level: try fields.valueIfPresent(.level), state: try fields.valueIfPresent(.state)))))
    case .app:
      .input(
        .report(
          .app(
            isInForeground: try fields.value(.foreground), isLowPowerMode: try fields.value(.lowPower),
            mayRefresh: try fields.value(.background))))
    case .wakeSources:
      .input(
        .report(.wakeSources(try fields.value(.sources), backgroundUpdates: try fields.value(.updates))))
    case .failure: .input(.report(.failure(try failure(in: fields))))
    case .policy: .input(.policy(try fields.value(.policy)))
    case .promptTimeLimit: .input(.promptTimeLimit(try fields.duration(.nanoseconds, in: 1...day)))
    case .errorBound: .input(.errorBound(try fields.valueIfPresent(.metres).map(checked)))
    case .boundTarget: .input(.boundTarget(try fields.value(.target)))
    case .begin: .input(.begin(try fields.value(.id), try demand(in: fields)))
    case .callBack:
      .input(.setAlarm(try fields.value(.id), at: try fields.durationIfPresent(.nanoseconds, in: -latest...latest)))
    case .end: .input(.end(try fields.value(.id)))
    case .restartReceiver: .input(.restartReceiver)
    case .release: .input(.release)
    }
  }

  private struct EventFields: WakeEventSource {
    let fields: KeyedDecodingContainer<Field>

    func location() throws -> Location? { try JournalEntry.location(in: fields) }
    func visit() throws -> Location.Visit { try JournalEntry.visit(in: fields) }
    func name() throws -> String { try fields.value(.text) }
    func motion() throws -> LocationManager.Motion { try fields.value(.motion) }
  }

  private static func launch(in fields: KeyedDecodingContainer<Field>) throws -> Launch {
    let format: Int? = try fields.valueIfPresent(.format)
    guard format == Self.format else {
      throw Problem("the format is \(format.map(String.init) ?? "missing"), and this LocoKit reads \(Self.format)")
    }
    return Launch(
      version: try fields.value(.version), platform: try fields.value(.platform),
      model: try fields.valueIfPresent(.model), authorization: try fields.value(.authorization),
      wakeSources: try fields.value(.sources), backgroundUpdates: try fields.value(.updates),
      policy: try fields.value(.policy),
      location: try location(in: fields), isPaused: try fields.valueIfPresent(.isPaused) ?? false)
  }

  private static func note(in fields: KeyedDecodingContainer<Field>) throws -> String {
    let text: String = try fields.value(.text)
    guard text.unicodeScalars.count <= longestNote else {
      throw Problem("a note has more than \(longestNote) characters")
    }
    return text
  }

  /// Reads a command of an app. The other events of the machine aren't commands.
  private static func command(in fields: KeyedDecodingContainer<Field>) throws -> LocationMachine.Event {
    let event: LocationMachine.Event = try fields.choice(.event)
    guard [.tryPrompt, .forcePrompt, .pause, .resume, .forceAcquire].contains(event) else {
      throw Problem("\(event.rawValue) is not a command")
    }
    return event
  }

  private static func list<Element: Decodable>(
    _ field: Field, of elements: String, in fields: KeyedDecodingContainer<Field>
  ) throws -> [Element] {
    let list: [Element] = try fields.value(field)
    guard list.count <= maximumCount else { throw Problem("a report has more than \(maximumCount) \(elements)") }
    return list
  }

  private static func location(in fields: KeyedDecodingContainer<Field>) throws -> Location? {
    (try fields.valueIfPresent(.fixes) as [ListedLocation]?)?.first?.location
  }

  private static func failure(in fields: KeyedDecodingContainer<Field>) throws -> ProviderReport.Failure {
    switch try fields.choice(.failure) as FailureName {
    case .locationUnknown: .locationUnknown
    case .accessDenied: .accessDenied
    case .backgroundTimeExpired: .backgroundTimeExpired
    case .other: .other(try fields.value(.text))
    }
  }

  private static func visit(in fields: KeyedDecodingContainer<Field>) throws -> Location.Visit {
    guard let place = try location(in: fields) else { throw Problem("the visit has no place") }
    let left: Double? = try fields.valueIfPresent(.left)
    return Location.Visit(
      place: place, arrival: Date(timeIntervalSinceReferenceDate: try fields.value(.arrived)),
      departure: left.map(Date.init(timeIntervalSinceReferenceDate:)))
  }

  private static func checked(bound: Double) throws -> Double {
    if let problem = LookPlanner.problem(withBound: bound) { throw Problem(problem) }
    return bound
  }

  private static func demand(in fields: KeyedDecodingContainer<Field>) throws -> Demand.Kind {
    func filter() throws -> TrackFilter {
      TrackFilter(
        desiredAccuracy: try fields.number(.metres, from: 0), distanceFilter: try fields.number(.filter, from: 0))
    }
    switch try fields.choice(.wish) as DemandName {
    case .one:
      return .one(
        OneLocation(
          desiredAccuracy: try fields.number(.metres, from: .leastNonzeroMagnitude),
          within: try fields.duration(.nanoseconds, in: 1...day),
          maximumAge: try fields.durationIfPresent(.age, in: 0...day) ?? .zero))
    case .every: return .every(try filter())
    case .fixes: return .fixes(try filter())
    case .nothing: return .fixes(nil)
    case .bound:
      return .bound(try checked(bound: fields.value(.metres)), keepsRunning: try fields.value(.holds) as Int != 0)
    case .accepted:
      let count: Int = try fields.value(.count)
      guard (1...1_000).contains(count) else { throw Problem("the field “count” is out of range") }
      return .accepted(
        Acceptance(
          TrackingPolicy(
            requiredAccuracy: try fields.number(.metres, from: .leastNonzeroMagnitude),
            pendingTimeLimit: try fields.duration(.nanoseconds, in: 1...day), maximumPendingFixes: count,
            holdTime: try fields.duration(.holds, in: 0...day), distanceFilter: try fields.number(.filter, from: 0),
            maximumInterval: try fields.durationIfPresent(.interval, in: 1...day),
            signalTimeout: try fields.durationIfPresent(.signal, in: 1...day))))
    }
  }
}

/// A location as a list: see `Location+List.swift`.
private struct ListedLocation: Decodable {
  let location: Location

  init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    location = try list.decodeLocation()
    guard list.isAtEnd else {
      throw DecodingError.dataCorruptedError(in: list, debugDescription: "A location has at most 13 values.")
    }
  }
}

extension KeyedDecodingContainer<JournalEntry.Field> {
  fileprivate func value<Value: Decodable>(_ field: Key) throws -> Value {
    if let value: Value = try valueIfPresent(field) { return value }
    throw JournalEntry.Problem("not a journal line: the field “\(field.stringValue)” is missing")
  }

  fileprivate func valueIfPresent<Value: Decodable>(_ field: Key) throws -> Value? {
    do { return try decodeIfPresent(Value.self, forKey: field) } catch {
      throw JournalEntry.Problem("not a journal line: the field “\(field.stringValue)” is invalid")
    }
  }

  fileprivate func choice<Choice: RawRepresentable<String>>(_ field: Key) throws -> Choice {
    guard let choice = Choice(rawValue: try value(field)) else {
      throw JournalEntry.Problem("the field “\(field.stringValue)” has an unknown value")
    }
    return choice
  }

  private func outOfRange(_ field: Key) -> JournalEntry.Problem {
    JournalEntry.Problem("the field “\(field.stringValue)” is out of range")
  }

  fileprivate func number(_ field: Key, from least: Double) throws -> Double {
    let number: Double = try value(field)
    guard number >= least, number.isFinite else { throw outOfRange(field) }
    return number
  }

  fileprivate func durationIfPresent(_ field: Key, in range: ClosedRange<Int64>) throws -> Duration? {
    try (valueIfPresent(field) as Int64?).map { nanoseconds in
      guard range.contains(nanoseconds) else { throw outOfRange(field) }
      return .nanoseconds(nanoseconds)
    }
  }

  fileprivate func duration(_ field: Key, in range: ClosedRange<Int64>) throws -> Duration {
    if let duration = try durationIfPresent(field, in: range) { return duration }
    throw JournalEntry.Problem("not a journal line: the field “\(field.stringValue)” is missing")
  }
}

// MARK: - Decisions in words

extension LocationCore.Action {
  /// Returns the action in words without places, the same for equal decisions; `nil` for an action that follows from the input or other
  /// actions. The words of a plan are those that its last plan hasn't.
  func words(after last: ReceiverPlan) -> String? {
    switch self {
    case .apply(let plan): plan.words(after: last).joined(separator: "; ")
    case .perform(let request): "request \(request.rawValue)"
    case .transition(let transition):
      "\(transition.from.rawValue) → \(transition.to.rawValue) (\(transition.event.rawValue))"
    case .deliver(let location): "location \(location.inJournal)"
    case .look(let cause): "look \(cause.rawValue)"
    case .acquisitionFailed(.timeLimit(let best)): "failed timeLimit \(best.map(\.inJournal) ?? "none")"
    case .acquisitionFailed(let failure): "failed \(failure)"
    case .authorizationChanged(let authorization): "authorization \(authorization.rawValue)"
    case .ignored(let event, _): "ignored \(event.rawValue)"
    case .judged(let judged, let isUsed):
      switch judged.verdict {
      case .candidate: "candidate"
      case .acquired: "acquired"
      case .surpassed: "\(isUsed ? "used, " : "")surpassed"
      case .rejected(let reason): "rejected \(reason.rawValue)"
      }
    case .give(let location, let id): "given to \(id): \(location.inJournal)"
    case .finish(let id, let failure): "finished \(id)\(failure == nil ? "" : " without")"
    case .callBack(let id): "called back \(id)"
    case .savePause(let isPaused): "save pause \(isPaused)"
    case .save: "save location"
    case .signalChanged(let hasSignal): hasSignal ? "signal back" : "signal lost"
    case .notify, .significantChange, .motionChanged, .batteryChanged, .appChanged, .presenceChanged,
      .savePresence, .healthChanged, .visited, .promptShown, .giveFix, .providerFailed, .failureBegan, .interrupted,
      .departed, .movedBefore:
      nil
    }
  }
}

extension ReceiverPlan {
  /// Returns the properties that differ from those of the last plan, in words without places.
  fileprivate func words(after last: ReceiverPlan) -> [String] {
    var words: [String] = []
    if errorBound != last.errorBound { words.append("bound \(errorBound.map { "\($0) m" } ?? "none")") }
    if desiredAccuracy != last.desiredAccuracy {
      words.append("receiver \(desiredAccuracy.map { "\($0) m" } ?? "none")")
    }
    if region != last.region || regionNumber != last.regionNumber {
      // Moving the places changes the last digits of a radius.
      words.append("region \(regionNumber) \(region.map { "\(($0.radius * 10).rounded() / 10) m" } ?? "none")")
    }
    if keepsAppRunning != last.keepsAppRunning { words.append(keepsAppRunning ? "kept running" : "not kept running") }
    if coarseFixesFrom != last.coarseFixesFrom {
      words.append("coarse fixes \(coarseFixesFrom.map { "from \($0.inNanoseconds)" } ?? "not needed")")
    }
    if mode != last.mode { words.append("mode \(mode.rawValue)") }
    if timer != last.timer { words.append("timer \(timer.map { "\($0.inNanoseconds)" } ?? "none")") }
    return words
  }
}

extension Location {
  /// The time and the accuracy, without the place.
  fileprivate var inJournal: String { "\(horizontalAccuracy) m at \(timestamp.timeIntervalSinceReferenceDate)" }
}
