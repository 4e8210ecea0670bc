import Foundation
import Testing

@MainActor
@Suite("The architecture")
struct HouseTests {
  /// The folders that each folder may use, besides itself. Each feature has a folder. Only the layers above the manager use the manager.
  static let arrows: [String: Set<String>] = [
    "StateMachine": [],
    "Running": ["StateMachine"],
    "Location": ["StateMachine"],
    "Store": ["StateMachine", "Running", "Location"],
    "Providers": ["StateMachine", "Running", "Location", "Store"],
    "Providers/CoreLocation": ["StateMachine", "Running", "Location", "Store", "Providers"],
    "Providers/GPSD": ["StateMachine", "Running", "Location", "Store", "Providers"],
    "Providers/Simulated": ["StateMachine", "Running", "Location", "Store", "Providers"],
    "Looking": ["StateMachine", "Location", "Providers"],
    "Manager": ["StateMachine", "Running", "Location", "Store", "Providers", "Looking"],
    "Trips": ["StateMachine", "Running", "Location", "Store", "Providers", "Manager"],
    "Power": ["StateMachine", "Running", "Location", "Providers", "Manager"],
    "Journal": ["StateMachine", "Running", "Location", "Store", "Providers", "Looking", "Manager"],
  ]

  /// Additional folders that single files may use.
  static let exceptions: [String: Set<String>] = [
    // The shared manager uses Core Location.
    "LocationManager+Shared.swift": ["Providers/CoreLocation"]
  ]

  /// The names of files with pure code: machines, cores and their parts, planners and meters.
  nonisolated(unsafe) private static let pureName =
    /^(\w*(Machine|Core|Planner|Phase|Watch|Hardware|Demand|Meter|Policy|BackOff|Epoch|MovementCheck)|Services)(\+\w+)?\.swift$/
  nonisolated private static let pureFolders: Set<String> = ["StateMachine", "Location", "Looking"]

  /// The modules that pure code may import: Foundation for dates, and each platform's C library for mathematics.
  private static let pureImports: Set<String> = [
    "Foundation", "Darwin", "Glibc", "Musl", "Android", "WASILibc", "ucrt",
  ]

  private struct File {
    let folder: String
    let name: String
    let code: String
    /// Names of types, of global functions, and of members added to types of other modules.
    let declared: Set<Substring>
    let words: Set<Substring>

    var isPure: Bool { HouseTests.pureFolders.contains(folder) || name.contains(HouseTests.pureName) }
  }

  private static let all = Result { try read() }

  private static func files() throws -> [File] { try all.get() }

