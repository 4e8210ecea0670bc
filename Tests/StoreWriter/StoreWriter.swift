#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// Writes one location after the other to a store, and kills itself somewhere in the middle; or, with a count, writes so many
  /// and ends. Or records a simulated drive in a journal, and kills itself meanwhile. Or appends locations to a history, which it numbers
  /// from FIRST on, acknowledges some, prints what it does, and kills itself; or, with a count, appends so many and ends. Ends with 3
  /// where there is something to report.
  ///
  ///     StoreWriter FILE SEED
  ///     StoreWriter FILE --count COUNT
  ///     StoreWriter FOLDER --journal SEED
  ///     StoreWriter FILE --history SEED FIRST [COUNT]
  @main
  enum StoreWriter {
    static func main() {
      let arguments = CommandLine.arguments
      guard arguments.count >= 3 else { exit(2) }
      let report = { @Sendable (problem: String) in
        FileHandle.standardError.write(Data("\(problem)\n".utf8))
        exit(3)
      }
      if arguments[2] == "--journal", arguments.count == 4, let seed = UInt64(arguments[3]) {
        record(in: URL(filePath: arguments[1]), seed, report)
      }
      if arguments[2] == "--history", arguments.count >= 5, let seed = UInt64(arguments[3]),
        let first = Int(arguments[4])
      {
        let history = LocationHistory(
          file: URL(filePath: arguments[1]), capacity: 100_000, maximumAge: .seconds(1e10), report: report)
        if arguments.count == 6, let count = Int(arguments[5]) { append(count, from: first, to: history, seed) }
        use(history, seed, from: first)
      }
      let store = LastLocationStore(file: URL(filePath: arguments[1]), report: report)
      if arguments[2] == "--count", arguments.count == 4, let count = Int(arguments[3]) {
        for number in 0..<count { write(Double(number) / 1_000, to: store) }
        exit(0)
      }
      guard let seed = UInt64(arguments[2]) else { exit(2) }
      var isDoomed = false
      var written = store.location?.latitude ?? 0
      while true {
        written += 0.000_1
        write(written, to: store)
        if !isDoomed { killSoon(seed) }
        isDoomed = true
      }
    }

    private static func write(_ latitude: Double, to store: LastLocationStore) {
      store.location = Location(
        latitude: latitude, longitude: 0, horizontalAccuracy: 5, timestamp: Date(timeIntervalSince1970: 0))
      store.synchronize(within: .seconds(60))
    }

    /// In files that are soon full.
    private static func record(in folder: URL, _ seed: UInt64, _ report: @escaping @Sendable (String) -> Void) -> Never
    {
      var configuration = Journal.Configuration()
      configuration.maximumFileSize = 10_000
      let journal = Journal(folder: folder, configuration: configuration, report: report)
      killSoon(seed, after: 40_000)
      while true {
        let device = SimulatedProvider(route: .losAngeles, seed: seed)
        let manager = LocationManager(provider: RecordingProvider(device, to: journal))
        manager.tryPromptAuthorization()
        device.advance(by: .seconds(60))
        journal.synchronize(within: .seconds(60))
      }
    }

    private static func append(_ count: Int, from first: Int, to history: LocationHistory, _ seed: UInt64) -> Never {
      var random = SeededGenerator(seed: seed)
      for number in first..<first + count {
        history.append(location(number))
        if random.next() % 5 == 0 { history.synchronize(within: .seconds(60)) }
      }
      exit(history.synchronize(within: .seconds(60)) ? 0 : 4)
    }

    private static func use(_ history: LocationHistory, _ seed: UInt64, from first: Int) -> Never {
      Task {
        var random = SeededGenerator(seed: seed)
        var next = first
        let (steps, delay) = (Int.random(in: 0...30, using: &random), UInt32.random(in: 0...2_000, using: &random))
        for step in 0... {
          if step == steps {
            Thread.detachNewThread {
              usleep(delay)
              kill(getpid(), SIGKILL)
            }
          }
          let count = Int.random(in: 1...20, using: &random)
          tell("appending \(next + count - 1)")
          for number in next..<next + count { history.append(location(number)) }
          next += count
          if Bool.random(using: &random) {
            if history.synchronize(within: .seconds(60)) { tell("written \(next - 1)") }
          } else {
            let batch = try await history.batch(upTo: Int.random(in: 1...40, using: &random))
            guard let last = batch.locations.last?.altitude else { continue }
            tell("acknowledging \(Int(last))")
            try await history.acknowledge(through: batch.end)
            tell("acknowledged \(Int(last))")
          }
        }
      }
      dispatchMain()
    }

    private static func location(_ number: Int) -> Location {
      Location(
        latitude: 1, longitude: 2, horizontalAccuracy: 5, altitude: Double(number),
        timestamp: Date(timeIntervalSinceReferenceDate: Double(number)))
    }

    /// In one write, so that the reader gets whole lines.
    private static func tell(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

    private static func killSoon(_ seed: UInt64, after most: UInt64 = 200_000) {
      Thread.detachNewThread {
        var random = SeededGenerator(seed: seed)
        var left = UInt64.random(in: 0...most, using: &random)
        while left > 0 { left -= random.next() % 2 }
        kill(getpid(), SIGKILL)
      }
    }
  }
#else
  /// Only tests start it, which start processes on Linux and macOS alone.
  @main
  enum StoreWriter {
    static func main() {}
  }
#endif
