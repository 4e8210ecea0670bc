public import LocoDurable
public import LocoFoundation
public import LocoKit

/// A file of locations in order of delivery, as an outbox for uploads. Locations stay until the app acknowledges them.
///
/// ```swift
/// manager.listeners.add(history)
/// // Later, for example when the network is back:
/// let batch = try await history.batch(upTo: 100)
/// try await upload(batch.entries)
/// try await history.acknowledge(through: batch.end)
/// ```
///
/// A manager holds its listeners weakly, so keep a reference to the history. As a listener, the history stores each location with the
/// manager's `circumstances`. ``append(_:circumstances:)`` doesn't wait for the disk: a queue writes, coalesces locations into one write,
/// and retries failed writes with back-off. While locations are unwritten, the history asks the system not to suspend the app.
///
/// Delivery is at least once. If the process is killed between an upload and its acknowledgement, the next launch gets the same
/// locations with the same positions. If it's killed at any other moment, the file still contains every location that was written,
/// once and in order, and acknowledged locations don't return. Several processes, such as an app and its extension, may use the same
/// file at the same time.
///
/// Each launch appends under a new random identity. So a copy of the file, such as a restored backup, never uses a position of the
/// original for another location. On Apple's platforms the system's backups omit the file.
///
/// Only the owner can read the file. On an iPhone it has no data protection, since the system may launch an app before the first unlock
/// after a restart. Compaction removes the acknowledged locations once they are about half of the file. If there are more unacknowledged
/// locations than the capacity, the history drops the oldest. A batch leaves out locations beyond the maximum age, and acknowledging the
/// batch removes them. ``Batch/dropped`` counts both kinds. A damaged line is skipped, reported and counted as dropped. An
/// incomplete last line, as a kill during a write leaves it, is ignored, and so is an empty file. A file with a
/// damaged first line is renamed and reported. Reports and errors contain no location.
public final class LocationHistory: DurableStore {
  /// The key of a location in a history. An app can persist its description, for example in the `taskDescription` of a
  /// `URLSessionTask`.
  public struct Position: Hashable, Sendable, LosslessStringConvertible {
    let identity: UInt64
    /// Increases by one for each location that is appended under the identity.
    let number: Int

    init(identity: UInt64, number: Int) { (self.identity, self.number) = (identity, number) }

    /// Creates a position from its description. Returns `nil` for any other string.
    public init?(_ description: String) {
      let parts = description.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, let identity = UInt64(parts[0], radix: 16), let number = Int(parts[1]) else {
        return nil
      }
      self.init(identity: identity, number: number)
      guard description == self.description else { return nil }
    }

    /// A random identity and the location's number, such as `9f86d081884c7d65-17`.
    public var description: String { "\(String(identity, radix: 16))-\(number)" }
  }

  /// A location of a history.
  public struct Entry: Hashable, Sendable {
    /// The location.
    public let location: Location
    /// The location's key. A server can use it to recognize duplicates.
    public let position: Position
    /// The cause of the location, and the circumstances of the device and the app at that time. They are unknown for locations that an
    /// earlier version of this library stored.
    public let circumstances: LocationManager.Circumstances
  }

  /// The oldest unacknowledged locations.
  public struct Batch: Hashable, Sendable {
    /// The locations in order of delivery, with their circumstances.
    public let entries: [Entry]
    /// The position to acknowledge after this batch is processed.
    public let end: Position
    /// The number of locations up to ``end`` that the history dropped or left out. Until this batch is acknowledged, later batches count
    /// them again.
    public let dropped: Int

    /// Whether the batch has neither locations nor dropped locations to acknowledge.
    public var isEmpty: Bool { entries.isEmpty && dropped == 0 }
  }

  /// The identity under which this launch appends.
  private let identity = UInt64.random(in: 1 ... .max)
  private let capacity: Int
  private let maximumAge: Duration
  private let lockTimeout: Duration
  private let contents: Locked<Contents>
  package let log: DurableLog<UnwrittenLocations>

  /// The last contents read. Only the queue uses them.
  private struct Contents: Sendable {
    var file: RecordFile
    var records: HistoryRecords?
  }

  #if !os(tvOS)
    /// The program's own history, with the default limits: `location-history.jsonl` in the folder of `LastLocationStore.standard`.
    public static let standard = LocationHistory(
      file: LastLocationStore.standardFolder.appending(path: "location-history.jsonl"))
  #endif

