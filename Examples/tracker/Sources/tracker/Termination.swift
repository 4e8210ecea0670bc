import Dispatch
import Foundation

/// Calls a closure on SIGTERM, which a service manager sends, and on SIGINT, which Ctrl-C sends. Ends the program 0.9 s later if it still runs:
/// a call to gpsd or the bus may not return, and what is on disk survives a kill.
struct Termination {
  private let sources: [any DispatchSourceSignal]

  init(_ terminate: @escaping @Sendable () -> Void) {
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(900)) { _exit(0) }
        terminate()
      }
      source.resume()
      return source
    }
  }

  func end() {
    for source in sources { source.cancel() }
  }
}
