#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// Measures the symptoms of one launch in a replay.
  ///
  /// Each measure belongs to a stretch of the replay. The stretch of an error is from the last location to a fix that shows the error. The
  /// stretch of a time with the GPS on is from the command that turned the GPS on to the command that turned it off. The stretch of a time
  /// without a location is from a location, or from the time when the manager was turned on, to the next location, or to the time when the
  /// manager was turned off.
  ///
  /// A stretch is measured only up to its first omitted input: without its fixes, any journal of an hour would show an hour without a
  /// location. A health problem that an omission can have caused isn't counted either.
  struct ReplayMeter {
    /// The meter measures nothing before this uptime. A cut journal lacks inputs from before its symptom.
    var beginning = Duration.zero

    enum Event {
      /// Time has passed.
      case time
      case mode(ReceiverMode)
      case state(LocationMachine.State)
      /// The manager delivered a location.
      case location(Location)
      /// The provider is about to report fixes.
      case fixes([Location], date: Date)
      /// The system is about to report that the device left a region.
      case exit
      case health([LocationManager.Health.Problem])
      /// An input was omitted here.
      case omission
    }

    struct Measure: Equatable {
      /// Metres, seconds, or 1 for a problem.
      var largest = 0.0
      /// The position and the uptime of the input that began the stretch of the largest value.
      var (position, began) = (0, Duration.zero)
    }

    private(set) var error = Measure()
    private(set) var gpsRun = Measure()
    private(set) var timeWithoutLocation = Measure()
    private(set) var problems: [LocationManager.Health.Problem: Measure] = [:]
    private var run: Stretch?
    private var search: Stretch?
    private var launch = Stretch(began: .zero, position: 0)
    /// The stretch since the last region exit, or since the launch.
    private var stay = Stretch(began: .zero, position: 0)
    private var known: (location: Location, stretch: Stretch)?

    private struct Stretch {
      let began: Duration
      let position: Int
      var isWhole = true
    }

    /// - Parameter position: The position of the input that is replayed.
    mutating func handle(_ event: Event, at uptime: Duration, position: Int) {
      count(run, to: uptime, &gpsRun)
      count(search, to: uptime, &timeWithoutLocation)
      let stretch = Stretch(began: uptime, position: position)
      switch event {
      case .time: break
      case .mode(let mode): run = mode == .gps ? run ?? stretch : nil
      case .state(.acquiring), .state(.waitingSignificantChange): search = search ?? stretch
      case .state: (search, known) = (nil, nil)
      case .location(let location): (search, known) = (stretch, (location, stretch))
      case .fixes(let fixes, let date): if uptime >= beginning { for fix in fixes { compare(fix, at: date) } }
      case .exit: stay = stretch
      case .health where uptime < beginning: break
      case .health(let problems):
        for problem in problems {
          guard let cause = self.stretch(of: problem, orElse: stretch), cause.isWhole else { continue }
          self.problems[problem, default: Measure()].raise(to: 1, cause.position, cause.began)
        }
      case .omission:
        launch.isWhole = false
        stay.isWhole = false
        run?.isWhole = false
        search?.isWhole = false
        known?.stretch.isWhole = false
      }
    }

    /// Returns the stretch in which the omission of an input can cause a problem, or `other` for a problem that follows from a single
    /// report.
    private func stretch(of problem: LocationManager.Health.Problem, orElse other: Stretch) -> Stretch? {
      switch problem {
      case .noLocation: search
      case .regions: stay
      case .notRelaunched: launch
      case .permission, .reducedAccuracy, .backgroundRefresh, .lowPowerMode: other
      }
    }

    private func count(_ stretch: Stretch?, to uptime: Duration, _ measure: inout Measure) {
      guard let stretch, stretch.isWhole else { return }
      measure.raise(to: (uptime - max(stretch.began, beginning)).seconds, stretch.position, stretch.began)
    }

    /// Compares the last location with an accurate, fresh and plausible fix, which is taken as the true position.
    private mutating func compare(_ fix: Location, at date: Date) {
      guard let (last, stretch) = known, stretch.isWhole, fix.isGood(to: 100),
        abs(date.timeIntervalSince(fix.timestamp)) <= 10
      else { return }
      let (distance, time) = (last.distance(to: fix), fix.timestamp.timeIntervalSince(last.timestamp))
      // A fix that requires a higher speed is wrong.
      guard time > 0, distance <= Location.maximumSpeed * time else { return }
      error.raise(to: distance - fix.horizontalAccuracy, stretch.position, stretch.began)
    }

    /// Returns the larger measures of two launches.
    func combined(with other: ReplayMeter) -> ReplayMeter {
      var meter = self
      for measure in [\ReplayMeter.error, \.gpsRun, \.timeWithoutLocation] {
        let other = other[keyPath: measure]
        meter[keyPath: measure].raise(to: other.largest, other.position, other.began)
      }
      meter.problems.merge(other.problems) { first, _ in first }
      return meter
    }

    /// The measures in words.
    var words: String {
      "the largest error is \(error.largest.oneDecimal) m, the GPS is on for at most \(gpsRun.largest.oneDecimal) s in one run, "
        + "the longest time without a location is \(timeWithoutLocation.largest.oneDecimal) s, and the health has "
        + (problems.isEmpty ? "no problem" : problems.keys.map { "'\($0)'" }.sorted().joined(separator: ", "))
    }
  }

  extension ReplayMeter.Measure {
    fileprivate mutating func raise(to value: Double, _ position: Int, _ began: Duration) {
      if value > largest { (largest, self.position, self.began) = (value, position, began) }
    }
  }
#endif
