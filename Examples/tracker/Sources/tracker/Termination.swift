import Dispatch
import Foundation

/// Calls a closure on SIGTERM, which a service manager sends, and on SIGINT, which Ctrl-C sends.
struct Termination {
  private let sources: [any DispatchSourceSignal]

  init(_ terminate: @escaping @Sendable () -> Void) {
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler(handler: terminate)
      source.resume()
      return source
    }
  }

  func end() {
    for source in sources { source.cancel() }
  }
}
