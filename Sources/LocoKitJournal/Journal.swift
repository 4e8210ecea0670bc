public import LocoDurable
public import LocoFoundation
import LocoKit

/// A folder of files to which a ``RecordingProvider`` writes what a device did, as lines of JSON.
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
/// A background queue writes, so a slow disk doesn't delay the manager. A killed program loses the lines that aren't written yet, and may
/// leave an incomplete last line, which a reader ignores. A new file begins when a manager is created, and when the current file has
/// reached its maximum size, was deleted, or ends with an incomplete line. If writing fails, the journal drops lines, counts them, and
/// writes the count once writing succeeds. It deletes an old file only after it has written a line to a new one. Only the owner can read
/// the files. The same applies to the folder if the journal creates it.
///
/// By default the journal moves and rotates all places together, so that a bug report contains no home address. Distances change by a few
/// metres, angles by a few degrees, and speeds of 1 m/s or more by about 0.1 m/s and up to 0.6 %. The secret that determines the move is
/// stored beside the folder, in a file with the folder's name and the extension `secret`. Share the folder or ``files``, never the
/// secret. *Keeping a journal* describes the remaining leaks.
public final class Journal: DurableStore {
  /// The size of a journal, and its treatment of places.
  package struct Configuration: Equatable, Sendable {
    /// The size in bytes after which the journal begins another file: 10,000 or more.
    package var maximumFileSize = 5_000_000
    package var maximumAge = Duration.seconds(7 * 86_400)
    package var maximumSize = 100_000_000
    /// The maximum number of files, however small: each launch begins one.
    package var maximumFiles = 1_000
    package var keepsPlaces = false

    package init() {}
  }

  private let folder: URL
  private let configuration: Configuration
  package let log: DurableLog<UnwrittenEntries>
  private let writer: Locked<JournalWriter>
  /// The shift of each fix before the manager receives it; `nil` if the journal keeps places.
  private let blur: Blur?

  /// Creates a journal in a folder. The first write creates the folder.
  ///
  /// - Parameters:
  ///   - folder: The folder of the journal's files.
  ///   - maximumAge: The maximum age of a file's last line, seven days by default. The journal deletes older files when it begins another
  ///     file, after 5 MB.
  ///   - maximumSize: The maximum size of all files in bytes: 10,000,000 or more, 100,000,000 by default. The oldest files are deleted first,
  ///     also if there are more than 1,000.
  ///   - keepsPlaces: Whether the journal contains the true places. Set it only if you don't share the journal, and in a folder that has no
  ///     disguised places, because true ones would give these away. If `false`, the recording also shifts each fix by about a metre before
  ///     the manager receives it: see ``RecordingProvider``.
  ///   - report: Called on any thread with a description, without a place, of the first failure of a series. By default the journal
  ///     writes it to the system's log (the subsystem `LocoKit`), and on Linux to standard error.
  public convenience init(
    folder: URL, maximumAge: Duration = .seconds(7 * 86_400), maximumSize: Int = 100_000_000, keepsPlaces: Bool = false,
    report: (@Sendable (_ problem: String) -> Void)? = nil
  ) {
    var configuration = Configuration()
    (configuration.maximumAge, configuration.maximumSize) = (maximumAge, maximumSize)
    configuration.keepsPlaces = keepsPlaces
    self.init(folder: folder, configuration: configuration, report: report)
  }

  package convenience init(
    folder: URL, configuration: Configuration, report: (@Sendable (_ problem: String) -> Void)? = nil
  ) {
    self.init(folder: folder, configuration: configuration, key: .random(in: .min ... .max), report: report)
  }

  init(folder: URL, configuration: Configuration, key: UInt64, report: (@Sendable (_ problem: String) -> Void)?) {
    precondition(configuration.maximumFileSize >= 10_000, "A journal's maximumFileSize must be 10,000 or more.")
    precondition(
      configuration.maximumSize >= 2 * configuration.maximumFileSize,
      "A journal's maximumSize must be \(2 * configuration.maximumFileSize) or more.")
    self.folder = folder
    self.configuration = configuration
    log = DurableLog(UnwrittenEntries(), label: "LocoKit.journal", failure: "The journal", report: report)
    blur = configuration.keepsPlaces ? nil : Blur(key: key)
    writer = Locked(JournalWriter(folder: folder, configuration: configuration))
  }

