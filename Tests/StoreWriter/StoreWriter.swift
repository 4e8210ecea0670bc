#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// Writes one location after the other to a store, and kills itself somewhere in the middle; or, with a count, writes so many
  /// and ends. Ends with 3 where the store has something to report.
  ///
  ///     StoreWriter FILE SEED
  ///     StoreWriter FILE --count COUNT
  @main
  enum StoreWriter {
    static func main() {
      let arguments = CommandLine.arguments
      guard arguments.count >= 3 else { exit(2) }
      let store = LastLocationStore(file: URL(filePath: arguments[1])) { problem in
        FileHandle.standardError.write(Data("\(problem)\n".utf8))
        exit(3)
      }
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

    private static func killSoon(_ seed: UInt64) {
      Thread.detachNewThread {
        var random = SeededGenerator(seed: seed)
        var left = UInt64.random(in: 0...200_000, using: &random)
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
