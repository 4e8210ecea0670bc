import Foundation
import LocoKit
import LocoKitJournal
import LocoKitSimulation
import LocoKitTrips
import LocoMachine
import LocoMachineGraphs
import Testing

@testable import TestSupport

// The code shown in the README. A test compares it with the README.

@MainActor
final class Screen: @MainActor LocationManagerListener {
  init(_ manager: LocationManager) {
    manager.listeners.add(self)
  }

  func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    print("at \(location.latitude), \(location.longitude), give or take \(location.horizontalAccuracy) m")
  }

  func locationManager(_ manager: LocationManager, didTransition transition: LocationManager.Transition) {
    print("\(transition.from.rawValue) → \(transition.to.rawValue), because of \(transition.event.rawValue)")
  }
}

@MainActor
func whereAmI(_ manager: LocationManager) async throws -> Location {
  do {
    return try await manager.acquire(desiredAccuracy: 50, timeout: .seconds(20))
  } catch AcquisitionFailure.timeLimit(let best?) {
    return best
  }
}

@MainActor
func follow(_ manager: LocationManager, show: (Location) -> Void) async {
  // The GPS is on while this loop runs. After it, one more acquisition runs, no longer than the policy's time limit.
  for await location in manager.track(desiredAccuracy: 50, distanceFilter: 100) {
    show(location)
  }
}

@MainActor
func record(_ manager: LocationManager) -> TripRecorder {
  let trip = TripRecorder(manager)
  trip.start()
  return trip
}

@MainActor
func listen(to manager: LocationManager) -> LocationManager.ListenerToken {
  manager.listeners.add(onUpdate: { print($0) }, onFailure: { print("no location: \($0)") })
}

@MainActor
final class Locations: @MainActor LocationManagerListener {
  let manager: LocationManager

  init(_ provider: any LocationProvider, _ store: any LocationStore) {
    manager = LocationManager(provider: provider, store: store)
    manager.listeners.add(self)
    startIfAllowed()
  }

  // The user may also allow it later, in the settings.
  func locationManager(_ manager: LocationManager, didChangeAuthorization authorization: Authorization) {
    startIfAllowed()
  }

  // Never shows a prompt: an app that was never allowed waits until its user presses a button.
  private func startIfAllowed() {
    if manager.authorization.isAuthorized { manager.tryPromptAuthorization() }
  }
}

func record(_ provider: any LocationProvider, in folder: URL) -> LocationManager {
  let recording = RecordingProvider(provider, to: Journal(folder: folder))
  let manager = LocationManager(provider: recording, store: LastLocationStore.standard)
  recording.note("battery 0.83 unplugged")
  return manager
}

func replay(_ url: URL) throws -> JournalProvider.Difference? {
  let player = try JournalProvider(contentsOf: url)
  var manager = LocationManager(provider: player, store: player.store)
  player.onRelaunch = { [unowned player] in
    manager = LocationManager(provider: player, store: player.store)
  }
  try player.run()
  print("\(player.compared) inputs, the last in the state \(manager.state.rawValue)")
  return player.difference
}

func looks(in url: URL, within metres: Double) throws -> Int {
  let player = try JournalProvider(contentsOf: url, instead: .init(errorBound: .metres(metres)))
  let manager = LocationManager(provider: player, store: player.store)
  var looks = 0
  player.onMode = { if $0 == .gps { looks += 1 } }
  try player.run()
  withExtendedLifetime(manager) {}
  return looks
}

func writeDiagrams(to folder: URL) throws {
  let diagram = StateDiagram<Turnstile>()
  try diagram.csv.write(to: folder.appending(path: "turnstile.csv"), atomically: true, encoding: .utf8)
  try diagram.mermaid.write(to: folder.appending(path: "turnstile.mmd"), atomically: true, encoding: .utf8)
}

@MainActor
final class Gate {
  private(set) var refunds = 0
  private lazy var machine = MachineRunner<Turnstile> { [weak self] effect, _ in
    switch effect {
    case .refund: self?.refunds += 1
    }
  }

