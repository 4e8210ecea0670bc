#if canImport(Dispatch)
  import Dispatch
  public import Foundation

  /// The last location and a pause, kept from launch to launch, and readable by any code without a manager.
  ///
  /// ```swift
  /// if let location = LastLocationStore.standard.location {
  ///   print("\(location.timestamp): \(location.latitude), \(location.longitude)")
  /// }
  /// ```
  ///
  /// Reading it turns nothing on, and an old location is given as it is: look at the timestamp. Reading costs some tens of
  /// microseconds. Setting a value returns at once: a queue of the store's own writes it, so that a slow disk, or another program
  /// that holds the file, keeps nobody waiting. What was set can be read from the same store at once. A program that is about to
  /// end calls ``synchronize(within:)``. Several processes may use the same store: each write is whole, and the last one counts.
  ///
  /// A program killed at any moment finds the last whole write. What cannot be written leaves what was there, and is tried
  /// again until it can be. What cannot be read, because it is damaged or another program's, is kept aside under another name;
  /// and since it may have said that the app had paused, it counts as a pause, until the app resumes. Each of these is reported
  /// in a sentence that holds no location.
  public final class LastLocationStore: LocationStore, Sendable {
    private let backing: any StoreBacking
    private let report: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "LocoKit.store", qos: .utility)
    private let unwritten = Locked(UnwrittenChanges())

    /// The program's own store, readable by its owner alone.
    ///
    /// On Apple's platforms it is the file `last-location.json` in a folder with the app's identifier in *Application Support*.
    /// On an iPhone it has no data protection: the system may launch an app before its user has unlocked the device for the
    /// first time, and a pause must be known then too. A location that TTLocationHandler kept is carried over. On tvOS, which
    /// keeps no files, and on Windows it is the user defaults. Elsewhere it is the same file in a folder with the program's name in
    /// `$XDG_STATE_HOME` or, without it, in `$HOME/.local/state`.
    public static let standard: LastLocationStore = {
      #if os(tvOS) || os(Windows)
        LastLocationStore(userDefaults: nil)
      #elseif canImport(Darwin)
        let file = standardFolder.appending(path: "last-location.json")
        return LastLocationStore(
          StoreFile(path: file.path(percentEncoded: false), carriedOver: { StoreDefaults(suiteName: nil).carriedOver }))
      #else
        LastLocationStore(file: standardFolder.appending(path: "last-location.json"))
      #endif
    }()

    #if !os(Windows)
      /// A store in a file. Its folder is made when the first location is written.
      ///
      /// - Parameters:
      ///   - file: Where the file is.
      ///   - report: Is told what could not be read or written, and what to do, on any thread; writes to standard error unless
      ///     given.
      public convenience init(file: URL, report: (@Sendable (_ problem: String) -> Void)? = nil) {
        self.init(StoreFile(path: file.path(percentEncoded: false)), report: report)
      }
    #endif

    /// A store in user defaults, under the key `LocoKit`.
    ///
    /// Where there is nothing yet, the location that TTLocationHandler kept is carried over: it had no accuracy of its own, so
    /// it is given as accurate to 1,000 m, as TTLocationHandler gave it.
    ///
    /// Before the first unlock of an iPhone user defaults read as empty, so an app that is launched then forgets a pause:
    /// ``standard`` does not.
    ///
    /// - Parameters:
    ///   - suiteName: The suite, such as an app group's; `nil` is the app's own. A suite shared with other apps needs another
    ///     reason in the app's privacy manifest than the one that LocoKit's declares.
    ///   - report: Is told what could not be read or written, on any thread; writes to standard error unless given.
    public convenience init(userDefaults suiteName: String?, report: (@Sendable (_ problem: String) -> Void)? = nil) {
      self.init(StoreDefaults(suiteName: suiteName), report: report)
    }

    init(_ backing: any StoreBacking, report: (@Sendable (_ problem: String) -> Void)? = nil) {
      self.backing = backing
      self.report = report ?? Self.toStandardError
    }

    /// The last location delivered; `nil` where there is none. However old it is, its timestamp says so. One without a place on
    /// Earth is reported, and not kept.
    public var location: Location? {
      get {
        if let change = unwritten.change({ $0.location }) { return change.location }
        return read().location
      }
      set {
        if let newValue, !newValue.hasValidCoordinate || !newValue.hasValidAccuracy {
          return report("The last location cannot be written, so the one before is kept: it is not on Earth")
        }
        let location = newValue?.withoutNonFinite
        change { $0.location = LocationChange(location: location) }
      }
    }

    /// Whether the app has paused and not resumed since.
    public var isPaused: Bool {
      get { unwritten.change { $0.isPaused } ?? read().isPaused }
      set { change { $0.isPaused = newValue } }
    }

    /// Waits until what was set is written: for a program that is about to end.
    ///
    /// - Parameter limit: How long to wait at most.
    /// - Returns: Whether all is written.
    @discardableResult
    public func synchronize(within limit: Duration = .seconds(2)) -> Bool {
      let isDone = DispatchSemaphore(value: 0)
      queue.async {
        if !self.unwritten.change({ $0.isEmpty }) { self.write() }
        isDone.signal()
      }
      guard isDone.wait(timeout: .now() + limit.inSeconds) == .success else { return false }
      return unwritten.change { $0.isEmpty }
    }

    private func read() -> StoreContents {
      do {
        let (contents, problem) = try backing.read()
        if let problem { report(problem) }
        return contents
      } catch {
        report("The last location cannot be read, and counts as a pause: \(error)")
        return .unreadable
      }
    }

    private func change(_ change: @escaping @Sendable (inout UnwrittenChanges) -> Void) {
      let isFirst = unwritten.change { changes in
        defer { changes.isScheduled = true }
        change(&changes)
        return !changes.isScheduled
      }
      if isFirst { queue.async { self.write() } }
    }

    /// Writes what was set, on the queue; where that cannot be, tries again later, and later each time.
    private func write() {
      let changes = unwritten.change { $0 }
      do {
        if let problem = try backing.change(changes.apply) { report(problem) }
        if unwritten.change({ $0.forget(changes) }) { queue.async { self.write() } }
      } catch {
        let retry = unwritten.change { $0.failed("\(error)") }
        if retry.isNew { report("The last location cannot be written yet, so the one before is kept: \(error)") }
        queue.asyncAfter(deadline: .now() + retry.delay.inSeconds) { [weak self] in
          if let self, unwritten.change({ !$0.isEmpty && $0.isLatest(retry.number) }) { write() }
        }
      }
    }

    /// What problems are told to that nobody else wants to hear of.
    static func toStandardError(_ problem: String) {
      // Nobody may listen any more.
      try? FileHandle.standardError.write(contentsOf: Data("LocoKit: \(problem)\n".utf8))
    }

    #if canImport(Darwin)
      static var standardFolder: URL {
        URL.applicationSupportDirectory.appending(
          path: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName)
      }
    #elseif !os(Windows)
      static var standardFolder: URL {
        let process = ProcessInfo.processInfo
        // The specification has paths that are not absolute ignored.
        func folder(_ variable: String) -> URL? {
          guard let path = process.environment[variable], path.hasPrefix("/") else { return nil }
          return URL(filePath: path, directoryHint: .isDirectory)
        }
        let home = folder("HOME") ?? URL(filePath: NSHomeDirectory(), directoryHint: .isDirectory)
        return (folder("XDG_STATE_HOME") ?? home.appending(path: ".local/state")).appending(path: process.processName)
      }
    #endif
  }

  /// What was set and is not written yet.
  private struct UnwrittenChanges: Equatable {
    var location: LocationChange?
    var isPaused: Bool?
    var isScheduled = false
    private var retry = WriteRetry()

    var isEmpty: Bool { location == nil && isPaused == nil }

    func apply(to contents: inout StoreContents) {
      if let location { contents.location = location.location }
      if let isPaused { contents.isPaused = isPaused }
    }

    /// Whether something else was set while these changes were written.
    mutating func forget(_ written: UnwrittenChanges) -> Bool {
      if location == written.location { location = nil }
      if isPaused == written.isPaused { isPaused = nil }
      retry.succeeded()
      isScheduled = !isEmpty
      return isScheduled
    }

    /// What is set meanwhile is tried at once.
    mutating func failed(_ reason: String) -> WriteRetry.Attempt {
      isScheduled = false
      return retry.failed(reason)
    }

    func isLatest(_ attempt: Int) -> Bool { retry.number == attempt }
  }

  /// The back-off of failed writes.
  struct WriteRetry: Equatable {
    /// The number of the latest retry. An earlier one that is still scheduled is obsolete, or retries would multiply.
    private(set) var number = 0
    private var failures = 0
    private var failure: String?

    struct Attempt: Sendable {
      let number: Int
      /// Half a second to five minutes.
      let delay: Duration
      /// Whether the reason differs from the last one.
      let isNew: Bool
    }

    mutating func failed(_ reason: String) -> Attempt {
      failures = min(failures + 1, 11)
      number += 1
      defer { failure = reason }
      return Attempt(
        number: number, delay: min(.milliseconds(250) * (1 << failures), .seconds(300)), isNew: failure != reason)
    }

    mutating func succeeded() { (failures, failure) = (0, nil) }
  }

  /// A location that was set, which may be none.
  private struct LocationChange: Equatable {
    let location: Location?
  }

  /// Where a store keeps its contents.
  protocol StoreBacking: Sendable {
    /// What is there, and what was found to be wrong with it.
    func read() throws -> (StoreContents, problem: String?)
    /// Reads, changes and writes, with nobody else in between.
    func change(_ change: (inout StoreContents) -> Void) throws -> String?
  }

  /// What is kept.
  struct StoreContents: Codable, Equatable, Sendable {
    private var version = 1
    var location: Location?
    var isPaused = false
    /// The location's timestamp in the unit of `Date`. The `timestamp` of the location itself, in seconds since 1970, is rounded.
    private var secondsSince2001: Double?

    init() {}

    /// What counts where nothing can be read: no location, and a pause, which must not be forgotten.
    static let unreadable: StoreContents = {
      var contents = StoreContents()
      contents.isPaused = true
      return contents
    }()

    /// Larger than any contents can be.
    static let maximumSize = 16_384

    /// Why data cannot be read as a store's contents.
    struct Unreadable: Error, CustomStringConvertible {
      let description: String
    }

    init(_ data: Data) throws(Unreadable) {
      guard data.count <= Self.maximumSize else {
        throw Unreadable(description: "it is larger than \(Self.maximumSize) bytes")
      }
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .secondsSince1970
      do {
        self = try decoder.decode(Self.self, from: data)
      } catch {
        throw Unreadable(description: "it is not what LocoKit writes")
      }
      guard version == 1 else {
        throw Unreadable(description: "it is of version \(version), and this LocoKit reads version 1")
      }
      if let location, !location.hasValidCoordinate || !location.hasValidAccuracy {
        throw Unreadable(description: "its location is not one on Earth")
      }
      if let exact = secondsSince2001.map(Date.init(timeIntervalSinceReferenceDate:)), let location,
        abs(exact.timeIntervalSince(location.timestamp)) < 1
      {
        self.location?.timestamp = exact
      }
      secondsSince2001 = nil
    }

    func data() throws -> Data {
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .secondsSince1970
      encoder.outputFormatting = [.sortedKeys]
      var contents = self
      contents.secondsSince2001 = location?.timestamp.timeIntervalSinceReferenceDate
      do {
        return try encoder.encode(contents)
      } catch {
        throw StoreError("a number of the location is not finite")
      }
    }
  }

  struct StoreError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
#endif
