import Dispatch
import Foundation

/// Calls back when the program is asked to end: by a service manager, or by Ctrl-C.
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
