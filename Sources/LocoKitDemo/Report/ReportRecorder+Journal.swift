#if os(Linux) || os(macOS)
  import LocoKit
  import LocoKitJournal

  extension ReportRecorder {
    /// Creates a recorder of a journal's replay. The recorder receives each played line before the current `onPlay` closure of the journal.
    ///
    /// Call ``begin(_:)`` with the first manager, and with the new manager of each later launch.
    convenience init(_ journal: JournalProvider, boundMeters: Double?, manager: @escaping () -> LocationManager?) {
      var last = 0.0
      self.init(startedAt: journal.date, boundMeters: boundMeters) { [unowned journal] in journal.elapsed.seconds }
      let onPlay = journal.onPlay
      journal.onPlay = { [weak self, unowned journal] played in
        if case .launch = played {
          // The previous launch ends at its last line.
          self?.end(at: last)
        } else if let self, let manager = manager() {
          sample(manager)
          if case .report(let report) = played {
            if manager.state == .waitingSignificantChange { wake(report) }
            if case .fixes(let fixes) = report { receive(fixes) }
          }
        }
        last = journal.elapsed.seconds
        onPlay?(played)
      }
    }
  }
#endif
