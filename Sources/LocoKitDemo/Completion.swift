#if os(Linux) || os(macOS)
  /// What a shell completes after an option.
  enum Completion: Equatable {
    case nothing, file
    case choices([String])
  }
#endif
