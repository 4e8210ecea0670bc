#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitJournal

  extension ValueKind where Value == JournalProvider.Alternative.ErrorBound {
    /// A bound in metres, or `none`.
    static var otherBound: Self {
      ValueKind(
        placeholder: "METRES|none", expectation: "a number of metres from 100 to 10000000, or none"
      ) { text in
        if text == "none" { return .absent }
        return Double(text).flatMap { (100...1e7).contains($0) ? .metres($0) : nil }
      }
    }
  }

  extension JournalProvider {
    /// Opens the journal that the user named.
    static func opened(_ url: URL, instead alternative: Alternative? = nil) throws -> JournalProvider {
      do { return try JournalProvider(contentsOf: url, instead: alternative) } catch { throw Failure(error) }
    }

    /// A note with the number of skipped lines; empty if every line is played.
    var leftOutNote: String {
      leftOut > 0
        ? "note: \(leftOut) lines before the first launch are skipped: the first file of their launch is missing.\n"
        : ""
    }
  }

  extension Failure {
    init(_ error: FileFailure) {
      // An error without a line concerns the file or the folder itself.
      self.init(code: error.line == 0 ? .noInput : .badData, message: error.description)
    }
  }

  /// A replay of a journal, with a new manager for each launch.
  @MainActor
  final class Replay {
    private let player: JournalProvider
    private let options: ReplayOptions
    private var manager: LocationManager
    private let counts = EventCounts()
    /// The number of events that woke a suspended app.
    private var wakes = 0
    /// The last error bound, in metres.
    private var bound: Double?
    private let events: EventLog
    private let printer: Printer
    private var hasGap = false
    private let report: LogFile?
    private var recorder: ReportRecorder?

    init(_ options: ReplayOptions) throws {
      self.options = options
      let player = try JournalProvider.opened(options.journal, instead: options.alternative)
      self.player = player
      if case .metres(let metres) = options.bound { bound = metres }
      report = try options.report.map {
        try LogFile($0, isLive: false, isNot: [options.journal, JournalFiles.secret(of: options.journal)])
      }
      events = EventLog(player) { player.elapsed.seconds }
      manager = LocationManager(provider: player, store: player.store)
      let isQuiet = options.isJSON || options.isChecking
      printer = Printer(isQuiet: isQuiet, isLive: false)
      manager.listeners.add(counts)
      manager.listeners.add(events)
      if !isQuiet { events.onCall = { [printer] in printer.line($0, $1, $2) } }
      player.onRelaunch = { [weak self] in self?.relaunch() }
      player.onPlay = { [weak self] in self?.handle($0) }
      guard report != nil else { return }
      recorder = ReportRecorder(player, boundMeters: bound) { [weak self] in self?.manager }
      recorder?.begin(manager)
    }

    private func relaunch() {
      manager = LocationManager(provider: player, store: player.store)
      manager.listeners.add(counts)
      manager.listeners.add(events)
      recorder?.begin(manager)
      events.call(manager, "the app is relaunched")
    }

    private func handle(_ played: JournalProvider.Played) {
      switch played {
      case .errorBound(let bound):
        guard options.bound == .asRecorded else { break }
        self.bound = bound
        recorder?.boundMeters = bound
      case .note(let text): events.call(manager, "note: \(text.printable)")
      case .gap:
        hasGap = true
        events.call(manager, "lines were lost here")
      case .report(.wake(let event)): if event.wakesApp(in: player.service) { wakes += 1 }
      case .report: break
      case .launch, .command, .policy: break
      }
    }

    func run() throws -> ExitCode {
      do {
        for count in 1... {
          guard try player.step() else { break }
          if options.isChecking, player.difference != nil { break }
          guard count % 1_000 == 0 else { continue }
          printer.progress(Int(player.progress * 100), player.recordedTime.seconds, state: manager.state)
          if !Output.standard.isOpen { return .done }
        }
      } catch {
        printer.end()
        throw Failure(error)
      }
      printer.end()
      Output.error.write(player.leftOutNote)
      if options.isChecking { return check() }
      let summary = Summary(
        duration: player.recordedTime, gpsOn: player.receiverOnTime, bound: bound, wakes: wakes, counts)
      Output.standard.write(options.isJSON ? summary.json : "\n" + summary.text)
      // Without its reader, an earlier page remains.
      if let recorder, Output.standard.isOpen {
        let limit = recorder.fullAt.map { "shown up to \($0.clock): the page is full" }
        let page = Report(
          kind: .replay, title: options.journal.lastPathComponent, facts: options.facts + [limit].compactMap(\.self),
          summary: summary, recording: recorder.recording
        ).page
        try report?.replace(with: page + "\n")
      }
      if options.alternative != nil {
        Output.error.write(
          "note: the journal has no GPS fixes from times at which the GPS was off: looks at those times usually fail.\n"
        )
      } else if let difference = player.difference {
        Output.error.write("note: \(difference.printable)\n")
      }
      return .done
    }

    private func check() -> ExitCode {
      if let difference = player.difference {
        Output.standard.write("\(difference.printable)\n")
        return .different
      }
      Output.standard.write("\(player.compared) inputs, and all decisions are as recorded\n")
      if hasGap {
        Output.error.write("note: lines were lost: from there to the next launch, nothing was compared.\n")
      }
      return .done
    }
  }

  extension String {
    /// The text with its control characters replaced: a journal may come from another device.
    var printable: String {
      String(
        String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    }
  }
#endif
