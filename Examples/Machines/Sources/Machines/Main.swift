import Foundation
import LocoMachine
import LocoMachineGraphs

/// The commands `Machines turnstile`, `Machines connection PORT`, `Machines pairing`, `Machines draw FOLDER` and `Machines page FILE`.
@main
enum Main {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("turnstile", 1): runTurnstile({ readLine() }, { print($0) })
    case ("connection", 2) where UInt16(arguments[1]) != nil:
      let link = Link(port: UInt16(arguments[1]) ?? 0)
      let transitions = await link.transitions
      async let run: Void = link.run()
      for await transition in transitions { print(transition) }
      await run
    case ("pairing", 1): try await pair()
    case ("draw", 2):
      for (name, dot) in drawings { try write(dot, to: "\(name).dot", in: arguments[1]) }
    case ("page", 2): try Data(page.utf8).write(to: URL(fileURLWithPath: arguments[1]))
    default:
      print("usage: Machines turnstile | connection PORT | pairing | draw FOLDER | page FILE")
      exit(64)
    }
  }

  /// Pairs with a simulated device, and prints the transitions.
  @MainActor static func pair() async throws {
    let pairer = Pairer(PretendBluetooth())
    // The runner holds its owner weakly.
    defer { withExtendedLifetime(pairer) {} }
    guard let runner = pairer.runner else { return }
    let transitions = runner.transitions
    runner.send(.pair)
    for await transition in transitions {
      print(transition)
      if [.paired, .failed].contains(transition.to) { break }
    }
  }

  /// The machines' names and drawings.
  static var drawings: [(name: String, dot: String)] {
    [
      ("turnstile", StateDiagram<Turnstile>().dot), ("payment", StateDiagram<Payment>().dot),
      ("connection", StateDiagram<Connection>().dot), ("pairing", StateDiagram<Pairing>().dot),
      ("order", StateDiagram<OrderMachine>().dot), ("heartbeat", StateDiagram<HeartbeatMachine>().dot),
      ("upload", StateDiagram<UploadMachine>().dot), ("search", StateDiagram<SearchMachine>().dot),
    ]
  }

  /// A page on which a reader plays the machines.
  static var page: String {
    var page = MachinePage(title: "Machines")
    page.add(StateDiagram<Turnstile>(), named: "turnstile")
    page.add(StateDiagram<Payment>(), named: "payment")
    page.add(StateDiagram<Connection>(), named: "connection")
    page.add(StateDiagram<Pairing>(), named: "pairing")
    page.add(StateDiagram<OrderMachine>(), named: "order")
    page.add(StateDiagram<HeartbeatMachine>(), named: "heartbeat")
    page.add(StateDiagram<UploadMachine>(), named: "upload")
    page.add(StateDiagram<SearchMachine>(), named: "search")
    return page.html
  }

  static func write(_ text: String, to name: String, in folder: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
  }
}
