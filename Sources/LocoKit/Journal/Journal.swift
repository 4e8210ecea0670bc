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
/// another. The folder and its files are readable by their owner alone.
///
/// By default places are moved and turned as a whole by a secret that stays in the folder, in the file `secret`: distances,
/// speeds and angles stay, and nobody's home is in a bug report. Share the files of ``files``, never the secret. What still leaks is
/// in *Keeping a journal*.
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

  /// How many lines may wait to be written.
  private static let mostWaiting = 10_000

  /// A journal in a folder, which is made when the first line is written.
  ///
  /// - Parameters:
  ///   - folder: Where its files are.
  ///   - configuration: How much is kept, and what of places.
  ///   - report: Is told what could not be written, in a sentence without a place, on any thread; writes to standard error
  ///     unless given.
  public init(
    folder: URL, configuration: Configuration = Configuration(), report: (@Sendable (_ problem: String) -> Void)? = nil
  ) {
    precondition(configuration.maximumFileSize >= 10_000, "A journal's file may grow to 10,000 bytes at least.")
    precondition(configuration.maximumFiles >= 2, "A journal keeps two files at least.")
    self.folder = folder
    self.configuration = configuration
    self.report = report ?? LastLocationStore.toStandardError
    writer = Locked(JournalWriter(folder: folder, configuration: configuration))
  }

  /// Its files, oldest first, without the secret: what may be shared.
  public var files: [URL] { JournalFiles.all(in: folder).map(\.url) }

  /// Waits until what was told is written: for a program that is about to end, or before ``files`` are shared.
  ///
  /// - Parameter limit: How long to wait at most.
  /// - Returns: Whether all is written.
  @discardableResult
  public func synchronize(within limit: Duration = .seconds(2)) -> Bool {
    let isDone = DispatchSemaphore(value: 0)
    queue.async { isDone.signal() }
    return isDone.wait(timeout: .now() + limit.inSeconds) == .success
  }

  /// Writes an entry by and by.
  func append(_ entry: JournalEntry) {
    let lost = waiting.change { waiting -> Int? in
      guard waiting.lines < Self.mostWaiting else {
        waiting.lost += 1
        return nil
      }
      waiting.lines += 1
      defer { waiting.lost = 0 }
      return waiting.lost
    }
    guard let lost else { return }
    queue.async { [self] in
      let problem = writer.change { writer in
        let gap = lost > 0 ? writer.write(JournalEntry(now: entry.now, what: .lost(lost))) : nil
        return gap ?? writer.write(entry)
      }
      waiting.change { $0.lines -= 1 }
      if let problem { report(problem) }
    }
  }
}

/// The files of a journal in a folder.
enum JournalFiles {
  static func name(_ number: Int) -> String {
    "journal-" + String(repeating: "0", count: max(0, 6 - "\(number)".count)) + "\(number).jsonl"
  }

  static func all(in folder: URL) -> [(url: URL, number: Int)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
    return names.compactMap { name in
      guard name.hasPrefix("journal-"), name.hasSuffix(".jsonl"),
        let number = Int(name.dropFirst("journal-".count).dropLast(".jsonl".count)), number > 0
      else { return nil }
      return (folder.appending(path: name), number)
    }.sorted { $0.number < $1.number }
  }
}

/// Writes entries into files, whole lines at a time.
struct JournalWriter: Sendable {
  private let folder: URL
  private let configuration: Journal.Configuration
  private var file: Int32 = -1
  private var size = 0
  private var number = 0
  private var disguise: Disguise?
  /// The cells of this launch by the order in which they came: a cell's own name says where it is.
  private var cells: [String: Int] = [:]
  /// What went wrong last, so that it is said once.
  private var problem: String?

  private static let mostCells = 10_000

  init(folder: URL, configuration: Journal.Configuration) {
    (self.folder, self.configuration) = (folder, configuration)
  }

  private var secret: URL { folder.appending(path: "secret") }

