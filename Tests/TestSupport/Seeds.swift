import Foundation
import LocoMachine
import Testing

/// Selects the seeds of a test, and runs them. The seed in `LOCOKIT_SEED` runs alone.
enum Seeds {
  static let alone = ProcessInfo.processInfo.environment["LOCOKIT_SEED"].flatMap(UInt64.init)

  /// Returns every `count`th seed from `part`, below `LOCOKIT_RUNS` or, by default, `runs`; only the seed that runs alone, if there is one.
  static func part(_ part: Int, of count: Int, runs: Int) -> [UInt64] {
    if let alone { return part == 0 ? [alone] : [] }
    let all = ProcessInfo.processInfo.environment["LOCOKIT_RUNS"].flatMap(Int.init) ?? runs
    return stride(from: part, to: all, by: count).map(UInt64.init)
  }

  /// Runs seeds until one breaks a rule, and records an issue with the command that repeats it. In a debug build, an event that can't occur
  /// breaks a rule too.
  static func play(
    _ seeds: [UInt64], sourceLocation: SourceLocation = #_sourceLocation, _ broken: (UInt64) async -> [String]
  ) async {
    for seed in seeds {
      let (rules, mistakes) = await Mistakes.collect { await broken(seed) }
      guard let rule = mistakes.first ?? rules.first else { continue }
      let test = Test.current.map { $0.name.prefix { $0 != "(" } } ?? ""
      let command = "LOCOKIT_SEED=\(seed) swift test --filter '\(sourceLocation.moduleName)\\..*/\(test)\\('"
      Issue.record("seed \(seed): \(rule); alone: \(command)", sourceLocation: sourceLocation)
      return
    }
  }

  /// Plays the scripts of seeds until one breaks a rule. A script that runs alone prints its steps.
  static func play<Script: SeededScript>(
    _ seeds: [UInt64], _: Script.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    await play(seeds, sourceLocation: sourceLocation) { seed in
      let script = Script.played(seed)
      if alone != nil { for line in script.story { print(line) } }
      return script.broken
    }
  }
}

/// A random run that a seed determines: the same seed gives the same story.
protocol SeededScript {
  init(seed: UInt64)
  func play()
  /// The broken rules.
  var broken: [String] { get }
  /// The steps as text.
  var story: [String] { get }
}

extension SeededScript {
  /// Returns the script of a seed, after its run.
  static func played(_ seed: UInt64) -> Self {
    let script = Self(seed: seed)
    script.play()
    return script
  }
}

/// Collects the messages of a debug build about events that can't occur, but did. Without a collector, such an event stops a debug build.
enum Mistakes {
  /// Returns the result and the messages of a run and its tasks.
  static func collect<Result>(
    isolation: isolated (any Actor)? = #isolation, _ run: () async -> Result
  ) async -> (Result, messages: [String]) {
    let messages = Locked<[String]>([])
    #if DEBUG
      let result = await Mistake.$receiver.withValue({ message in messages.change { $0.append(message) } }) {
        _ = isolation
        return await run()
      }
    #else
      let result = await run()
    #endif
    return (result, messages.change { $0 })
  }

  /// Passes the messages of a run to a closure. A release build logs the messages instead, and `.ci/explore` fails if the log has one.
  static func receive<Result>(_ receive: @escaping @Sendable (String) -> Void, in run: () -> Result) -> Result {
    #if DEBUG
      Mistake.$receiver.withValue(receive, operation: run)
    #else
      run()
    #endif
  }
}
