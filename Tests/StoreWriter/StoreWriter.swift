import Foundation
import LocoKit

/// Writes one location after the other to a store, and kills itself somewhere in the middle.
///
///     StoreWriter FILE SEED
@main
enum StoreWriter {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let seed = UInt64(arguments[2]) else { exit(2) }
    let store = LastLocationStore(file: URL(filePath: arguments[1])) { _ in exit(3) }
    var isDoomed = false
    var written = store.location?.latitude ?? 0
    while true {
      written += 0.000_1
      store.location = Location(
        latitude: written, longitude: 0, horizontalAccuracy: 5, timestamp: Date(timeIntervalSince1970: 0))
      if !isDoomed { killSoon(seed) }
      isDoomed = true
    }
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
