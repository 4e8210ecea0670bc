#if os(Linux) || os(macOS)
  import LocoKit
  import LocoKitJournal

  /// Passes the events of a replay to a meter.
  final class ReplayWitness: LocationManagerListener {
    private(set) var meter = ReplayMeter()
    private let provider: JournalProvider
    private let manager: LocationManager
    /// The position of the input that is replayed.
    var position = 0

    init(_ provider: JournalProvider, from beginning: Duration = .zero) {
      self.provider = provider
      meter.beginning = beginning
      manager = LocationManager(provider: provider, store: provider.store)
      manager.listeners.add(self)
      provider.onMode = { [weak self] in self?.handle(.mode($0)) }
      provider.onPlay = { [weak self] in self?.handle($0) }
    }

    func handle(_ event: ReplayMeter.Event) { meter.handle(event, at: provider.uptime, position: position) }

    private func handle(_ played: JournalProvider.Played) {
      switch played {
      case .report(.fixes(let fixes)): handle(.fixes(fixes, date: provider.date))
      case .report(.wake(.regionExit)): handle(.exit)
      default: handle(.time)
      }
    }

    func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
      handle(.state(transition.to))
    }

    func locationManager(_ manager: LocationManager, didUpdate location: Location) { handle(.location(location)) }

    func locationManager(_ manager: LocationManager, didChangeHealth health: LocationManager.Health) {
      handle(.health(health.problems))
    }
  }
#endif
