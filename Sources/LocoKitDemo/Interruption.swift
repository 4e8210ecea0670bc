#if os(Linux) || os(macOS)
  import Dispatch
  import Foundation

  /// The signals that end a program which would run on: it sleeps here, and ends in order when there is a reason.
  @MainActor
  final class Interruption {
    /// The first signal that came.
    private(set) var reason: ExitCode?
    private var sources: [any DispatchSourceSignal] = []
    private var sleep: Task<Void, Never>?

    init() {
      let registered = DispatchSemaphore(value: 0)
      for code in [ExitCode.hungUp, .interrupted, .terminated] {
        let number = code.rawValue - 128
        let previous = signal(number, SIG_IGN)
        // Under nohup, a hang-up ends nothing.
        if code == .hungUp, unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { continue }
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { @Sendable [weak self] in
          Task { @MainActor in self?.interrupt(code) }
          // A reader that reads no more, but does not go either, keeps the last writes waiting.
          DispatchQueue.global().asyncAfter(deadline: .now() + 10) { _exit(code.rawValue) }
        }
        source.setRegistrationHandler { @Sendable in registered.signal() }
        source.resume()
        sources.append(source)
      }
      // A signal that comes before its source is registered would be lost.
      for _ in sources { registered.wait() }
    }

    private func interrupt(_ code: ExitCode) {
      reason = reason ?? code
      sleep?.cancel()
    }

    /// Waits until then, or until there is a reason to end.
    func sleep(until end: ContinuousClock.Instant) async {
      guard reason == nil else { return }
      // Even where there is nothing to wait for, a signal has to get its turn.
      guard end > .now else { return await Task.yield() }
      let sleep = Task { _ = try? await Task.sleep(until: end, clock: .continuous) }
      self.sleep = sleep
      await sleep.value
    }

    /// From now on a signal ends the program at once.
    func end() {
      for source in sources {
        source.cancel()
        signal(Int32(source.handle), SIG_DFL)
      }
    }
  }

  /// The pace of a simulated device: as fast as it goes, or so many times as fast as real time.
  @MainActor
  final class Pace {
    private let speed: Double?
    private let interruption: Interruption?
    private let start = ContinuousClock.now

    init(_ speed: Double?) {
      self.speed = speed
      interruption = speed == nil ? nil : Interruption()
    }

    /// Waits until so many simulated seconds have passed; returns the signal that came before.
    func wait(for seconds: Int) async -> ExitCode? {
      guard let speed, let interruption else { return nil }
      await interruption.sleep(until: start + .seconds(Double(seconds) / speed))
      return interruption.reason
    }

    func end() { interruption?.end() }
  }
#endif
