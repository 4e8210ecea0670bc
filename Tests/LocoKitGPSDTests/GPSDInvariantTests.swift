#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @_spi(Benchmarks) @testable import LocoKit
  @_spi(Benchmarks) @testable import LocoKitGPSD
  @_spi(Benchmarks) @testable import LocoMachine
  @testable import TestSupport

  /// Invariants over random scripts of faults.
  @Suite("GPSDProvider's invariants")
  struct GPSDInvariantTests {
    @Test("the invariants hold after every step of seeded scripts", arguments: 0..<8)
    func scripts(_ part: Int) async {
      await Seeds.play(Seeds.part(part, of: 8, runs: 40), GPSDScript.self)
    }

    @Test("a seed gives the same run twice")
    func repeats() {
      for seed in UInt64(0)..<8 {
        let (first, second) = (GPSDScript.played(seed), GPSDScript.played(seed))
        #expect(first.story == second.story && first.log == second.log)
      }
    }
  }

  /// A random run of a tracker.
  final class GPSDScript: SeededScript, LocationManagerListener {
    private(set) var broken: [String] = []
    private(set) var story: [String] = []
    private(set) var log: [String] = []
    private var random: SeededGenerator
    private let tracker: Tracker
    private var lastDelivered: Location?
    private var clockWasSet = false
    private var acquiringSince: Duration?
    private var hadBound = false
    /// Whether the next location's listener restarts the receiver, in the middle of the provider's turn, as a recorder of a trip may.
    private var restartsReceiver = false

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      tracker = Tracker(controlSocket: Bool.random(using: &random) ? "/run/gpsd.sock" : nil)
      tracker.daemon.random = SeededGenerator(seed: seed ^ 0xABCD)
      tracker.manager.listeners.add(self)
      tracker.provider.log = { [weak self] in self?.log.append($0) }
    }

    func play() {
      tracker.start()
      for _ in 0..<60 {
        step()
        if !broken.isEmpty { return }
      }
      calm()
    }

    private func step() {
      let daemon = tracker.daemon
      let choice = Int.random(in: 0..<24, using: &random)
      story.append("\(daemon.uptime): \(choice) in \(tracker.manager.state.rawValue), \(tracker.provider.connection)")
      switch choice {
      case 0: tracker.manager.pause()
      case 1, 2: tracker.manager.resume()
      case 3, 4: tracker.manager.forceAcquireLocation()
      case 5: tracker.provider.reportSignificantChange()
      case 6: daemon.kill()
      case 7, 8: daemon.manner = .well
      case 9: daemon.manner = ScriptedDaemon.Manner.allCases.randomElement(using: &random) ?? .well
      case 10:
        daemon.loss = ScriptedDaemon.Loss.allCases.randomElement(using: &random) ?? .kept
        daemon.unplug()
      case 11: daemon.isPlugged = true
      case 12: daemon.receivers = Bool.random(using: &random) ? [] : ["/dev/ttyUSB0"]
      case 13: daemon.error = [nil, 0, 9, 17.3, 100, 400][Int.random(in: 0..<6, using: &random)]
      case 14: daemon.age = [0, 0, 0, 40, -40, 1e9][Int.random(in: 0..<6, using: &random)]
      case 15:
        daemon.clockOffset += Double.random(in: -7_200...7_200, using: &random)
        clockWasSet = true
      case 16: daemon.north += Double.random(in: -2_000...2_000, using: &random)
      case 17:
        tracker.manager.errorBound = [nil, 100, 500, 5_000][Int.random(in: 0..<4, using: &random)]
        hadBound = hadBound || tracker.manager.errorBound != nil
      case 18:
        let cell = Int.random(in: 0..<5, using: &random)
        tracker.provider.reportCell(cell == 4 ? nil : "\(cell)")
      case 19: tracker.provider.reportMotion(LocationManager.Motion.allCases.randomElement(using: &random) ?? .still)
      case 20:
        daemon.stop()
        daemon.advance(by: .seconds(Int.random(in: 0...400, using: &random)))
        daemon.begin()
      case 21: restartsReceiver = true
      default:
        let lines = ["{", "null", String(repeating: "[", count: 1_000), "\u{7F}"]
        daemon.say(lines[Int.random(in: 0..<4, using: &random)])
      }
      check()
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        daemon.advance(by: .milliseconds(Int.random(in: 100...3_000, using: &random)))
        check()
      }
    }

    private func expect(_ holds: Bool, _ rule: String) {
      if !holds { broken.append("\(rule) at \(tracker.daemon.uptime) in \(tracker.manager.state.rawValue)") }
    }

    private func check() {
      let (daemon, state) = (tracker.daemon, tracker.manager.state)
      // While the manager waits, the receiver is on only for checks, and never with an error bound.
      expect(!daemon.isWatched || state == .acquiring || state == .waitingSignificantChange, "1: watched")
      if state == .waitingSignificantChange, tracker.manager.errorBound != nil {
        expect(![.watching, .withoutReceiver].contains(tracker.provider.connection), "1: a check with a bound")
      }
      if state == .paused { expect(!daemon.isConnected, "3: connected in a pause") }
      if state == .acquiring, acquiringSince == nil { acquiringSince = daemon.uptime }
      if state != .acquiring { acquiringSince = nil }
      // A look may take 90 s, an acquisition 60.
      let limit = Duration.seconds(hadBound ? 93 : 63)
      if let acquiringSince { expect(daemon.uptime - acquiringSince <= limit, "2: the GPS is on for too long") }
      let (plan, needed) = (tracker.provider.plan, tracker.manager.core.plan)
      expect(plan == needed, "8: the provider has another plan than the manager needs")
      if let time = needed.timer {
        expect(daemon.timer.map { $0 <= max(time, daemon.uptime) } == true, "8: the manager's timer isn't set")
      }
      expect(
        tracker.provider.receiverOnTime <= daemon.uptime + .seconds(60), "the receiver was on for longer than the run")
    }

    func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
      story.append("\(transition.from.rawValue) \(transition.to.rawValue)")
      if transition.to == .acquiring { acquiringSince = tracker.daemon.uptime }
      if transition.to == .paused { expect(!tracker.daemon.isWatched, "6: notified before the hardware is commanded") }
    }

    func locationManager(_ manager: LocationManager, didUpdate location: Location) {
      story.append("location \(location)")
      if restartsReceiver {
        restartsReceiver = false
        manager.restartReceiver()
      }
      let age = tracker.daemon.date.timeIntervalSince(location.timestamp)
      expect(manager.state == .waitingSignificantChange || manager.state == .acquiring, "3: a location in a pause")
      expect(location.hasValidAccuracy && location.hasValidCoordinate, "5: an invalid location")
      // A third of the highest bound that a script sets.
      expect(location.horizontalAccuracy <= (hadBound ? 1_667 : 100), "5: a location that is not acceptable")
      expect(age <= 30 && age >= -1.01, "5: a location of another time")
      if let lastDelivered, !clockWasSet {
        expect(location.timestamp > lastDelivered.timestamp, "5: a location that is not newer than the last")
      }
      lastDelivered = location
      // With a bound, the receiver may stay on for the next look.
      if manager.state == .acquiring { acquiringSince = tracker.daemon.uptime }
    }

    /// Ends all faults, and expects a location.
    private func calm() {
      let daemon = tracker.daemon
      daemon.kill()
      (daemon.manner, daemon.isPlugged, daemon.receivers) = (.well, true, ["/dev/ttyUSB0"])
      (daemon.error, daemon.age) = (9, 0)
      tracker.manager.resume()
      daemon.advance(by: .seconds(200))
      let before = tracker.recorder.locations.count
      tracker.manager.forceAcquireLocation()
      daemon.advance(by: .seconds(65))
      expect(tracker.recorder.locations.count > before, "7: no location although the faults have ended")
    }
  }
#endif
