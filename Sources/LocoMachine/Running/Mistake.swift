#if !hasFeature(Embedded)
  #if canImport(os)
    import os
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// A mistake in the program that uses a machine.
  @usableFromInline
  package enum Mistake {
    #if DEBUG
      /// Receives the mistakes of a test's task. The program continues as in a release build.
      @TaskLocal package static var receiver: (@Sendable (_ message: String) -> Void)?
    #endif

    /// Stops a debug build, unless a test receives its mistakes. Logs the message in a release build, and returns.
    @usableFromInline
    package static func report(_ message: String) {
      #if DEBUG
        guard let receiver else { fatalError(message) }
        receiver(message)
      #elseif canImport(os)
        // The message contains the names of a machine, a state and an event, and the table's sentence, but no data.
        Logger(subsystem: "LocoMachine", category: "mistakes").fault("\(message, privacy: .public)")
      #else
        // The compiler rejects the C library's global variable `stderr` as unsafe for concurrency, so this writes to the file descriptor.
        let line = Array("LocoMachine: \(message)\n".utf8)
        _ = write(2, line, line.count)
      #endif
    }
  }
#endif
