public import Foundation

/// The last location and a pause, kept from launch to launch, and readable by any code without a manager.
///
/// ```swift
/// if let location = LastLocationStore.standard.location {
///   print("\(location.timestamp): \(location.latitude), \(location.longitude)")
/// }
/// ```
///
/// Reading it turns nothing on, and what is old is given as old: look at the timestamp. Every access reads or writes the
/// device's storage, some tens of microseconds to read and up to some milliseconds to write; a ``LocationManager`` writes
/// sparingly. Several processes may use the same store: each write is whole, and the last one counts.
///
/// A program killed at any moment finds the last whole write. What cannot be written leaves what was there; what cannot be
/// read, because it is damaged or another program's, is kept aside under another name. Either is reported in a sentence
/// that holds no location.
public final class LastLocationStore: LocationStore, Sendable {
  private let backing: any StoreBacking
  private let report: @Sendable (String) -> Void

  /// The program's own store: user defaults on Apple's platforms, and elsewhere the file `last-location.json`, readable by
  /// its owner alone, in a folder with the program's name in `$XDG_STATE_HOME` or, without it, in `~/.local/state`.
  public static let standard: LastLocationStore = {
    #if canImport(Darwin)
      LastLocationStore(userDefaults: nil)
    #else
      LastLocationStore(file: stateFolder().appending(path: "last-location.json"))
    #endif
  }()

  /// A store in a file. Its folder is made when the first location is written.
  ///
  /// - Parameters:
  ///   - file: Where the file is.
  ///   - report: Is told what could not be read or written, and what to do; writes to standard error unless given.
  public init(file: URL, report: (@Sendable (_ problem: String) -> Void)? = nil) {
    backing = StoreFile(path: file.path(percentEncoded: false))
    self.report = report ?? Self.toStandardError
  }

  /// A store in user defaults, under the key `LocoKit`.
  ///
  /// Where there is nothing yet, the location that TTLocationHandler kept is carried over: it had no accuracy of its own, so
  /// it is given as accurate to 1,000 m, as TTLocationHandler gave it.
  ///
  /// - Parameters:
  ///   - suiteName: The suite, such as an app group's; `nil` is the app's own. A suite shared with other apps needs another
  ///     reason in the app's privacy manifest than the one that LocoKit's declares.
  ///   - report: Is told what could not be read or written; writes to standard error unless given.
  public init(userDefaults suiteName: String?, report: (@Sendable (_ problem: String) -> Void)? = nil) {
    backing = StoreDefaults(suiteName: suiteName)
    self.report = report ?? Self.toStandardError
  }

  /// The last location delivered; `nil` where there is none. However old it is, its timestamp says so.
  public var location: Location? {
    get { read().location }
    set { change { $0.location = newValue } }
  }

  /// Whether the app has paused and not resumed since.
  public var isPaused: Bool {
    get { read().isPaused }
    set { change { $0.isPaused = newValue } }
  }

  private func read() -> StoreContents {
    do {
      let (contents, problem) = try backing.read()
      if let problem { report(problem) }
      return contents
    } catch {
      report("The last location cannot be read: \(error)")
      return StoreContents()
    }
  }

  private func change(_ change: (inout StoreContents) -> Void) {
    do {
      if let problem = try backing.change(change) { report(problem) }
    } catch {
      report("The last location cannot be written, so the one before is kept: \(error)")
    }
  }

  private static func toStandardError(_ problem: String) {
    // Nobody may listen any more.
    try? FileHandle.standardError.write(contentsOf: Data("LocoKit: \(problem)\n".utf8))
  }

  private static func stateFolder() -> URL {
    let process = ProcessInfo.processInfo
    // The specification has paths that are not absolute ignored.
    let state =
      if let folder = process.environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
        URL(filePath: folder, directoryHint: .isDirectory)
      } else {
        URL(filePath: NSHomeDirectory(), directoryHint: .isDirectory).appending(path: ".local/state")
      }
    return state.appending(path: process.processName)
  }
}

/// Where a store keeps its contents.
protocol StoreBacking: Sendable {
  /// What is there, and what was found to be wrong with it.
  func read() throws -> (StoreContents, problem: String?)
  /// Reads, changes and writes, with nobody else in between.
  func change(_ change: (inout StoreContents) -> Void) throws -> String?
}

/// What is kept.
struct StoreContents: Codable, Equatable {
  private var version = 1
  var location: Location?
  var isPaused = false

  init() {}

  /// Larger than any contents can be.
  static let maximumSize = 16_384

  init(_ data: Data) throws {
    guard data.count <= Self.maximumSize else { throw StoreError("it is larger than \(Self.maximumSize) bytes") }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    do {
      self = try decoder.decode(Self.self, from: data)
    } catch {
      throw StoreError("it is not what LocoKit writes")
    }
    guard version == 1 else { throw StoreError("it is of version \(version), and this LocoKit reads version 1") }
    if let location, !location.hasValidCoordinate || !location.hasValidAccuracy {
      throw StoreError("its location is not one on Earth")
    }
  }

  func data() throws -> Data {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.outputFormatting = [.sortedKeys]
    do {
      return try encoder.encode(self)
    } catch {
      throw StoreError("a number of the location is not finite")
    }
  }
}

struct StoreError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
