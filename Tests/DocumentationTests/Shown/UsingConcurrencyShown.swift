import LocoKit
import LocoKitSimulation
import Testing

@testable import TestSupport

// shown: UsingConcurrency

@MainActor
@Suite("Concurrency")
struct UsingConcurrencyTests {
  @Test("Locations leave the main actor for an upload, and a result returns to it")
  func leaves() async throws {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let assistant = Assistant(LocationManager(provider: device))
    let (sent, sender) = AsyncStream.makeStream(of: Location.self)
    let uploading = upload(assistant.manager) { sender.yield($0) }
    assistant.manager.tryPromptAuthorization()
    device.advance(by: .seconds(30))
    var first = sent.makeAsyncIterator()
    #expect(await first.next() == assistant.manager.location)
    uploading.cancel()
    let greeting = try await device.advance(atMost: .seconds(3_600)) { await assistant.greet { "Ada" } }
    #expect(greeting.hasPrefix("Hello, Ada, at 34."))
  }

  @Test("An actor can own a manager")
  func actor() async {
    let tracker = Whereabouts()
    await tracker.start()
    #expect(await tracker.drive(.seconds(30)) != nil)
  }
}
