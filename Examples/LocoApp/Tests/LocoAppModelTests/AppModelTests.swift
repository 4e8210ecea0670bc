import Foundation
import LocoAppModel
import LocoKit
import Testing

@MainActor
@Suite("The app's model")
struct AppModelTests {
  private let device = SimulatedProvider(route: .losAngeles, seed: 1)
  private let model: AppModel
  private let journal = Journal(
    folder: FileManager.default.temporaryDirectory.appending(path: "loco-app-\(UUID().uuidString)"))
  private let settings: UserDefaults

  init() throws {
    settings = try #require(UserDefaults(suiteName: "loco-app-\(UUID().uuidString)"))
    model = AppModel(device, journal: journal, settings: settings)
  }

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
    let next = AppModel(device, journal: journal, settings: settings)
    next.goOn()
    #expect(next.status.state == .acquiring)
  }

  @Test("records when it is told to, goes on, notes the battery, and shares files that can be played")
  func recording() throws {
    model.authorize()
    device.advance(by: .seconds(60))
    #expect(!model.isRecording)
    var level = 0.831
    model.battery = { AppModel.Battery(level: level, supply: .unplugged) }
    model.setRecording(true)
    #expect(model.isRecording && model.status.state == .acquiring)
    device.advance(by: .seconds(60))
    level = 0.8
    model.force()
    device.advance(by: .seconds(60))
    // The next launch records too.
    let next = AppModel(device, journal: journal, settings: settings)
    #expect(next.isRecording)
    next.goOn()
    device.advance(by: .seconds(60))
    next.setRecording(false)
    device.advance(by: .seconds(60))
    #expect(!next.isRecording && !next.files.isEmpty && next.files.allSatisfy { $0.pathExtension == "jsonl" })
    let folder = try #require(next.files.first).deletingLastPathComponent()
    let player = try JournalProvider(contentsOf: folder)
    var manager = LocationManager(provider: player, store: player.store)
    var notes: [String] = []
    var launches = 1
    player.onPlay = { if case .note(let text) = $0 { notes.append(text) } }
    player.onRelaunch = {
      launches += 1
      manager = LocationManager(provider: player, store: player.store)
    }
    try player.run()
    #expect(player.difference == nil && player.compared > 10 && manager.location != nil)
    #expect(launches == 2 && notes == ["battery 0.83 unplugged", "battery 0.8 unplugged"])
    try FileManager.default.removeItem(at: folder)
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
