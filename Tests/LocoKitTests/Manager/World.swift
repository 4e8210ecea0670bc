import Foundation
import Testing

@testable import LocoKit
@testable import TestSupport

/// A core and its time. Letters are its inputs, and `Rules` checks each turn.
struct World {
  /// An input: a command, a setting, a report, the start or end of a demand, or a change of the time.
  enum Letter: Hashable {
    case command(LocationMachine.Event)
    case promptShown
    case authorization(Authorization)
    case change(age: Double?)
    /// A significant change with a location of this accuracy and age.
    case changeOf(Double, age: Double)
    case fix(Double, age: Double)
    /// A fix north of the others, in metres, with a speed.
    case fixAway(Double, speed: Double)
    /// A coarse fix of this accuracy, north of the others.
    case coarse(Double, away: Double)
    case failure(ProviderReport.Failure)
    case bound(Double?)
    /// Any event but a significant change with a location, whose age is relative to now.
    case wake(WakeEvent)
    case wakeSources(Sources)
    case wantOne(Double)
    /// A demand for one location that may be up to a minute old.
    case wantRecent(Double)
    case wantEvery(Double)
    case wantAccepted
    case wantBound(Double, keepsRunning: Bool)
    /// A demand for the fixes of other demands' acquisitions.
    case wantFixes
    case wantFixesNoMore
    /// A second demand for every location.
    case wantAlso(Double)
    case wantAlsoNoMore
    /// The policy of a receiver without assistance data.
    case standalone
    case restart
    case target(LocationManager.BoundTarget)
    case wantBoundNoMore
    case pastMotion
    case wantOneNoMore
    case wantEveryNoMore
    case wait(Double)
    case setClock(Double)
    /// A report that a listener answers.
    case answered(Answer)
    /// Any other report.
    case report(ProviderReport)
  }

  /// The letters of a kind of event.
  static func letters(of kind: WakeKind) -> [Letter] {
    // Of the other letters of a significant change, each kind of manager has some.
    kind == .significantChange ? [.change(age: nil)] : WakeEvent.samples(of: kind).map(Letter.wake)
  }

  /// The letters of the events of a device.
  private static func wakes(_ sources: Sources) -> [Letter] {
    WakeKind.allCases.filter(sources.kinds.contains).flatMap(letters)
  }

  enum Answer: CaseIterable {
    /// A listener pauses when it receives a location.
    case pauseAtLocation
    /// A listener forces another acquisition when one has failed.
    case forceAtFailure
    /// A listener starts tracking when it receives a location.
    case trackAtLocation
  }

  static let one = 1
  static let every = 2
  static let follow = 3
  static let fixes = 4
  static let also = 5

  /// The policy. Letters have values below and above its accuracies and times.
  static let policy = AcquisitionPolicy.loco

  private var checked: CheckedCore
  private(set) var now = LocationCore.Now(uptime: .zero, date: Date(timeIntervalSinceReferenceDate: 800_000_000))
  /// The device's permission.
  private(set) var permission: Authorization
  /// The seeded defect; `nil` for the code that ships.
  var defect: SeededDefect? {
    get { checked.defect }
    set { checked.defect = newValue }
  }

  var core: LocationCore { checked.core }
  var violation: String? { checked.violation }
  var isKept: Bool { checked.isKept }
  var isWaiting: Bool { !checked.waiting.isEmpty }
  var restSince: Duration? { checked.restSince }
  var searchingSince: Duration? { checked.searchingSince }
  /// The initial permission, and the letters before the search.
  let start: Authorization
  let path: [Letter]
  /// The initial error bound.
  let bound: Double?
  /// Whether the device is a phone that can keep the app running.
  let isPhone: Bool

  init(
    _ authorization: Authorization = .notDetermined, isPaused: Bool = false, bound: Double? = nil,
    isPhone: Bool = false,
    after path: [Letter] = []
  ) {
    permission = authorization
    (start, self.path) = (authorization, path)
    (self.bound, self.isPhone) = (bound, isPhone)
    let sources = isPhone ? Sources.phone : bound == nil ? .changes : .awake
    checked = CheckedCore(
      LocationCore(
        authorization: authorization, policy: Self.policy,
        wakeSources: sources.kinds, backgroundUpdates: sources.updates,
        isPaused: isPaused), at: now)
    if bound != nil { play(.bound(bound)) }
    let access: [Letter] = isPhone ? [.authorization(.always), .command(.tryPrompt), .fix(5, age: 0)] : []
    for letter in access + path { play(letter) }
  }

