public import LocoDurable
public import LocoFoundation
import LocoKit

extension TripRecorder {
  /// A folder that persists the current trip for the next launch, and the latest ended trips until the app removes them.
  ///
  /// ```swift
  /// for trip in try await store.trips() {
  ///   try await upload(trip.geoJSON)
  ///   try await store.remove(trip)
  /// }
  /// ```
  ///
  /// A background queue writes the recorder's changes, so recording never waits for the disk. The store appends each fix of the current
  /// trip to one file. When the trip ends, the store writes it to a separate file, and then removes it from the file of the current trip.
  /// A killed process loses only the changes that weren't written yet; after a kill between the two writes, the trip counts as ended. The
  /// store retries failed writes with back-off. If the disk is full when a trip ends, the store renames the file of the current trip, so
  /// that the next launch doesn't resume the trip. While changes are unwritten, the store asks the system not to suspend the app.
  ///
  /// Only the owner can read the files. On an iPhone they have no data protection, because after a restart the system may launch an app
  /// before the user unlocks the device. Damaged lines are skipped and reported. An incomplete
  /// last line, as a kill during a write leaves it, is ignored, and so is an empty file. A damaged file of the current trip is renamed and
  /// reported; a damaged file of an ended trip stays and is reported. A trip that couldn't be read at launch ends before the next write.
  /// Reports and errors contain no location.
  public final class Store: DurableStore {
    private let folder: URL
    private let capacity: Int
    private let unread: RecordFile
    private let current: Locked<Current>
    package let log: DurableLog<UnwrittenTrips>
    private let users = Locked(Users())

    /// The recorders that have used the store.
    private struct Users: Sendable {
      var count = 0
      /// Whether a change of an earlier recorder was reported.
      var isMixReported = false
    }

    /// The file of the current trip.
    private struct Current: Sendable {
      var file: RecordFile
      /// The first line, as last read or written.
      var header: Data?
      /// The beginning of the trip in the file, in milliseconds.
      var trip: Int64?
      /// Whether the contents of the file are known. If not, a read at launch failed.
      var isRead = false
    }

    #if !os(tvOS)
      /// The default store: the folder `trips` beside the file of `LastLocationStore.standard`.
      public static let standard = TripRecorder.Store(folder: LastLocationStore.standardFolder.appending(path: "trips"))
    #endif

    /// Creates a store in a folder. The first write creates the folder.
    ///
    /// - Parameters:
    ///   - folder: The folder, for one recorder.
    ///   - capacity: The maximum number of ended trips, 1...10,000. The oldest trips are removed first, and reported.
    ///   - report: Called on any thread with a description of each problem. By default the store writes it to the
    ///     system's log (the subsystem `LocoKit`), and on Linux to standard error.
    public convenience init(folder: URL, capacity: Int = 100, report: (@Sendable (_ problem: String) -> Void)? = nil) {
      self.init(folder: folder, capacity: capacity, report: report, flush: RecordFile.flushToDevice)
    }

    init(
      folder: URL, capacity: Int, report: (@Sendable (_ problem: String) -> Void)?,
      flush: @escaping @Sendable (Int32) -> Int32
    ) {
      precondition((1...10_000).contains(capacity), "A trip store's capacity must be 1 to 10,000 trips.")
      (self.folder, self.capacity) = (folder, capacity)
      log = DurableLog(
        UnwrittenTrips(capacity: capacity), label: "LocoKit.trips", activity: "Writing a trip",
        failure: "can't write the current trip, and will retry", report: report)
      unread = RecordFile(
        path: folder.appending(path: Self.currentName).path(percentEncoded: false), maximumSize: Self.maximumSize,
        maximumLine: Self.maximumLine, flush: flush)
      current = Locked(Current(file: unread))
    }

    private static let currentName = "current.jsonl"
    /// The maximum size of a file in bytes: more than a trip with the maximum number of fixes needs.
    private static let maximumSize = 1 << 25
    private static let maximumLine = 1 << 20
    /// The number of bytes that are read for a trip without its fixes: the first line, unless the trip has hundreds of gaps.
    private static let maximumSummary = 1 << 16
    private static let lockTimeout = Duration.seconds(2)

