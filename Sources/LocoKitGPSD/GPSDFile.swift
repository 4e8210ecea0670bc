#if os(Linux) || os(macOS)
  /// The kind of a file at a receiver's path.
  enum GPSDFile: Hashable, Sendable {
    /// A character device, such as a serial port.
    case device
    case other
  }
#endif