  private static func read() throws -> [File] {
    let sources = ReadmeTests.root.appending(path: "Sources/LocoKit")
    let enumerator = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    return try (enumerator?.allObjects ?? []).compactMap { $0 as? URL }.filter {
      // The tutorial's code belongs to a client.
      $0.pathExtension == "swift" && !$0.pathComponents.contains("LocoKit.docc")
    }.map { url in
      let code = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        .map { $0.replacing(/\/\/.*/, with: "").replacing(/"[^"]*"/, with: "") }.joined(separator: "\n")
      // Uses the last folder named LocoKit, since the clone's folder may have that name too.
      let folders = url.pathComponents.dropLast().reversed().prefix { $0 != "LocoKit" }.reversed()
      return File(
        folder: folders.joined(separator: "/"), name: url.lastPathComponent, code: code,
        declared: types(in: code).union(helpers(in: code)),
        words: Set(
          code.replacing(/\b[A-Z]\w+\.(?=[A-Z])/, with: "").matches(of: /\b[A-Za-z]\w+/).map { Substring(String($0.0)) }
        )
        .subtracting(namespaces(in: code)))
    }
  }

  private static func types(in code: String) -> Set<Substring> {
    // Declarations inside `#if` are indented.
    let indent = code.hasPrefix("#if") ? "  " : ""
    let declarations = code.matches(
      of: /(?:^|\n)( *)(?:public |package )?(?:final )?(?:struct|class|enum|protocol|typealias) (\w+)/)
    // A nested type, such as `LocationManager.LookCause`, belongs to the folder that declares it.
    let indents = namespaces(in: code).isEmpty ? [indent] : [indent, indent + "  "]
    return Set(declarations.filter { indents.contains(String($0.1)) }.map { Substring(String($0.2)) })
      .subtracting(commonNames)
  }

  /// Names that several types have for a nested type.
  private static let commonNames: Set<Substring> = [
    "State", "Configuration", "Source", "Description", "Region", "Policy", "Verdict",
  ]

  /// Returns the types that this file extends with nested types.
  private static func namespaces(in code: String) -> Set<Substring> {
    Set(
      code.matches(
        of: #/(?:^|\n) *extension (\w+) \{\n\s*(?:@\w+\s+)*public (?:final )?(?:struct|class|enum|protocol) /#
      )
      .map { Substring(String($0.1)) })
  }

  /// Returns the global functions, and the members added to types of the standard library and Foundation.
  private static func helpers(in code: String) -> Set<Substring> {
    var names = Set(code.matches(of: /(?:^|\n)func (\w+)/).map { Substring(String($0.1)) })
    let foreign =
      /(?:^|\n)extension (Duration|String|Array|Optional|Result|Double|Data|URL|Set)\b[^\n]*\{\n((?:  [^\n]*\n|\n)*)/
    for block in code.matches(of: foreign) {
      for member in block.2.matches(of: /(?:^|\n)  (?:static |mutating )*(?:let|var|func) (\w+)/) {
        names.insert(Substring(String(member.1)))
      }
    }
    return names
  }

  @Test("The engine and the machines import nothing")
  func machines() throws {
    let files = try Self.files().filter { $0.folder == "StateMachine" || $0.name.contains(/Machine(\+\w+)?\.swift$/) }
    #expect(files.count > 10)
    for file in files {
      #expect(file.code.firstMatch(of: #/(?:^|\n) *(?:@\S+ )*(?:public |package )?import /#) == nil, "\(file.name)")
    }
  }

  @Test("Pure code imports only Foundation and the C library, and reads no clock")
  func pure() throws {
    let files = try Self.files().filter(\.isPure)
    #expect(files.count > 30)
    for file in files {
      let imports = Set(
        file.code.matches(of: /(?:^|\n) *(?:@\S+ )*(?:public |package )?import (\w+)/).map { String($0.1) })
      #expect(imports.isSubset(of: Self.pureImports), "\(file.name) imports \(imports)")
      for impure in ["Date()", "ContinuousClock", ".random(in: 0", "Task {", "DispatchQueue", "FileManager"] {
        #expect(!file.code.contains(impure), "\(file.name) has \(impure)")
      }
    }
  }

  @Test("Seeded draws don't depend on the width of Int")
  func draws() throws {
    for file in try Self.files() {
      for draw in ["Int.random(", "randomElement(", "shuffled(using", "shuffle(using"] {
        #expect(!file.code.contains(draw), "\(file.name) has \(draw)")
      }
    }
  }

  @Test("A file that needs POSIX is conditional as a whole")
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

  @Test("Each file uses only its own folder and the folders below it")
  func arrowsPointOneWay() throws {
    let files = try Self.files()
    #expect(Set(files.map(\.folder)) == Set(Self.arrows.keys))
    var owners: [Substring: Set<String>] = [:]
    for file in files {
      for name in file.declared { owners[name, default: []].insert(file.folder) }
    }
    var wrong: Set<String> = []
    for file in files {
      let allowed = (Self.arrows[file.folder] ?? []).union([file.folder]).union(Self.exceptions[file.name] ?? [])
      for word in file.words {
        // A name declared in several folders belongs to all of them.
        if let folders = owners[word], folders.isDisjoint(with: allowed) {
          wrong.insert("\(file.folder)/\(file.name) uses \(folders.sorted().joined(separator: ", ")): \(word)")
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.sorted().joined(separator: "\n"))")
  }
}
