import Dispatch
import Foundation

/// What ends a program that would run on: a signal, or that its time is over. In between it ticks.
struct Interruption {
  /// Why it ends; `nil` is a tick.
  let reasons: AsyncStream<ExitCode?>
  private let sources: [any DispatchSourceProtocol]

  /// - Parameters:
  ///   - duration: After how long it ends; `nil` is never.
  ///   - interval: How often it ticks, seconds; `nil` is never.
  init(after duration: Duration?, ticking interval: Double? = nil) {
    let (reasons, reason) = AsyncStream<ExitCode?>.makeStream()
    self.reasons = reasons
    var sources: [any DispatchSourceProtocol] = []
    for (number, code) in [(SIGINT, ExitCode.interrupted), (SIGTERM, .terminated)] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { reason.yield(code) }
      sources.append(source)
    }
    if let duration {
      let source = DispatchSource.makeTimerSource(queue: .global())
      source.schedule(deadline: .now() + duration.seconds)
      source.setEventHandler { reason.yield(.done) }
      sources.append(source)
    }
    if let interval {
      let source = DispatchSource.makeTimerSource(queue: .global())
      source.schedule(deadline: .now(), repeating: interval)
      source.setEventHandler { reason.yield(nil) }
      sources.append(source)
    }
    // A signal that comes before its source is registered would be lost.
    let registered = DispatchSemaphore(value: 0)
    for source in sources {
      source.setRegistrationHandler { registered.signal() }
      source.resume()
    }
    for _ in sources { registered.wait() }
    self.sources = sources
  }

  func end() {
    for source in sources { source.cancel() }
  }
}
