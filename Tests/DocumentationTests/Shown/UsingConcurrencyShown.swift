import LocoKit
import LocoKitSimulation
import Testing

@testable import TestSupport

@MainActor
func upload(_ manager: LocationManager, with send: @escaping @Sendable (Location) async -> Void) -> Task<Void, Never> {
  let updates = manager.updates
  return Task.detached {
    for await location in updates { await send(location) }
  }
}

@MainActor
final class Assistant {
  let manager: LocationManager

  init(_ manager: LocationManager) {
    self.manager = manager
  }

  func here() async -> Location? {
    try? await manager.acquire(desiredAccuracy: 100)
  }

  func greet(_ askName: @escaping @Sendable () async -> String) async -> String {
    async let place = here()
    async let name = askName()
    let greeting = await "Hello, \(name)"
    guard let place = await place else { return greeting }
    return "\(greeting), at \(place.latitude), \(place.longitude)"
  }
}

actor Whereabouts {
  private let device = SimulatedProvider(route: .losAngeles, seed: 1)
  private lazy var manager = LocationManager(provider: device)

  func start() {
    manager.tryPromptAuthorization()
  }

  func drive(_ duration: Duration) -> Location? {
    device.advance(by: duration)
    return manager.location
  }
}

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
