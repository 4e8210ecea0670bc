import Foundation
import Testing

@MainActor
@Suite("The house")
struct HouseTests {
  /// Which folders each folder may know beside itself: those below it, and nothing points back at the manager but what is
  /// over it.
  static let arrows: [String: Set<String>] = [
    "StateMachine": [],
    "Machines": ["StateMachine"],
    "Judgement": [],
    "Core": ["StateMachine", "Machines", "Judgement"],
    "Store": ["Judgement"],
    "Providers": ["StateMachine", "Machines", "Judgement", "Core", "Store"],
    "Journal": ["StateMachine", "Machines", "Judgement", "Core", "Store", "Providers"],
    "Manager": ["StateMachine", "Machines", "Judgement", "Core", "Store", "Providers"],
    "Power": ["StateMachine", "Machines", "Judgement", "Core", "Providers", "Manager"],
  ]

  private struct File {
    let folder: String
    let name: String
    let words: Set<Substring>
    let declared: Set<Substring>
  }

  private static func files() throws -> [File] {
    let sources = ReadmeTests.root.appending(path: "Sources/LocoKit")
    let enumerator = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    return try (enumerator?.allObjects ?? []).compactMap { $0 as? URL }.filter {
      // What the tutorial shows is a client's.
      $0.pathExtension == "swift" && !$0.pathComponents.contains("LocoKit.docc")
    }.map { url in
      let code = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        .map { $0.replacing(/\/\/.*/, with: "").replacing(/"[^"]*"/, with: "") }.joined(separator: "\n")
      // What stands under a condition for a platform is indented.
      let indent = code.hasPrefix("#if") ? "  " : ""
      // The last one: a clone may have this name too.
      let folder = url.pathComponents.reversed().prefix { $0 != "LocoKit" }.last ?? ""
      let declared = code.matches(
        of: /(?:^|\n)( *)(?:public )?(?:final )?(?:struct|class|enum|protocol|typealias) (\w+)/
      ).filter { $0.1 == indent }.map { $0.2 }
      return File(
        folder: folder, name: url.lastPathComponent,
        words: Set(code.matches(of: /\b[A-Z]\w+/).map { $0.0 }.map { Substring(String($0)) }),
        declared: Set(declared.map { Substring(String($0)) }))
    }
  }

  @Test("has pure folders that import nothing")
  func pureFolders() throws {
    for folder in ["StateMachine", "Machines"] {
      let files = try FileManager.default.contentsOfDirectory(
        at: ReadmeTests.root.appending(path: "Sources/LocoKit/\(folder)"), includingPropertiesForKeys: nil)
      #expect(!files.isEmpty)
      for file in files {
        let imports = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter {
          $0.split(separator: " ").contains("import") && !$0.hasPrefix("///")
        }
        #expect(imports.isEmpty, "\(file.lastPathComponent)")
      }
    }
  }

  @Test("has a core and judgements that import nothing but Foundation, for its dates")
  func core() throws {
    for folder in ["Core", "Judgement"] {
      for file in try FileManager.default.contentsOfDirectory(
        at: ReadmeTests.root.appending(path: "Sources/LocoKit/\(folder)"), includingPropertiesForKeys: nil)
      {
        let code = try String(contentsOf: file, encoding: .utf8)
        let imports = Set(code.matches(of: /\nimport (\w+)|^(?:public )?import (\w+)/).compactMap { $0.1 ?? $0.2 })
        #expect(imports.isSubset(of: ["Foundation"]), "\(file.lastPathComponent) imports \(imports)")
        for clock in ["Date()", "ContinuousClock", ".random(", "Task", "DispatchQueue"] {
          #expect(!code.contains(clock), "\(file.lastPathComponent) has \(clock)")
        }
      }
    }
  }

  @Test("has what needs POSIX under a condition, as a whole file")
  func guarded() throws {
    let sources = ReadmeTests.root.appending(path: "Sources/LocoKit")
    let needs =
      /\b(errno|flock|fsync|ftruncate|unlink|geteuid|usleep|O_RDONLY|O_WRONLY|getsockopt|LastLocationStore\()\b/
    var found = 0
    for case let url as URL in FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil) ?? .init()
    where url.pathExtension == "swift" && !url.path.contains(".docc/") {
      let text = try String(contentsOf: url, encoding: .utf8)
      guard text.replacing(/\/\/.*/, with: "").contains(needs) else { continue }
      found += 1
      #expect(text.hasPrefix("#if "), "\(url.lastPathComponent)")
    }
    #expect(found > 3)
  }

  @Test("has arrows that point one way: each folder knows those below it, and no other")
  func arrowsPointOneWay() throws {
    let files = try Self.files()
    #expect(Set(files.map(\.folder)) == Set(Self.arrows.keys))
    var owner: [Substring: String] = [:]
    for file in files {
      for name in file.declared { owner[name] = file.folder }
    }
    var wrong: Set<String> = []
    for file in files {
      let allowed = (Self.arrows[file.folder] ?? []).union([file.folder])
      for word in file.words {
        if let folder = owner[word], !allowed.contains(folder) {
          wrong.insert("\(file.folder)/\(file.name) knows \(folder)/\(word)")
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.sorted().joined(separator: "\n"))")
  }
}
