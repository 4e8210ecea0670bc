#if os(Linux) || os(macOS)
  import Foundation

  /// What a command line contains besides the values of options.
  struct Given {
    let command: String
    var names: Set<String> = []
    var operands: [URL] = []
  }
#endif