  /// The journal's files, oldest first. They don't contain the secret.
  public var files: [URL] { ((try? JournalFiles.listed(in: folder)) ?? []).map(\.url) }

  /// The number of lines that could not be written.
  package var lostLines: Int { writer.change { $0.allLost } }

  /// Waits until all lines are written. Call it before the program ends, and before sharing ``files``.
  ///
  /// - Parameter limit: The timeout.
  /// - Returns: `true` if the journal contains every line or, in place of lost lines, their number. `false` after the timeout, or if the
  ///   journal can't be written.
  @discardableResult
  public func synchronize(within limit: Duration = .seconds(2)) -> Bool {
    synchronize(within: limit) {
      let (problem, isSettled) = self.writer.change { writer in (writer.settle(), writer.isSettled) }
      if let problem { self.log.report(problem) }
      return isSettled
    }
  }

  /// Returns the location that the manager receives instead of `location`. The journal contains the returned location, moved with all
  /// others, so a replay makes the same decisions.
  ///
  /// - Parameter isOnSphere: Whether the speed and the course are already those on a sphere.
  func obfuscated(_ location: Location, isOnSphere: Bool) -> Location {
    blur?.blurred(location, isOnSphere: isOnSphere) ?? location
  }

  func append(_ entry: JournalEntry) { change { $0.append(entry) } }

  /// Writes entries. Never throws: the writer drops lines that it can't write, and counts them.
  package func write(_ work: UnwrittenEntries.Work) {
    let problems = writer.change { writer in
      let problems = writer.write(work.entries)
      // The number of these lost lines is written before the next line.
      writer.lost += work.lost
      return problems
    }
    for problem in problems { log.report(problem) }
  }
}

/// Writes entries to files, in complete lines.
private struct JournalWriter: Sendable {
  private let folder: URL
  private let configuration: Journal.Configuration
  private var file: OpenFile?
  /// The number of this writer's newest file. From the second file on, a file in the middle of a launch begins with a `continues` line.
  private var number = 0
  /// A launch line that is not written yet. It is written before any later line, because a replay needs it.
  private var launch: JournalEntry?
  /// The number of lost lines that the journal does not count yet.
  var lost = 0 { didSet { allLost += max(0, lost - oldValue) } }
  /// The number of all lost lines.
  private(set) var allLost = 0
  /// Whether the journal contains every line, or the number of lost ones.
  var isSettled: Bool { lost == 0 && launch == nil }
  /// The number of successful writes since the last failure. On a nearly full disk, short lines succeed between the failures of long
  /// ones, so one success does not end a series of failures.
  private var successes = Self.successesBeforeReport
  /// The time of the last line, written or not.
  private var now = LocationCore.Now(uptime: .zero, date: .distantPast)
  private var disguise: PlaceObfuscation?
  /// The first place that could not be moved, because the secret is not available. Until the secret is available, the writer drops every
  /// line except that of a launch.
  private var unmoved: Location?
  private var cells = CellNumbers()

  /// The maximum number of entries of one write.
  private static let groupSize = 64
  /// A failure is reported again only after this number of successful writes.
  private static let successesBeforeReport = 10
  /// The timeout for the lock of the secret, which one writer at a time holds. Meanwhile lines wait in the queue.
  private static let lockTimeout = Duration.milliseconds(500)

  private struct OpenFile {
    let descriptor: Descriptor
    let path: String
    let number: Int
    var size = 0
    /// Whether the file ends with a complete line.
    var isWhole = true

    /// Whether the file still has a name. It has none after its folder was removed.
    var isThere: Bool { (try? descriptor.status()).map { $0.st_nlink > 0 } ?? false }
  }

  init(folder: URL, configuration: Journal.Configuration) {
    (self.folder, self.configuration) = (folder, configuration)
  }

  /// Writes entries. Returns a description of each failure that begins a series of failures.
  mutating func write(_ entries: [JournalEntry]) -> [String] {
    var problems: [String] = []
    var rest = entries[...]
    while !rest.isEmpty {
      let group = rest.prefix(Self.groupSize)
      problems += group.dropFirst(appendTogether(group)).compactMap { write($0) }
      rest = rest[group.endIndex...]
    }
    return problems
  }