    /// Returns the ended trips, oldest first. A trip that was stopped and started again is omitted until it ends again. A trip that has no
    /// file yet, because a write failed, is omitted too.
    ///
    /// Reading the fixes takes some ten milliseconds for each thousand. A list of trips doesn't need them:
    ///
    /// ```swift
    /// let list = try await store.trips(withFixes: false)
    /// if let newest = list.last, let trip = try await store.trip(newest.id) { draw(trip.segments) }
    /// ```
    ///
    /// - Parameter withFixes: Whether the trips have their ``Trip/fixes``. Without them, ``Trip/gpx`` and ``Trip/geoJSON`` have no route, and
    ///   damage to the fixes in a file isn't noticed.
    /// - Throws: An error with a description if the folder can't be read. A file that can't be read is reported and omitted.
    public func trips(withFixes: Bool = true) async throws -> [Trip] {
      try await perform(first: { $0.read() }) { store in
        let recorded = store.log.update { $0.snapshot.trip?.milliseconds }
        return try store.names().compactMap { store.trip(in: $0, withFixes: withFixes) }
          .filter { $0.milliseconds != recorded }.sorted { $0.began < $1.began }
      }
    }

    /// Returns an ended trip with its fixes; `nil` if ``trips(withFixes:)`` doesn't return such a trip.
    ///
    /// - Throws: An error with a description if the folder can't be read. A file that can't be read is reported.
    public func trip(_ id: Trip.ID) async throws -> Trip? {
      try await perform(first: { $0.read() }) { store in
        let milliseconds = Trip(began: id).milliseconds
        if milliseconds == store.log.update({ $0.snapshot.trip?.milliseconds }) { return nil }
        return store.trip(in: store.name(of: milliseconds))
      }
    }

    /// Removes an ended trip, if the store contains it. A trip that is being recorded is stored at its end:
    /// ``TripRecorder/reset()`` discards it. The beginning identifies the trip: keep its milliseconds in a copy.
    ///
    /// - Throws: An error with a description if the file can't be removed.
    public func remove(_ trip: Trip) async throws {
      try await perform(first: { $0.read() }) { store in
        store.log.update { $0.forget(trip) }
        try store.file(store.name(of: trip.milliseconds)).remove()
      }
    }

    /// Removes all ended trips, and damaged files that were renamed. If no recorder uses the store, also removes the current trip and the
    /// place where the device rested. A recorder keeps them, and stores them again: call ``TripRecorder/reset()`` before, as in
    /// <doc:RecordingTrips>.
    ///
    /// - Throws: An error with a description if a file can't be removed. The others are removed.
    public func removeAll() async throws {
      try await perform { store in
        // The file has what a recorder still knows, unless its last changes couldn't be written.
        let keepsCurrent = store.log.update { changes in
          changes.forgetEnded()
          changes.forget()
          return changes.isOwned && changes.isEmpty
        }
        var failure: (any Error)?
        for name in try store.fileNames() where name.hasPrefix("trip-") || name.hasPrefix(Self.currentName) {
          if name == Self.currentName, keepsCurrent { continue }
          do { try store.file(name).remove() } catch { failure = failure ?? error }
        }
        if !keepsCurrent { try store.access { $0 = Current(file: store.unread, isRead: true) } }
        if let failure { throw failure }
      }
    }

    /// Waits until all changes are written, or until a write fails. Call it before the program ends.
    ///
    /// - Parameter limit: The timeout.
    /// - Returns: Whether all changes are written.
    @discardableResult
    public func synchronize(within limit: Duration = .seconds(2)) -> Bool {
      synchronize(within: limit, flush: { true })
    }

    // MARK: - Recording

    /// Returns the snapshot of an earlier launch or recorder; `nil` if there is none, or if it can't be read.
    func load() -> TripSnapshot? {
      read()
      writeSoon()
      return log.update { $0.own() }
    }

    /// The beginnings of the stored trips, in milliseconds.
    var beginnings: [Int64] {
      // The queue writes a trip before it removes the trip from the unwritten ones.
      log.update { $0.beginnings } + ((try? names()) ?? []).compactMap { Int64($0.dropFirst(5).dropLast(5)) }
    }

