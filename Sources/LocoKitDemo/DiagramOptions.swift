#if os(Linux) || os(macOS)
  import LocoKit
  import LocoKitGPSD
  import LocoKitTrips
  import LocoMachineGraphs

  /// The options of `diagram`.
  struct DiagramOptions: Command {
    enum Machine: String, CaseIterable {
      case location, look, trip
      case tripDetection = "trip-detection"
      case pace, gpsd, turnstile
    }

    var machine = Machine.location
    var format = DiagramFormat.mermaid

    static var options: [Option<Self>] {
      [
        Option(
          \.machine, "--machine", .choice(),
          help:
            "\(Machine.allCases.map(\.rawValue).joined(separator: ", ")) (default: location); turnstile is the README's"
        ),
        Option(
          \.format, "--format", .choice("FORMAT"),
          help: DiagramFormat.allCases
            .map { "\($0.rawValue)\($0 == .mermaid ? " (default)" : ""): \($0.purpose)" }.joined(separator: "\n")),
      ]
    }

    func run() -> ExitCode {
      let text =
        switch machine {
        case .location: text(StateDiagram<LocationMachine>())
        case .look: text(StateDiagram<LookMachine>())
        case .trip: text(StateDiagram<TripMachine>())
        case .tripDetection: text(StateDiagram<TripDetectionMachine>())
        case .pace: text(StateDiagram<PaceMachine>())
        case .gpsd: text(StateDiagram<GPSDMachine>())
        case .turnstile: text(StateDiagram<Turnstile>())
        }
      Output.standard.write(text)
      return .done
    }

    private func text<M>(_ diagram: StateDiagram<M>) -> String { diagram.text(in: format) }

    static let examples: KeyValuePairs = [
      "diagram": "the location manager's machine, for Mermaid",
      "diagram --machine trip --format dot": "a trip's machine, for Graphviz",
    ]

    static let about = """
      Prints a state machine as a diagram, a table or a model, generated from the machine's code.

      USAGE: LocoKitDemo diagram [--machine NAME] [--format FORMAT]
      """

    static let notes = """
      EXIT CODES: 0 done, 64 wrong usage, 74 the output cannot be written, 141 the output's reader is gone (prints no message)
      """
  }
#endif
