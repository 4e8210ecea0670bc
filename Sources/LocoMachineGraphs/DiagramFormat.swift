#if !hasFeature(Embedded)
  /// A text format of a ``StateDiagram``.
  package enum DiagramFormat: String, CaseIterable, Sendable {
    /// ``StateDiagram/csv``.
    case csv
    /// ``StateDiagram/markdown``.
    case markdown
    /// ``StateDiagram/mermaid``.
    case mermaid
    /// ``StateDiagram/dot``.
    case dot
    /// ``StateDiagram/outline``.
    case outline
    /// ``StateDiagram/plantUML``.
    case plantUML = "plantuml"
    /// ``StateDiagram/scxml``.
    case scxml
    /// ``StateDiagram/promela``.
    case promela

    /// The extension of a file in the format, without a dot.
    package var fileExtension: String {
      switch self {
      case .csv: "csv"
      case .markdown: "md"
      case .mermaid: "mmd"
      case .dot: "dot"
      case .outline: "outline.dot"
      case .plantUML: "puml"
      case .scxml: "scxml"
      case .promela: "pml"
      }
    }

    /// What the format contains, and what reads it, as part of a sentence.
    package var purpose: String {
      switch self {
      case .csv: "all pairs of states and events, for tests"
      case .markdown: "tables of transitions, activities, ignored events and those that can't occur, with reasons"
      case .mermaid: "a picture for GitHub and other readers of Markdown"
      case .dot: "a picture for Graphviz: dot -Tsvg machine.dot > machine.svg"
      case .outline: "the same picture with events alone, for a first look"
      case .plantUML: "a picture for PlantUML: plantuml -tsvg machine.puml"
      case .scxml: "the machine for SCXML interpreters, with its deadlines"
      case .promela: "a model for the model checker SPIN"
      }
    }
  }

  extension StateDiagram {
    /// Returns the diagram as text. The text is deterministic.
    package func text(in format: DiagramFormat) -> String {
      switch format {
      case .csv: csv
      case .markdown: markdown
      case .mermaid: mermaid
      case .dot: dot
      case .outline: outline
      case .plantUML: plantUML
      case .scxml: scxml
      case .promela: promela
      }
    }
  }
#endif
