#if !hasFeature(Embedded)
  /// The reason why a text isn't a table of ``StateDiagram/csv``.
  struct TableFailure: Error, CustomStringConvertible {
    /// The problem, with its line, which begins with 1.
    let description: String

    init(line: Int, _ problem: String) { description = "Line \(line) of the table \(problem)." }
  }
#endif
