#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitJournal

  /// The options of `test`: a journal, and the symptom that it shows.
  struct JournalTestOptions: Command {
    private(set) var journal = URL(filePath: "/")
    /// `nil` until the option is read.
    var expected: Symptom?
    var folder = URL(filePath: ".")
    var givenName: String?
    var isForced = false

    var symptom: Symptom {
      guard let expected else { preconditionFailure("A command without a symptom is refused.") }
      return expected
    }
    var name: String { givenName ?? symptom.testName }

    static let operands: String? = "FILE"

    static var options: [Option<Self>] {
      [
        Option(\.expected, "--expecting", .symptom, help: "the symptom, as above"),
        Option(
          \.folder, "--output", .file("FOLDER"),
          help: "write NAME.jsonl and NAMETests.swift to this folder (default: the current one)"),
        Option(
          \.givenName, "--name", .swiftName, help: "the test's name (default: the symptom, as in NoLocation3600)"),
        Option(\.isForced, "--force", help: "replace existing files"),
      ]
    }

    mutating func finish(_ given: Given) throws {
      guard given.operands.count == 1, let file = given.operands.first else {
        throw Failure.usage("test needs one file of a journal, or its folder.")
      }
      guard expected != nil else {
        throw Failure.usage("test needs a symptom, such as --expecting no-location=3600.")
      }
      journal = file
    }

    private var files: (journal: URL, test: URL) {
      (folder.appending(path: "\(name).jsonl"), folder.appending(path: "\(name)Tests.swift"))
    }

    func run() throws -> ExitCode {
      // The folder is prepared before the search, so that errors are reported early.
      try prepareFolder()
      let contents: JournalScript.Contents
      do { contents = try JournalScript.Contents(of: journal) } catch { throw Failure(error) }
      let printer = Printer(isQuiet: true, isLive: true)
      defer { printer.end() }
      var random = SystemRandomNumberGenerator()
      let cut = try JournalCut(contents, showing: symptom, using: &random) { tries, inputs in
        printer.search(tries: tries, inputs: inputs)
      }
      printer.end()
      try cut.verify()
      try write(String(decoding: cut.journal, as: UTF8.self), to: files.journal)
      let source = JournalTestSource(
        symptom: symptom, name: name, hasOwnTimers: try cut.isShownWithOwnTimers, beginning: cut.beginning)
      try write(source.text, to: files.test)
      let lines = cut.journal.count { $0 == UInt8(ascii: "\n") }
      Output.standard.write(
        table([
          ("shows", "\(symptom.words)\(symptom.words(for: cut.measure))"),
          ("cut", "from \(contents.lines) lines to \(lines), with \(cut.kept.count) inputs, in \(cut.tries) tries"),
          ("", cut.minimum.words),
          ("journal", files.journal.relativePath), ("test", files.test.relativePath),
          (
            "manifest",
            "exclude: [\"\(files.journal.lastPathComponent)\"] in the test target, which needs LocoKitJournal"
          ),
        ]))
      return .done
    }

    private func prepareFolder() throws {
      try JournalOptions.prepare(folder, for: "a test")
      for file in [files.journal, files.test] {
        try LogFile.check(file, isNot: [journal, JournalFiles.secret(of: journal)])
        var status = stat()
        guard isForced || lstat(file.path, &status) != 0 else {
          throw Failure(code: .cannotCreate, message: "\(file.path) exists: add --force to replace it.")
        }
      }
    }

    /// Writes text that ends with a newline, readable by its owner only.
    private func write(_ text: String, to url: URL) throws {
      try LogFile(url, isLive: false).replace(with: text)
    }

    static let examples: KeyValuePairs = [
      "test journal --expecting error-beyond=500": "a test of the first error of more than 500 m",
      "test journal --expecting gps-longer=120": "a test of the GPS that was on for more than two minutes",
    ]

    static let about = """
      Cuts a journal to the shortest one found that shows a symptom, and writes a Swift test with it, which fails until the symptom
      is gone.

      USAGE: LocoKitDemo test FILE|FOLDER --expecting SYMPTOM [options]

      SYMPTOMS, each within one launch:
        error-beyond=METRES   the last location is off by more than METRES. A journal has no true positions: the error is the
                              distance from the last location to a later fix of 100 m or better, less the accuracy of that fix.
                              A fix counts if it is at most 10 s old and the device can have moved there at \(Int(Location.maximumSpeed)) m/s.
        gps-longer=SECONDS    the GPS is on for more than SECONDS without interruption
        no-location=SECONDS   no new location arrives for more than SECONDS, while the manager looks or waits for a wake-up
        health=PROBLEM        the manager's health has this problem:
                              \(LocationManager.Health.Problem.allCases.map(\.rawValue).joined(separator: ", "))
      """

    static let notes = """
      The cut ends with the symptom, and leaves out earlier inputs that the symptom doesn't need. The inputs of the symptom itself stay,
      such as the fixes since the last location: without them, most journals would show the symptom. The decisions and timers are those
      of a replay of the cut. All places are moved and turned together, even if the journal keeps them; notes and the texts of failures
      are left out. The times don't change, so the test remains personal data: see 'Keeping a journal'.

      The search ends at the latest after \(JournalCut.maximumTries) tries or a few minutes of replays. The output says whether it was
      complete.

      EXIT CODES: 0 done, 1 the journal does not show the symptom, 64 wrong usage, 65 the file is not a journal, 66 there is no such
                  file, or it cannot be read, 73 a file exists, or cannot be created with access for its owner only, 74 the
                  output or a file cannot be written, 141 the output's reader is gone (prints no message)
      """
  }

  extension ValueKind where Value == Symptom {
    static var symptom: Self {
      ValueKind(placeholder: "SYMPTOM", expectation: "a symptom") { try Symptom($0) }
    }
  }

  extension ValueKind where Value == String {
    static var swiftName: Self {
      ValueKind(
        placeholder: "NAME", expectation: "a name in Swift: a letter and at most 99 letters, digits and _"
      ) { text in
        text.wholeMatch(of: /[A-Za-z][A-Za-z0-9_]{0,99}/) == nil ? nil : text
      }
    }
  }
#endif