  /// The letters for a manager without an error bound.
  static let letters: [Letter] =
    [LocationMachine.Event.tryPrompt, .forcePrompt, .pause, .resume, .forceAcquire].map(Letter.command)
    + [.promptShown, .authorization(.notDetermined), .authorization(.denied), .authorization(.always)]
    + [.change(age: nil), .change(age: 20), .change(age: 100), .change(age: -5_000)]
    + [5.0, 60, 150].flatMap { accuracy in [0.0, 10, 31].map { Letter.fix(accuracy, age: $0) } }
    + [
      .fix(5, age: -60), .failure(.locationUnknown), .failure(.accessDenied), .failure(.other("")),
      .failure(.backgroundTimeExpired), .timer,
    ]
    + [
      .wantOne(50), .wantRecent(50), .wantOneNoMore, .wantEvery(100), .wantAccepted, .wantEveryNoMore, .wantFixes,
      .wantFixesNoMore, .wantAlso(30), .wantAlsoNoMore, .restart,
    ]
    + [.wait(1), .wait(10), .wait(15), .wait(60), .setClock(-3_600), .setClock(3_600)]
    + Answer.allCases.map(Letter.answered) + goodChanges

  private static let goodChanges: [Letter] = [.changeOf(8, age: 0), .changeOf(8, age: 31)]

  private static let others: [Letter] = [
    .failure(.locationUnknown), .failure(.other("")), .failure(.backgroundTimeExpired), .bound(100), .bound(500),
    .bound(nil), .wakeSources(.awake), .wakeSources([.significantChange, .regionExit]), .wantOne(50), .wantOneNoMore,
    .wantEvery(100), .wantEveryNoMore, .wantBound(300, keepsRunning: true), .wantBoundNoMore, .target(.estimate),
    .target(.lastLocation), .standalone, .wait(1), .wait(10), .wait(60), .wait(240), .setClock(-3_600),
    .changeOf(100, age: 0),
  ]

  /// The letters for a manager with an error bound. They lead to every state of the manager.
  static let lookLetters: [Letter] = {
    var letters = [LocationMachine.Event.tryPrompt, .forcePrompt, .pause, .resume, .forceAcquire].map(Letter.command)
    letters += [.authorization(.denied), .authorization(.always), .change(age: 20)]
    letters += [.fix(5, age: 0), .fix(120, age: 0), .fix(5, age: 31), .fixAway(300, speed: 10)]
    letters += [.fixAway(2_000, speed: 40)]
    return letters + wakes(.awake) + others
  }()

  /// The letters for a phone that can keep the app running.
  static let phoneLetters: [Letter] = {
    var letters = [LocationMachine.Event.tryPrompt, .pause, .resume, .forceAcquire].map(Letter.command)
    letters += [.authorization(.denied), .authorization(.always)]
    letters += [.fix(5, age: 0), .fixAway(300, speed: 1), .fixAway(2_000, speed: 40)]
    letters += [.coarse(65, away: 0), .coarse(65, away: 400), .coarse(600, away: 0), .failure(.backgroundTimeExpired)]
    letters += [.wakeSources(.phone), .wakeSources(.changes), .bound(nil), .bound(2_000)]
    letters += [.wantEvery(100), .wantEveryNoMore, .wantBound(300, keepsRunning: true)]
    letters += [.wantBound(300, keepsRunning: false), .wantBoundNoMore, .pastMotion, .wait(10), .wait(60), .wait(240)]
    return letters + wakes(.kept) + [.changeOf(100, age: 0)]
  }()