  /// Appends entries to the open file with one call, which takes a fraction of the time. Returns how many of them it wrote. The others
  /// must be written one by one: a launch or a full file begins another one, lost lines are counted first, and only a short line may fit
  /// on a full disk.
  private mutating func appendTogether(_ group: ArraySlice<JournalEntry>) -> Int {
    guard isSettled, group.count > 1, !group.contains(where: \.isLaunch), var file, file.isWhole, file.isThere,
      (try? findDisguise()) != nil, let entries = try? group.map({ try hidden($0) }),
      let lines = try? lines(of: entries), file.size + lines.count < configuration.maximumFileSize
    else { return 0 }
    let size = file.size
    var count = group.count
    do throws(StoreError) { try append(lines, to: &file) } catch {
      // Some complete lines remain if the file can't be truncated.
      count = lines.prefix(file.size - size).count { $0 == UInt8(ascii: "\n") }
    }
    self.file = file
    if count > 0 { now = group[group.startIndex + count - 1].now }
    successes += count
    return count
  }

  private mutating func write(_ entry: JournalEntry) -> String? {
    now = entry.now
    guard entry.isLaunch else { return attempt(entry) }
    if launch != nil { lost += 1 }
    launch = entry
    return attempt(nil, isNewLaunch: true)
  }

  /// Writes a pending launch line and the number of lost lines.
  mutating func settle() -> String? { isSettled ? nil : attempt(nil) }

  private mutating func attempt(_ entry: JournalEntry?, isNewLaunch: Bool = false) -> String? {
    do throws(StoreError) {
      try put(entry, isNewLaunch: isNewLaunch)
      (launch, lost, successes) = (nil, 0, successes + 1)
      return nil
    } catch {
      if entry != nil { lost += 1 }
      defer { successes = 0 }
      return successes < Self.successesBeforeReport ? nil : "\(error); the journal drops lines until writing succeeds"
    }
  }

  /// Writes an entry, after a pending launch line and the number of lost lines, to the open file or to a new one.
  private mutating func put(_ entry: JournalEntry?, isNewLaunch: Bool) throws(StoreError) {
    try findDisguise()
    var entries: [JournalEntry] = []
    if let launch { entries.append(try hidden(launch)) }
    // Lines that were lost before a new launch do not belong to it.
    if lost > 0 { entries.insert(JournalEntry(now: now, what: .lost(lost)), at: isNewLaunch ? 0 : entries.count) }
    if let entry { entries.append(try hidden(entry)) }
    guard !entries.isEmpty else { return }
    if let last = file, !last.isWhole || !last.isThere { file = nil }
    if launch == nil, var file, file.size < configuration.maximumFileSize {
      defer { self.file = file }
      return try append(try lines(of: entries), to: &file)
    }
    if number > 0, launch == nil { entries.insert(JournalEntry(now: now, what: .continues), at: 0) }
    try makeFolder()
    let others = (try? JournalFiles.listed(in: folder)) ?? []
    var new = try makeFile(after: max(number, others.last?.number ?? 0))
    do throws(StoreError) { try append(try lines(of: entries), to: &new) } catch {
      unlink(new.path)
      throw error
    }
    (file, number) = (new, new.number)
    removeOld(others)
  }

  private func lines(of entries: [JournalEntry]) throws(StoreError) -> [UInt8] {
    var lines: [UInt8] = []
    do { for entry in entries { try entry.write(to: &lines) } } catch {
      throw StoreError("a line of the journal in \(folder.relativePath) can't be encoded")
    }
    return lines
  }

  private func append(_ lines: [UInt8], to file: inout OpenFile) throws(StoreError) {
    // A single call, so that a kill leaves at most one incomplete line.
    let written = file.descriptor.append(lines)
    guard written < lines.count else {
      file.size += written
      return
    }
    let reason = written < 0 ? String(cString: strerror(errno)) : "no space is left"
    if written > 0, ftruncate(file.descriptor.number, off_t(file.size)) != 0 {
      (file.size, file.isWhole) = (file.size + written, false)
    }
    throw StoreError("the journal in \(folder.relativePath) can't be written: \(reason)")
  }

