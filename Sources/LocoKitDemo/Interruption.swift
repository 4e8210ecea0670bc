#if os(Linux) || os(macOS)
  import Foundation

  /// Handles the signals for a hang-up, an interruption and a termination. The program sleeps in ``sleep(until:)``, and cleans up when a
  /// signal arrives.
  @MainActor
  final class Interruption {
    /// The exit code of the first signal; `nil` before it.
    private(set) var reason: ExitCode?
    private var sources: [any DispatchSourceSignal] = []
    private var sleep: Task<Void, Never>?

    init() {
      let registered = DispatchSemaphore(value: 0)
      for code in [ExitCode.hungUp, .interrupted, .terminated] {
        let number = code.rawValue - 128
        let previous = signal(number, SIG_IGN)
        // A program that `nohup` starts ignores hang-ups.
        if code == .hungUp, unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { continue }
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { @Sendable [weak self] in
          Task { @MainActor in self?.interrupt(code) }
          // If the output's reader stops reading but stays open, the last writes would block forever. So the program exits after 10 s.
          DispatchQueue.global().asyncAfter(deadline: .now() + 10) { _exit(code.rawValue) }
        }
        source.setRegistrationHandler { @Sendable in registered.signal() }
        source.resume()
        sources.append(source)
      }
      // A signal that arrives before its source is registered would be lost.
      for _ in sources { registered.wait() }
    }

    private func interrupt(_ code: ExitCode) {
      reason = reason ?? code
      sleep?.cancel()
    }

    /// Waits until an instant or a signal.
    func sleep(until end: ContinuousClock.Instant) async {
      guard reason == nil else { return }
      // If the time has passed already, yielding lets signals be handled.
      guard end > .now else { return await Task.yield() }
      let sleep = Task { _ = try? await Task.sleep(until: end, clock: .continuous) }
      self.sleep = sleep
      await sleep.value
    }

    /// Restores the default: a signal ends the program immediately.
    func end() {
      for source in sources {
        source.cancel()
        signal(Int32(source.handle), SIG_DFL)
      }
    }
  }
#endif
