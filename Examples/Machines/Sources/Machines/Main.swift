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
      for drawing in drawings { try write(drawing.dot, to: "\(drawing.name).dot", in: arguments[1]) }
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

  /// A machine with its drawing, and how it joins a page.
  struct Drawing: Sendable {
    let name: String
    let dot: String
    let add: @Sendable (inout MachinePage) -> Void

    init<Machine: StateMachine>(_ name: String, _ machine: Machine.Type) {
      let diagram = StateDiagram<Machine>()
      (self.name, dot, add) = (name, diagram.dot, { $0.add(diagram, named: name) })
    }
  }

  static var drawings: [Drawing] {
    [
      Drawing("turnstile", Turnstile.self), Drawing("payment", Payment.self), Drawing("connection", Connection.self),
      Drawing("pairing", Pairing.self), Drawing("order", OrderMachine.self),
      Drawing("heartbeat", HeartbeatMachine.self),
      Drawing("upload", UploadMachine.self), Drawing("search", SearchMachine.self),
    ]
  }

  /// The page that plays the machines.
  static var page: String {
    var page = MachinePage(title: "Machines")
    for drawing in drawings { drawing.add(&page) }
    return page.html
  }

  static func write(_ text: String, to name: String, in folder: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
  }
}
