#if canImport(Dispatch) && !os(Windows) && !os(WASI)
  import Dispatch
  public import Foundation

  /// A folder that keeps the trip that is recorded, for the next launch, and the trips that have ended, for the app.
  ///
  /// ```swift
  /// for trip in try await store.trips() {
  ///   try await upload(trip.geoJSON)
  ///   try await store.remove(trip)
  /// }
  /// ```
  ///
  /// A recorder's changes are written by a queue, so a slow disk keeps nobody waiting. The trip that is recorded is a file to which
  /// each fix is appended; one that has ended is a file of its own, written before the first one is emptied. So a process that is
  /// killed at any moment loses the fixes that weren't written yet, and nothing else. What cannot be written is retried with back-off.
  /// While something is unwritten, the store asks the system not to suspend the app.
  ///
  /// The files are readable by their owner alone. A damaged line is skipped; a damaged file is renamed and reported. No report and no
  /// error contains a location.
  public final class TripStore: Sendable {
    private let folder: URL
    private let capacity: Int
    private let report: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "LocoKit.trips", qos: .utility)
    private let current: Locked<RecordFile>
    private let unwritten = Locked(UnwrittenTrips())

    #if !os(tvOS)
      /// The program's own store: the folder `trips` beside the file of ``LastLocationStore/standard``.
      public static let standard = TripStore(folder: LastLocationStore.standardFolder.appending(path: "trips"))
    #endif

    /// A store in a folder. The first write creates the folder.
    ///
    /// - Parameters:
    ///   - folder: The folder, for one recorder.
    ///   - capacity: How many trips that have ended are kept, 1...10,000: the oldest are removed first, and reported.
    ///   - report: Receives a sentence about each problem, on any thread; writes to standard error unless given.
    public convenience init(
      folder: URL, capacity: Int = 100, report: (@Sendable (_ problem: String) -> Void)? = nil
    ) {
      self.init(folder: folder, capacity: capacity, report: report, flush: RecordFile.flushToDevice)
    }

    init(
      folder: URL, capacity: Int, report: (@Sendable (_ problem: String) -> Void)?,
      flush: @escaping @Sendable (Int32) -> Int32
    ) {
      precondition((1...10_000).contains(capacity), "A trip store has a capacity of 1 to 10,000 trips.")
      (self.folder, self.capacity) = (folder, capacity)
      self.report = report ?? LastLocationStore.toStandardError
      current = Locked(
        RecordFile(
          path: folder.appending(path: "current.jsonl").path(percentEncoded: false), maximumSize: Self.maximumSize,
          maximumLine: Self.maximumLine, flush: flush))
    }

    /// More than a trip of the most fixes needs.
    private static let maximumSize = 1 << 25
    private static let maximumLine = 1 << 20
    private static let lockTimeout = Duration.seconds(2)

    /// The trips that have ended, oldest first.
    ///
    /// - Throws: An error with a description if the folder can't be read. A file that can't be read is reported and left out.
    public func trips() async throws -> [Trip] {
      try await perform { store in try store.files().compactMap(store.trip) }
    }

    /// Removes a trip that has ended. Removing one that isn't there has no effect.
    ///
    /// - Throws: An error with a description if the file can't be removed.
    public func remove(_ trip: Trip) async throws {
      try await perform { store in
        let file = store.file(of: trip)
        guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return }
        do { try FileManager.default.removeItem(at: file) } catch {
          throw StoreError("cannot remove \(file.lastPathComponent); see whether the folder may be written")
        }
      }
    }

    /// Waits until what was recorded is written: for a program that is about to end.
    ///
    /// - Parameter limit: The maximum time to wait.
    /// - Returns: Whether all is written.
    @discardableResult
    public func synchronize(within limit: Duration = .seconds(2)) -> Bool {
      let isDone = DispatchSemaphore(value: 0)
      queue.async { [self] in
        write()
        isDone.signal()
      }
      return isDone.wait(timeout: .now() + limit.inSeconds) == .success && unwritten.change { $0.isEmpty }
    }

    private func perform<Value: Sendable>(_ body: @escaping @Sendable (TripStore) throws -> Value) async throws -> Value
    {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { [self] in
          write()
          continuation.resume(with: Result { try body(self) })
        }
      }
    }
  }

  // MARK: - For the recorder

  extension TripStore {
    /// What an earlier launch left; `nil` where it left nothing that can be read.
    func load() -> TripSnapshot? {
      do {
        let snapshot = try access { [report] file in
          do { return try TripLine.snapshot(of: try file.read().lines) } catch let error as RecordFile.Unreadable {
            let aside = try file.locked(within: Self.lockTimeout) { try $0.setAside() }
            report("\(file.path) is kept aside as \(aside): \(error)")
            return nil
          }
        }
        if let snapshot { unwritten.change { $0.snapshot = snapshot } }
        return snapshot
      } catch {
        report("The recorded trip cannot be read: \(error)")
        return nil
      }
    }

    /// Saves a change, and returns without waiting for the disk.
    func save(_ record: TripRecord) {
      guard unwritten.change({ $0.add(record) }) else { return }
      let unwritten = unwritten
      let activity = BackgroundActivity("Writing a trip") { unwritten.change { $0.endActivity() } }
      unwritten.change { $0.begin(activity) }
      queue.async { self.write() }
    }
  }

  // MARK: - On the queue

  extension TripStore {
    private func write() {
      guard let work = unwritten.change({ $0.take() }) else { return }
      do {
        for trip in work.ended { try write(trip) }
        try write(work)
        if unwritten.change({ $0.didWrite() }) { queue.async { self.write() } }
      } catch {
        let retry = unwritten.change { $0.failed(work, "\(error)") }
        if retry.isNew { report("The recorded trip cannot be written yet: \(error)") }
        queue.asyncAfter(deadline: .now() + retry.delay.inSeconds) { [weak self] in
          if let self, unwritten.change({ $0.isLatest(retry.number) }) { write() }
        }
      }
    }

    private func write(_ work: UnwrittenTrips.Work) throws {
      try access { [report] file in
        if let snapshot = work.whole {
          let lines = try TripLine.lines(of: snapshot)
          try file.locked(within: Self.lockTimeout) { file in
            do { _ = try file.read() } catch let error as RecordFile.Unreadable {
              report("\(file.path) is kept aside as \(try file.setAside()): \(error)")
            }
          }
          try file.locked(within: Self.lockTimeout) { try $0.replace(with: lines) }
        } else if !work.lines.isEmpty {
          let lines = try work.lines.map(TripLine.data)
          try file.locked(within: Self.lockTimeout) { file in
            _ = try file.read()
            try file.append(lines)
          }
        }
      }
    }

    private func access<Value: Sendable>(_ body: @Sendable (inout RecordFile) throws -> Value) throws -> Value {
      try current.change { file in Result { try body(&file) } }.get()
    }

    private func write(_ trip: Trip) throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      let file = PrivateFile(path: file(of: trip).path(percentEncoded: false))
      try file.makeFolder()
      let data = try encoder.encode(trip)
      try file.locked(within: Self.lockTimeout) { try file.replace(with: data, in: $0) }
      let files = try files()
      for oldest in files.prefix(max(0, files.count - capacity)) {
        try? FileManager.default.removeItem(at: oldest)
        report("\(oldest.lastPathComponent) is removed: the store keeps \(capacity) trips")
      }
    }

    private func file(of trip: Trip) -> URL {
      // Sorted by name, they are sorted by time.
      let milliseconds = Int64(min(max(0, trip.began.timeIntervalSince1970 * 1_000), 1e14))
      return folder.appending(path: "trip-\(String(format: "%015lld", milliseconds)).json")
    }

    private func files() throws -> [URL] {
      guard FileManager.default.fileExists(atPath: folder.path(percentEncoded: false)) else { return [] }
      do {
        return try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
          .filter { $0.hasPrefix("trip-") && $0.hasSuffix(".json") }.sorted().map { folder.appending(path: $0) }
      } catch {
        throw StoreError("cannot read the folder \(folder.path(percentEncoded: false))")
      }
    }

    private func trip(in url: URL) -> Trip? {
      let file = PrivateFile(path: url.path(percentEncoded: false))
      do {
        guard let data = try file.contents(upTo: Self.maximumSize) else { return nil }
        return try JSONDecoder().decode(Trip.self, from: data)
      } catch let error as StoreError {
        report("A trip cannot be read: \(error)")
      } catch {
        report("\(url.lastPathComponent) is not what LocoKit writes, and is left where it is")
      }
      return nil
    }
  }

  extension PrivateFile {
    fileprivate func contents(upTo size: Int) throws -> Data? {
      guard let data = try contents(atMost: size + 1, mustBeOwn: true) else { return nil }
      guard data.count <= size else { throw StoreError("\(path) is larger than \(size) bytes") }
      return data
    }
  }

  /// A line of the file of the recorded trip.
  private struct TripLine: Codable {
    var version: Int?
    var state: TripSnapshot?
    var fix: TripRecord.Fix?

    private static let version = 1

    static func data(_ record: TripRecord) throws -> Data {
      switch record {
      case .state(let snapshot): try encoder.encode(TripLine(version: version, state: snapshot))
      case .fix(let fix): try encoder.encode(TripLine(fix: fix))
      case .whole, .ended: preconditionFailure("These are written as several lines.")
      }
    }

    /// A whole snapshot: its state, then each fix, whose distance is that of the whole trip.
    static func lines(of snapshot: TripSnapshot) throws -> [Data] {
      var lines = [try data(.state(snapshot.withoutFixes))]
      guard let trip = snapshot.trip else { return lines }
      for segment in trip.segments {
        for (index, location) in zip(segment.indices, segment) {
          lines.append(
            try data(
              .fix(
                TripRecord.Fix(
                  location: location, distance: trip.distance, seconds: trip.duration.inSeconds,
                  beginsSegment: index == segment.startIndex))))
        }
      }
      return lines
    }

    static func snapshot(of lines: [Data]) throws(RecordFile.Unreadable) -> TripSnapshot? {
      guard let first = lines.first else { return nil }
      let decoder = JSONDecoder()
      guard let header = try? decoder.decode(TripLine.self, from: first), var snapshot = header.state else {
        throw RecordFile.Unreadable(description: "its first line is damaged")
      }
      guard header.version == version else {
        throw RecordFile.Unreadable(description: "it is of another version than \(version)")
      }
      for line in lines.dropFirst() {
        // A damaged line in the middle leaves the others as they are.
        guard let line = try? decoder.decode(TripLine.self, from: line) else { continue }
        if let state = line.state { snapshot.update(state) }
        if let fix = line.fix, fix.isValid { snapshot.add(fix) }
      }
      return snapshot
    }

    private static let encoder: JSONEncoder = {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      return encoder
    }()
  }

  extension TripRecord.Fix {
    /// Whether the numbers can be a trip's.
    fileprivate var isValid: Bool {
      location.hasValidCoordinate && location.hasValidAccuracy && distance >= 0 && distance.isFinite && seconds >= 0
        && seconds < 1e9
    }
  }

  /// What isn't written yet.
  private struct UnwrittenTrips: Sendable {
    /// What the file says when all is written. Written as a whole after a failure.
    var snapshot = TripSnapshot(isRecording: false, trip: nil, detector: nil)
    private var lines: [TripRecord] = []
    private var isWhole = false
    private var ended: [Trip] = []
    private var isScheduled = false
    private var isWriting = false
    private var retry = WriteRetry()
    private var activity: BackgroundActivity?

    struct Work: Sendable {
      var ended: [Trip]
      var whole: TripSnapshot?
      var lines: [TripRecord]
    }

    var isEmpty: Bool { lines.isEmpty && ended.isEmpty && !isWhole && !isWriting }

    /// - Returns: Whether a write has to be scheduled.
    mutating func add(_ record: TripRecord) -> Bool {
      switch record {
      case .whole(let snapshot): replace(snapshot)
      case .state(let state):
        snapshot.update(state)
        if !isWhole { lines.append(record) }
      case .fix(let fix):
        snapshot.add(fix)
        if !isWhole { lines.append(record) }
      case .ended(let trip, let snapshot):
        ended.removeAll { $0.began == trip.began }
        ended.append(trip)
        replace(snapshot)
      }
      defer { isScheduled = true }
      return !isScheduled
    }

    private mutating func replace(_ snapshot: TripSnapshot) {
      self.snapshot = snapshot
      (isWhole, lines) = (true, [])
    }

    mutating func take() -> Work? {
      guard isWhole || !lines.isEmpty || !ended.isEmpty else {
        isScheduled = false
        endActivity()
        return nil
      }
      defer { (isWhole, lines, ended, isWriting) = (false, [], [], true) }
      return Work(ended: ended, whole: isWhole ? snapshot : nil, lines: lines)
    }

    /// - Returns: Whether more is to be written.
    mutating func didWrite() -> Bool {
      isWriting = false
      isScheduled = !isEmpty
      retry.succeeded()
      if !isScheduled { endActivity() }
      return isScheduled
    }

    mutating func failed(_ work: Work, _ reason: String) -> WriteRetry.Attempt {
      ended = work.ended.filter { trip in !ended.contains { $0.began == trip.began } } + ended
      (isWhole, lines) = (true, [])
      (isWriting, isScheduled) = (false, false)
      return retry.failed(reason)
    }

    func isLatest(_ attempt: Int) -> Bool { retry.number == attempt }

    mutating func begin(_ activity: BackgroundActivity) {
      endActivity()
      self.activity = activity
    }

    mutating func endActivity() {
      activity?.end()
      activity = nil
    }
  }
#else
  /// This platform has no trip stores: a recorder keeps its trip in memory.
  ///
  /// ```swift
  /// let trip = TripRecorder(manager)
  /// ```
  public final class TripStore: Sendable {
    private init() {}
    func load() -> TripSnapshot? { nil }
    func save(_ record: TripRecord) {}
  }
#endif