  /// - Returns: What is wrong, if that was not said before.
  mutating func write(_ entry: JournalEntry) -> String? {
    do {
      if file < 0 || size >= configuration.maximumFileSize || entry.isLaunch {
        let isContinued = file >= 0 || size > 0
        try beginFile()
        if isContinued, !entry.isLaunch { try append(JournalEntry(now: entry.now, what: .continues)) }
      }
      try append(hidden(entry))
      problem = nil
      return nil
    } catch {
      close()
      let isNew = problem != error.description
      problem = error.description
      return isNew ? "\(error.description); lines of the journal are lost until it can be" : nil
    }
  }

  private mutating func append(_ entry: JournalEntry) throws(Failure) {
    let line = entry.line.bytes
    // At once, so that a line is whole whenever the writer is killed.
    let written = line.withUnsafeBytes { bytes -> Int in
      while true {
        let count = systemWrite(file, bytes)
        if count >= 0 || errno != EINTR { return count }
      }
    }
    guard written == line.count else {
      if written > 0 { _ = ftruncate(file, off_t(size)) }
      throw Failure("the journal in \(folder.relativePath) cannot be written: \(String(cString: strerror(errno)))")
    }
    size += written
  }

  private mutating func close() {
    if file >= 0 { _ = systemClose(file) }
    file = -1
  }

  private mutating func beginFile() throws(Failure) {
    close()
    try makeFolder()
    let files = JournalFiles.all(in: folder)
    number = max(number, files.last?.number ?? 0)
    for _ in 0..<1_000 {
      number += 1
      let path = folder.appending(path: JournalFiles.name(number)).path(percentEncoded: false)
      // A name that another program has just taken is its own.
      file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
      if file >= 0 { break }
      guard errno == EEXIST else {
        throw Failure(
          "a file of the journal in \(folder.relativePath) cannot be made: \(String(cString: strerror(errno)))")
      }
    }
    guard file >= 0 else { throw Failure("the journal in \(folder.relativePath) has no name left for a file") }
    size = 0
    removeOld(files)
  }

  private func makeFolder() throws(Failure) {
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw Failure("the folder \(folder.relativePath) of the journal cannot be made")
    }
  }

  private func removeOld(_ files: [(url: URL, number: Int)]) {
    let tooMany = max(0, files.count + 1 - configuration.maximumFiles)
    for (index, file) in files.enumerated() {
      var status = stat()
      guard stat(file.url.path(percentEncoded: false), &status) == 0 else { continue }
      let age = Date().timeIntervalSince1970 - Double(status.modified)
      if index < tooMany || age > configuration.maximumAge.inSeconds { unlink(file.url.path(percentEncoded: false)) }
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
    case .input(let input):
      var failure: Failure?
      entry.what = .input(
        input.mapPlaces { location in
          do throws(Failure) { return try moved(location) } catch {
            failure = error
            return location
          }
        })
      if let failure { throw failure }
    case .continues, .decisions, .lost, .note: break
    }
    return entry
  }

  private mutating func moved(_ location: Location) throws(Failure) -> Location {
    guard location.hasValidCoordinate else { return Disguise.nowhere(location) }
    if let disguise { return disguise.disguised(location) }
    if let stored = try storedDisguise() {
      disguise = stored
      return stored.disguised(location)
    }
    var random = SystemRandom()
    let new = Disguise(around: location, using: &random)
    try store(new)
    disguise = new
    return new.disguised(location)
  }

  private func storedDisguise() throws(Failure) -> Disguise? {
    guard let data = try? Data(contentsOf: secret) else { return nil }
    guard data.count < 10_000, let disguise = try? JSONDecoder().decode(Disguise.self, from: data),
      disguise.rotation.count == 9
    else {
      throw Failure(
        "the journal's \(secret.relativePath) is damaged: remove it, and places are moved elsewhere from now on")
    }
    return disguise
  }

  private func store(_ disguise: Disguise) throws(Failure) {
    guard let data = try? JSONEncoder().encode(disguise) else { return }
    let path = secret.path(percentEncoded: false)
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      throw Failure("the journal's \(secret.relativePath) cannot be made: \(String(cString: strerror(errno)))")
    }
    defer { _ = systemClose(file) }
    guard data.withUnsafeBytes({ systemWrite(file, $0) }) == data.count else {
      throw Failure("the journal's \(secret.relativePath) cannot be written: \(String(cString: strerror(errno)))")
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
