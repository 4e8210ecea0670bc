import Foundation
import Testing

/// Runs that are drawn from seeds: many of them, or one alone, as the environment says.
enum Seeds {
  /// `LOCOKIT_SEED`: the one to run alone, and to tell.
  static let alone = ProcessInfo.processInfo.environment["LOCOKIT_SEED"].flatMap(UInt64.init)

  /// Every `count`th seed from `part` on; `LOCOKIT_RUNS` says up to which, instead of `runs`.
  static func part(_ part: Int, of count: Int, runs: Int) -> [UInt64] {
    let all = ProcessInfo.processInfo.environment["LOCOKIT_RUNS"].flatMap(Int.init) ?? runs
    return stride(from: part, to: all, by: count).map(UInt64.init)
  }

  /// Plays each until one has broken a rule, which is recorded with how to run it alone.
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
