import Foundation
import LocoKit
import Testing

@MainActor
@Test func staysOffDuringAPause() {
  let device = SimulatedProvider(route: .losAngeles, seed: 1)
  let manager = LocationManager(provider: device)
  manager.tryPromptAuthorization()
  device.advance(by: .seconds(30))
  manager.pause()
  let spent = device.energy.gpsOn
  device.advance(by: .seconds(86_400))
  #expect(device.energy.gpsOn == spent)
  #expect(manager.recentTransitions.last?.event == .pause)
}

@MainActor
@Test func findsThePlace() async throws {
  let device = SimulatedProvider(route: .losAngeles, seed: 1)
  let finder = Finder(device)
  finder.manager.tryPromptAuthorization()
  device.advance(by: .seconds(60))
  try await device.advance(atMost: .seconds(60)) { await finder.tap() }
  #expect(finder.place != nil)
}

@MainActor
@Test func staysPausedInTheNextLaunch() {
  let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
  defer { try? FileManager.default.removeItem(at: file) }
  let device = SimulatedProvider(route: .losAngeles, seed: 1)
  let store = LastLocationStore(file: file)
  let first = LocationManager(provider: device, store: store)
  first.tryPromptAuthorization()
  device.advance(by: .seconds(30))
  first.pause()
  #expect(store.synchronize(within: .seconds(30)))
  let second = LocationManager(provider: device, store: LastLocationStore(file: file))
  #expect(second.state == .paused)
}

@MainActor
@Test func findsThePlaceAfterItWasClosed() {
  let device = SimulatedProvider(route: .losAngeles, seed: 1)
  let earlier = LocationManager(provider: device)
  earlier.tryPromptAuthorization()
  device.advance(by: .seconds(60))
  device.terminate()
  device.advance(by: .seconds(3_600))
  device.launch()
  let manager = LocationManager(provider: device)
  manager.tryPromptAuthorization()
  device.advance(by: .seconds(60))
  #expect(manager.location != nil && manager.location != earlier.location)
}

@MainActor
@Suite("Testing your app")
struct TestingYourAppTests {
  @Test("says what a task without time passing does: nothing yet")
  func tooEarly() async {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let finder = Finder(device)
    finder.manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
    let tap = Task { await finder.tap() }
    device.advance(by: .seconds(30))
    #expect(finder.place == nil)
    tap.cancel()
    await tap.value
    #expect(finder.place == nil)
  }

  @Test("has an immediate task begin at once")
  func immediate() async {
    guard #available(iOS 26, macOS 26, watchOS 26, tvOS 26, visionOS 26, *) else { return }
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let finder = Finder(device)
    finder.manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
    let tap = Task.immediate { await finder.tap() }
    device.advance(by: .seconds(30))
    await tap.value
    #expect(finder.place != nil)
  }
}
