import Foundation
import LocoAppModel
import LocoKit
import Testing

@MainActor
@Suite("The app's model")
struct AppModelTests {
  private let device = SimulatedProvider(route: .losAngeles, seed: 1)
  private let model: AppModel

  init() { model = AppModel(LocationManager(provider: device)) }

  @Test("does what its buttons say, and lists what listeners hear")
  func buttons() {
    model.authorize()
    device.advance(by: .seconds(120))
    #expect(model.status.state == .waitingSignificantChange)
    model.force()
    model.pause()
    #expect(model.status.state == .paused)
    model.resume()
    device.advance(by: .seconds(30))
    let names = Set(model.calls.map(\.name))
    #expect(
      names.isSuperset(of: [
        "didPromptAccess", "didGrantAccess", "didUpdate", "didForceAcquire", "didPause", "didResume",
      ])
    )
    #expect(model.calls.map(\.id) == model.calls.map(\.id).sorted(by: >))
    #expect(model.status.location != nil)
  }

  @Test("keeps a hundred calls and no more")
  func bound() {
    model.authorize()
    device.advance(by: .seconds(60))
    for _ in 0..<100 {
      model.pause()
      model.resume()
    }
    #expect(model.calls.count == 100)
  }

  @Test("asks nothing when it is launched, and goes on where it may")
  func launch() {
    model.goOn()
    #expect(model.status.state == .initial)
    model.authorize()
    device.advance(by: .seconds(60))
    let next = AppModel(LocationManager(provider: device))
    next.goOn()
    #expect(next.status.state == .acquiring)
  }

  @Test("offers the buttons that the machine would not ignore", arguments: LocationMachine.Event.allCases)
  func possible(_ event: LocationMachine.Event) {
    #expect(model.isPossible(event) == (event == .tryPrompt || event == .forcePrompt))
  }

  @Test("draws every state in a place of its own, inside, and every arrow once")
  func layout() {
    let layout = DiagramLayout()
    let places = LocationState.allCases.map(layout.place)
    #expect(Set(places).count == LocationState.allCases.count)
    #expect(places.allSatisfy { (0...1).contains($0.x) && (0...1).contains($0.y) })
    #expect(Set(layout.arrows).count == layout.arrows.count)
    #expect(layout.arrows.contains { $0.from == .paused && $0.to == .acquiring })
  }
}
