import Foundation
import Testing

/// Whether the environment enables the long tests with `LOCOKIT_LONG=1`, as `.ci/nightly` does.
let isLong = ProcessInfo.processInfo.environment["LOCOKIT_LONG"] == "1"

extension Trait where Self == ConditionTrait {
  /// Skips a long test unless `LOCOKIT_LONG=1`. Without these tests, `swift test` takes two to three minutes on two cores.
  static var long: Self { .enabled(if: isLong, "long: LOCOKIT_LONG=1 runs it") }
}
