import Foundation
import Testing

@testable import TestSupport

/// `.ci/build` enforces the dependencies between targets. These tests enforce the rules for files within a target.
@Suite("The architecture")
struct ArchitectureTests {
  /// The names of the folders with pure code: machines, cores and their parts, planners and meters.
  private static let pureFolders: Set<Substring> = ["StateMachine", "LocoMachineGraphs", "Location", "Looking", "Core"]

  private struct File: Sendable {
    let folder: String
    let name: String
    let code: String

    var imports: Set<String> {
      Set(code.matches(of: #/(?:^|\n) *(?:@\S+ )*(?:public |package )?import (\w+)/#).map { String($0.1) })
    }
  }

  private static let files = Result {
    try ExamplesTests.sources.get().map { source in
      let parts = source.path.split(separator: "/").dropFirst()
      return File(
        folder: parts.dropLast().joined(separator: "/"), name: String(parts.last ?? ""), code: code(in: source.text))
    }
  }

  /// Returns a source without its comments and texts.
  private static func code(in text: String) -> String {
    text.split(separator: "\n")
      .map { $0.replacing(/\/\/.*/, with: "").replacing(/"[^"]*"/, with: "") }.joined(separator: "\n")
  }

  @Test("A declaration in several branches of an #if has the same access in each")
  func access() throws {
    var compared = 0
    for file in try Self.files.get() {
      // For each open #if: the number of the current branch, and the access and the branch of each declaration.
      var open: [(branch: Int, accesses: [String: (access: String, branch: Int)])] = []
      for line in file.code.split(separator: "\n") {
        let text = line.drop { $0 == " " }
        if text.hasPrefix("#if") { open.append((0, [:])) }
        if text.hasPrefix("#endif") { open.removeLast() }
        if text.hasPrefix("#else"), !open.isEmpty { open[open.count - 1].branch += 1 }
        guard let (branch, accesses) = open.last,
          let match = line.firstMatch(of: /^( *)((?:public |package |private )?)((?:static )?(?:var|func|let) \w+.*)/)
        else { continue }
        let (access, declaration) = (String(match.2), String(match.1 + match.3))
        open[open.count - 1].accesses[declaration] = (access, branch)
        guard let other = accesses[declaration], other.branch != branch else { continue }
        compared += 1
        #expect(access == other.access, "\(file.name): \(declaration)")
      }
    }
    #expect(compared > 0)
  }

  @Test("State machines, tables and graphs import nothing but LocoMachine")
  func machines() throws {
    let files = try Self.files.get().filter {
      ["LocoMachine/StateMachine", "LocoMachineGraphs"].contains($0.folder)
        || $0.name.contains(/Machine(\+\w+)?\.swift$/)
    }
    #expect(files.count > 10)
    for file in files { #expect(file.imports.isSubset(of: ["LocoMachine"]), "\(file.name)") }
  }

  @Test("Pure code imports only three modules, and uses no clock, unseeded random number, task, queue or file")
  func pure() throws {
    let files = try Self.files.get().filter { file in
      file.name.hasSuffix("Core.swift") || Self.pureFolders.contains { $0 == file.folder.split(separator: "/").last }
    }
    #expect(files.count > 70)
    for file in files {
      #expect(file.imports.isSubset(of: ["LocoFoundation", "LocoMachine", "LocoKit"]), "\(file.name)")
      for impure in ["Date()", "ContinuousClock", ".random(in: 0", "Task {", "DispatchQueue", "FileManager"] {
        #expect(!file.code.contains(impure), "\(file.name) has \(impure)")
      }
    }
  }

  @Test("The engine doesn't import Foundation")
  func engine() throws {
    let files = try Self.files.get().filter { $0.folder.hasPrefix("LocoMachine") }
    #expect(files.count > 15)
    for file in files { #expect(file.imports.allSatisfy { !$0.contains("Foundation") }, "\(file.name)") }
  }

  @Test("Only two libraries and the file for Core Motion import all of Foundation, which adds 46 MB to a program")
  func foundation() throws {
    let files = try Self.files.get()
    for file in files where !file.folder.hasPrefix("LocoKitSimulation") && !file.folder.hasPrefix("LocoKitFormatting") {
      // Core Motion's file needs OperationQueue. LocoFoundation imports Foundation if FoundationEssentials is missing.
      if file.code.hasPrefix("#if canImport(CoreMotion)") || file.name == "LocoFoundation.swift" { continue }
      #expect(!file.imports.contains("Foundation"), "\(file.name)")
    }
  }

  @Test("Only one file decodes JSON from outside the program, because some text would stop Foundation's decoder")
  func foreignJSON() throws {
    let use = #/\.decode\([^()]*, from: |JSONSerialization/#
    #expect("try JSONDecoder().decode(Place.self, from: data)".contains(use))
    for file in try Self.files.get() where file.name != "JSONDecoder+Foreign.swift" {
      #expect(!file.code.contains(use), "\(file.name)")
    }
  }

  @Test("The targets that a release build compiles have no @testable import")
  func release() throws {
    for folder in ["Tests/TestSupport", "Tests/StoreWriter", "Tests/ShownCode"] {
      let names = try FileManager.default.subpathsOfDirectory(atPath: Repository.root.appending(path: folder).path)
      for name in names where name.hasSuffix(".swift") {
        #expect(try !Repository.text("\(folder)/\(name)").contains("@testable import"), "\(folder)/\(name)")
      }
    }
  }

  @Test("The command reads each property that one of its options sets")
  func options() throws {
    let folder = Repository.root.appending(path: "Sources/LocoKitDemo")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    let code = try paths.map { try Self.code(in: Repository.text("Sources/LocoKitDemo/\($0)")) }.joined(separator: "\n")
    let names = Set(code.matches(of: /Option\(\s*(?:each: )?\\\.(\w+),/).map(\.1))
    #expect(names.count > 20)
    // A use is neither the property's declaration nor an option's key path, nor the label of an argument.
    let uses = code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.filter { word in
      let before = code[..<word.startIndex]
      return !before.hasSuffix("var ") && !before.hasSuffix("\\.") && !code[word.endIndex...].hasPrefix(": ")
    }
    let unused = names.subtracting(uses)
    #expect(unused.isEmpty)
  }

  @Test("Each type that isn't private is in a file of its name, so that a file's name says where a type is")
  func fileNames() throws {
    /// Types that share a file, because whoever changes one must change the others.
    let together: [Substring: Set<Substring>] = ["WakeEvent.swift": ["WakeEventSource", "WakeKind"]]
    let declaration = /(?:@\S+ )*(?:(?:public|package|final|indirect) )*(?:struct|class|enum|actor|protocol) (\w+)/
    let folder = Repository.root.appending(path: "Sources")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    var count = 0
    for path in paths where path.hasSuffix(".swift") && !path.contains(".docc/") {
      var (names, depth): (Set<Substring>, Int) = ([], 0)
      for line in try Self.code(in: Repository.text("Sources/\(path)")).split(separator: "\n") {
        if line.hasPrefix("#if") { depth += 1 }
        if line.hasPrefix("#endif") { depth -= 1 }
        // The lines in an #if are indented.
        let text = line.drop { $0 == " " }
        guard line.count - text.count == 2 * depth, let match = text.prefixMatch(of: declaration) else { continue }
        names.insert(match.1)
      }
      let file = path.split(separator: "/").last ?? ""
      count += names.count
      names.subtract([file.split { $0 == "+" || $0 == "." }[0]])
      #expect(names == together[file, default: []], "\(path)")
    }
    #expect(count > 250)
  }

  @Test("Seeded draws don't depend on the width of Int")
  func draws() throws {
    for file in try Self.files.get() {
      for draw in ["Int.random(", "randomElement(", "shuffled(using", "shuffle(using"] {
        #expect(!file.code.contains(draw), "\(file.name) has \(draw)")
      }
    }
  }
}