    /// Reads the file of the current trip, unless a recorder of this launch has newer changes.
    private func read() {
      do {
        try access { [log, unread] current in
          guard !log.update({ $0.isOwned }) else { return }
          do {
            current.file = unread
            let lines = try current.file.read().lines
            let stored = try TripLine.stored(in: lines)
            current.isRead = true
            guard let stored else { return log.update { $0.forget() } }
            (current.header, current.trip) = (lines.first, stored.snapshot.trip?.milliseconds)
            if stored.damaged > 0 {
              log.report("damaged lines of \(current.file.path), which are skipped: \(stored.damaged)")
            }
            let ended = stored.snapshot.trip.flatMap { trip(in: name(of: $0.milliseconds)) }
            log.update { $0.read(stored.snapshot, goesOnAfter: stored.goesOnAfter, ended) }
          } catch let error as Unreadable {
            try current.file.locked(within: Self.lockTimeout) { try setAside(&$0, because: error) }
          }
        }
      } catch { log.report("can't read the current trip: \(error)") }
    }

    /// Ends the trip of a file that couldn't be read at launch but can be read now, so that a write doesn't replace it.
    private func endUnread(_ current: inout Current) throws {
      guard !current.isRead else { return }
      current.file = unread
      try current.file.locked(within: Self.lockTimeout) { [log] file in
        do {
          let stored = try TripLine.stored(in: try file.read().lines)
          guard let stored, let trip = stored.snapshot.trip else { return }
          let ended = self.file(name(of: trip.milliseconds))
          if FileManager.default.fileExists(atPath: ended.path) {
            guard let earlier = self.trip(in: name(of: trip.milliseconds)) else {
              throw Unreadable("its trip, and the file \(ended.path) that ended it, can't be read")
            }
            // The trip ended before this file was updated. A resumed trip replaces its earlier file.
            if earlier.ended == stored.goesOnAfter { try PrivateFile(path: file.path).move(to: ended.path) }
          } else {
            try PrivateFile(path: file.path).move(to: ended.path)
          }
          log.report("\(file.path) couldn't be read at launch: its trip has ended, and is in \(ended.path)")
        } catch let error as Unreadable {
          try setAside(&file, because: error)
        }
      }
      current.isRead = true
    }

    private func setAside(_ file: inout RecordFile, because error: Unreadable) throws {
      log.report("renamed \(file.path) to \(try file.setAside()): \(error)")
    }

    /// Returns the number of a new recorder. The changes of the earlier ones don't count from now on.
    func begin() -> Int {
      users.change { users in
        users = Users(count: users.count + 1)
        return users.count
      }
    }

    /// Saves a change of a recorder. Drops a change of an earlier recorder, and reports the first one.
    func save(_ record: TripRecord, by user: Int) {
      let isFirst: Bool? = users.change { users in
        if user == users.count { return nil }
        defer { users.isMixReported = true }
        return !users.isMixReported
      }
      guard let isFirst else { return save(record) }
      if isFirst {
        log.report("two recorders use the store in \(folder.relativePath): only the newer one's trips are stored")
      }
    }

    /// Saves a change, and returns without waiting for the disk.
    func save(_ record: TripRecord) { change { $0.add(record) } }

    // MARK: - On the queue

    package func write(_ work: UnwrittenTrips.Work) throws {
      do {
        var failure: (any Error)?
        for trip in work.ended {
          do {
            try write(trip)
            log.update { $0.written(trip) }
          } catch { failure = failure ?? error }
        }
        // The file of the current trip keeps an ended trip until it is written.
        if let failure { throw failure }
        try writeCurrent(work)
      } catch {
        // A failure is ignored: the next retry repeats this step.
        try? endUnrecorded()
        throw error
      }
    }

    private func writeCurrent(_ work: UnwrittenTrips.Work) throws {
      try access { current in
        try endUnread(&current)
        if let snapshot = work.whole {
          let lines = try TripLine.lines(of: snapshot, goesOnAfter: work.goesOnAfter)
          try current.file.locked(within: Self.lockTimeout) { file in
            do { _ = try file.read() } catch let error as Unreadable { try setAside(&file, because: error) }
            try file.replace(with: lines)
          }
          (current.header, current.trip) = (lines.first, snapshot.trip?.milliseconds)
        } else if !work.lines.isEmpty {
          let lines = try work.lines.map(TripLine.encoder.encode)
          let header = current.header
          try current.file.locked(within: Self.lockTimeout) { file in
            let read = try file.read()
            // Lines are appended only to a file with the known first line.
            guard !read.isWholeFile || read.lines.first == header else {
              throw StoreError("\(file.path) was changed by another program")
            }
            try file.append(lines)
          }
          current.header = header ?? lines.first
        }
      }
    }

