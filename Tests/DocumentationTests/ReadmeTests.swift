import Foundation
import LocoKit
import LocoKitJournal
import LocoKitSimulation
import LocoKitTrips
import LocoMachine
import LocoMachineGraphs
import Testing

@testable import TestSupport

@MainActor
@Suite("The README and the articles")
struct ReadmeTests {
  nonisolated static let root = Repository.root
    .standardized

  nonisolated static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test("The figures about phones in the README and *Choosing a bound* are those of the table of `Benchmarks/phone`")
  func figures() throws {
    let readme = try Self.text("README.md")
    let figures = try Self.text("Sources/LocoKit/LocoKit.docc/BoundsInFigures.md")
    let advice = try Self.text("Sources/LocoKit/LocoKit.docc/ChoosingABound.md")
    /// Returns the battery use and the share of the time within 500 m, in percent.
    func cell(_ row: String) throws -> (battery: String, within: String) {
      let line = try #require(figures.split(separator: "\n").first { $0.hasPrefix("| \(row)") }, "\(row)")
      let cell = line.split(separator: "|", omittingEmptySubsequences: false)[4].split(separator: "·")
      let beyond = Double(String(cell[3].filter { "0123456789.".contains($0) })) ?? .nan
      return ("\(cell[1].split(separator: " ")[0])", String(format: "%.1f", 100 - beyond))
    }
    let (usual, worse) = (try cell("**a bound**, as an app gets it"), try cell("the same, on a phone worse"))
    let words = readme.split { $0.isWhitespace }.joined(separator: " ")
    for text in [
      "within 500 m for \(usual.within) % of that time (\(worse.within) % if the phone is worse",
      "a bound of 500 m uses \(usual.battery) % of the battery per hour",
    ] {
      #expect(words.contains(text), "\(text)")
    }
    #expect(advice.contains("the app uses \(usual.battery) % of the battery per hour"))
  }

  /// The README, the page about the diagrams, and all articles. If a folder of articles can't be listed, the name of a missing file makes
  /// the tests fail.
  nonisolated static let pages: [String] =
    ["README.md", "Sources/LocoMachine/README.md", "StateDiagrams/README.md"]
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

  @Test("An article's test passes with other seeds", arguments: 11...(isLong ? 1_000 : 40) as ClosedRange<UInt64>)
  func seeds(seed: UInt64) throws { try knowsWhereACommuterIs(seed: seed) }

  @Test("The README's console blocks have exactly two commands: one runs the demo, the other the tests")
  func commands() throws {
    let shown = Self.blocks("console", in: try Repository.text("README.md")).flatMap { Self.lines($0) }
      .filter { $0.hasPrefix("$ ") }
    #expect(shown == ["$ swift run LocoKitDemo", "$ swift test"])
  }

  @Test(
    "Without the permission, the app in SettingUpAnApp is off, and starts when the user grants it in the settings",
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
    if let later { device.authorization = later }
    let (spent, last) = (device.energy.gpsOn, app.manager.location)
    device.advance(by: .seconds(600))
    #expect(app.manager.state.mode == .off && device.energy.gpsOn == spent)
    #expect(recorder.calls.contains("didPromptAccess") == (answer == .ignore), "only the requested prompt is shown")
    device.authorization = .whenInUse
    device.advance(by: .seconds(60))
    #expect(app.manager.location != nil && app.manager.location != last)
  }

  @Test("The app in SettingUpAnApp stays paused when the user grants the permission in the settings")
  func allowedWhilePaused() {
    var configuration = SimulatedProvider.Configuration()
    configuration.authorization = .denied
    let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
    let store = MemoryStore()
    store.isPaused = true
    let app = Locations(device, store)
    device.authorization = .always
    device.advance(by: .seconds(600))
    #expect(app.manager.state == .paused && device.energy.gpsOn == .zero)
  }

  @Test("The README has at most 140 lines, and its code at most 76 columns")
  func size() throws {
    let readme = try Repository.text("README.md")
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 141)
    for line in (Self.blocks("swift", in: readme) + Self.blocks("console", in: readme)).flatMap({
      $0.split(separator: "\n")
    }) {
      #expect(line.count <= 76, "\(line)")
    }
  }

  @Test("The engine's README shows code of its articles, which is compiled, and a counterexample that a test finds")
  func engine() throws {
    let page = try Repository.text("Sources/LocoMachine/README.md")
    let articles = try Self.pages.filter { $0.contains(".docc/") }.map(Repository.text).joined()
    var count = 0
    for block in Self.blocks("swift", in: page) where !block.hasPrefix("dependencies:") {
      count += 1
      // The last line of the counterexample is a call and its result.
      let shown =
        block.hasPrefix("//") ? block.split(separator: "\n")[1].replacing("  // ", with: " == ") : "\(block)\n```"
      #expect(articles.contains(shown), "\(block)")
    }
    #expect(count == 3)
  }

  @Test("The listener in UsingAManager adds itself to a manager")
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

  /// The words of each module's sources, and "declaration of …" for each declared name.
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
    "Each part of a symbol link in an article or a comment is declared in the same module",
    arguments: try pages + ExamplesTests.sources.get().map(\.path))
  func symbols(file: String) throws {
    let module = file.split(separator: "/").dropFirst().first.map(String.init)
    let declared = try module.flatMap { try Self.words.get()[$0] } ?? []
    for name in Set(try Repository.text(file).matches(of: /[^`]``([A-Za-z][^`\n]*)``/).map({ String($0.1) })) {
      for part in name.split(separator: "/") {
        // DocC's suffix of an overload.
        let part = part.replacing(/-[0-9a-z]+$/, with: "")
        let base = part.prefix { $0 != "(" }
        let labels = part.dropFirst(base.count + 1).dropLast().split(separator: ":").filter { $0 != "_" }
        let isDeclared = declared.contains("declaration of \(base)")
        #expect(isDeclared && labels.allSatisfy { declared.contains("\($0)") }, "\(name)")
      }
    }
  }

  @Test("The journal in KeepingAJournal is replayed without a difference, and with another bound")
  func journal() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = SimulatedProvider.Configuration()
    configuration.wakeSources = Sources.awake.kinds
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

  @Test("The loop in UsingAManager applies its distance filter, and the trip measures the distance")
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
    let help = try ["DriveOptions", "ReceiverOptions"].map { try Repository.text("Sources/LocoKitDemo/\($0).swift") }
      .joined()
    for word in try Repository.text("README.md").split(whereSeparator: { !($0.isLetter || $0 == "-") })
    where word.hasPrefix("--") && word.dropFirst(2).first?.isLetter == true && word != "--help" {
      #expect(help.contains("\"\(word)\""), "\(word)")
    }
  }
}
