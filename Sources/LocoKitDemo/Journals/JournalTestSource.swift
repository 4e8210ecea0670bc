#if os(Linux) || os(macOS)
  import LocoKit

  /// The Swift code of a test that replays a journal. It uses public API only.
  struct JournalTestSource {
    let symptom: Symptom
    let name: String
    /// Whether the timers fire as the replay's manager sets them, and not as in the journal.
    let hasOwnTimers: Bool
    /// The uptime of the input that begins the symptom's stretch. The journal lacks inputs from before it.
    let beginning: Duration

    var text: String {
      """
      import Foundation
      import LocoKit
      import LocoKitJournal
      import Testing

      // \(name).jsonl shows that \(symptom.words).
      // All its places are moved and turned together, and inputs that the symptom doesn't need are left out.
      @Suite("\(name)")
      struct \(name)Tests {
        /// The test measures nothing before this uptime: the journal lacks inputs there, so every manager would show the symptom.
        static let beginning = Duration.milliseconds(\(Int64(beginning / .milliseconds(1))))

        @Test("\(title)")
        func isGone() throws {
          let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "\(name).jsonl")
          let largest = try Self.measured(in: file)
          #expect(largest <= \(symptom.shortLimit), "\(message)")
        }

      \(measure.indented)
      }
      \(watch)
      """
    }

    private var title: String {
      switch symptom {
      case .errorBeyond: "The last location is at most \(symptom.shortLimit) m off"
      case .gpsLonger: "The GPS is on for at most \(symptom.shortLimit) s in one run"
      case .noLocation: "A location comes within \(symptom.shortLimit) s"
      case .health(let problem): "The manager's health doesn't have the problem '\(problem)'"
      }
    }

    private var message: String {
      switch symptom {
      case .errorBeyond: #"the last location was \(largest) m off"#
      case .gpsLonger: #"the GPS was on for \(largest) s in one run"#
      case .noLocation: #"no location came for \(largest) s"#
      case .health(let problem): "the health had the problem '\(problem)'"
      }
    }

    private var player: String {
      guard hasOwnTimers else { return "let player = try JournalProvider(contentsOf: file)" }
      return """
        // The empty alternative fires the manager's own timers. A repaired manager may set others than were recorded.
          let player = try JournalProvider(contentsOf: file, instead: .init())
        """
    }

    private var measure: String {
      switch symptom {
      case .errorBeyond:
        """
        /// Returns the largest distance from the last location to a later accurate fix, less that fix's accuracy, in metres.
        static func measured(in file: URL) throws -> Double {
          \(player)
          let manager = LocationManager(provider: player, store: player.store)
          let watch = Watch()
          manager.listeners.add(watch)
          var largest = 0.0
          player.onPlay = { [unowned player] played in
            guard case .report(.fixes(let fixes)) = played, let last = watch.location, player.uptime >= beginning
            else { return }
            for fix in fixes where fix.horizontalAccuracy > 0 && fix.horizontalAccuracy <= 100 {
              guard abs(fix.latitude) <= 90, abs(fix.longitude) <= 180 else { continue }
              let time = fix.timestamp.timeIntervalSince(last.timestamp)
              let distance = last.distance(to: fix)
              let isFresh = abs(player.date.timeIntervalSince(fix.timestamp)) <= 10
              // A fix that requires a higher speed is wrong.
              guard isFresh, time > 0, distance <= \(Int(Location.maximumSpeed)) * time else { continue }
              largest = max(largest, distance - fix.horizontalAccuracy)
            }
          }
          try player.run()
          withExtendedLifetime(manager) {}
          return largest
        }
        """
      case .gpsLonger:
        """
        /// Returns the longest time with the GPS on in one run, in seconds.
        static func measured(in file: URL) throws -> Double {
          \(player)
          let manager = LocationManager(provider: player, store: player.store)
          var began: Duration?
          var longest = Duration.zero
          let measure = { (now: Duration) in if let began { longest = max(longest, now - max(began, beginning)) } }
          player.onPlay = { [unowned player] _ in measure(player.uptime) }
          player.onMode = { [unowned player] mode in
            measure(player.uptime)
            began = mode == .gps ? began ?? player.uptime : nil
          }
          try player.run()
          measure(player.uptime)
          player.onMode = nil
          withExtendedLifetime(manager) {}
          return longest / .seconds(1)
        }
        """
      case .noLocation:
        """
        /// Returns the longest time without a location while the manager looks or waits, in seconds.
        static func measured(in file: URL) throws -> Double {
          \(player)
          let manager = LocationManager(provider: player, store: player.store)
          let watch = Watch()
          manager.listeners.add(watch)
          (watch.beginning, watch.uptime) = (beginning, { [unowned player] in player.uptime })
          player.onPlay = { _ in watch.measure() }
          try player.run()
          watch.measure()
          withExtendedLifetime(manager) {}
          return watch.longest / .seconds(1)
        }
        """
      case .health:
        """
        /// Returns the number of health reports with the problem.
        static func measured(in file: URL) throws -> Double {
          \(player)
          let manager = LocationManager(provider: player, store: player.store)
          let watch = Watch()
          manager.listeners.add(watch)
          watch.isCounting = { [unowned player] in player.uptime >= beginning }
          try player.run()
          watch.isCounting = { false }
          withExtendedLifetime(manager) {}
          return watch.count
        }
        """
      }
    }

    private var watch: String {
      switch symptom {
      case .errorBeyond:
        """

        /// The last location that the manager delivered since it was turned on.
        private final class Watch: LocationManagerListener {
          var location: Location?

          func locationManager(_ manager: LocationManager, didUpdate location: Location) { self.location = location }

          func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
            if ![.acquiring, .waitingSignificantChange].contains(transition.to) { location = nil }
          }
        }

        """
      case .gpsLonger: ""
      case .noLocation:
        """

        /// Measures the longest time since the last location, or since the manager was turned on.
        private final class Watch: LocationManagerListener {
          var (beginning, uptime) = (Duration.zero, { Duration.zero })
          var longest = Duration.zero
          private var began: Duration?

          func measure() { if let began { longest = max(longest, uptime() - max(began, beginning)) } }

          func locationManager(_ manager: LocationManager, didUpdate location: Location) {
            measure()
            began = uptime()
          }

          func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
            measure()
            let isOn = [.acquiring, .waitingSignificantChange].contains(transition.to)
            began = isOn ? began ?? uptime() : nil
          }
        }

        """
      case .health(let problem):
        """

        /// Counts the health reports with the problem.
        private final class Watch: LocationManagerListener {
          var count = 0.0
          var isCounting = { false }

          func locationManager(_ manager: LocationManager, didChangeHealth health: LocationManager.Health) {
            if isCounting(), health.problems.contains(.\(problem)) { count += 1 }
          }
        }

        """
      }
    }
  }

  extension String {
    /// The text with each line indented by two spaces, except empty lines.
    fileprivate var indented: String {
      split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  \($0)" }
        .joined(separator: "\n")
    }
  }
#endif
