#if os(Linux) || os(macOS)
  /// The words that a shell completes after an option.
  enum Completion: Equatable {
    case nothing, file
    case choices([String])
  }
#endif
