#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitJournal

  /// The options of `study`.
  struct StudyOptions: Command {
    private(set) var journals: [URL] = []
    var isJSON = false

    static let operands: String? = "FILE..."

    static var options: [Option<Self>] {
      [
        Option(
          \.isJSON, "--json",
          help: "print a line of JSON for each FILE or FOLDER, in their order, instead of the figures of "
            + "all together; unknown values are null. In addition to the figures, a line has journal, "
            + "the last part of the path; platform and model, of the last launch; "
            + "widestErrorBoundMetres, the widest bound that the app set, null if it set no bound or "
            + "removed one; and sums, the unrounded sums and sorted lists that pool the figures of "
            + "several journals. The keys of power: model, secondsInState and wakes of the journal; "
            + "run, with n, hours, secondsInState, wakes, measuredPercent and predictedPercent; ratio, "
            + "ratioAtLeast, ratioAtMost; hoursToResolve, the length of a run that resolves the ratio "
            + "to 20 %; isAsRecorded, false if the replay differs from the recording. A journal that "
            + "can't be read has a line with journal and error instead, and the next journal follows")
      ]
    }

    mutating func finish(_ given: Given) throws {
      guard !given.operands.isEmpty else {
        throw Failure.usage("study needs files of journals, or their folders.")
      }
      var folders: Set<URL> = []
      for file in given.operands where JournalFiles.number(of: file.lastPathComponent) != nil {
        let folder = file.standardizedFileURL.deletingLastPathComponent()
        guard folders.insert(folder).inserted else {
          throw Failure.usage("the files in \(folder.relativePath) are one journal: pass the folder.")
        }
      }
      let secrets = Set(given.operands.map { JournalFiles.secret(of: $0.absoluteURL).path })
      // A pattern such as journals/* also names the secrets of the folders beside it.
      journals = given.operands.filter { !secrets.contains($0.absoluteURL.standardizedFileURL.path) }
    }

    static let examples: KeyValuePairs = [
      "study journal": "the figures of one phone",
      "study journals/* --json": "a line of JSON for each journal",
    ]

    static let about = """
      Prints figures about receivers, wake-ups and batteries from journals, most of them with the number of observations. A – means that
      a figure is unknown.

      USAGE: LocoKitDemo study FILE|FOLDER... [--json]

      A fix counts if it is from the GPS and its accuracy is 100 m or better. The time to the first fix begins when the GPS is turned on,
      and counts if a fix arrived before the GPS was turned off. The phone is at rest during five minutes or more in which all fixes lie
      within 50 m of the first one, or within the sum of both accuracies if that is more. Motion that is reported at rest is false. A
      wake-up is a significant change, a region exit, a visit, a change of the cell, a motion after rest, or a timer, while the GPS was
      off. Battery levels are read from notes such as "battery 0.83 unplugged". In the battery rates, the app is kept running if timers
      run in the background.

      Battery levels have steps of 1 or 5 %. A run ends with a charge, or with a change between asleep and kept running. The difference of
      the levels over a run is off by at most one step, and the rate by the step divided by the run's hours. A run of 8 h resolves the
      1.3 %/h that keeping an app running cost an iPhone 6, even with steps of 5 %; 0.1 %/h needs 10 h with steps of 1 %, and 50 h
      with steps of 5 %. The steps of several runs add up.

      The power is compared with a model of an iPhone 6 with iOS 12 and a new battery. Here, a run is a time without a charge, below
      100 %, and without lost lines. The ratio is the measured drop divided by the drop that the model predicts from the time in each state;
      its uncertainty is a step of the levels for each run. The ratio is that of the whole phone: the screen, other apps and a worn
      battery raise it. Pass only journals of one phone.

      For the power, the states follow from the manager's commands in the replay. The tail is the time after the GPS was turned off in
      which the receiver still uses power. The app is kept running while the manager commands it, or, if the device can't keep an app
      running, while timers run in the background. At all other times the app is asleep, also between two launches. A wake is a
      significant change, a region exit, an arrival or a departure while the app is asleep. The phone is in motion from the motion
      sensor's report of motion to its next report of rest, or until five minutes after the app falls asleep or loses the sensor. It is
      also in motion for five minutes after a fix with a speed of more than 1 m/s, unless a slower fix ends the motion.
      """

    static let notes = """
      EXIT CODES: 0 done, 64 wrong usage, 65 a file is not a journal, 66 there is no such file, or it cannot be read,
                  74 the output cannot be written, 141 the output's reader is gone (prints no message)
      """

    /// Replays the journals, and prints their figures.
    func run() throws -> ExitCode {
      guard !isJSON else { return try printLines() }
      var figures = Figures()
      for url in journals {
        let watch: FieldWatch
        do { watch = try FieldWatch.study(url, figures) } catch { throw Failure(error) }
        Output.error.write(watch.note)
        figures = watch.end()
      }
      Output.standard.write(figures.text)
      return .done
    }

    /// Prints a line for each journal. After a damaged journal, the others follow.
    @MainActor
    private func printLines() throws -> ExitCode {
      var failures: [FileFailure] = []
      for url in journals where Output.standard.isOpen {
        let name = url.standardizedFileURL.lastPathComponent
        do {
          let watch = try FieldWatch.study(url, Figures())
          Output.error.write(watch.note)
          Output.standard.write(watch.line(journal: name))
        } catch {
          failures.append(error)
          Output.standard.write(DamagedLine(journal: name, error).jsonLine)
        }
      }
      try Output.standard.check()
      guard !failures.isEmpty else { return .done }
      throw Failure(
        code: failures.allSatisfy { $0.line == 0 } ? .noInput : .badData,
        message: "\(failures.count) of \(journals.count) journals can't be read: their lines say why.")
    }
  }

  /// The line of a journal that can't be read. The line contains no path, because a path may contain the name of the user.
  private struct DamagedLine: Encodable {
    let journal: String
    let error: String

    init(journal: String, _ failure: FileFailure) {
      let file = URL(filePath: failure.file).lastPathComponent
      self.journal = journal
      error = FileFailure(file, failure.line, failure.reason).description.printable
    }
  }
#endif
