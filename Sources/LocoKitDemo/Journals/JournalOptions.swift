#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitJournal

  /// The options of a journal: its folder, and whether it keeps the true positions.
  struct JournalOptions {
    var folder: URL
    var keepsPlaces: Bool

    static let known = ["--journal=", "--journal-places"] as [KnownOption]

    static func refusal(of names: Set<String>) -> String? {
      names.contains("--journal-places") && !names.contains("--journal")
        ? "--journal-places is for a journal: add --journal." : nil
    }

    init?(_ given: GivenOptions) {
      guard let folder = given.file("--journal") else { return nil }
      self.folder = folder
      keepsPlaces = given.has("--journal-places")
    }

    static let help = """
        --journal FOLDER      record all inputs and decisions in this folder, with disguised positions; for replaying, see
                              LocoKitDemo replay --help
        --journal-places      record the true positions
      """
  }

  extension JournalOptions {
    /// Creates the journal. Throws if the folder can't hold one.
    func open() throws -> Journal {
      let path = folder.path
      do {
        try FileManager.default.createDirectory(
          at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        throw Failure(code: .cannotCreate, message: "the journal's folder \(path) cannot be created.")
      }
      guard access(path, W_OK | X_OK) == 0 else {
        throw Failure(code: .cannotCreate, message: "\(path) cannot hold a journal: \(errorText())")
      }
      var configuration = Journal.Configuration()
      configuration.keepsPlaces = keepsPlaces
      return Journal(folder: folder, configuration: configuration)
    }
  }

  extension Journal {
    /// Waits until all lines are written, at most 30 s: simulated time may be faster than a disk.
    func catchUp() { synchronize(within: .seconds(30)) }
  }
#endif