  var isOpen: Bool { machine.state == .unlocked }
  func insertCoin() { machine.send(.coin) }
  func push() { machine.send(.push) }
}

@MainActor
@Test func opensForOneCoin() {
  let gate = Gate()
  gate.insertCoin()
  gate.insertCoin()
  #expect(gate.isOpen && gate.refunds == 1)
  gate.push()
  #expect(!gate.isOpen)
}
@MainActor
@Suite("The README")
struct ReadmeTests {
  nonisolated static let root = Repository.root
    .standardized

  nonisolated static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test("The README's figures about phones are those of the table that Benchmarks/phone writes")
  func figures() throws {
    let (readme, article) = (
      try Self.text("README.md"), try Self.text("Sources/LocoKit/LocoKit.docc/ChoosingABound.md")
    )
    /// Returns the battery use and the share of the time within 500 m, in percent.
    func cell(_ row: String) throws -> (battery: String, within: String) {
      let line = try #require(article.split(separator: "\n").first { $0.hasPrefix("| \(row)") }, "\(row)")
      let cell = line.split(separator: "|", omittingEmptySubsequences: false)[4].split(separator: "·")
      let beyond = Double(String(cell[3].filter { "0123456789.".contains($0) })) ?? .nan
      return ("\(cell[1].split(separator: " ")[0])", String(format: "%.1f", 100 - beyond))
    }
    let (usual, worse) = (try cell("**a bound**, as an app gets it"), try cell("the same, on a phone worse"))
    let words = readme.split { $0.isWhitespace }.joined(separator: " ")
    for text in [
      "within 500 m for \(usual.within) % of that time (\(worse.within) % if the phone is worse",
      "that uses \(usual.battery) % of the battery per hour",
    ] {
      #expect(words.contains(text), "\(text)")
    }
    #expect(article.contains("the app uses \(usual.battery) % of the battery per hour"))
  }

  /// The README, the page about the diagrams, and all articles. A test of the pages fails if the articles can't be listed.
  nonisolated static let pages: [String] =
    ["README.md", "StateDiagrams/README.md"]
    + Repository.products.flatMap { product in
      let folder = "Sources/\(product)/\(product).docc"
      let names = try? FileManager.default.contentsOfDirectory(atPath: Repository.root.appending(path: folder).path)
      let articles = names?.filter { $0.hasSuffix(".md") }.sorted() ?? ["missing.md"]
      return articles.map { "\(folder)/\($0)" }
    }

  /// Returns the fenced code blocks of a language.
  nonisolated static func blocks(_ language: String, in markdown: String) -> [String] {
    markdown.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
  }

  nonisolated static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  /// Normalizes code for comparison: removes indentation, empty lines and extra space before a comment.
  nonisolated static func code(_ text: String) -> String {
    let lines = lines(text).map { $0.contains(" //") ? $0.replacing(/\s+\/\/\s/, with: " // ") : $0 }
    return "\n" + lines.joined(separator: "\n") + "\n"
  }

  /// The normalized code of the files that compile the shown code.
  nonisolated static let compiled = Result {
    let folder = "Tests/DocumentationTests/Shown"
    let shown = try FileManager.default.contentsOfDirectory(atPath: Repository.root.appending(path: folder).path)
    let others = [
      "DocumentationTests/ReadmeTests.swift", "TestSupport/Turnstile.swift", "TestSupport/TrafficLight.swift",
      "LocoMachineTests/StateMachine/TurnstileTests.swift",
    ]
    return try (shown.map { "\(folder)/\($0)" } + others.map { "Tests/\($0)" }).map { code(try Repository.text($0)) }
  }

  @Test(
    "The README and the articles show only Swift code that the tests compile, word for word",
    arguments: pages)
  func swift(file: String) throws {
    let compiled = try Self.compiled.get()
    let blocks = Self.blocks("swift", in: try Repository.text(file))
    // `.ci/clients` builds the code for a manifest.
    for block in blocks where !block.contains("package: ") {
      #expect(compiled.contains { $0.contains(Self.code(block)) }, "\(block)")
    }
  }

