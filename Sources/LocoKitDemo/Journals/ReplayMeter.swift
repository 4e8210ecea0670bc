#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitJournal

  /// Measures the symptoms of one launch in a replay.
  ///
  /// Each measure is that of a stretch: from the last location to a fix that shows its error, from the command that turned the GPS on
  /// to the last event before it went off, from the last location to the last event before the next one. A stretch from which an input
  /// was omitted is not measured: without its fixes, every journal would show an hour without a location.
  struct ReplayMeter {
    enum Event {
      /// Time has passed.
      case time
      case mode(ReceiverMode)
      case state(LocationState)
      /// The manager delivered a location.
      case location(Location)
      /// The provider is about to report fixes.
      case fixes([Location], date: Date)
      /// An input was omitted here.
      case omission
    }

    struct Measure: Equatable {
      /// Metres or seconds.
      var largest = 0.0
      /// The position of the input at which the stretch of the largest value began.
      var position = 0
    }

    private(set) var error = Measure()
    private(set) var gpsRun = Measure()
    private(set) var timeWithoutLocation = Measure()
    private var run: Stretch?
    private var search: Stretch?
    private var known: (location: Location, stretch: Stretch)?

    private struct Stretch {
      let began: Duration
      let position: Int
      var isWhole = true
    }

    /// - Parameter position: The position of the input that is replayed.
    mutating func handle(_ event: Event, at uptime: Duration, position: Int) {
      Self.count(run, to: uptime, &gpsRun)
      Self.count(search, to: uptime, &timeWithoutLocation)
      let stretch = Stretch(began: uptime, position: position)
      switch event {
      case .time: break
      case .mode(let mode): run = mode == .gps ? run ?? stretch : nil
      case .state(.acquiring), .state(.waitingSignificantChange): search = search ?? stretch
      case .state: (search, known) = (nil, nil)
      case .location(let location): (search, known) = (stretch, (location, stretch))
      case .fixes(let fixes, let date): for fix in fixes { compare(fix, at: date) }
      case .omission:
        run?.isWhole = false
        search?.isWhole = false
        known?.stretch.isWhole = false
      }
    }

    private static func count(_ stretch: Stretch?, to uptime: Duration, _ measure: inout Measure) {
      guard let stretch, stretch.isWhole else { return }
      measure.raise(to: (uptime - stretch.began).seconds, stretch.position)
    }

    /// Takes an accurate, fresh and possible fix for the true position.
    private mutating func compare(_ fix: Location, at date: Date) {
      guard let (last, stretch) = known, stretch.isWhole, fix.isGood(to: 100),
        abs(date.timeIntervalSince(fix.timestamp)) <= 10
      else { return }
      let (distance, time) = (last.distance(to: fix), fix.timestamp.timeIntervalSince(last.timestamp))
      // No vehicle is faster: such a fix is wrong.
      guard time > 0, distance <= 400 * time else { return }
      error.raise(to: distance - fix.horizontalAccuracy, stretch.position)
    }

    /// The larger measures of two launches.
    func combined(with other: ReplayMeter) -> ReplayMeter {
      var meter = self
      for measure in [\ReplayMeter.error, \.gpsRun, \.timeWithoutLocation] {
        meter[keyPath: measure].raise(to: other[keyPath: measure].largest, other[keyPath: measure].position)
      }
      return meter
    }

    /// The measures in words.
    var words: String {
      "the largest error is \(error.largest.oneDecimal) m, the GPS is on for at most \(gpsRun.largest.oneDecimal) s in one run, and "
        + "the longest time without a location is \(timeWithoutLocation.largest.oneDecimal) s"
    }
  }

  extension ReplayMeter.Measure {
    fileprivate mutating func raise(to value: Double, _ position: Int) {
      if value > largest { (largest, self.position) = (value, position) }
    }
  }

  /// Passes the events of a replay to a meter.
  final class ReplayWitness: LocationManagerListener {
    private(set) var meter = ReplayMeter()
    private let provider: JournalProvider
    private let manager: LocationManager
    /// The position of the input that is replayed.
    var position = 0

    init(_ provider: JournalProvider) {
      self.provider = provider
      manager = LocationManager(provider: provider, store: provider.store)
      manager.listeners.add(self)
      provider.onMode = { [weak self] in self?.handle(.mode($0)) }
      provider.onPlay = { [weak self] in self?.handle($0) }
    }

    func handle(_ event: ReplayMeter.Event) { meter.handle(event, at: provider.uptime, position: position) }

    private func handle(_ played: JournalProvider.Played) {
      if case .report(.fixes(let fixes)) = played {
        handle(.fixes(fixes, date: provider.date))
      } else {
        handle(.time)
      }
    }

    func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
      handle(.state(transition.to))
    }

    func locationManager(_ manager: LocationManager, didUpdate location: Location) { handle(.location(location)) }
  }
#endif