  mutating func play(_ letter: Letter) {
    switch letter {
    case .command(let event): turn(.command(event))
    case .promptShown: turn(.report(.promptShown))
    case .report(let report): turn(.report(report))
    case .authorization(let authorization):
      permission = authorization
      turn(.report(.authorization(authorization)))
    case .change(let age): turn(.report(.significantChange(age.map { location(500, age: $0) })))
    case .changeOf(let accuracy, let age): turn(.report(.significantChange(location(accuracy, age: age))))
    case .fix(let accuracy, let age): turn(.report(.fixes([location(accuracy, age: age)])))
    case .failure(let failure): turn(.report(.failure(failure)))
    case .fixAway(let metres, let speed):
      var fix = location(10, age: 0)
      fix.latitude += metres / 111_195
      (fix.speed, fix.course) = (speed, 0)
      turn(.report(.fixes([fix])))
    case .coarse(let accuracy, let metres):
      var fix = location(accuracy, age: 0)
      fix.latitude += metres / 111_195
      fix.source = .coarse
      turn(.report(.fixes([fix])))
    case .bound(let bound): turn(.errorBound(bound))
    case .wake(let event): turn(.report(.wake(event)))
    case .wakeSources(let sources): turn(.report(sources.report))
    case .wantOne(let accuracy):
      turn(.begin(Self.one, .one(OneLocation(desiredAccuracy: accuracy, within: .seconds(15)))))
    case .wantRecent(let accuracy):
      let one = OneLocation(desiredAccuracy: accuracy, within: .seconds(15), maximumAge: .seconds(60))
      turn(.begin(Self.one, .one(one)))
    case .wantOneNoMore: turn(.end(Self.one))
    case .wantEvery(let accuracy):
      turn(.begin(Self.every, .every(TrackFilter(desiredAccuracy: accuracy))))
    case .wantAccepted:
      let policy = TrackingPolicy(maximumPendingFixes: 2, distanceFilter: 0, signalTimeout: .seconds(20))
      turn(.begin(Self.every, .accepted(Acceptance(policy))))
    case .wantEveryNoMore: turn(.end(Self.every))
    case .wantBound(let bound, let keepsRunning): turn(.begin(Self.follow, .bound(bound, keepsRunning: keepsRunning)))
    case .wantFixes: turn(.begin(Self.fixes, .fixes(nil)))
    case .wantFixesNoMore: turn(.end(Self.fixes))
    case .wantAlso(let accuracy):
      turn(.begin(Self.also, .every(TrackFilter(desiredAccuracy: accuracy))))
    case .wantAlsoNoMore: turn(.end(Self.also))
    case .standalone: turn(.policy(.standaloneReceiver))
    case .restart: turn(.restartReceiver)
    case .target(let target): turn(.boundTarget(target))
    case .wantBoundNoMore: turn(.end(Self.follow))
    case .pastMotion: turn(.report(.pastMotion([LocationManager.Motion.Change(.walking, at: now.date - 60)])))
    case .wait(let seconds):
      now.uptime += .seconds(seconds)
      now.date += seconds
    case .setClock(let seconds): now.date += seconds
    case .answered(.pauseAtLocation):
      if turn(.report(.fixes([location(5, age: 0)]))).contains(where: \.isDelivery) { turn(.command(.pause)) }
    case .answered(.trackAtLocation):
      if turn(.report(.fixes([location(60, age: 0)]))).contains(where: \.isDelivery) { play(.wantEvery(100)) }
    case .answered(.forceAtFailure):
      now.uptime += Self.policy.timeLimit
      now.date += Self.policy.timeLimit.inSeconds
      if turn(.report(.timer)).contains(where: \.isFailure) { turn(.command(.forceAcquire)) }
    }
  }

  func location(_ accuracy: Double, age: Double) -> Location {
    Location(latitude: 34, longitude: -118, horizontalAccuracy: accuracy, timestamp: now.date - age)
  }

  /// Plays a whole turn, and the provider's answers.
  @discardableResult
  private mutating func turn(_ input: LocationCore.Input) -> [LocationCore.Action] {
    let last = core.plan
    let all = checked.turn(input, at: now)
    let isStarted = all.sets(.gps, after: last) || all.sets(.significantChanges, after: last)
    // The provider reports the permission after a start without it, and after a request that needs no prompt.
    if isStarted && !permission.isAuthorized || all.contains(.perform(.authorization)) && permission != .notDetermined {
      return all + turn(.report(.authorization(permission)))
    }
    checked.endTurn(input, all)
    return checked.newSources.map { all + turn(.report($0.report)) } ?? all
  }
}

extension World.Letter {
  static let timer = wake(.timer)
  static let regionExit = wake(.regionExit)
  static func motion(_ motion: LocationManager.Motion) -> Self { .wake(.motion(motion)) }
  static func cell(_ name: String) -> Self { .wake(.cell(name)) }
  static let arrival = wake(WakeEvent.samples(of: .visit)[0])
  static let departure = wake(WakeEvent.samples(of: .visit)[1])
}

extension LocationCore.Action {
  /// Whether the action is the answer to a command.
  var isAnswer: Bool {
    switch self {
    case .transition, .ignored: true
    default: false
    }
  }
  var isDelivery: Bool { if case .deliver = self { true } else { false } }
  var isFailure: Bool { if case .acquisitionFailed = self { true } else { false } }

  /// The position in the order of actions: hardware, listeners, disk.
  var rank: Int {
    switch self {
    case .apply, .perform: 0
    case .transition, .deliver, .notify, .significantChange, .acquisitionFailed, .promptShown, .authorizationChanged,
      .motionChanged, .batteryChanged, .appChanged, .presenceChanged, .healthChanged, .visited, .signalChanged,
      .failureBegan,
      .look, .ignored, .judged, .callBack, .providerFailed, .give, .giveFix, .finish, .interrupted, .departed,
      .movedBefore:
      1
    case .savePause, .save, .savePresence: 2
    }
  }
}

extension World: CustomTestStringConvertible {
  var testDescription: String { initializer }
}
