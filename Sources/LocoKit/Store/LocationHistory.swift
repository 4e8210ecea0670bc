#if canImport(Dispatch) && !os(Windows) && !os(WASI)
  import Dispatch
  public import Foundation

  /// A file of locations in order of delivery, each kept until the app acknowledges it: an outbox for uploads.
  ///
  /// ```swift
  /// manager.listeners.add(history)
  /// // Later, for example when the network is back:
  /// let batch = try await history.batch(upTo: 100)
  /// try await upload(batch.locations)
  /// try await history.acknowledge(through: batch.end)
  /// ```
  ///
  /// Listeners are held weakly, so the app keeps the history. ``append(_:)`` returns without waiting for the disk: a queue writes,
  /// coalesces locations into one write, and retries failed writes with back-off. While locations are unwritten, the history asks
  /// the system not to suspend the app.
  ///
  /// Delivery is at least once. If the process is killed between an upload and its acknowledgement, the next launch gets the same
  /// locations with the same positions. If it is killed at any other moment, every location that was written is still there, once
  /// and in order, and acknowledged locations don't return. Several processes, such as an app and its extension, may use the same
  /// file at the same time.
  ///
  /// The file is readable by its owner alone. On an iPhone it has no data protection, since the system may launch an app before its user
  /// has unlocked the device for the first time. Compaction removes acknowledged locations once they are about half of the file. The
  /// capacity and the maximum age bound the unacknowledged ones: the oldest are dropped first, and ``Batch/dropped`` counts them.
  /// A damaged line is skipped, reported and counted as dropped; a file with a damaged first line is renamed and reported. No
  /// report and no error contains a location.
  public final class LocationHistory: Sendable {
    /// The place of a location in a history's file. Its description can be stored, for example in the `taskDescription` of a
    /// `URLSessionTask`.
    public struct Position: Hashable, Sendable, LosslessStringConvertible {
      fileprivate let identity: UInt64
      fileprivate let number: Int

      fileprivate init(identity: UInt64, number: Int) { (self.identity, self.number) = (identity, number) }

      /// A position from its description; `nil` for any other string.
      public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let identity = UInt64(parts[0], radix: 16), let number = Int(parts[1]) else {
          return nil
        }
        (self.identity, self.number) = (identity, number)
        guard description == self.description else { return nil }
      }

      /// The file's random identity and the location's number, such as `9f86d081884c7d65-17`.
      public var description: String { "\(String(identity, radix: 16))-\(number)" }
    }

    /// The oldest unacknowledged locations.
    public struct Batch: Hashable, Sendable {
      /// The locations in order of delivery.
      public let locations: [Location]
      /// The position of each location. A server uses it as a key to recognize duplicates.
      public let positions: [Position]
      /// The position to acknowledge after this batch is processed.
      public let end: Position
      /// How many locations the history dropped before ``end``. Later batches repeat the count until this one is acknowledged.
      public let dropped: Int

      /// Whether there are neither locations nor dropped ones to acknowledge.
      public var isEmpty: Bool { locations.isEmpty && dropped == 0 }
    }

    private let capacity: Int
    private let maximumAge: Duration
    private let report: @Sendable (String) -> Void
    private let now: @Sendable () -> Date
    private let lockTimeout: Duration
    private let queue = DispatchQueue(label: "LocoKit.history", qos: .utility)
    /// Only the queue uses it.
    private let contents: Locked<Contents>
    private let pending = Locked(PendingLocations())

    /// The contents of the file that were read last.
    private struct Contents: Sendable {
      var file: RecordFile
      var records: HistoryRecords?
    }

    #if !os(tvOS)
      /// The program's own history, with the default bounds: `location-history.jsonl` in the folder of ``LastLocationStore/standard``.
      public static let standard = LocationHistory(
        file: LastLocationStore.standardFolder.appending(path: "location-history.jsonl"))
    #endif

    /// A history in a file. The first write creates the file and its folder.
    ///
    /// - Parameters:
    ///   - file: The file's location, the same for each process that shares it.
    ///   - capacity: The maximum number of unacknowledged locations, 1...100,000.
    ///   - maximumAge: Older locations are dropped, by their timestamps and the system's clock.
    ///   - report: Receives a sentence about each problem, on any thread; writes to standard error unless given.
    public convenience init(
      file: URL, capacity: Int = 10_000, maximumAge: Duration = .seconds(30 * 86_400),
      report: (@Sendable (_ problem: String) -> Void)? = nil
    ) {
      let records = RecordFile(
        path: file.path(percentEncoded: false), maximumSize: Self.maximumSize, maximumLine: Self.maximumLine)
      self.init(records, capacity: capacity, maximumAge: maximumAge, report: report, now: { Date() })
    }

    /// More than the maximum capacity needs before a compaction.
    static let maximumSize = 1 << 26
    /// More than thirteen numbers of 25 digits need.
    static let maximumLine = 400

    init(
      _ file: RecordFile, capacity: Int, maximumAge: Duration, report: (@Sendable (_ problem: String) -> Void)?,
      now: @escaping @Sendable () -> Date, lockTimeout: Duration = .seconds(2)
    ) {
      precondition((1...100_000).contains(capacity), "A location history has a capacity of 1 to 100,000 locations.")
      precondition(maximumAge > .zero, "A location history has a positive maximum age.")
      (self.capacity, self.maximumAge, self.now, self.lockTimeout) = (capacity, maximumAge, now, lockTimeout)
      self.report = report ?? LastLocationStore.toStandardError
      contents = Locked(Contents(file: file))
    }

    /// Appends a location, and returns without waiting for the disk. Reports and ignores a location that isn't on Earth.
    public func append(_ location: Location) {
      guard location.isStorable else { return report("A location is not kept in the history: it is not on Earth") }
      let isFirst = pending.change { [capacity] in $0.append(location.withoutNonFinite, capacity) }
      guard isFirst else { return }
      let pending = pending
      let activity = BackgroundActivity("Writing locations") { pending.change { $0.schedule.endActivity() } }
      pending.change { $0.schedule.keep(activity) }
      queue.async { self.write() }
    }

    /// The oldest unacknowledged locations, the same ones until they are acknowledged.
    ///
    /// Locations that were appended before are written first, and the batch is durable: a position isn't used for another location,
    /// even after a power loss. If unwritten locations can't be written, the batch contains those on disk.
    ///
    /// - Parameter count: The maximum number of locations, 1 or more.
    /// - Throws: An error with a description if the file can't be read or made durable.
    public func batch(upTo count: Int) async throws -> Batch {
      precondition(count > 0, "A batch has room for one location or more.")
      return try await perform { [capacity, maximumAge, now] file, records in
        records.drop(beyond: capacity, before: now() - maximumAge.inSeconds)
        try Self.synchronize(&file, &records)
        let (entries, end, dropped) = records.batch(upTo: count)
        let identity = records.identity
        return Batch(
          locations: entries.map(\.location),
          positions: entries.map { Position(identity: identity, number: $0.number) },
          end: Position(identity: identity, number: end), dropped: dropped)
      }
    }

    /// Removes locations through a position, durably when it returns.
    ///
    /// Acknowledging a position again, an older one, or one of another file has no effect.
    ///
    /// - Throws: An error with a description if the file can't be written. The locations then remain.
    public func acknowledge(through position: Position) async throws {
      try await perform { file, records in
        guard position.identity == records.identity else { return }
        if let line = try records.line(acknowledgingThrough: position.number) {
          try file.append([line])
          _ = records.read([line])
        }
        try Self.synchronize(&file, &records)
        Self.compact(&file, records)
      }
    }

    /// Waits until appended locations are durable: for a program that is about to end.
    ///
    /// - Parameter limit: The maximum time to wait.
    /// - Returns: Whether all locations are durable.
    @discardableResult
    public func synchronize(within limit: Duration = .seconds(2)) -> Bool {
      let (isDone, isDurable) = (DispatchSemaphore(value: 0), Locked(false))
      queue.async { [self] in
        write()
        let result = access { file, records in try Self.synchronize(&file, &records) }
        if case .success = result, pending.change({ $0.isEmpty }) { isDurable.change { $0 = true } }
        isDone.signal()
      }
      return isDone.wait(timeout: .now() + limit.inSeconds) == .success && isDurable.change { $0 }
    }

    // MARK: - On the queue

    private func perform<Value: Sendable>(
      _ body: @escaping @Sendable (inout RecordFile, inout HistoryRecords) throws -> Value
    ) async throws -> Value {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { [self] in
          write()
          continuation.resume(with: access(body))
        }
      }
    }

    /// Writes pending locations, or schedules a retry.
    private func write() {
      guard let (locations, dropped) = pending.change({ $0.take() }) else { return }
      let result = access { [capacity, maximumAge, now] file, records in
        let lines = try records.lines(appending: locations, dropped: dropped)
        try file.append(lines)
        _ = records.read(lines)
        records.drop(beyond: capacity, before: now() - maximumAge.inSeconds)
        Self.compact(&file, records)
      }
      switch result {
      case .success:
        if pending.change({ $0.didWrite() }) { queue.async { self.write() } }
      case .failure(let error):
        let retry = pending.change { [capacity] in $0.putBack(locations, dropped, capacity, "\(error)") }
        if retry.isNew { report("Locations cannot be written to the history yet: \(error)") }
        queue.asyncAfter(deadline: .now() + retry.delay.inSeconds) { [weak self] in
          if let self, pending.change({ $0.schedule.isLatest(retry.number) }) { write() }
        }
      }
    }

    /// Runs `body` with the present contents, while no other process writes the file.
    private func access<Value: Sendable>(
      _ body: @Sendable (inout RecordFile, inout HistoryRecords) throws -> Value
    ) -> Result<Value, any Error> {
      contents.change { [report, lockTimeout] contents in
        Result {
          // Creating a file releases the lock.
          for _ in 0..<3 {
            let value = try contents.file.locked(within: lockTimeout) {
              try Self.access(&$0, &contents.records, report, body)
            }
            if let value { return value }
          }
          throw StoreError("another program removes \(contents.file.path) again and again")
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
        if read.isWholeFile {
          known = nil
          guard let first = read.lines.first else { throw Missing() }
          known = HistoryRecords(header: first)
        }
        guard var records = known else { throw RecordFile.Unreadable(description: "its first line is damaged") }
        known = nil  // One reference, so that appending doesn't copy.
        defer { known = records }
        let unreadable = records.read(read.lines.dropFirst(read.isWholeFile ? 1 : 0))
        if unreadable > 0 { report("\(unreadable) lines of \(file.path) are damaged and skipped") }
        return try body(&file, &records)
      } catch let error as RecordFile.Unreadable {
        report("\(file.path) is kept aside as \(try file.setAside()), and a new file is begun: \(error)")
      } catch is Missing {}
      known = nil
      try file.replace(with: [try HistoryRecords(identity: .random(in: 1 ... .max)).header()])
      return nil
    }

    private struct Missing: Error {}

    private static func synchronize(_ file: inout RecordFile, _ records: inout HistoryRecords) throws {
      guard !records.isSynchronized else { return }
      try file.synchronize()
      records.isSynchronized = true
    }

    /// Compacts the file if it is worth it. After a failure the records are still in the file, and the next write tries again.
    private static func compact(_ file: inout RecordFile, _ records: HistoryRecords) {
      if let lines = try? records.compacted() { try? file.replace(with: lines) }
    }
  }

  /// Locations that are not written yet.
  private struct PendingLocations: Sendable {
    private var locations: ArraySlice<Location> = []
    private var dropped = 0
    var schedule = WriteSchedule()

    var isEmpty: Bool { locations.isEmpty && !schedule.isWriting }

    /// - Returns: Whether a write has to be scheduled.
    mutating func append(_ location: Location, _ capacity: Int) -> Bool {
      locations.append(location)
      drop(beyond: capacity)
      return schedule.schedule()
    }

    /// The locations to write, and how many were dropped before them; `nil` if nothing is pending.
    mutating func take() -> (locations: ArraySlice<Location>, dropped: Int)? {
      guard schedule.begin(isEmpty: locations.isEmpty) else { return nil }
      defer { (locations, dropped) = ([], 0) }
      return (locations, dropped)
    }

    /// - Returns: Whether more locations wait to be written.
    mutating func didWrite() -> Bool { schedule.succeed(isEmpty: locations.isEmpty) }

    mutating func putBack(
      _ taken: ArraySlice<Location>, _ droppedBefore: Int, _ capacity: Int, _ reason: String
    ) -> WriteRetry.Attempt {
      locations = taken + locations
      dropped += droppedBefore
      drop(beyond: capacity)
      return schedule.fail(reason)
    }

    private mutating func drop(beyond capacity: Int) {
      guard locations.count > capacity else { return }
      dropped += locations.count - capacity
      locations.removeFirst(locations.count - capacity)
    }
  }
#endif
