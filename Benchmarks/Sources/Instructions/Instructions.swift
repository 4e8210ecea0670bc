import Foundation
import LocoKitJournal
import Workload

/// Repeats one operation for callgrind. `Benchmarks/instructions` divides the difference between the instructions of two runs by the
/// difference between their repetitions.
@main
enum Instructions {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let times = Int(arguments[2]), (0...1_000_000).contains(times) else { fail() }
    switch arguments[1] {
    case "event":
      let events = EventStream.uniform.events(1_000)
      let machine = TableMachine()
      for _ in 0..<times { _ = machine.run(events) }
    case "run":
      let events = TurnstileStream.events(1_000)
      let runner = TurnstileRunner()
      for _ in 0..<times { _ = runner.run(events) }
    case "input":
      let inputs = TurnstileStream.inputs(1_000)
      let runner = PaidTurnstileRunner()
      for _ in 0..<times { _ = runner.run(inputs) }
    case "activity":
      Doors().openLit(times * 1_000)
    case "door":
      Doors().openDark(times * 1_000)
    case "timed":
      MainActor.assumeIsolated { Sessions().touch(times * 1_000) }
    case "deadline":
      MainActor.assumeIsolated { Sessions().request(times * 1_000) }
    case "listener":
      Audience(1_000).notify(times)
    case "strong":
      Audience(1_000).tellStrongly(times)
    case "turn":
      let nobody = Audience(0)
      for _ in 0..<times { nobody.notify(1_000) }
    case "acquisition":
      let acquisitions = Acquisitions()
      for _ in 0..<times { acquisitions.run(1_000) }
    case "day":
      for seed in 0..<UInt64(times) {
        let fleet = Fleet(seed..<seed + 1)
        fleet.start()
        fleet.run(until: .seconds(86_400))
      }
    case "journal":
      let folder = FileManager.default.temporaryDirectory.appending(path: "instructions-\(UUID().uuidString)")
      defer { for suffix in ["", ".secret"] { try? FileManager.default.removeItem(atPath: folder.path + suffix) } }
      let journal = Journal(folder: folder)
      let acquisitions = Acquisitions(recordedIn: journal)
      // Synchronizes often, so that the journal's queue drops no line.
      for _ in 0..<times * 10 {
        acquisitions.run(100)
        journal.synchronize(within: .seconds(60))
      }
    default:
      fail()
    }
  }

  private static func fail() -> Never {
    let usage =
      "usage: Instructions event|run|input|activity|door|timed|deadline|strong|listener|turn|acquisition|journal THOUSANDS, or Instructions day DAYS\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
  }
}