    /// Gives the current file the name of the ended trip's file if its trip has ended and isn't written yet. Removes the file if its trip
    /// is written or was discarded. Both work on a full disk.
    private func endUnrecorded() throws {
      try access { [log] current in
        guard let trip = current.trip, log.update({ $0.snapshot.trip?.milliseconds }) != trip else { return }
        let isStored = log.update { $0.ended.contains { $0.milliseconds == trip } }
        let file = PrivateFile(path: current.file.path)
        if isStored { try file.move(to: self.file(name(of: trip)).path) } else { try file.remove() }
        (current.header, current.trip) = (nil, nil)
      }
    }

    private func access<Value: Sendable>(_ body: @Sendable (inout Current) throws -> Value) throws -> Value {
      try current.change { current in Result { try body(&current) } }.get()
    }

    private func write(_ trip: Trip) throws {
      let name = name(of: trip.milliseconds)
      let data = try TripLine.data(of: trip)
      let file = file(name)
      try file.locked(within: Self.lockTimeout) { try file.replace(with: data, in: $0) }
      // The trip that was just written isn't removed: after the clock was set back, the newest trip may have the oldest date.
      guard let others = try? names().filter({ $0 != name }) else { return }
      for oldest in others.prefix(max(0, others.count + 1 - capacity)) {
        do {
          try self.file(oldest).remove()
          log.report("removed \(oldest): the store keeps \(capacity) trips")
        } catch { log.report("can't remove the oldest of more than \(capacity) trips: \(error)") }
      }
    }

    private func file(_ name: String) -> PrivateFile {
      PrivateFile(path: folder.appending(path: name).path(percentEncoded: false))
    }

    /// The name of an ended trip's file.
    private func name(of began: Int64) -> String {
      // The order of names is the order of times, from 1970 on.
      let digits = String(began.magnitude)
      let sign = began < 0 ? "-" : ""
      return "trip-\(sign)\(String(repeating: "0", count: max(0, 15 - sign.count - digits.count)))\(digits).json"
    }

    /// The names of all ended trips' files, in order.
    private func names() throws -> [String] {
      try fileNames().filter { $0.hasPrefix("trip-") && $0.hasSuffix(".json") }.sorted()
    }

    private func fileNames() throws -> [String] {
      let folder = folder.path(percentEncoded: false)
      guard FileManager.default.fileExists(atPath: folder) else { return [] }
      do {
        return try FileManager.default.contentsOfDirectory(atPath: folder)
      } catch {
        throw StoreError("can't read the folder \(folder)")
      }
    }

    /// Reads an ended trip; `nil` if there is no such file, or if it can't be read.
    private func trip(in name: String, withFixes: Bool = true) -> Trip? {
      do {
        let file = file(name)
        if !withFixes, let beginning = try file.contents(atMost: Self.maximumSummary, mustBeOwn: true),
          let trip = TripLine.summary(in: beginning), self.name(of: trip.milliseconds) == name
        {
          return trip
        }
        guard let data = try file.contents(atMost: Self.maximumSize + 1, mustBeOwn: true) else { return nil }
        guard data.count <= Self.maximumSize else {
          throw StoreError("\(file.path) is larger than \(Self.maximumSize) bytes")
        }
        var trip = try TripLine.endedTrip(in: data)
        if !withFixes { trip = trip.withFixes(of: nil) }
        // `remove(_:)` wouldn't find a trip in a file of another name.
        if self.name(of: trip.milliseconds) == name { return trip }
        log.report("ignored \(name): it contains another trip")
      } catch let error as StoreError {
        log.report("can't read a trip: \(error)")
      } catch {
        log.report("ignored \(name): it isn't a trip of LocoKit")
      }
      return nil
    }
  }
}
