#if !os(Windows) && !os(WASI)
  import Dispatch
  public import Foundation

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif

  /// A folder of files in which a ``RecordingProvider`` writes what a device really did, as lines of JSON.
  ///
  /// ```swift
  /// let journal = Journal(folder: folder)
  /// let manager = LocationManager(provider: RecordingProvider(provider, to: journal))
  /// manager.tryPromptAuthorization()
  /// // When the user reports a fault:
  /// journal.synchronize(within: .seconds(10))
  /// share(journal.files)
  /// ```
  ///
  /// A queue of the journal's own writes, so that a slow disk keeps nobody waiting; what it has not written when the program is killed
  /// is lost, and every line that is there is whole. Each launch begins a file, and a file that has grown to its limit is followed by
  /// another. If writing fails, the journal drops lines, counts them, and writes the count once writing succeeds. It deletes an old file
  /// only after it has written a line to a new one. The folder and its files are readable by their owner alone.
  ///
  /// By default the journal moves and turns all places together, so that a bug report contains no home address. Distances change by a few
  /// metres and angles by a few degrees; speeds stay. The secret that determines the move is stored beside the folder, in a file
  /// with the folder's name and the extension `secret`. Share the folder or ``files``, never the secret. *Keeping a journal* describes
  /// the remaining leaks.
  public final class Journal: Sendable {
    /// How much is kept, and what of places.
    public struct Configuration: Hashable, Sendable {
      /// How long a file grows before another one is begun, bytes. 10,000 or more.
      public var maximumFileSize = 5_000_000
      /// How long a file is kept after it was last written.
      public var maximumAge = Duration.seconds(7 * 86_400)
      /// How many files are kept, the newest ones. 2 or more.
      public var maximumFiles = 20
      /// Whether places are written as they are: for a journal that stays with whoever it is about.
      ///
      /// If `false`, the recording also shifts each fix by about a metre before the manager receives it: see ``RecordingProvider``.
      public var keepsPlaces = false

      /// Files of 5 MB for seven days, at most twenty, with their places moved.
      public init() {}
    }

    private let folder: URL
    private let configuration: Configuration
    private let report: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "LocoKit.journal", qos: .utility)
    private let writer: Locked<JournalWriter>
    private let waiting = Locked((lines: 0, lost: 0))
    /// The shift that each fix gets before the manager receives it; `nil` if the journal keeps places.
    private let blur: Blur?

    /// How many lines may wait to be written.
    private static let mostWaiting = 10_000

    /// A journal in a folder, which is made when the first line is written.
    ///
    /// - Parameters:
    ///   - folder: Where its files are.
    ///   - configuration: How much is kept, and what of places.
    ///   - report: Is told what could not be written, in a sentence without a place, on any thread; writes to standard error
    ///     unless given.
    public convenience init(
      folder: URL, configuration: Configuration = Configuration(),
      report: (@Sendable (_ problem: String) -> Void)? = nil
    ) {
      var random = SystemRandom()
      self.init(folder: folder, configuration: configuration, key: random.next(), report: report)
    }

    init(folder: URL, configuration: Configuration, key: UInt64, report: (@Sendable (_ problem: String) -> Void)?) {
      precondition(configuration.maximumFileSize >= 10_000, "A journal's file may grow to 10,000 bytes at least.")
      precondition(configuration.maximumFiles >= 2, "A journal keeps two files at least.")
      self.folder = folder
      self.configuration = configuration
      self.report = report ?? LastLocationStore.toStandardError
      blur = configuration.keepsPlaces ? nil : Blur(key: key)
      writer = Locked(JournalWriter(folder: folder, configuration: configuration))
    }

    /// Its files, oldest first: what may be shared.
    public var files: [URL] { JournalFiles.all(in: folder).map(\.url) }

    /// Waits until what was told is written: for a program that is about to end, or before ``files`` are shared.
    ///
    /// - Parameter limit: How long to wait at most.
    /// - Returns: `true` if the journal contains every line, or the number of lines that it lost. `false` after a timeout, and if the
    ///   journal cannot be written.
    @discardableResult
    public func synchronize(within limit: Duration = .seconds(2)) -> Bool {
      let isDone = DispatchSemaphore(value: 0)
      let isWritten = Locked(false)
      queue.async { [self] in
        let isSettled = write { $0.settle() }
        isWritten.change { $0 = isSettled }
        isDone.signal()
      }
      return isDone.wait(timeout: .now() + limit.inSeconds) == .success && isWritten.change { $0 }
    }

    /// The location that the manager receives instead of `location`. The manager has to decide on the location that the journal contains:
    /// a replay could not make the same decisions on another one.
    func taken(_ location: Location) -> Location { blur?.blurred(location) ?? location }

    /// Writes an entry by and by.
    func append(_ entry: JournalEntry) {
      let isKept = waiting.change { waiting in
        guard waiting.lines < Self.mostWaiting else {
          waiting.lost += 1
          return false
        }
        waiting.lines += 1
        return true
      }
      guard isKept else { return }
      queue.async { [self] in
        write { $0.write(entry) }
        waiting.change { $0.lines -= 1 }
      }
    }

    /// Runs the writer on the queue and reports a failure.
    @discardableResult
    private func write(_ body: @Sendable (inout JournalWriter) -> String?) -> Bool {
      let lost = waiting.change { waiting in
        defer { waiting.lost = 0 }
        return waiting.lost
      }
      let (problem, isSettled) = writer.change { writer in
        writer.lost += lost
        return (body(&writer), writer.isSettled)
      }
      if let problem { report(problem) }
      return isSettled
    }
  }

  /// Writes entries into files, whole lines at a time.
  struct JournalWriter: Sendable {
    private let folder: URL
    private let configuration: Journal.Configuration
    private var file: OpenFile?
    /// The number of the newest file that was begun.
    private var number = 0
    /// Whether this writer has written a line. If so, a new file in the middle of a launch begins with a `continues` line.
    private var hasBegun = false
    /// A launch line that could not be written. It is written before any later line, because a replay needs it.
    private var launch: JournalEntry?
    /// The number of lost lines that the journal does not contain yet.
    var lost = 0
    /// Whether the journal contains every line, or the number of lost ones.
    var isSettled: Bool { lost == 0 && launch == nil }
    /// The number of successful writes since the last failure. On a nearly full disk a short line may fit where a long one does not.
    private var successes = Self.successesBeforeReport
    /// The time of the last line, written or not.
    private var now = LocationCore.Now(uptime: .zero, date: .distantPast)
    private var disguise: Disguise?
    /// The first place that could not be moved because the secret is not available. Until it is, the writer drops every line.
    private var unmoved: Location?
    /// The cells of this launch by the order in which they came: a cell's own name says where it is.
    private var cells: [String: Int] = [:]

    private static let mostCells = 10_000
    /// A failure is reported again after this number of successful writes.
    private static let successesBeforeReport = 10

    private struct OpenFile {
      let descriptor: Int32
      let path: String
      let number: Int
      var size = 0
      /// Whether the file ends with a complete line.
      var isWhole = true

      /// Whether the file still has a name. It has none after its folder was removed.
      var isThere: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink > 0
      }
    }

    init(folder: URL, configuration: Journal.Configuration) {
      (self.folder, self.configuration) = (folder, configuration)
    }

    /// - Returns: A description of the failure, if it is the first one of a streak.
    mutating func write(_ entry: JournalEntry) -> String? {
      now = entry.now
      guard entry.isLaunch else { return attempt(losing: 1) { writer throws(Failure) in try writer.put(entry) } }
      if launch != nil { lost += 1 }
      launch = entry
      return attempt(losing: 0) { writer throws(Failure) in try writer.put(nil, isNewLaunch: true) }
    }

    /// Writes a pending launch line and the number of lost lines.
    mutating func settle() -> String? {
      isSettled
        ? nil : attempt(losing: 0) { writer throws(Failure) in try writer.put(nil) }
    }

    private mutating func attempt(
      losing count: Int, _ body: (inout JournalWriter) throws(Failure) -> Void
    ) -> String? {
      do throws(Failure) {
        try body(&self)
        (launch, lost, successes) = (nil, 0, successes + 1)
        return nil
      } catch {
        lost += count
        defer { successes = 0 }
        return successes < Self.successesBeforeReport
          ? nil : "\(error.description); lines of the journal are lost until it can be"
      }
    }

    /// Writes an entry, after a pending launch line and the number of lost lines, to the open file or to a new one.
    private mutating func put(_ entry: JournalEntry?, isNewLaunch: Bool = false) throws(Failure) {
      try findDisguise()
      var entries: [JournalEntry] = []
      if let launch { entries.append(try hidden(launch)) }
      // Lines that were lost before a new launch do not belong to it.
      if lost > 0 { entries.insert(JournalEntry(now: now, what: .lost(lost)), at: isNewLaunch ? 0 : entries.count) }
      if let entry { entries.append(try hidden(entry)) }
      guard !entries.isEmpty else { return }
      if let file, !file.isWhole || !file.isThere { close() }
      if launch == nil, var file, file.size < configuration.maximumFileSize {
        defer { self.file = file }
        return try append(entries, to: &file)
      }
      if hasBegun, launch == nil { entries.insert(JournalEntry(now: now, what: .continues), at: 0) }
      try makeFolder()
      let others = JournalFiles.all(in: folder)
      var new = try makeFile(after: max(number, others.last?.number ?? 0))
      do throws(Failure) { try append(entries, to: &new) } catch {
        _ = systemClose(new.descriptor)
        unlink(new.path)
        throw error
      }
      close()
      (file, number, hasBegun) = (new, new.number, true)
      removeOld(others)
    }

    private mutating func append(_ entries: [JournalEntry], to file: inout OpenFile) throws(Failure) {
      let lines: [UInt8]
      do { lines = try entries.flatMap { try $0.bytes } } catch {
        throw Failure("a line of the journal in \(folder.relativePath) cannot be encoded")
      }
      // In a single call, so that a killed writer leaves complete lines.
      let written = lines.withUnsafeBytes { bytes -> Int in
        while true {
          let count = systemWrite(file.descriptor, bytes)
          if count >= 0 || errno != EINTR { return count }
        }
      }
      if written == lines.count {
        file.size += written
        return
      }
      let reason = written < 0 ? String(cString: strerror(errno)) : "there is no space left"
      if written > 0, ftruncate(file.descriptor, off_t(file.size)) != 0 { file.isWhole = false }
      throw Failure("the journal in \(folder.relativePath) cannot be written: \(reason)")
    }

    private mutating func close() {
      if let file { _ = systemClose(file.descriptor) }
      file = nil
    }

    /// Creates an empty file with the next free number.
    private func makeFile(after last: Int) throws(Failure) -> OpenFile {
      for number in last..<min(last + 1_000, JournalFiles.last) {
        let path = folder.appending(path: JournalFiles.name(number + 1)).path(percentEncoded: false)
        // A name that another program has just taken is its own.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 { return OpenFile(descriptor: descriptor, path: path, number: number + 1) }
        guard errno == EEXIST else {
          throw Failure(
            "a file of the journal in \(folder.relativePath) cannot be made: \(String(cString: strerror(errno)))")
        }
      }
      throw Failure(
        "the journal in \(folder.relativePath) has no name left for a file after \(JournalFiles.name(last)); move its files away"
      )
    }

    private func makeFolder() throws(Failure) {
      do {
        try FileManager.default.createDirectory(
          at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        throw Failure("the folder \(folder.relativePath) of the journal cannot be made")
      }
    }

    /// Deletes files that are too old, and the oldest ones in excess of the maximum. Called after a line was written to a new file.
    private func removeOld(_ others: [(url: URL, number: Int)]) {
      let dated = others.compactMap { file -> (path: String, isEmpty: Bool, age: Double)? in
        let path = file.url.path(percentEncoded: false)
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return (path, status.st_size == 0, Date().timeIntervalSince1970 - Double(status.modified))
      }
      // An empty file belongs to a writer that was killed before its first line, or that is about to write it. It does not count.
      for file in dated where file.isEmpty && file.age > 60 { unlink(file.path) }
      let files = dated.filter { !$0.isEmpty }
      for (index, file) in files.enumerated()
      where index < files.count + 1 - configuration.maximumFiles || file.age > configuration.maximumAge.inSeconds {
        unlink(file.path)
      }
    }

    // MARK: - Places

    private mutating func hidden(_ entry: JournalEntry) throws(Failure) -> JournalEntry {
      guard !configuration.keepsPlaces else { return entry }
      var entry = entry
      switch entry.what {
      case .launch(var launch):
        cells = [:]
        if let location = launch.location { launch.location = try moved(location) }
        entry.what = .launch(launch)
      case .input(.report(.cell(let name))):
        if cells.count >= Self.mostCells { cells = [:] }
        let number = cells[name] ?? cells.count + 1
        cells[name] = number
        entry.what = .input(.report(.cell("\(number)")))
      case .input(.report(let report)):
        var failure: Failure?
        entry.what = .input(
          .report(
            report.mapPlaces { location in
              do throws(Failure) { return try moved(location) } catch {
                failure = error
                return Disguise.nowhere(location)
              }
            }))
        if let failure { throw failure }
      case .input, .continues, .decisions, .lost, .note: break
      }
      return entry
    }

    private mutating func moved(_ location: Location) throws(Failure) -> Location {
      guard location.hasValidCoordinate else { return Disguise.nowhere(location) }
      if disguise == nil {
        unmoved = location
        try findDisguise()
      }
      return disguise?.disguised(location) ?? Disguise.nowhere(location)
    }

    /// Reads or creates the secret, if a place has to be moved.
    private mutating func findDisguise() throws(Failure) {
      guard disguise == nil, let place = unmoved else { return }
      try makeFolder()
      let secret = PrivateFile(path: JournalFiles.secret(of: folder).path(percentEncoded: false))
      do {
        disguise = try Self.disguise(in: secret) ?? Self.newDisguise(around: place, in: secret)
        unmoved = nil
      } catch {
        throw Failure("places cannot be moved for the journal in \(folder.relativePath): \(error)")
      }
    }

    private static func disguise(in secret: PrivateFile) throws -> Disguise? {
      let most = 10_000
      guard let data = try secret.contents(atMost: most, mustBeOwn: true) else { return nil }
      guard data.count < most, let disguise = try? JSONDecoder().decode(Disguise.self, from: data),
        disguise.rotation.count == 9
      else {
        throw StoreError("\(secret.path) is damaged; remove it, and places are moved elsewhere from now on")
      }
      return disguise
    }

    /// Creates the secret, unless another writer has just created it.
    private static func newDisguise(around place: Location, in secret: PrivateFile) throws -> Disguise {
      try secret.locked(within: .milliseconds(100)) { new in
        if let disguise = try disguise(in: secret) { return disguise }
        var random = SystemRandom()
        let disguise = Disguise(around: place, using: &random)
        try secret.replace(with: try JSONEncoder().encode(disguise), in: new)
        return disguise
      }
    }

    struct Failure: Error, CustomStringConvertible {
      let description: String
      init(_ description: String) { self.description = description }
    }
  }

  extension stat {
    fileprivate var modified: Int {
      #if canImport(Darwin)
        st_mtimespec.tv_sec
      #else
        st_mtim.tv_sec
      #endif
    }
  }

  /// The system's random numbers. It has a value of its own, since the thread sanitizer ends a program that passes on one without.
  private struct SystemRandom: RandomNumberGenerator {
    private var drawn = 0

    mutating func next() -> UInt64 {
      drawn += 1
      return .random(in: .min ... .max)
    }
  }

  private func systemWrite(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
  }
  private func systemClose(_ file: Int32) -> Int32 { close(file) }
#endif