  /// Creates a history in a file. The first access, even a read, creates the file and its folder.
  ///
  /// - Parameters:
  ///   - file: The file's location.
  ///   - capacity: The maximum number of unacknowledged locations, 1...100,000.
  ///   - maximumAge: The maximum age of a location in a batch, more than 0. The age is the time until the median date of the last three
  ///     locations, or until now, if that is earlier. The median ignores a single wrong date, and the clock ignores dates that are ahead of
  ///     it; so locations of a simulated device with a date in the future have no age. A history that the app didn't empty for months
  ///     returns all of its locations until two newer ones are appended.
  ///   - distanceFilter: The minimum distance between two locations, in metres, in addition to both accuracies. A nearer location is
  ///     omitted. 0 omits none.
  ///   - maximumInterval: The time since the last location after which the distance filter omits no location: more than 0, at most a day.
  ///   - minimumInterval: The time since the last location during which every location is omitted: 0 to a day. The first location of a
  ///     launch isn't omitted.
  ///   - report: Receives a sentence about each problem, on any thread. By default the history writes it to the system's log
  ///     (the subsystem `LocoKit`), and on Linux to standard error.
  public convenience init(
    file: URL, capacity: Int = 10_000, maximumAge: Duration = .seconds(30 * 86_400), distanceFilter: Double = 0,
    maximumInterval: Duration? = nil, minimumInterval: Duration = .zero,
    report: (@Sendable (_ problem: String) -> Void)? = nil
  ) {
    let records = RecordFile(
      path: file.path(percentEncoded: false), maximumSize: Self.maximumSize, maximumLine: Self.maximumLine)
    let spacing = Spacing(
      distance: distanceFilter, maximumInterval: maximumInterval, minimumInterval: minimumInterval)
    spacing.check()
    self.init(records, capacity: capacity, maximumAge: maximumAge, spacing: spacing, report: report)
  }

  /// The maximum number of unacknowledged locations.
  static let maximumCapacity = 100_000
  /// The maximum length of a line in bytes. It exceeds the number, thirteen values of 24 digits and the circumstances.
  static let maximumLine = 640
  /// The maximum size of a file in bytes, which exceeds the maximum capacity in lines of the maximum length: a compacted
  /// file always has room for the identities of some tens of thousands of launches.
  static let maximumSize = 1 << 26

  init(
    _ file: RecordFile, capacity: Int, maximumAge: Duration, spacing: Spacing = Spacing(),
    report: (@Sendable (_ problem: String) -> Void)?,
    lockTimeout: Duration = .seconds(2)
  ) {
    precondition(
      (1...Self.maximumCapacity).contains(capacity), "The capacity must be 1 to 100,000 locations, not \(capacity).")
    precondition(maximumAge > .zero, "The maximum age must be more than 0, not \(maximumAge.inSeconds) s.")
    (self.capacity, self.maximumAge, self.lockTimeout) = (capacity, maximumAge, lockTimeout)
    log = DurableLog(
      UnwrittenLocations(capacity: capacity, spacing: spacing), label: "LocoKit.history",
      activity: "Writing locations",
      failure: "Locations cannot be written to the history yet", report: report)
    contents = Locked(Contents(file: file))
  }

  /// Appends a location without waiting for the disk. A location without a valid coordinate, accuracy and date is reported and omitted.
  ///
  /// - Parameters:
  ///   - location: The location.
  ///   - circumstances: The location's circumstances, such as those of the manager; `nil` if nothing is known.
  /// - Returns: The location's key in later batches; `nil` if it was omitted.
  @discardableResult
  public func append(
    _ location: Location, circumstances: LocationManager.Circumstances? = nil
  ) -> Position? {
    guard location.isStorable else {
      log.report("The history ignores a location without a valid place, accuracy and date")
      return nil
    }
    let number = change { $0.append(location, circumstances ?? .init()) }
    return number.map { Position(identity: identity, number: $0) }
  }

  /// Returns the oldest unacknowledged locations.
  ///
  /// The history writes all appended locations first, and flushes the file to the device, so that even after a power loss no other
  /// location gets a position of this batch. If that write fails, the batch contains the locations on disk; without any, this method
  /// throws, because an empty batch means that every location is acknowledged.
  ///
  /// - Parameter count: The maximum number of locations, 1 or more.
  /// - Throws: An error with a description if the file can't be read or made durable, or if no location could be written.
  public func batch(upTo count: Int) async throws -> Batch {
    precondition(count > 0, "A batch contains at least one location, not \(count).")
    return try await accessed { [capacity, maximumAge, log] file, records in
      records.drop(beyond: capacity)
      try file.synchronize()
      let (entries, end, dropped) = records.batch(upTo: count, maximumAge: maximumAge, at: .now)
      if entries.isEmpty, dropped == 0, !log.update({ $0.isEmpty }), let failure = log.lastFailure {
        throw StoreError("no location is written yet: \(failure)")
      }
      return Batch(
        entries: entries.map {
          Entry(
            location: $0.location, position: records.position(of: $0.number), circumstances: $0.circumstances)
        }, end: records.position(of: end), dropped: dropped)
    }
  }

