#if os(Linux) || os(macOS)
  /// The speed of a simulation: as fast as possible, or a multiple of real time.
  @MainActor
  final class Pace {
    private let speed: Double?
    private let interruption: Interruption?
    private let start = ContinuousClock.now

    init(_ speed: Double?) {
      self.speed = speed
      interruption = speed == nil ? nil : Interruption()
    }

    /// Waits until the simulated time may reach `seconds`. Returns the exit code of a signal that arrived before, or `nil`.
    func wait(for seconds: Int) async -> ExitCode? {
      guard let speed, let interruption else { return nil }
      await interruption.sleep(until: start + .seconds(Double(seconds) / speed))
      return interruption.reason
    }

    func end() { interruption?.end() }
  }
#endif
