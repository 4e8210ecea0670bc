import Foundation
import Testing

/// Whether `LOCOKIT_LONG=1` asks for the long tests, as `.ci/nightly` does.
let isLong = ProcessInfo.processInfo.environment["LOCOKIT_LONG"] == "1"

extension Trait where Self == ConditionTrait {
  /// Skips a long test unless `LOCOKIT_LONG=1`. `swift test` takes at most a minute without these tests.
  static var long: Self { .enabled(if: isLong, "long: LOCOKIT_LONG=1 runs it") }
}
