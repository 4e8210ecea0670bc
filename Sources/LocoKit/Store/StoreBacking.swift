/// The storage of a ``LastLocationStore``: a file or user defaults.
protocol StoreBacking: Sendable {
  /// Returns the contents, and a problem that was found in them; `nil` for contents without a problem.
  func read() throws -> (StoreContents, problem: String?)
  /// Reads, changes and writes the contents as one transaction.
  ///
  /// - Returns: A problem that was found in the contents; `nil` if there was none.
  func change(_ change: (inout StoreContents) -> Void) throws -> String?
}
