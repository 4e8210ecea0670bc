#if os(Linux) || os(macOS)
  enum GPSDFile: Hashable, Sendable {
    /// A character device, such as a serial port.
    case device
    case other
  }
#endif
