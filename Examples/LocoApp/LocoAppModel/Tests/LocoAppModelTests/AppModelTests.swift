import Foundation
import LocoAppModel
import LocoKit
import LocoKitJournal
import LocoKitSimulation
import Testing

@MainActor
@Suite("The app's model")
final class AppModelTests {
  private var device = SimulatedProvider(route: .losAngeles, seed: 1)
  private let support = FileManager.default.temporaryDirectory.appending(path: "loco-app-\(UUID().uuidString)")
  private let folder: URL
  private let journal: Journal
  private let settingsFile: URL
  private var battery: Battery?
  private var providersMade: [Bool] = []
  private var indicators: [Bool] = []
  private var hasRunMeanwhile = false

  init() {
    folder = support.appending(path: "Journal")
    journal = Journal(folder: folder)
    settingsFile = support.appending(path: "Settings.json")
  }

  deinit { try? FileManager.default.removeItem(at: support) }

  /// Returns the model of a new launch.
  private func launch() -> AppModel {
    AppModel(
      journal: journal, settingsFile: settingsFile, battery: { [unowned self] in battery },
      date: { [unowned self] in device.date },
      makeProvider: { [unowned self] usesMotion, comparesKeepers in
        providersMade.append(usesMotion)
        indicators.append(comparesKeepers)
        return device
      })
  }

  /// Replays the recorded journal.
  private func played() throws -> (events: [JournalProvider.Played], launches: Int, player: JournalProvider) {
    journal.synchronize(within: .seconds(60))
    let player = try JournalProvider(contentsOf: folder)
    var manager = LocationManager(provider: player, store: player.store)
    var (events, launches) = ([JournalProvider.Played](), 1)
    player.onPlay = { events.append($0) }
    player.onRelaunch = {
      launches += 1
      manager = LocationManager(provider: player, store: player.store)
    }
    try player.run()
    withExtendedLifetime(manager) {}
    return (events, launches, player)
  }

  private static func notes(_ events: [JournalProvider.Played]) -> [String] {
    events.compactMap { if case .note(let text) = $0 { text } else { nil } }
  }

  // MARK: - Buttons

