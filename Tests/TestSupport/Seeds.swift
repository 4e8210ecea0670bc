import Foundation
import Testing

/// Seeded runs: all, or the one that the environment names.
enum Seeds {
  /// `LOCOKIT_SEED`: the seed to run alone, with its journal.
  static let alone = ProcessInfo.processInfo.environment["LOCOKIT_SEED"].flatMap(UInt64.init)

  /// Returns every `count`th seed from `part` up to `LOCOKIT_RUNS`, or to `runs` by default.
  static func part(_ part: Int, of count: Int, runs: Int) -> [UInt64] {
    let all = ProcessInfo.processInfo.environment["LOCOKIT_RUNS"].flatMap(Int.init) ?? runs
    return stride(from: part, to: all, by: count).map(UInt64.init)
  }

  /// Runs seeds until one breaks a rule, and records an issue with the command that repeats it.
  static func play(
    _ seeds: [UInt64], alone test: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ broken: (UInt64) async -> [String]
  ) async {
    for seed in seeds {
      guard let rule = await broken(seed).first else { continue }
      Issue.record(
        "seed \(seed): \(rule); alone: LOCOKIT_SEED=\(seed) swift test --filter \(test)", sourceLocation: sourceLocation
      )
      return
    }
  }
}
