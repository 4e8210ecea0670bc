import Foundation

/// A stream to write to: right in a terminal, in a pipe, and in a file.
struct Output {
  static let standard = Output(FileHandle.standardOutput)
  static let error = Output(FileHandle.standardError)

  let handle: FileHandle
  /// Whether a person looks at it.
  let isTerminal: Bool
  /// Whether it takes colours: a terminal that is not dumb, and no `NO_COLOR` in the environment.
  let hasColour: Bool

  private init(_ handle: FileHandle) {
    self.handle = handle
    isTerminal = isatty(handle.fileDescriptor) == 1
    let environment = ProcessInfo.processInfo.environment
    hasColour = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// Writes at once. A reader who has gone ends the program, quietly, as the shell expects.
  func write(_ text: String) {
    try? handle.write(contentsOf: Data(text.utf8))
  }

  /// The text in a colour, where there are colours.
  func coloured(_ text: String, _ colour: Colour) -> String {
    hasColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }

  enum Colour: Int {
    case dim = 2
    case red = 31
    case green = 32
    case yellow = 33
    case cyan = 36
  }
}