  /// Durably removes all locations up to and including a position.
  ///
  /// Acknowledging the same position again, an older position, or a position of another file has no effect.
  ///
  /// - Throws: An error with a description if the file can't be written. The locations then remain.
  public func acknowledge(through position: Position) async throws {
    try await accessed { [capacity] file, records in
      guard let line = try records.line(acknowledgingThrough: position) else { return try file.synchronize() }
      try Self.append([line], to: &file, &records, capacity: capacity) { try $0.synchronize() }
    }
  }

  /// Durably removes all locations, and damaged files that were renamed. The positions of earlier batches have no effect from then on.
  ///
  /// - Throws: An error with a description if the file can't be written or removed.
  public func removeAll() async throws {
    try await perform { history in
      history.log.update { $0.removeAll() }
      try history.access { file, records in
        records = HistoryRecords(identity: .random(in: 1 ... .max))
        try file.replace(with: [try records.header()])
        try file.removeSetAside()
      }.get()
    }
  }

  /// Waits until appended locations are durable: call it before the program ends.
  ///
  /// - Parameter limit: The maximum time to wait.
  /// - Returns: Whether all locations are durable.
  @discardableResult
  public func synchronize(within limit: Duration = .seconds(2)) -> Bool {
    synchronize(within: limit) {
      if case .success = self.access({ file, _ in try file.synchronize() }) { true } else { false }
    }
  }

  // MARK: - On the queue

  private func accessed<Value: Sendable>(
    _ body: @escaping @Sendable (inout RecordFile, inout HistoryRecords) throws -> Value
  ) async throws -> Value {
    try await perform { try $0.access(body).get() }
  }

  package func write(_ work: UnwrittenLocations.Work) throws {
    try access { [capacity, identity] file, records in
      let lines = try records.lines(appending: work.locations, dropped: work.dropped, under: identity)
      try Self.append(lines, to: &file, &records, capacity: capacity)
    }.get()
  }

  /// Runs `body` with the current contents, while no other process writes the file.
  private func access<Value: Sendable>(
    _ body: @Sendable (inout RecordFile, inout HistoryRecords) throws -> Value
  ) -> Result<Value, any Error> {
    contents.change { [report = log.report, lockTimeout] contents in
      Result {
        // Creating a file releases the lock.
        for _ in 0..<3 {
          let value = try contents.file.locked(within: lockTimeout) {
            try Self.access(&$0, &contents.records, report, body)
          }
          if let value { return value }
        }
        throw StoreError("another program keeps removing \(contents.file.path)")
      }
    }
  }

  /// - Returns: `nil` if a file was created.
  private static func access<Value>(
    _ file: inout RecordFile, _ known: inout HistoryRecords?, _ report: (String) -> Void,
    _ body: (inout RecordFile, inout HistoryRecords) throws -> Value
  ) throws -> Value? {
    do {
      let read = try file.read()
      if read.isWholeFile { known = try read.lines.first.map(HistoryRecords.init(header:)) }
      if var records = known {
        known = nil  // With a single reference to the records, appending doesn't copy them.
        defer { known = records }
        let unreadable = records.read(read.lines.dropFirst(read.isWholeFile ? 1 : 0))
        if unreadable > 0 { report("damaged lines of \(file.path), which are skipped: \(unreadable)") }
        return try body(&file, &records)
      }
    } catch let error as Unreadable {
      report("\(file.path) was renamed to \(try file.setAside()), and a new file replaces it: \(error)")
    }
    known = nil
    try file.replace(with: [try HistoryRecords(identity: .random(in: 1 ... .max)).header()])
    return nil
  }

  /// Appends lines, and compacts the file if it has enough superfluous lines or no room for the new ones. A failure to
  /// compact a file with room is ignored: the lines are in the file, and the next write retries.
  ///
  /// - Parameter afterwards: Runs after the lines are appended. A compacted file is durable.
  private static func append(
    _ lines: [Data], to file: inout RecordFile, _ records: inout HistoryRecords, capacity: Int,
    _ afterwards: (inout RecordFile) throws -> Void = { _ in }
  ) throws {
    guard file.hasRoom(for: lines) else {
      var all = records
      _ = all.read(lines)
      all.drop(beyond: capacity)
      return try file.replace(with: all.compacted())
    }
    try file.append(lines)
    _ = records.read(lines)
    records.drop(beyond: capacity)
    try afterwards(&file)
    if records.areWorthCompacting, let lines = try? records.compacted() { try? file.replace(with: lines) }
  }
}

extension LocationHistory: LocationManagerListener {
  /// Appends the location, with the manager's circumstances.
  public func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    append(location, circumstances: manager.circumstances)
  }
}
