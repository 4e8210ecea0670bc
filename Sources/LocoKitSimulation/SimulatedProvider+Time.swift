import Foundation
import LocoKit
import LocoMachineTesting

extension SimulatedProvider {
  /// Advances the device's time.
  ///
  /// - Precondition: `duration` isn't negative, and the method isn't called during a report. To set the wall clock back, use
  ///   ``setClock(by:)``.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "A device's time advances by 0 s or more, not by \(duration).")
    run(until: uptime + duration)
  }

  /// Advances the time until ``uptime`` is `deadline`. Does nothing if the deadline has passed.
  ///
  /// - Precondition: The method isn't called during a report.
  package func run(until deadline: Duration) {
    precondition(!isAdvancing, "A device's time can't advance during a report.")
    if let sharedClock { return sharedClock.run(until: deadline) }
    let end = deadline.inNanoseconds
    while let next = agenda.last, next.time <= end {
      happenNext()
      // The app may have read the clock in a report.
      if let sharedClock { return sharedClock.run(until: deadline) }
    }
    now = max(now, end)
  }
}

extension SimulatedProvider: Timeline {
  package var elapsed: Duration { uptime }

  package var nextEvent: Duration? { earlier(nextOwnEvent, sharedClock?.nextOwnEvent) }

  package var nextOwnEvent: Duration? { agenda.last.map { .nanoseconds($0.time) } }

  package func skip(to time: Duration) { now = max(now, time.inNanoseconds) }

  package func happenNext() {
    guard let next = agenda.popLast() else { return }
    now = max(now, next.time)
    isAdvancing = true
    if next.count == counter(of: next.event) { happen(next.event) }
    isAdvancing = false
  }

  // MARK: - Events

  enum Event {
    case battery, second, networkFix, firstChange, falseWake, cell, motion, region, coarse, coarseStart, timer, prompt,
      answer
    case resume
    case arrival(at: ClosedRange<Double>)
    case departure(from: ClosedRange<Double>)
    case lateFix(Location)
    case incident(Incident)
  }

  func schedule(_ event: Event, after seconds: Double) {
    schedule(event, at: now + Int64((seconds * 1e9).rounded()))
  }

  /// - Complexity: O(number of scheduled events that are due before this one): few, because most events are scheduled shortly before they
  ///   are due.
  func schedule(_ event: Event, at time: Int64) {
    let index = agenda.lastIndex { $0.time > time }.map { $0 + 1 } ?? 0
    agenda.insert((time, event, counter(of: event)), at: index)
  }

  /// Returns the counter that invalidates an event when it changes.
  private func counter(of event: Event) -> Int {
    switch event {
    case .second, .networkFix, .firstChange, .falseWake: generation
    case .cell, .motion: sensorGeneration
    case .region: regions
    case .coarse: coarseChanges
    case .timer: timers
    case .prompt, .answer: prompts
    case .resume: suspensions
    case .incident: faultRounds
    // An event of an earlier plan changes nothing.
    case .battery, .arrival, .departure, .lateFix, .coarseStart: 0
    }
  }

  private func happen(_ event: Event) {
    switch event {
    case .second: second()
    // The network's first fix, unless the satellites were faster.
    case .networkFix: if receiver.search?.foundAt == nil { reportNetworkFix() }
    case .firstChange: report(.wake(.significantChange(lastChange?.location ?? coarseChange())))
    case .falseWake:
      schedule(.falseWake, after: 60)
      if chance(faults.falseWakes) { report(.wake(.significantChange(lastChange?.location))) }
    case .cell: measureCell()
    case .motion: senseMotion()
    case .region: checkRegion()
    case .battery: checkBattery()
    case .arrival(let stay): reportVisit(stay, hasEnded: false)
    case .departure(let stay): reportVisit(stay, hasEnded: true)
    case .coarse: reportCoarseFix()
    case .coarseStart: updateState()
    case .timer: if isKeeperOff { timerIsOverdue = true } else { report(.wake(.timer)) }
    case .prompt: report(.promptShown)
    case .answer where configuration.answer == .ignore: break
    case .answer: change(to: configuration.answer == .allow ? .always : .denied)
    case .resume: resume()
    case .lateFix(let fix): report(.fixes([fix]))
    case .incident(let incident): happen(incident)
    }
  }

  /// The maximum number of reports for a suspended app.
  private static let maximumQueued = 1_000

  /// Sends a report to the manager. If the app is suspended, stores the report until the app runs again. If it is terminated, drops the
  /// report, which may launch the app.
  func report(_ report: ProviderReport) {
    if isTerminated {
      if report.wakesApp, authorization == .always, app?.mayRefresh != false { relaunch() }
      return
    }
    // For a suspended app, the system monitors nothing without *Always*.
    if report.wakesApp, isSuspended, authorization != .always { return }
    // An app that uses the GPS is awake, too.
    if report.wakesApp, isSuspended || mode != .gps && !isAwake { meter.use.wakes += 1 }
    if isSuspended {
      if queued.count < Self.maximumQueued { queued.append(report) }
      if report.wakesApp { resume() }
      return
    }
    deliver(report)
    guard report.wakesApp else { return }
    reportBattery(isNew: false)
    if timerIsOverdue {
      timerIsOverdue = false
      deliver(.wake(.timer))
    }
  }

  /// Passes a report to the manager, which sets another timer if it still needs one.
  func deliver(_ report: ProviderReport) {
    if case .wake(.timer) = report { plan.timer = nil }
    onReport?(report)
  }
}

extension ProviderReport {
  /// Whether the system wakes or launches an app for this report.
  fileprivate var wakesApp: Bool {
    if case .wake(let event) = self { event.kind.launchesApp } else { false }
  }
}
