import LocoMachine
import LocoMachineGraphs
import Testing

/// The formats of diagrams, named by their file extensions.
enum Format: String, CaseIterable, CustomTestStringConvertible {
  case csv, md, mmd, dot, puml, scxml, pml

  func text<Machine: StateMachine>(_: Machine.Type) -> String {
    let diagram = StateDiagram<Machine>()
    return
      switch self
    {
    case .csv: diagram.csv
    case .md: diagram.markdown
    case .mmd: diagram.mermaid
    case .dot: diagram.dot
    case .puml: diagram.plantUML
    case .scxml: diagram.scxml
    case .pml: diagram.promela
    }
  }

  var testDescription: String { rawValue }
}
