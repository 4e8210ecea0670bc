internal import Foundation
package import LocoKit
package import LocoKitJournal

/// Repeated acquisitions of a manager: a request, a fix, and a notification of a listener.
package struct Acquisitions {
  package let manager: LocationManager
  package let listener = CountingListener()
  private let provider = PuppetProvider()

  /// Creates a manager and runs a first acquisition.
  ///
  /// - Parameter journal: The journal to record to, or `nil`.
  package init(recordedIn journal: Journal? = nil) {
    let source: any LocationProvider = journal.map { [provider] in RecordingProvider(provider, to: $0) } ?? provider
    manager = LocationManager(provider: source)
    manager.listeners.add(listener)
    manager.tryPromptAuthorization()
    run(1)
  }

  /// Runs acquisitions a second apart. Each ends with its first fix.
  package func run(_ times: Int) {
    for _ in 0..<times {
      manager.forceAcquireLocation()
      provider.date += 1
      provider.say(.fixes([provider.fix]))
    }
  }
}
