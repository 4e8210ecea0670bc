#if os(Linux) || os(macOS)
  import LocoKit
  import LocoKitJournal
  import LocoMachineGraphs

  /// The shortest journal found that shows a symptom, with its places moved.
  struct JournalCut {
    let symptom: Symptom
    /// The timed script of the launch, up to the symptom.
    let script: JournalScript
    /// The positions in the script of the inputs that remain.
    private(set) var kept: [Int]
    private(set) var minimum = Minimum.none
    private(set) var tries = 0
    private var work = 0
    /// The journal of the remaining inputs, with the decisions that follow from them.
    private(set) var journal: [UInt8] = []
    private(set) var measure = ReplayMeter.Measure()

    /// The inputs that are known to be necessary: if one of them is left out, the symptom isn't shown.
    enum Minimum {
      case none, beforeSymptom, all

      var words: String {
        switch self {
        case .none: "the search reached its limit: a shorter journal may show the symptom too"
        case .beforeSymptom:
          "no other input before the symptom can be left out; those of the symptom are too many to try"
        case .all: "no other input can be left out"
        }
      }
    }

    /// The limits of the search: the number of tries, and the total number of positions that their replays pass.
    static let (maximumTries, maximumWork) = (1_000, 20_000_000)
    /// The maximum number of attempts to move the places. Moving them can end a symptom that is close to its limit, and another move
    /// may keep it.
    private static let maximumMoves = 5

    /// The result of a replay up to the symptom.
    struct Outcome {
      var meter: ReplayMeter
      /// The position at which the symptom is shown; `nil` if it isn't.
      var end: Int?
      var replay: ScriptReplay
    }

    /// Replays some inputs of a timed script with the library's code.
    static func replayed(_ script: JournalScript, keeping kept: [Int], until symptom: Symptom) -> Outcome {
      let replay = ScriptReplay(script, keeping: kept)
      let witness = ReplayWitness(replay.provider)
      replay.onOmission = { [weak witness] in witness?.handle(.omission) }
      var isGoing = true
      while isGoing {
        witness.position = replay.position
        isGoing = replay.step()
        witness.handle(.time)
        if symptom.isShown(by: witness.meter) {
          return Outcome(meter: witness.meter, end: witness.position, replay: replay)
        }
      }
      return Outcome(meter: witness.meter, end: nil, replay: replay)
    }

    /// Cuts the first launch that shows the symptom.
    ///
    /// - Parameter progress: Called before each try with the number of tries and the number of inputs that remain.
    /// - Throws: ``Failure`` if no launch shows the symptom, or if a later replay no longer shows it, such as after the places are moved.
    init(
      _ contents: JournalScript.Contents, showing symptom: Symptom, using random: inout some RandomNumberGenerator,
      progress: (_ tries: Int, _ inputs: Int) -> Void = { _, _ in }
    ) throws {
      self.symptom = symptom
      (script, kept) = try Self.found(symptom, in: contents, using: &random)
      try shrink(progress)
    }

    /// Returns the moved script up to the first symptom, and all its inputs.
    private static func found(
      _ symptom: Symptom, in contents: JournalScript.Contents, using random: inout some RandomNumberGenerator
    ) throws -> (JournalScript, [Int]) {
      var meter = ReplayMeter()
      for launch in contents.launches {
        let script = launch.timed()
        let outcome = replayed(script, keeping: script.inputs, until: symptom)
        meter = meter.combined(with: outcome.meter)
        guard outcome.end != nil else { continue }
        for _ in 0..<maximumMoves {
          let moved = launch.moved(using: &random).timed()
          guard let end = replayed(moved, keeping: moved.inputs, until: symptom).end else { continue }
          let shortest = moved.prefix(end + 1)
          return (shortest, shortest.inputs)
        }
        throw Failure(
          code: .different,
          message:
            "with its places moved, the journal no longer shows that \(symptom.words): choose another symptom or limit."
        )
      }
      throw Failure(
        code: .different,
        message: "the journal doesn't show that \(symptom.words): within its launches, \(meter.words).")
    }

    private mutating func shrink(_ progress: (Int, Int) -> Void) throws {
      while true {
        let outcome = Self.replayed(script, keeping: kept, until: symptom)
        guard let end = outcome.end else {
          throw Failure(code: .software, message: "a replay of the same inputs shows no symptom: please report this.")
        }
        journal = try outcome.replay.journal()
        measure = symptom.measure(in: outcome.meter)
        kept = kept.filter { $0 <= end }
        // Omitting an input within the symptom's stretch nearly always ends the symptom. So the inputs before the stretch and the last
        // input are tried first.
        let begin = measure.position
        minimum = .none
        if try search(kept.filter { $0 < begin || $0 >= end }, progress) { continue }
        if minimum == .beforeSymptom, kept.count <= (Self.maximumTries - tries) / 2, try search(kept, progress) {
          continue
        }
        return
      }
    }

    /// Removes inputs that can be left out. Returns whether any were removed.
    private mutating func search(_ inputs: [Int], _ progress: (Int, Int) -> Void) throws -> Bool {
      let fixed = Set(kept).subtracting(inputs)
      var search = Shrinking(inputs, maximumTries: max(1, Self.maximumTries - tries))
      while let candidate = search.candidate, work < Self.maximumWork {
        tries += 1
        progress(tries, fixed.count + search.shortest.count)
        let shown = Self.replayed(script, keeping: (candidate + fixed).sorted(), until: symptom)
        work += shown.replay.position
        search.conclude(fails: shown.end != nil)
      }
      if search.isMinimal { minimum = fixed.isEmpty ? .all : .beforeSymptom }
      guard search.shortest.count < inputs.count else { return false }
      kept = (search.shortest + fixed).sorted()
      return true
    }

    /// Whether the journal also shows the symptom if the timers of a replay fire as its manager sets them. A repaired manager may
    /// set other timers than those in the journal.
    var isShownWithOwnTimers: Bool {
      get throws { symptom.isShown(by: try meter(of: JournalProvider(journal, instead: .init()))) }
    }

    /// The uptime of the input that begins the symptom's stretch, rounded down to milliseconds.
    var beginning: Duration { .milliseconds(Int64((measure.began.seconds * 1_000).rounded(.down))) }

    /// Reads and replays the journal. Throws an error if a decision differs or the symptom isn't shown.
    func verify() throws {
      let player = try JournalProvider(journal)
      guard symptom.isShown(by: try meter(of: player)), player.difference == nil else {
        throw Failure(
          code: .software,
          message:
            "the cut journal doesn't show the symptom\(player.difference.map { ": \($0)" } ?? "."); please report this."
        )
      }
    }

    private func meter(of player: JournalProvider) throws -> ReplayMeter {
      let witness = ReplayWitness(player, from: beginning)
      try player.run()
      witness.handle(.time)
      return witness.meter
    }
  }
#endif
