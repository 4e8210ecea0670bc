import LocoDurable
import LocoFoundation

/// A store's contents in a file.
struct StoreFile: StoreBacking {
  let path: String
  /// Returns the location that an earlier library stored elsewhere. The store uses that location until the file exists.
  var carriedOver: @Sendable () -> Location? = { nil }
  /// Removes that location. Otherwise it would outlast an app that forgets all places.
  var removeCarriedOver: @Sendable () -> Void = {}
  var lockTimeout = Duration.seconds(2)
  private static let readerTimeout = Duration.milliseconds(100)
  /// Flushes a pause, its end and an erasure to the storage device.
  var flush = RecordFile.flushToDevice
  /// Orders other writes, such as that of a location. A power loss may undo them.
  var order = RecordFile.orderOnDevice
  // Backed up, so that an app that is restored from a backup remains paused.
  private func file(_ flush: @escaping @Sendable (Int32) -> Int32) -> PrivateFile {
    PrivateFile(path: path, isBackedUp: true, flush: flush)
  }
  private var file: PrivateFile { file(flush) }

  func read() throws -> (StoreContents, problem: String?) {
    do {
      if let contents = try stored() { return (contents, nil) }
    } catch is Unreadable {}
    var contents = StoreContents.unreadable
    let problem = try change(within: Self.readerTimeout) { contents = $0 }
    return (contents, problem)
  }

  func change(_ change: (inout StoreContents) -> Void) throws -> String? {
    let problem = try self.change(within: lockTimeout, change)
    if carriedOver() != nil, case .some? = try? file.contents(atMost: 1) { removeCarriedOver() }
    return problem
  }

  private func change(within limit: Duration, _ change: (inout StoreContents) -> Void) throws -> String? {
    try file.locked(within: limit) { new in
      var contents = StoreContents.unreadable
      let stored: StoreContents?
      do {
        stored = try self.stored()
      } catch let error as Unreadable {
        change(&contents)
        let aside = try file.setAside { try file.replace(with: contents.data(), in: new) }
        return "\(file.path) was renamed to \(aside) and counts as a pause: \(error)."
      }
      let before = stored ?? contents
      contents = before
      change(&contents)
      if contents == stored {
        // A writer may have replaced the file and failed, or been killed, before it flushed the folder.
        try file.flushFolder()
        return nil
      }
      let written = contents.isPaused == before.isPaused && contents.location != nil ? file(order) : file
      do { try written.replace(with: contents.data(), in: new) } catch {
        // An empty file and no file need no space. A file that was replaced is left as it is.
        if contents.isPaused == before.isPaused || (try? self.stored()) == contents { throw error }
        if contents.isPaused {
          guard (try? file.replace(with: Data(), in: new)) != nil else { throw error }
          throw StoreError("\(error); until then the file is empty, which counts as a pause")
        }
        // Without the file, the location of an earlier library would come back.
        guard carriedOver() == nil, (try? file.remove()) != nil, (try? file.flushFolder()) != nil else { throw error }
        throw StoreError("\(error); until then there is no file, which counts as no pause")
      }
      return stored == nil ? "\(file.path) was empty, which counts as a pause." : nil
    }
  }

  /// Returns the contents; `nil` if the file is empty.
  private func stored() throws -> StoreContents? {
    guard let data = try file.contents(atMost: StoreContents.maximumSize + 1) else {
      return StoreContents(location: carriedOver())
    }
    return data.isEmpty ? nil : try StoreContents(data)
  }
}