  private func makeFile(after last: Int) throws(StoreError) -> OpenFile {
    for number in last..<min(last + 1_000, JournalFiles.last) {
      let path = folder.appending(path: JournalFiles.name(number + 1)).path(percentEncoded: false)
      // EEXIST: another writer has just created the file.
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
      if descriptor >= 0 {
        return OpenFile(descriptor: Descriptor(descriptor, path), path: path, number: number + 1)
      }
      guard errno == EEXIST else {
        throw StoreError("can't create a journal file in \(folder.relativePath): \(String(cString: strerror(errno)))")
      }
    }
    throw StoreError(
      "the journal in \(folder.relativePath) has no file name left after \(JournalFiles.name(last)); move its files away"
    )
  }

  private func makeFolder() throws(StoreError) {
    try PrivateFile.makeFolders(folder.path(percentEncoded: false))
    #if canImport(Darwin)
      // Like the secret: with another one, the places of a restored journal would be moved differently.
      folder.setBackup(false)
    #endif
  }

  /// Deletes files that are too old, and the oldest ones in excess of the maximum size or number.
  private func removeOld(_ others: [(url: URL, number: Int)]) {
    let dated = others.compactMap { file -> (path: String, size: Int, age: Double)? in
      let path = file.url.path(percentEncoded: false)
      guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
        let size = attributes[.size] as? Int, let modified = attributes[.modificationDate] as? Date
      else { return nil }
      return (path, size, -modified.timeIntervalSinceNow)
    }
    // An empty file belongs to a writer that was killed before its first line, or that is about to write one. It does
    // not count.
    for file in dated where file.size == 0 && file.age > 60 { unlink(file.path) }
    // The new file counts with the size that it may reach.
    var (count, size) = (1, configuration.maximumFileSize)
    for file in dated.reversed() where file.size > 0 {
      // A full file exceeds its size by a part of a line.
      (count, size) = (count + 1, size + min(file.size, configuration.maximumFileSize))
      let isTooMuch = count > configuration.maximumFiles || size > configuration.maximumSize
      if isTooMuch || file.age > configuration.maximumAge.inSeconds { unlink(file.path) }
    }
  }

  // MARK: - Places

  private mutating func hidden(_ entry: JournalEntry) throws(StoreError) -> JournalEntry {
    guard !configuration.keepsPlaces else { return entry }
    // A copy, because moving a place also changes the writer.
    var cells = self.cells
    defer { self.cells = cells }
    return try entry.hidden(&cells) { place throws(StoreError) in try moved(place) }
  }

  private mutating func moved(_ location: Location) throws(StoreError) -> Location {
    guard location.hasValidCoordinate else { return PlaceObfuscation.nowhere(location) }
    if disguise == nil { unmoved = location }
    try findDisguise()
    return disguise?.disguised(location) ?? PlaceObfuscation.nowhere(location)
  }

  /// Reads or creates the secret, if a place has to be moved.
  private mutating func findDisguise() throws(StoreError) {
    guard disguise == nil, let place = unmoved else { return }
    try makeFolder()
    let secret = PrivateFile(path: JournalFiles.secret(of: folder).path(percentEncoded: false))
    do {
      disguise =
        try Self.disguise(in: secret)
        ?? secret.locked(within: Self.lockTimeout) { new in
          // Another writer may have just created the secret.
          if let disguise = try Self.disguise(in: secret) { return disguise }
          var random = SystemRandom()
          let disguise = PlaceObfuscation(around: place, using: &random)
          try secret.replace(with: try JSONEncoder().encode(disguise), in: new)
          return disguise
        }
      unmoved = nil
    } catch {
      throw StoreError("the places of the journal in \(folder.relativePath) can't be moved: \(error)")
    }
  }

  private static func disguise(in secret: PrivateFile) throws -> PlaceObfuscation? {
    let most = 10_000
    guard let data = try secret.contents(atMost: most, mustBeOwn: true) else { return nil }
    guard data.count < most, let disguise = try? JSONDecoder().decode(PlaceObfuscation.self, foreign: data),
      disguise.rotation.count == 9
    else {
      throw StoreError("\(secret.path) is damaged; if you remove it, a new secret moves later places elsewhere")
    }
    return disguise
  }
}

/// The system's random numbers. The stored property avoids a crash of the thread sanitizer with empty generators.
private struct SystemRandom: RandomNumberGenerator {
  private var drawn = 0

  mutating func next() -> UInt64 {
    drawn += 1
    return .random(in: .min ... .max)
  }
}