  @Test("The buttons send their commands, and the listener calls are listed newest first")
  func buttons() {
    let model = launch()
    model.errorBound = nil
    model.perform(.allow)
    device.advance(by: .seconds(120))
    #expect(model.manager.state == .waitingSignificantChange)
    model.perform(.find)
    model.perform(.pause)
    #expect(model.manager.state == .paused)
    model.perform(.resume)
    device.advance(by: .seconds(30))
    let names = Set(model.calls.map(\.name))
    #expect(
      names.isSuperset(of: [
        "didPromptAccess", "didGrantAccess", "didUpdate", "didForceAcquire", "didPause", "didResume",
      ])
    )
    #expect(model.calls.map(\.id) == model.calls.map(\.id).sorted(by: >))
    #expect(model.manager.location != nil)
  }

  @Test("The list is limited to a hundred calls")
  func callLimit() {
    let model = launch()
    model.perform(.allow)
    device.advance(by: .seconds(60))
    for _ in 0..<100 {
      model.perform(.pause)
      model.perform(.resume)
    }
    #expect(model.calls.count == 100)
  }

  @Test("Each state has its buttons, and says in words why the GPS is on or off")
  func words() {
    let model = launch()
    func expect(_ state: LocationMachine.State, _ actions: [AppModel.Action], _ words: String) {
      #expect(model.manager.state == state)
      #expect(model.actions == actions)
      #expect(model.explanation.hasPrefix(words), "\(model.explanation)")
    }
    expect(.initial, [.allow], "The GPS is off. Allow locations to begin.")
    model.perform(.allow)
    expect(.prompted, [.pause], "The GPS is off until you answer the question.")
    device.advance(by: .seconds(120))
    expect(.waitingSignificantChange, [.find, .pause], "The GPS is off while you are within 500 m")
    model.errorBound = nil
    expect(.waitingSignificantChange, [.find, .pause], "The GPS is off until the phone notices that you have moved")
    model.perform(.find)
    expect(.acquiring, [.pause], "The GPS is on, to find you.")
    device.setApp(isInForeground: false, isLowPowerMode: true)
    device.advance(by: .seconds(1))
    #expect(model.explanation.hasSuffix(LocationManager.Health.Problem.lowPowerMode.advice))
    model.perform(.pause)
    expect(.paused, [.resume], "The GPS is off because you paused it.")
  }

  @Test("A refusal is explained, and its button asks again, which opens the settings")
  func refusal() {
    device.answer = .deny
    let model = launch()
    model.perform(.allow)
    device.advance(by: .seconds(120))
    #expect(model.manager.state == .denied && model.actions == [.allow])
    #expect(
      model.explanation
        == "The GPS is off. Allow locations for this app in the settings, and turn on Location Services.")
  }

  @Test(
    "After a launch without the permission, the first tap opens the settings, and a tap on an undecided permission shows the prompt"
  )
  func refusalInAnEarlierLaunch() {
    for authorization in [Authorization.denied, .notDetermined] {
      device.authorization = authorization
      let model = launch()
      var opened = 0
      model.openSettings = { opened += 1 }
      model.goOn()
      #expect(model.actions == [.allow] && opened == 0)
      model.perform(.allow)
      #expect(opened == (authorization == .denied ? 1 : 0))
    }
  }

  // MARK: - Launches

  @Test("A launch shows no prompt, and continues if the app has the permission")
  func relaunch() {
    let model = launch()
    model.goOn()
    #expect(model.manager.state == .initial)
    model.perform(.allow)
    device.advance(by: .seconds(60))
    let next = launch()
    next.goOn()
    #expect(next.manager.state == .acquiring)
  }

  @Test("A permission given in the Settings app starts the manager once")
  func permissionFromSettings() throws {
    device.authorization = .denied
    let model = launch()
    model.goOn()
    device.advance(by: .seconds(60))
    #expect(model.manager.state == .initial)
    model.isRecording = true
    device.authorization = .always
    device.advance(by: .seconds(60))
    #expect(model.manager.location != nil)
    // Another change of the permission sends no second command.
    device.authorization = .whenInUse
    device.advance(by: .seconds(60))
    let commands = try played().events.count { if case .command = $0 { true } else { false } }
    #expect(commands == 1)
  }

  @Test("goOn doesn't resume a paused manager")
  func pauseOverRestart() {
    let model = launch()
    model.perform(.allow)
    device.advance(by: .seconds(60))
    model.perform(.pause)
    model.goOn()
    #expect(model.manager.state == .paused)
  }

  // MARK: - Settings

  @Test("The default bound is 500 m, and the user's choice is persisted", arguments: AppModel.errorBounds)
  func storedBound(_ bound: Double?) {
    let model = launch()
    #expect(model.errorBound == 500 && model.manager.errorBound == 500)
    model.errorBound = bound
    #expect(model.errorBound == bound && model.manager.errorBound == bound)
    let next = launch()
    #expect(next.errorBound == bound && next.manager.errorBound == bound)
  }

  @Test("An invalid stored bound is replaced by the default", arguments: [-1, 99, 1e9])
  func damagedBound(_ stored: Double) throws {
    let model = launch()
    model.usesMotion = false
    let settings = try String(contentsOf: settingsFile, encoding: .utf8)
    let damaged = settings.replacing("500", with: "\(stored)")
    #expect(damaged != settings)
    try Data(damaged.utf8).write(to: settingsFile)
    let next = launch()
    #expect(next.errorBound == 500 && !next.usesMotion)
  }

  @Test(
    "A launch that can't read the settings doesn't repeat an answered offer",
    arguments: [true, false])
  func unreadableSettings(isFolder: Bool) throws {
    launch().answerOffer(records: true)
    if isFolder {
      try FileManager.default.removeItem(at: settingsFile)
      try FileManager.default.createDirectory(at: settingsFile, withIntermediateDirectories: true)
    } else {
      try Data("{".utf8).write(to: settingsFile)
    }
    let next = launch()
    next.perform(.allow)
    device.advance(by: .seconds(120))
    #expect(next.manager.location != nil && !next.offersRecording && next.errorBound == 500)
  }

  @Test("Settings from before a new one keep the others, and the new one has its default")
  func olderSettings() throws {
    let model = launch()
    model.answerOffer(records: true)
    model.usesMotion = false
    model.comparesKeepers = true
    let settings = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: settingsFile)) as? [String: Any])
    for key in settings.keys where key != "recordsJournal" {
      var older = settings
      older[key] = nil
      try JSONSerialization.data(withJSONObject: older).write(to: settingsFile)
      let next = launch()
      next.perform(next.manager.state == .initial ? .allow : .find)
      device.advance(by: .seconds(120))
      #expect(next.manager.location != nil && next.isRecording && !next.offersRecording)
      #expect(next.usesMotion == (key == "usesMotion") && next.comparesKeepers == (key != "comparesKeepers"))
      #expect(next.errorBound == (key == "errorBound" ? nil : 500))
    }
  }

  @Test("Recording isn't offered to a user who has turned it on")
  func offerWhileRecording() {
    _ = launch()
    let model = launch()
    model.isRecording = true
    model.perform(.allow)
    device.advance(by: .seconds(120))
    #expect(model.manager.location != nil && !model.offersRecording)
    model.isRecording = false
    #expect(!model.offersRecording)
  }

  @Test("Each launch sets the bound before the first command")
  func boundBeforeCommand() throws {
    device.authorization = .always
    let first = launch()
    first.errorBound = 250
    first.answerOffer(records: true)
    let second = launch()
    second.goOn()
    device.advance(by: .seconds(60))
    second.isRecording = false
    let (events, launches, _) = try played()
    #expect(launches == 2)
    var (bound, commands): (Double?, Int) = (nil, 0)
    for event in events {
      switch event {
      case .launch: bound = nil
      case .errorBound(let set): bound = set
      case .command:
        commands += 1
        #expect(bound == 250)
      default: break
      }
    }
    #expect(commands == 2)
  }

  @Test("Turning off the motion sensor creates a new provider immediately, and the setting is persisted")
  func motion() {
    let model = launch()
    #expect(model.usesMotion && providersMade == [true])
    model.perform(.allow)
    device.advance(by: .seconds(60))
    model.usesMotion = true
    #expect(providersMade == [true])
    model.usesMotion = false
    #expect(!model.usesMotion && providersMade == [true, false])
    // The new manager has started with the bound.
    #expect(model.manager.state == .acquiring && model.manager.errorBound == 500)
    #expect(!launch().usesMotion && providersMade == [true, false, false])
  }

  @Test("The old provider is turned off before the new one is created")
  func handOver() {
    let (old, new) = (device, SimulatedProvider(route: .losAngeles, seed: 2))
    var modeAtHandOver: ReceiverMode?
    let model = AppModel(journal: journal, settingsFile: settingsFile) { usesMotion, _ in
      if usesMotion { return old }
      modeAtHandOver = old.mode
      return new
    }
    model.perform(.allow)
    old.advance(by: .seconds(60))
    model.perform(.find)
    #expect(old.mode == .gps)
    model.usesMotion = false
    #expect(modeAtHandOver == .off && old.mode == .off)
  }

  @Test("Recording is offered from the first location on until the user answers", arguments: [true, false])
  func offer(accepted: Bool) {
    _ = launch()
    let model = launch()
    model.perform(.allow)
    #expect(!model.offersRecording && model.manager.location == nil)
    device.advance(by: .seconds(120))
    #expect(model.offersRecording && !model.isRecording)
    model.answerOffer(records: accepted)
    #expect(!model.offersRecording && model.isRecording == accepted)
    // A refusal creates no new provider.
    #expect(providersMade.count == (accepted ? 3 : 2))
    let next = launch()
    #expect(!next.offersRecording && next.isRecording == accepted)
  }

  @Test("The wake sources are those of the current provider")
  func wakeSources() {
    var configuration = SimulatedProvider.Configuration()
    configuration.wakeSources = [.significantChange, .motion]
    device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
    let model = launch()
    #expect(model.wakeSources.map(\.isAvailable) == [false, true, false, false, true, false])
    #expect(Set(model.wakeSources.map(\.name)).count == 6)
    device = SimulatedProvider(route: .losAngeles, seed: 1)
    model.usesMotion = false
    #expect(model.wakeSources.map(\.isAvailable) == [false, true, true, false, false, false])
  }

  // MARK: - The journal

  @Test("Recording continues in the next launch, and the shared files can be replayed")
  func recording() async throws {
    let model = launch()
    model.perform(.allow)
    device.advance(by: .seconds(60))
    model.isRecording = true
    #expect(model.isRecording && model.manager.state == .acquiring)
    device.advance(by: .seconds(60))
    let next = launch()
    #expect(next.isRecording)
    next.goOn()
    device.advance(by: .seconds(60))
    next.isRecording = false
    device.advance(by: .seconds(60))
    await next.refreshFiles()
    #expect(!next.isRecording && next.files.count == 2)
    let (_, launches, player) = try played()
    #expect(player.difference == nil && player.compared > 10 && launches == 2)
  }

  @Test("Only the journal's numbered files are shared, and not a file with the key to its places")
  func shared() async throws {
    let model = launch()
    model.isRecording = true
    model.perform(.allow)
    device.advance(by: .seconds(120))
    // The journal's queue creates the folder.
    await model.refreshFiles()
    try Data("the key".utf8).write(to: folder.appending(path: "secret"))
    try Data("the key".utf8).write(to: folder.appending(path: "journal-key.jsonl"))
    await model.refreshFiles()
    #expect(!model.files.isEmpty)
    #expect(model.files.allSatisfy { $0.lastPathComponent.wholeMatch(of: /journal-\d+\.jsonl/) != nil })
  }

  @Test("Refreshing the files waits until the journal is written, without blocking the main actor")
  func writtenBeforeShared() async throws {
    let model = launch()
    model.isRecording = true
    for number in 0..<5_000 {
      battery = Battery(level: Double(number % 100) / 100, supply: .unplugged)
      model.noteBattery()
    }
    Task { hasRunMeanwhile = true }
    await model.refreshFiles()
    #expect(hasRunMeanwhile)
    let text = try String(contentsOf: #require(model.files.last), encoding: .utf8)
    #expect(text.count { $0 == "\n" } > 5_000 && text.contains("battery 0.99 unplugged"))
  }

  @Test("Locations are passed on and notes are written only while a journal is recorded, and not in a pause")
  func study() throws {
    let model = launch()
    var places: [Location?] = []
    model.onStudiedPlace = { places.append($0) }
    model.note("before")
    model.perform(.allow)
    device.advance(by: .seconds(60))
    #expect(model.manager.location != nil && !places.isEmpty && places.allSatisfy { $0 == nil })
    places = []
    model.isRecording = true
    #expect(places.last == model.manager.location)
    device.advance(by: .seconds(60))
    model.perform(.find)
    device.advance(by: .seconds(60))
    model.note("exit region")
    #expect(places.count > 1 && places.last == model.manager.location)
    #expect(try Self.notes(played().events).filter { !$0.hasPrefix("battery") } == ["exit region"])

    model.perform(.pause)
    #expect(places.last == .some(nil))
    model.perform(.resume)
    device.advance(by: .seconds(60))
    #expect(places.last == model.manager.location)
    model.comparesKeepers = true
    #expect(places.last == .some(nil))
    model.comparesKeepers = false
    #expect(places.last == model.manager.location)
    model.isRecording = false
    #expect(places.last == .some(nil))
  }

  @Test("The battery is noted at launch and for each new manager")
  func batteryAtLaunch() throws {
    launch().answerOffer(records: true)
    battery = Battery(level: 0.5, supply: .full)
    let model = launch()
    model.goOn()
    model.usesMotion = false
    #expect(try Self.notes(played().events) == ["battery 0.5 full", "battery 0.5 full"])
  }

  @Test("The battery is noted in each launch, after a change, and once an hour")
  func batteryNotes() throws {
    battery = Battery(level: 0.831, supply: .unplugged)
    device.authorization = .always
    let model = launch()
    model.errorBound = nil
    model.isRecording = true
    device.advance(by: .seconds(120))
    model.noteBattery()
    battery = Battery(level: 0.8, supply: .unplugged)
    // Each listener call reads the level.
    #expect(model.manager.state == .waitingSignificantChange)
    model.perform(.find)
    // The test calls `noteBattery()` every few minutes, like the app's timer.
    for _ in 0..<24 {
      device.advance(by: .seconds(300))
      model.noteBattery()
    }
    battery?.supply = .charging
    model.noteBattery()
    let next = launch()
    next.goOn()
    battery = nil
    next.noteBattery()
    next.isRecording = false
    let (events, launches, player) = try played()
    let (unplugged, charging) = ("battery 0.8 unplugged", "battery 0.8 charging")
    #expect(
      Self.notes(events) == ["battery 0.83 unplugged", unplugged, unplugged, unplugged, charging, charging])
    #expect(launches == 2 && player.difference == nil)
  }

  // MARK: - The diagram

  @Test("Each state has its own place in the unit square, and each arrow is drawn once")
  func layout() {
    let layout = DiagramLayout()
    let places = LocationMachine.State.allCases.map(layout.place)
    #expect(Set(places).count == LocationMachine.State.allCases.count)
    #expect(places.allSatisfy { (0...1).contains($0.x) && (0...1).contains($0.y) })
    #expect(Set(layout.arrows).count == layout.arrows.count)
    #expect(layout.arrows.contains { $0.from == .paused && $0.to == .acquiring })
  }

  // MARK: - The comparison of keepers

  @Test("Five hours in a row have all settings, in orders that differ, and a setting changes only at a full hour")
  func keeperSettings() {
    let start = Date(timeIntervalSinceReferenceDate: 5 * 3_600 * 40_000)
    var orders: Set<[KeeperSetting]> = []
    for block in 0..<200 {
      let hours = (0..<5).map { start + Double(block * 5 + $0) * 3_600 }
      let order = hours.map(KeeperSetting.at)
      #expect(Set(order) == Set(KeeperSetting.allCases))
      #expect(hours.map { KeeperSetting.at($0 + 3_599) } == order)
      orders.insert(order)
    }
    #expect(orders.count > 60)
    let before2001 = (-5..<0).map { KeeperSetting.at(Date(timeIntervalSinceReferenceDate: Double($0) * 3_600)) }
    #expect(Set(before2001).count == 5)
  }

  @Test("A comparison sets and notes each hour's setting once in a launch, and only while a journal is recorded")
  func comparesKeepers() throws {
    var set: [KeeperSetting] = []
    var model = launch()
    model.setKeeper = { _, setting in set.append(setting) }
    model.comparesKeepers = true
    #expect(set.isEmpty && indicators == [false, true], "without a journal nothing is compared")
    model.isRecording = true
    model.perform(.allow)
    let hours = 12
    for _ in 0..<(hours * 6) {
      device.advance(by: .seconds(600))
      model.updateKeeper()
    }
    let start = device.date.addingTimeInterval(Double(-hours) * 3_600)
    let expected = (0...hours).map { KeeperSetting.at(start + Double($0) * 3_600) }
      .reduce(into: [KeeperSetting]()) { if $0.last != $1 { $0.append($1) } }
    #expect(set == expected)
    let notes = try Self.notes(played().events).filter { $0.hasPrefix("keeper") }
    #expect(notes == expected.map { "keeper \($0.rawValue)" })
    model = launch()
    #expect(model.comparesKeepers && indicators.last == true)
    model.setKeeper = { _, setting in set.append(setting) }
    #expect(set.count == expected.count + 1, "a new provider has the default setting")
    model.comparesKeepers = false
    device.advance(by: .seconds(7_200))
    model.updateKeeper()
    #expect(set.count == expected.count + 1 && indicators.last == false)
  }
}
