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
  /// A queue writes the recorder's changes, so the recorder never waits for the disk. The store appends each fix of the recorded trip
  /// to one file, and writes an ended trip to a separate file before it empties the first one. A process that is killed loses the
  /// fixes that weren't written yet, and nothing else; if it is killed between both writes, the trip has ended. The store retries
  /// failed writes with back-off. While changes are unwritten, it asks the system not to suspend the app.
  ///
  /// The files are readable by their owner alone. On an iPhone they have no data protection, since the system may launch an app before
  /// its user has unlocked the device for the first time. Damaged lines are skipped and reported; a damaged file of the recorded trip is
  /// renamed and reported, one of a trip that has ended is left where it is and reported. No report and no error contains a location.
  public final class TripStore: Sendable {
    private let folder: URL
    private let capacity: Int
    private let report: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "LocoKit.trips", qos: .utility)
    private let unread: RecordFile
    private let current: Locked<Current>
    private let unwritten = Locked(UnwrittenTrips())

    /// The file of the recorded trip.
    private struct Current: Sendable {
      var file: RecordFile
      /// Its first line, as it was last read or written.
      var header: Data?
    }

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
      unread = RecordFile(
        path: folder.appending(path: "current.jsonl").path(percentEncoded: false), maximumSize: Self.maximumSize,
        maximumLine: Self.maximumLine, flush: flush)
      current = Locked(Current(file: unread))
    }

    /// More than a trip of the most fixes needs.
    private static let maximumSize = 1 << 25
    private static let maximumLine = 1 << 20
    private static let lockTimeout = Duration.seconds(2)

    /// The trips that have ended, oldest first. A trip that was stopped and started again isn't among them until it ends again.
    ///
    /// - Throws: An error with a description if the folder can't be read. A file that can't be read is reported and left out.
    public func trips() async throws -> [Trip] {
      try await perform { store in
        let recorded = store.unwritten.change { $0.snapshot.trip?.began }
        return try store.files().compactMap(store.trip).filter { $0.began != recorded }.sorted { $0.began < $1.began }
      }
    }

    /// Removes a trip that has ended. Removing one that isn't there has no effect.
    ///
    /// - Throws: An error with a description if the file can't be removed.
    public func remove(_ trip: Trip) async throws {
      try await perform { store in
        store.unwritten.change { $0.forget(trip) }
        try PrivateFile(path: store.file(of: trip.began).path(percentEncoded: false)).remove()
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
          // Before the app removes a trip that has ended: see whether the file of the recorded trip still has it.
          read()
          write()
          continuation.resume(with: Result { try body(self) })
        }
      }
    }
  }

  // MARK: - For the recorder

  extension TripStore {
    /// The snapshot of an earlier launch or recorder; `nil` if there is none that can be read.
    func load() -> TripSnapshot? {
      read()
      // What this has changed is written by the queue.
      queue.async { self.write() }
      return unwritten.change { $0.own() }
    }

    /// Reads the file of the recorded trip, unless a recorder of this launch knows better.
    private func read() {
      do {
        try access { [report, unread, unwritten] current in
          guard !unwritten.change({ $0.isOwned }) else { return }
          do {
            current.file = unread
            let lines = try current.file.read().lines
            guard let stored = try TripLine.stored(in: lines) else { return unwritten.change { $0.forget() } }
            current.header = lines.first
            if stored.damaged > 0 { report("\(stored.damaged) lines of \(current.file.path) are damaged and skipped") }
            let ended = stored.snapshot.trip.flatMap { endedTrip(of: $0.began) }
            unwritten.change { $0.read(stored, ended) }
          } catch let error as RecordFile.Unreadable {
            let aside = try current.file.locked(within: Self.lockTimeout) { try $0.setAside() }
            report("\(current.file.path) is kept aside as \(aside): \(error)")
          }
        }
      } catch {
        report("The recorded trip cannot be read: \(error)")
      }
    }

    /// The trip that has ended and began at a time, if there is one that can be read.
    private func endedTrip(of began: Date) -> Trip? {
      let file = file(of: began)
      return FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) ? trip(in: file) : nil
    }

    /// Saves a change, and returns without waiting for the disk.
    func save(_ record: TripRecord) {
      guard unwritten.change({ $0.add(record) }) else { return }
      let unwritten = unwritten
      let activity = BackgroundActivity("Writing a trip") { unwritten.change { $0.schedule.endActivity() } }
      unwritten.change { $0.schedule.keep(activity) }
      queue.async { self.write() }
    }
  }

  // MARK: - On the queue

  extension TripStore {
    private func write() {
      guard var work = unwritten.change({ $0.take() }) else { return }
      do {
        var failure: (any Error)?
        for trip in work.ended {
          do {
            try write(trip)
            work.ended.removeAll { $0.began == trip.began }
          } catch { failure = failure ?? error }
        }
        // Until then, the file of the recorded trip has what cannot be written elsewhere.
        if let failure { throw failure }
        try write(work)
        if unwritten.change({ $0.didWrite() }) { queue.async { self.write() } }
      } catch {
        let retry = unwritten.change { [work, capacity] in $0.failed(work, "\(error)", capacity) }
        if retry.isNew { report("The recorded trip cannot be written yet: \(error)") }
        queue.asyncAfter(deadline: .now() + retry.delay.inSeconds) { [weak self] in
          if let self, unwritten.change({ $0.schedule.isLatest(retry.number) }) { write() }
        }
      }
    }

    private func write(_ work: UnwrittenTrips.Work) throws {
      try access { [report] current in
        if let snapshot = work.whole {
          let lines = try TripLine.lines(of: snapshot, goesOnAfter: work.goesOnAfter)
          try current.file.locked(within: Self.lockTimeout) { file in
            do { _ = try file.read() } catch let error as RecordFile.Unreadable {
              report("\(file.path) is kept aside as \(try file.setAside()): \(error)")
            }
          }
          try current.file.locked(within: Self.lockTimeout) { try $0.replace(with: lines) }
          current.header = lines.first
        } else if !work.lines.isEmpty {
          let lines = try work.lines.map(TripLine.data)
          let header = current.header
          try current.file.locked(within: Self.lockTimeout) { file in
            let read = try file.read()
            // What is appended means something behind the same beginning alone.
            guard !read.isWholeFile || read.lines.first == header else {
              throw StoreError("\(file.path) was changed by another program")
            }
            try file.append(lines)
          }
          current.header = header ?? lines.first
        }
      }
    }

    private func access<Value: Sendable>(_ body: @Sendable (inout Current) throws -> Value) throws -> Value {
      try current.change { current in Result { try body(&current) } }.get()
    }

    private func write(_ trip: Trip) throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      let name = file(of: trip.began)
      let file = PrivateFile(path: name.path(percentEncoded: false))
      try file.makeFolder()
      let data = try encoder.encode(trip)
      try file.locked(within: Self.lockTimeout) { try file.replace(with: data, in: $0) }
      // With a clock that was set back, the newest trip may have the oldest date.
      guard let others = try? files().filter({ $0.lastPathComponent != name.lastPathComponent }) else { return }
      for oldest in others.prefix(max(0, others.count + 1 - capacity)) {
        do {
          try PrivateFile(path: oldest.path(percentEncoded: false)).remove()
          report("\(oldest.lastPathComponent) is removed: the store keeps \(capacity) trips")
        } catch { report("The store has more than \(capacity) trips: \(error)") }
      }
    }

    private func file(of began: Date) -> URL {
      // Sorted by name, they are sorted by time. A calendar's dates have these milliseconds.
      let milliseconds = Int64(min(max(-1e14, began.timeIntervalSince1970 * 1_000), 1e14))
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
        let trip = try JSONDecoder().decode(Trip.self, from: data)
        // A trip of another name could not be removed.
        if self.file(of: trip.began).lastPathComponent == url.lastPathComponent { return trip }
        report("\(url.lastPathComponent) is another trip's file, and is left where it is")
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
    /// In the first line: when the trip had ended before it was started again.
    var goesOnAfter: Date?
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
    static func lines(of snapshot: TripSnapshot, goesOnAfter end: Date?) throws -> [Data] {
      var lines = [
        try encoder.encode(TripLine(version: version, goesOnAfter: end, state: snapshot.withoutFixes))
      ]
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

    static func stored(in lines: [Data]) throws(RecordFile.Unreadable) -> StoredTrip? {
      guard let first = lines.first else { return nil }
      let decoder = JSONDecoder()
      guard let header = try? decoder.decode(TripLine.self, from: first), var snapshot = header.state else {
        throw RecordFile.Unreadable(description: "its first line is damaged")
      }
      guard header.version == version else {
        throw RecordFile.Unreadable(description: "it is of another version than \(version)")
      }
      var damaged = 0
      for line in lines.dropFirst() {
        let line = try? decoder.decode(TripLine.self, from: line)
        switch (line?.state, line?.fix) {
        case (let state?, nil): snapshot.update(state)
        case (nil, let fix?) where fix.isValid: snapshot.add(fix)
        // A damaged line in the middle leaves the others as they are.
        default: damaged += 1
        }
      }
      return StoredTrip(snapshot: snapshot, goesOnAfter: header.goesOnAfter, damaged: damaged)
    }

    private static let encoder: JSONEncoder = {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      return encoder
    }()
  }

  /// The contents of the file of the recorded trip.
  private struct StoredTrip: Sendable {
    let snapshot: TripSnapshot
    /// When the trip had ended before it was started again.
    let goesOnAfter: Date?
    /// How many lines cannot be read.
    let damaged: Int
  }

  extension TripRecord.Fix {
    /// Whether the numbers can be a trip's.
    fileprivate var isValid: Bool {
      location.canBeInTrip && (0...1e12).contains(distance) && (0...1e10).contains(seconds)
    }
  }

  /// The changes that aren't written yet.
  private struct UnwrittenTrips: Sendable {
    /// The contents of the file after all changes. A retry writes them as a whole.
    private(set) var snapshot = Self.nothing
    /// Whether a recorder of this launch uses the store: what it saves is newer than the file.
    private(set) var isOwned = false
    /// The trip that ended last, which may be started again.
    private var lastEnded: (began: Date, ended: Date?)?
    private var lines: [TripRecord] = []
    private var isWhole = false
    private var ended: [Trip] = []
    var schedule = WriteSchedule()

    struct Work: Sendable {
      var ended: [Trip]
      var whole: TripSnapshot?
      var goesOnAfter: Date?
      var lines: [TripRecord]
    }

    var isEmpty: Bool { hasNothing && !schedule.isWriting }
    private var hasNothing: Bool { lines.isEmpty && ended.isEmpty && !isWhole }

    /// Takes what the file says, and the trip that began at the same time and has ended, if there is one.
    mutating func read(_ stored: StoredTrip, _ ended: Trip?) {
      forget()
      snapshot = stored.snapshot
      guard let trip = snapshot.trip else { return }
      if let end = stored.goesOnAfter { lastEnded = (trip.began, end) }
      // The process was killed when the trip had ended, before this was written here.
      if let ended, ended.ended != stored.goesOnAfter { replace(snapshot.afterEnd(of: ended)) }
    }

    /// Forgets what the file has said.
    mutating func forget() { (snapshot, lastEnded) = (Self.nothing, nil) }

    /// Takes over what was read, if there was something.
    mutating func own() -> TripSnapshot? {
      isOwned = true
      return snapshot == Self.nothing ? nil : snapshot
    }

    private static let nothing = TripSnapshot(isRecording: false, trip: nil, detector: nil)

    /// Forgets a trip that has ended and is not written yet.
    mutating func forget(_ trip: Trip) { ended.removeAll { $0.began == trip.began } }

    /// - Returns: Whether a write has to be scheduled.
    mutating func add(_ record: TripRecord) -> Bool {
      isOwned = true
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
        lastEnded = (trip.began, trip.ended)
        replace(snapshot)
      }
      return schedule.schedule()
    }

    private mutating func replace(_ snapshot: TripSnapshot) {
      self.snapshot = snapshot
      (isWhole, lines) = (true, [])
    }

    mutating func take() -> Work? {
      guard schedule.begin(isEmpty: hasNothing) else { return nil }
      defer { (isWhole, lines, ended) = (false, [], []) }
      let goesOnAfter = lastEnded.flatMap { $0.began == snapshot.trip?.began ? $0.ended : nil }
      return Work(ended: ended, whole: isWhole ? snapshot : nil, goesOnAfter: goesOnAfter, lines: lines)
    }

    /// - Returns: Whether more is to be written.
    mutating func didWrite() -> Bool { schedule.succeed(isEmpty: hasNothing) }

    mutating func failed(_ work: Work, _ reason: String, _ capacity: Int) -> WriteRetry.Attempt {
      ended = work.ended.filter { trip in !ended.contains { $0.began == trip.began } } + ended
      ended = ended.suffix(capacity)
      (isWhole, lines) = (true, [])
      return schedule.fail(reason)
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
