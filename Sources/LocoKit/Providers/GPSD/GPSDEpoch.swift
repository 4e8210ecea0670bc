#if os(Linux) || os(macOS)
  /// The receiver's present epoch: the reports that become one location, and when no more of them is awaited.
  struct GPSDEpoch: Hashable, Sendable {
    private var assembler = GPSDFixAssembler()
    /// When the epoch ends without a later one.
    private(set) var end: Duration?

    /// The timeout of a further report in the same epoch.
    private static let patience = Duration.milliseconds(250)

    /// Adds a fix.
    ///
    /// - Returns: The location of the epoch that the fix ends, by belonging to a later one.
    mutating func add(_ fix: GPSDReport.Fix, at uptime: Duration) -> Location? {
      end = uptime + Self.patience
      return assembler.add(.fix(fix))
    }

    /// Adds a noise estimate, which may come before the fix that it is about.
    ///
    /// - Returns: The location of the epoch that the estimate ends.
    mutating func add(_ noise: GPSDReport.Noise) -> Location? { assembler.add(.noise(noise)) }

    /// Ends the epoch: no more is said of it.
    ///
    /// - Returns: Its location; `nil` without a fix.
    mutating func finish() -> Location? {
      end = nil
      return assembler.end()
    }
  }
#endif
