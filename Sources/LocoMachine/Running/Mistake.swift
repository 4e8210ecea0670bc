#if !hasFeature(Embedded)
  #if canImport(os)
    import os
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(WASILibc)
    import WASILibc
  #elseif canImport(ucrt)
    import ucrt
  #endif

  /// A mistake in the program that uses a machine.
  @usableFromInline
  enum Mistake {
    /// Stops a debug build. Logs the message in a release build, and returns.
    @usableFromInline
    package static func report(_ message: String) {
      #if DEBUG
        fatalError(message)
      #elseif canImport(os)
        // The message has the names of a machine, a state and an event, and no data.
        Logger(subsystem: "LocoMachine", category: "mistakes").fault("\(message, privacy: .public)")
      #else
        fputs("LocoMachine: \(message)\n", stderr)
      #endif
    }
  }
#endif
