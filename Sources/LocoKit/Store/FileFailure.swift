/// The reason why a GPX track or a journal can't be read or replayed.
///
/// ```swift
/// do {
///   try JournalProvider(contentsOf: file).run()
/// } catch {
///   print(error.isMissing ? "There is no journal yet." : "line \(error.line): \(error.reason)")
/// }
/// ```
public struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path of the file or folder, as it was passed, or of a file in the folder. For data in memory, a name.
  public let file: String
  /// The number of the line, from 1; 0 if the failure isn't in a line.
  public let line: Int
  /// The reason, as a phrase or a sentence.
  public let reason: String
  /// Whether the file can't be found, or the folder contains no journal. Also `true` for a GPX track that can't be opened or isn't a
  /// regular file; `false` for a journal without read permission.
  public let isMissing: Bool

  /// `file:line: reason`, or `file: reason` if the failure isn't in a line.
  public var description: String { line > 0 ? "\(file):\(line): \(reason)" : "\(file): \(reason)" }

  package init(_ file: String, _ line: Int, _ reason: String, isMissing: Bool = false) {
    (self.file, self.line, self.reason, self.isMissing) = (file, line, reason, isMissing)
  }
}