  @Test("The README's test holds for every seed", arguments: 11...(isLong ? 1_000 : 40) as ClosedRange<UInt64>)
  func seeds(seed: UInt64) throws { try knowsWhereACommuterIs(seed: seed) }

  @Test("The README shows exactly the commands that .ci/test runs from it")
  func commands() throws {
    let shown = Self.blocks("console", in: try Repository.text("README.md")).flatMap { Self.lines($0) }
      .filter { $0.hasPrefix("$ ") }
    #expect(shown == ["$ swift run LocoKitDemo", "$ swift test"])
  }

  @Test(
    "The README's app starts when its user allows it in the settings, and not before",
    arguments: [
      (.denied, .allow, nil), (.notDetermined, .allow, nil), (.notDetermined, .ignore, .notDetermined),
      (.whenInUse, .allow, .notDetermined), (.whenInUse, .allow, .denied),
    ] as [(Authorization, SimulatedProvider.Answer, Authorization?)])
  func allowedLater(atLaunch: Authorization, answer: SimulatedProvider.Answer, later: Authorization?) {
    var configuration = SimulatedProvider.Configuration()
    configuration.authorization = atLaunch
    configuration.answer = answer
    let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
    let app = Locations(device, MemoryStore())
    let recorder = Recorder()
    app.manager.listeners.add(recorder)
    if answer == .ignore { app.manager.tryPromptAuthorization() }
    device.advance(by: .seconds(120))
    if let later { device.setAuthorization(later) }
    let (spent, last) = (device.energy.gpsOn, app.manager.location)
    device.advance(by: .seconds(600))
    #expect(app.manager.state.mode == .off && device.energy.gpsOn == spent)
    #expect(recorder.calls.contains("didPromptAccess") == (answer == .ignore), "only the requested prompt is shown")
    device.setAuthorization(.whenInUse)
    device.advance(by: .seconds(60))
    #expect(app.manager.location != nil && app.manager.location != last)
  }

  @Test("The README's app stays paused when its user allows it in the settings")
  func allowedWhilePaused() {
    var configuration = SimulatedProvider.Configuration()
    configuration.authorization = .denied
    let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
    let store = MemoryStore()
    store.isPaused = true
    let app = Locations(device, store)
    device.setAuthorization(.always)
    device.advance(by: .seconds(600))
    #expect(app.manager.state == .paused && device.energy.gpsOn == .zero)
  }

  @Test("Each arrow in the README's diagram is in the machine's table")
  func diagrams() throws {
    let shown = Self.blocks("mermaid", in: try Repository.text("README.md")).map { $0 + "\n" }
    try #require(shown.count == 1)
    let arrows = shown[0].matches(of: /(\w+) --> (\w+) : (.+)/)
    #expect(arrows.count == shown[0].matches(of: /-->/).count && arrows.count > 4)
    for arrow in arrows {
      let source = try #require(LocationState(rawValue: String(arrow.1)), "\(arrow.1)")
      for name in arrow.3.split(separator: ", ") {
        let event = try #require(LocationMachine.Event(rawValue: String(name)), "\(name)")
        let target = LocationMachine.reaction(in: source, to: event).target
        #expect(target?.rawValue == String(arrow.2), "\(source.rawValue), \(name)")
      }
    }
  }

