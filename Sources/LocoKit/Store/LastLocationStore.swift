public import LocoDurable
public import LocoFoundation

/// The last location and a pause, persisted across launches. Reading them requires no manager.
///
/// ```swift
/// if let location = LastLocationStore.standard.location {
///   print("\(location.timestamp): \(location.latitude), \(location.longitude)")
/// }
/// ```
///
/// A location can be of any age: check its timestamp. Reading takes some tens of microseconds. Setting a value doesn't wait for the disk:
/// a queue writes the value, and the same store returns it immediately. Before the program ends, call ``synchronize(within:)``. Several
/// processes may use the same file. Each write is atomic, and the last one wins.
///
/// If the process is killed, the last complete write remains. If a write fails, the previous contents remain, and the store retries with
/// back-off. If a pause can't be written, such as on a full disk, the store empties the file, because an empty file counts as a pause; if
/// the end of a pause can't be written, it removes the file. The last location is then lost. In a folder that the app can't write, or on a
/// disk without space for an empty file, the next launch doesn't know of the pause, or of its end. A file with damaged contents, or of
/// another program, is renamed. Its contents may have been a pause, as may those of a file that another program emptied, so the store counts
/// as paused until the app resumes. The store reports each of these problems as a sentence without a location.
public final class LastLocationStore: PresenceStore, DurableStore {
  private let backing: any StoreBacking
  package let log: DurableLog<UnwrittenLocation>

  /// The program's own store, readable only by the user who runs the program.
  ///
  /// On Apple's platforms except tvOS, it's the file `last-location.json` in a folder in *Application Support*, named after the app's
  /// identifier, or after the program if it has none. On iOS, watchOS and visionOS the file has no data protection: the system may launch
  /// an app before the first unlock after a restart, and the app must know about a pause even then. The last location of the earlier
  /// library TTLocationHandler is carried over. tvOS, which persists no files, uses the user defaults. On other platforms, the file is in a
  /// folder with the program's name in `$XDG_STATE_HOME`, or in `$HOME/.local/state`.
  public static let standard: LastLocationStore = {
    #if os(tvOS)
      LastLocationStore(userDefaults: nil)
    #elseif canImport(Darwin)
      let file = standardFolder.appending(path: "last-location.json")
      return LastLocationStore(
        StoreFile(
          path: file.path(percentEncoded: false), carriedOver: { StoreDefaults(suiteName: nil).carriedOver },
          removeCarriedOver: { StoreDefaults(suiteName: nil).removeCarriedOver() }))
    #else
      LastLocationStore(file: standardFolder.appending(path: "last-location.json"))
    #endif
  }()

  /// Creates a store in a file. The first write creates the file's folder.
  ///
  /// - Parameters:
  ///   - file: The file's location.
  ///   - report: Receives a sentence about each problem, on any thread. By default the store writes it to the system's log (the
  ///     subsystem `LocoKit`), and on Linux to standard error.
  public convenience init(file: URL, report: (@Sendable (_ problem: String) -> Void)? = nil) {
    self.init(StoreFile(path: file.path(percentEncoded: false)), report: report)
  }

  #if canImport(Darwin) || LOCOKIT_STAND_INS
    /// Creates a store in user defaults, under the key `LocoKit`.
    ///
    /// If the key doesn't exist, the last location of the earlier library TTLocationHandler is carried over. TTLocationHandler stored no
    /// accuracy and assumed 1,000 m; the store assumes the same.
    ///
    /// Before the first unlock of an iPhone, user defaults are empty, so an app that is launched then forgets a pause. Of two processes that
    /// write at the same time, one may overwrite the other's pause. ``standard`` and other files don't have these problems.
    ///
    /// - Parameters:
    ///   - suiteName: The suite, such as that of an app group; `nil` for the app's own defaults. LocoKit's privacy manifest doesn't cover
    ///     a suite that several apps share: the app's manifest must declare another reason.
    ///   - report: Receives a sentence about each problem, on any thread. By default the store writes it to the system's log (the
    ///     subsystem `LocoKit`), and on Linux to standard error.
    public convenience init(userDefaults suiteName: String?, report: (@Sendable (_ problem: String) -> Void)? = nil) {
      self.init(StoreDefaults(suiteName: suiteName), report: report)
    }
  #endif

  init(_ backing: any StoreBacking, report: (@Sendable (_ problem: String) -> Void)? = nil) {
    self.backing = backing
    log = DurableLog(
      UnwrittenLocation(), label: "LocoKit.store", activity: "Writing the last location", isUrgent: true,
      failure: "The last location cannot be written yet", report: report)
  }

  /// The last location delivered, however old; `nil` before the first one. Setting a location with an invalid coordinate, accuracy or date
  /// reports a problem and has no other effect. Setting `nil` erases the place of the presence, too.
  public var location: Location? {
    get { log.update { $0.location } ?? read().location }
    set {
      if let newValue, !newValue.isStorable {
        return log.report("The last location remains unchanged: the new one is invalid")
      }
      change {
        $0.location = .some(newValue)
        // The presence has a place, too.
        if newValue == nil { $0.presence = .some(nil) }
      }
    }
  }

  /// Whether the app has paused and not resumed since.
  public var isPaused: Bool {
    get { log.update { $0.isPaused } ?? read().isPaused }
    set { change { $0.isPaused = newValue } }
  }

  package var presence: LocationManager.Presence? {
    get { log.update { $0.presence } ?? read().presence }
    set { change { $0.presence = .some(newValue) } }
  }

  /// Tries once to write all values, and waits for the result: call it before the program ends. Values in user defaults count as written once
  /// the system has them.
  ///
  /// - Parameter limit: The maximum time to wait.
  /// - Returns: Whether all values were written in time.
  @discardableResult
  public func synchronize(within limit: Duration = .seconds(2)) -> Bool {
    synchronize(within: limit, flush: { true })
  }

  private func read() -> StoreContents {
    do {
      let (contents, problem) = try backing.read()
      if let problem { log.report(problem) }
      return contents
    } catch {
      log.report("The last location cannot be read and counts as a pause: \(error)")
      return .unreadable
    }
  }

  package func write(_ changes: UnwrittenLocation) throws {
    if let problem = try backing.change(changes.apply) { log.report(problem) }
  }

  #if canImport(Darwin)
    package static var standardFolder: URL {
      URL.applicationSupportDirectory.appending(
        path: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName)
    }
  #else
    package static var standardFolder: URL {
      let process = ProcessInfo.processInfo
      // The XDG specification says to ignore relative paths.
      func folder(_ variable: String) -> URL? {
        guard let path = process.environment[variable], path.hasPrefix("/") else { return nil }
        return URL(filePath: path, directoryHint: .isDirectory)
      }
      let home = folder("HOME") ?? .homeDirectory
      return (folder("XDG_STATE_HOME") ?? home.appending(path: ".local/state")).appending(path: process.processName)
    }
  #endif
}
