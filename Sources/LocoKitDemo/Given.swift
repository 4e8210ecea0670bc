#if os(Linux) || os(macOS)
  import Foundation

  /// The parts of a command line besides the values of options.
  struct Given {
    let command: String
    var names: Set<String> = []
    var operands: [URL] = []
  }
#endif