  @Test("The README's listener follows a manager that finds a location")
  func example() {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: device)
    let screen = Screen(manager)
    #expect(manager.listeners.count == 1)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(30))
    #expect(manager.location != nil)
    withExtendedLifetime(screen) {}
  }

  @Test("Relative links in the README, the guides and the articles lead to existing files")
  func links() throws {
    var links = 0
    for page in ["CONTRIBUTING.md", "Examples/LocoApp/README.md"] + Self.pages {
      let folder = Repository.root.appending(path: page).deletingLastPathComponent()
      for link in try Repository.text(page).matches(of: /\]\(([^)#\s]+)[^)]*\)/) where !link.1.contains("://") {
        // DocC finds an image by its name alone.
        if page.contains(".docc/"), !link.1.contains("/"), !link.1.hasSuffix(".md") { continue }
        links += 1
        let target = folder.appending(path: String(link.1)).standardized
        #expect(FileManager.default.fileExists(atPath: target.path), "\(page) links to \(link.1)")
      }
    }
    #expect(links > 20)
  }

  /// The words of each target's sources, and "declaration of …" for each declared name.
  nonisolated static let words = Result {
    try Dictionary(uniqueKeysWithValues: Repository.modules.map { ($0, try words(in: $0)) })
  }

  nonisolated private static func words(in module: String) throws -> Set<String> {
    let sources = FileManager.default.enumerator(
      at: Repository.root.appending(path: "Sources/\(module)"), includingPropertiesForKeys: nil)
    let keywords: Set = [
      "func", "var", "let", "class", "struct", "enum", "protocol", "associatedtype", "typealias", "case",
    ]
    var found: Set = ["declaration of \(module)", "declaration of init"]
    for case let url as URL in sources?.allObjects ?? [] where url.pathExtension == "swift" {
      let words = try Data(contentsOf: url).split { byte in
        !(97...122 ~= byte || 65...90 ~= byte || 48...57 ~= byte || byte == 95)
      }.map { String(decoding: $0, as: UTF8.self) }
      found.formUnion(words)
      for (keyword, name) in zip(words, words.dropFirst()) where keywords.contains(keyword) {
        found.insert("declaration of \(name)")
      }
    }
    return found
  }

  @Test(
    "Each link to a symbol, in an article or a comment, leads to a declaration of the same product",
    arguments: try pages + ExamplesTests.sources.get().map(\.path))
  func symbols(file: String) throws {
    let module = file.split(separator: "/").dropFirst().first.map(String.init)
    let declared = try module.flatMap { try Self.words.get()[$0] } ?? []
    for name in Set(try Repository.text(file).matches(of: /[^`]``([A-Za-z][^`\n]*)``/).map({ String($0.1) })) {
      for part in name.split(separator: "/") {
        let base = part.prefix { $0 != "(" }
        let labels = part.dropFirst(base.count + 1).dropLast().split(separator: ":").filter { $0 != "_" }
        let isDeclared = declared.contains("declaration of \(base)")
        #expect(isDeclared && labels.allSatisfy { declared.contains("\($0)") }, "\(name)")
      }
    }
  }

  @Test("The README's journal is replayed without a difference, and with another bound")
  func journal() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = SimulatedProvider.Configuration()
    configuration.wakeSources = .all
    let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
    let journal = Journal(folder: folder)
    let manager = LocationManager(provider: RecordingProvider(device, to: journal))
    manager.errorBound = 500
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(900))
    #expect(journal.synchronize(within: .seconds(30)))
    #expect(try replay(folder) == nil)
    #expect(try looks(in: folder, within: 500) > looks(in: folder, within: 2_000))
  }

  @Test("The README's loop follows with a distance filter, and its trip measures the distance")
  func uses() async throws {
    let fixture = Fixture(in: .waitingSignificantChange)
    let manager = fixture.manager
    var shown = 0
    let task = await begin { await follow(manager) { _ in shown += 1 } }
    let trip = record(manager)
    for second in 0..<60 {
      fixture.provider.pass(1)
      fixture.provider.fix(8, latitude: 34 + Double(second) * 0.000_1)
      await Task.yield()
    }
    #expect(trip.distance > 400)
    task.cancel()
    try await task.value
    #expect(shown > 3 && shown < 30)
    trip.stop()
  }

  @Test("Each option in the README is an option of the demo")
  func options() throws {
    let help = try ["Arguments", "Receiver"].map { try Repository.text("Sources/LocoKitDemo/\($0).swift") }.joined()
    for word in try Repository.text("README.md").split(whereSeparator: { !($0.isLetter || $0 == "-") })
    where word.hasPrefix("--") && word.dropFirst(2).first?.isLetter == true && word != "--help" {
      #expect(help.contains("\"\(word)\""), "\(word)")
    }
  }
}
