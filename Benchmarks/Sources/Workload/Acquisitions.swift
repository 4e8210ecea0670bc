internal import Foundation
package import LocoKit

/// A manager that is made to acquire over and over: a wish, a fix, a listener told.
package struct Acquisitions {
  package let manager: LocationManager
  package let listener = CountingListener()
  private let provider = PuppetProvider()

  /// - Parameter journal: Where all is written; `nil` writes nothing.
  package init(recordedIn journal: Journal? = nil) {
    let source: any LocationProvider = journal.map { [provider] in RecordingProvider(provider, to: $0) } ?? provider
    manager = LocationManager(provider: source)
    manager.listeners.add(listener)
    manager.tryPromptAuthorization()
    run(1)
  }

  /// So many acquisitions, a second apart, each ended by its first fix.
  package func run(_ times: Int) {
    for _ in 0..<times {
      manager.forceAcquireLocation()
      provider.date += 1
      provider.say(.fixes([provider.fix]))
    }
  }
}
