#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitJournal
  import LocoKitSimulation

  /// A drive with its log and its journal.
  final class LoggedTrip {
    let trip: Trip
    let events: EventLog
    private let log: LogFile?
    private let journal: Journal?

    init(_ options: DriveOptions, route: SimulatedProvider.Route) throws {
      let log = try options.log.map {
        try LogFile($0, isLive: options.speed != nil, isNot: [options.gpx, options.report] + options.journal.files)
      }
      let journal = try options.journal.open()
      var events: EventLog?
      trip = Trip(
        options.setup, route: route, truth: GroundTruth(route), isRecorded: options.report != nil,
        source: { device in journal.map { RecordingProvider(device, to: $0) as any LocationProvider } ?? device },
        listener: { device in
          events = EventLog(device)
          return events
        })
      guard let events else { preconditionFailure("A trip creates its listener.") }
      (self.log, self.journal, self.events) = (log, journal, events)
      if let log { events.onEntry = { log.write($0) } }
      trip.onRelaunch = { [unowned trip] in events.call(trip.manager, "the app is relaunched") }
    }

    /// Advances the device, and measures the errors.
    func advance(by step: Duration = .seconds(1)) {
      trip.advance(by: step)
      if trip.samples.count % 100 == 0 { journal?.catchUp() }
    }

    /// Writes the rest of the log and the journal.
    func end() throws { try LogFile.close(log, finishing: journal) }
  }
#endif
