#if os(Linux) || os(macOS)
  import Foundation
  import LocoDurable
  import LocoKit
  import LocoKitJournal

  /// The options of a journal: its folder, and whether it keeps the true positions.
  struct JournalOptions {
    /// The folder; `nil` without a journal.
    var folder: URL?
    var keepsPlaces = false

    static var options: [Option<Self>] {
      [
        Option(
          \.folder, "--journal", .file("FOLDER"),
          help:
            "record all inputs and decisions in this folder, with disguised positions, at most 500 MB; for replaying, see "
            + "LocoKitDemo replay --help"),
        Option(
          \.keepsPlaces, "--journal-places", help: "record the true positions, in a folder without disguised ones"),
      ]
    }

    static func refusal(of names: Set<String>) -> String? {
      names.contains("--journal-places") && !names.contains("--journal")
        ? "--journal-places is for a journal: add --journal." : nil
    }
  }

  extension JournalOptions {
    /// The files that a journal writes: the folder, which contains most of them, and the secret.
    var files: [URL?] { [folder, folder.map { JournalFiles.secret(of: $0) }] }

    /// Creates a folder if it doesn't exist. Throws if it can't be written.
    static func prepare(_ folder: URL, for what: String) throws {
      do { try PrivateFile.makeFolders(folder.path) } catch {
        throw Failure(code: .cannotCreate, message: "\(error).")
      }
      // With a slash, a file is no directory.
      guard access(folder.path + "/", W_OK | X_OK) == 0 else {
        throw Failure(code: .cannotCreate, message: "\(folder.path) cannot hold \(what): \(errorText())")
      }
    }

    /// Creates the journal; `nil` without a folder. Throws if the folder can't hold a journal.
    func open() throws -> Journal? {
      guard let folder else { return nil }
      try Self.prepare(folder, for: "a journal")
      try checkPlaces(in: folder)
      var configuration = Journal.Configuration()
      configuration.keepsPlaces = keepsPlaces
      // A run is one launch, which can't be replayed without its first file.
      (configuration.maximumAge, configuration.maximumSize) = (.seconds(366 * 86_400), 500_000_000)
      return Journal(folder: folder, configuration: configuration)
    }

    /// Throws if the folder has places of the other kind: a true place and its disguise would give away all others.
    private func checkPlaces(in folder: URL) throws {
      let secret = JournalFiles.secret(of: folder)
      let isDisguised = FileManager.default.fileExists(atPath: secret.path)
      if keepsPlaces, isDisguised {
        throw Failure.usage(
          "\(secret.path) is the secret of disguised positions, which true ones would give away; choose another folder."
        )
      }
      guard !keepsPlaces, !isDisguised else { return }
      for (file, _) in (try? JournalFiles.listed(in: folder)) ?? [] {
        guard let beginning = try? FileHandle(forReadingFrom: file).read(upToCount: 1 << 20) else { continue }
        if String(decoding: beginning, as: UTF8.self).contains(#""fixes":[["#) {
          throw Failure.usage(
            "\(folder.path) has true positions, or disguised ones without their secret; choose another folder.")
        }
      }
    }
  }

  extension Journal {
    /// Waits until all lines are written, at most 30 s: simulated time may be faster than a disk.
    func catchUp() { synchronize(within: .seconds(30)) }

    /// Writes the rest of the lines. Throws if the journal isn't complete.
    func finish() throws {
      let isWritten = synchronize(within: .seconds(30))
      guard isWritten, lostLines == 0 else {
        let lines = lostLines > 0 ? "\(lostLines) lines" : "lines"
        throw Failure(code: .ioError, message: "the journal could not be written all the time, and lacks \(lines).")
      }
    }
  }
#endif
