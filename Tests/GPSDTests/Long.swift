import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// For a test that takes more than some seconds of real time: `LOCOKIT_LONG=1` has it run, as `.ci/interoperate` does.
  static var long: Self {
    .enabled(if: ProcessInfo.processInfo.environment["LOCOKIT_LONG"] == "1", "takes long: LOCOKIT_LONG=1 has it run")
  }
}
