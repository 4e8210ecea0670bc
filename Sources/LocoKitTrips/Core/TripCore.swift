import LocoFoundation
import LocoKit

/// Makes the decisions of a trip recorder, as a pure value.
///
/// The core contains the log of trips and one of two recorders: ``CommandedTrips``, which the app starts and stops, or ``AutomaticTrips``.
struct TripCore: CoreProtocol, Equatable, Sendable {
  typealias Now = LocationCore.Now

  enum Input: Equatable, Sendable {
    case command(TripMachine.Event)
    /// The recorder is created, with the snapshot of an earlier launch and the beginnings of the stored trips, in milliseconds.
    case launch(TripSnapshot?, beginnings: [Int64] = [])
    case fix(LocationManager.JudgedFix)
    /// The current motion; `nil` if the sensor is off.
    case motion(LocationManager.Motion?)
    case pastMotion([LocationManager.Motion.Change])
    /// The GPS is turned off.
    case interrupted
    case paused
    /// The callback that was requested is due.
    case due
  }

  enum Action: Equatable, Sendable {
    /// Requests fixes of an accuracy in metres.
    case begin(desiredAccuracy: Double)
    case end
    /// Requests an error bound. The app is kept running during a departure and a trip.
    case follow(keepsRunning: Bool)
    case callBack(at: Duration?)
    case restartReceiver
    case distanceChanged(Double)
    case signalChanged(TripRecorder.SignalStrength)
    case signalIsWeakForLong
    case began(Trip)
    case ended(Trip)
    case missed(Trip.Gap)
    case save(TripRecord)
  }

  /// One of the two recorders.
  enum Recorder: Equatable, Sendable {
    case commanded(CommandedTrips)
    case automatic(AutomaticTrips)
  }

  private(set) var log = TripLog()
  private(set) var clock = TripClock()
  private(set) var recorder: Recorder

  init(_ configuration: TripRecorder.Configuration) { recorder = .commanded(CommandedTrips(configuration)) }

  init(_ automatic: AutomaticTrips) { recorder = .automatic(automatic) }

  var state: TripState {
    switch recorder {
    case .commanded(let trips): trips.state
    case .automatic(let trips): trips.state
    }
  }

  var trip: Trip? { log.trip }
  var resumedTrip: Trip? { log.resumedTrip }

  /// The trip, once the listeners were notified of it, in this launch or an earlier one. An automatic recorder notifies
  /// them once it's certain that the trip is recorded.
  var toldTrip: Trip? {
    if case .automatic(let trips) = recorder, !trips.hasReportedTrip, trip?.ended == nil { nil } else { trip }
  }

  var visit: Location.Visit? {
    guard case .automatic(let trips) = recorder, !trips.detector.isOnTrip, let place = trips.detector.place else {
      return nil
    }
    return Location.Visit(place: place, arrival: trips.detector.restingSince)
  }

  var distance: Double { toldTrip?.distance ?? 0 }

  /// The recorded time since the last reset. For an automatic recorder, the duration of the trip.
  func duration(at now: Duration) -> Duration {
    switch recorder {
    case .commanded(let trips): trips.duration(at: now)
    case .automatic: toldTrip?.duration ?? .zero
    }
  }

  var signalStrength: TripRecorder.SignalStrength {
    if case .commanded(let trips) = recorder { trips.signalStrength } else { .invalid }
  }

  /// Whether the clock of the trip runs: it may not change while there are fixes to which others will be added.
  private var isOnTrip: Bool {
    switch recorder {
    case .commanded: log.trip != nil
    case .automatic(let trips): trips.state != .idle
    }
  }

  /// Returns the time by the trip's clock, or by the machine's if there is no trip.
  private mutating func tripTime(at now: Now) -> Now {
    if isOnTrip { return clock.time(at: now, awaitsFix: log.isAfterGap || log.trip?.fixes.isEmpty == true) }
    if clock.offset != 0, case .automatic(var trips) = recorder {
      // The stay began by the clock of the trip before it.
      trips.shift(by: -clock.offset)
      recorder = .automatic(trips)
    }
    clock = TripClock()
    return now
  }

  mutating func handle(_ input: Input, at now: Now, into actions: inout [Action]) {
    var time = tripTime(at: now)
    var input = input
    switch input {
    case .launch(let snapshot, let beginnings):
      log.beginnings = beginnings
      clock.resume(after: snapshot?.trip?.lastFix, at: now)
      time = clock.time(at: now)
    case .command(.reset):
      // A reset of a trip that is recorded begins another one. An automatic recorder ignores it.
      guard case .commanded = recorder else { break }
      clock = TripClock()
      time = clock.time(at: now)
    case .fix(let judged):
      let fix = clock.time(of: judged.fix)
      if log.isBeforeGap(fix) { return }
      input = .fix(LocationManager.JudgedFix(fix: fix, verdict: judged.verdict))
    default: break
    }
    switch recorder {
    case .commanded(var trips):
      trips.handle(input, &log, at: time, into: &actions)
      recorder = .commanded(trips)
    case .automatic(var trips):
      trips.handle(input, &log, at: time, into: &actions)
      recorder = .automatic(trips)
    }
  }

  mutating func settle(at now: Now, into actions: inout [Action]) -> Bool {
    let now = tripTime(at: now)
    let hasSettled: Bool
    switch recorder {
    case .commanded(var trips):
      hasSettled = trips.settle(&log, at: now, into: &actions)
      recorder = .commanded(trips)
    case .automatic(var trips):
      hasSettled = trips.settle(&log, at: now, into: &actions)
      recorder = .automatic(trips)
    }
    return hasSettled
  }
}
