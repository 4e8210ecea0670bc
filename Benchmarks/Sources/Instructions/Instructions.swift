import Foundation
import Workload

/// Repeats one operation for callgrind. `Benchmarks/instructions` divides the difference between two runs by the difference of their
/// repetitions.
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
    case "listener":
      Audience(1_000).tell(times)
    case "strong":
      Audience(1_000).tellStrongly(times)
    case "turn":
      let nobody = Audience(0)
      for _ in 0..<times { nobody.tell(1_000) }
    case "acquisition":
      let acquisitions = Acquisitions()
      for _ in 0..<times { acquisitions.run(1_000) }
    default:
      fail()
    }
  }

  private static func fail() -> Never {
    let usage = "usage: Instructions event|run|strong|listener|turn|acquisition THOUSANDS\n"
    FileHandle.standardError.write(Data(usage.utf8))
    exit(64)
  }
}
