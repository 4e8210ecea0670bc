import Foundation

/// Reads the input as a history's file, appends a location, compacts the file, and reads it after each change. Valid entries must remain.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  // libFuzzer seldom finds a header, so inputs with an even first byte get one.
  let bytes = UnsafeBufferPointer(start: start, count: count)
  write(Data(bytes.first.map { $0 % 2 == 0 } == true ? header + bytes : Array(bytes)))
  guard let before = read() else { return 0 }
  let batch = before.batch(upTo: .max, maximumAge: .seconds(1), at: .distantFuture)
  precondition(
    batch.dropped >= 0 && before.kept.allSatisfy { $0.number > before.acknowledged && $0.location.isStorable })
  precondition(
    zip(before.kept, before.kept.dropFirst()).allSatisfy { $0.number < $1.number }, "The numbers don't increase.")
  change { file, records in
    try file.append(
      try records.lines(
        appending: [UnwrittenEntry(number: 1, location: location, circumstances: .init())], dropped: 0, under: 7))
  }
  guard let after = read() else { preconditionFailure("The file is unreadable after an append.") }
  let appended = after.batch(upTo: .max, maximumAge: .seconds(1), at: .distantFuture)
  precondition(appended.end > batch.end && after.kept.dropLast().map(\.number) == before.kept.map(\.number))
  precondition(after.kept.last?.location == location, "The appended location is missing.")
  change { file, records in
    guard let lines = try records.compacted() else { return }
    try file.replace(with: lines)
  }
  guard let compacted = read() else { preconditionFailure("The file is unreadable after a compaction.") }
  let rest = compacted.batch(upTo: .max, maximumAge: .seconds(1), at: .distantFuture)
  precondition(rest.end == appended.end && rest.dropped == appended.dropped, "A compaction changes the batch.")
  precondition(compacted.kept.map(\.location) == after.kept.map(\.location), "A compaction loses locations.")
  precondition(
    compacted.kept.allSatisfy { compacted.position(of: $0.number) == after.position(of: $0.number) },
    "A compaction changes a position.")
  return 0
}

private let location = Location(
  latitude: 1, longitude: 2, horizontalAccuracy: 3, timestamp: Date(timeIntervalSinceReferenceDate: 4))
private let header = Array("{\"acknowledged\":2,\"history\":\"a1\",\"last\":2,\"version\":1}\n".utf8)
private let path = NSTemporaryDirectory() + "fuzz-\(ProcessInfo.processInfo.processIdentifier).jsonl"

private func write(_ data: Data) {
  precondition(
    (try? data.write(to: URL(filePath: path))) != nil && chmod(path, 0o600) == 0, "\(path) cannot be written.")
}

private func read() -> HistoryRecords? {
  var found: HistoryRecords?
  change { _, records in found = records }
  return found
}

/// Reads the file, and runs `body` if the file can be read and begins with a header.
private func change(_ body: (inout RecordFile, HistoryRecords) throws -> Void) {
  var file = RecordFile(path: path, maximumSize: LocationHistory.maximumSize, maximumLine: LocationHistory.maximumLine)
  do {
    try file.locked(within: .seconds(10)) { file in
      let lines = try file.read().lines
      guard let first = lines.first, var records = HistoryRecords(header: first) else { return }
      _ = records.read(lines.dropFirst())
      try body(&file, records)
    }
  } catch is Unreadable {
  } catch {
    preconditionFailure("\(error)")
  }
}
