#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// Where a journal of what the provider says is written, and whether with its places.
  struct JournalOptions {
    var folder: URL
    var keepsPlaces: Bool

    static let known = [KnownOption("--journal", takesValue: true), KnownOption("--journal-places")]

    /// Why these options are not accepted together; `nil` where they are.
    static func refusal(of names: Set<String>) -> String? {
      names.contains("--journal-places") && !names.contains("--journal")
        ? "--journal-places is for a journal: add --journal." : nil
    }

    /// `nil` where none is asked for.
    init?(_ given: GivenOptions) {
      guard let folder = given.text("--journal") else { return nil }
      self.folder = URL(filePath: folder)
      keepsPlaces = given.has("--journal-places")
    }

    static let help = """
        --journal FOLDER      write all that is taken in and decided into files of this folder, with places moved: to play again,
                              see LocoKitDemo replay --help
        --journal-places      with the places as they are
      """
  }

  extension JournalOptions {
    /// The journal.
    ///
    /// - Throws: Why the folder cannot hold one.
    func open() throws -> Journal {
      let path = folder.path
      do {
        try FileManager.default.createDirectory(
          at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        throw Failure(code: .cannotCreate, message: "the folder \(path) of the journal cannot be made.")
      }
      guard access(path, W_OK | X_OK) == 0 else {
        throw Failure(
          code: .cannotCreate, message: "\(path) cannot hold a journal: \(String(cString: strerror(errno)))")
      }
      var configuration = Journal.Configuration()
      configuration.keepsPlaces = keepsPlaces
      return Journal(folder: folder, configuration: configuration)
    }
  }

  extension Journal {
    /// Waits until all is written: simulated time runs faster than a disk, and a program ends.
    func catchUp() { synchronize(within: .seconds(30)) }
  }
#endif
