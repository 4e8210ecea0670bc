import Foundation
import Testing

@MainActor
@Suite("The house")
struct HouseTests {
  /// The folders that each folder may use beside itself: one per feature, and nothing points back at the manager but what is over it.
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

  /// Single files that may use more.
  static let exceptions: [String: Set<String>] = [
    // The shared manager is the one over Core Location.
    "LocationManager+Shared.swift": ["Providers/CoreLocation"]
  ]

  /// The names of files whose code is pure: machines, cores with their parts, planners and meters.
  nonisolated(unsafe) private static let pureName =
    /^(\w*(Machine|Core|Planner|Phase|Watch|Hardware|Demand|Meter|Policy|BackOff|Epoch|MovementCheck)|Services)(\+\w+)?\.swift$/
  nonisolated private static let pureFolders: Set<String> = ["StateMachine", "Location", "Looking"]

  /// Foundation for its dates, and the C library of each platform for its mathematics.
  private static let pureImports: Set<String> = [
    "Foundation", "Darwin", "Glibc", "Musl", "Android", "WASILibc", "ucrt",
  ]

  private struct File {
    let folder: String
    let name: String
    let code: String
    /// Names of types, and of our functions and properties of others' types.
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
      // What the tutorial shows is a client's.
      $0.pathExtension == "swift" && !$0.pathComponents.contains("LocoKit.docc")
    }.map { url in
      let code = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        .map { $0.replacing(/\/\/.*/, with: "").replacing(/"[^"]*"/, with: "") }.joined(separator: "\n")
      // The last one: a clone may have this name too.
      let folders = url.pathComponents.dropLast().reversed().prefix { $0 != "LocoKit" }.reversed()
      return File(
        folder: folders.joined(separator: "/"), name: url.lastPathComponent, code: code,
        declared: types(in: code).union(helpers(in: code)),
        words: Set(code.matches(of: /\b[A-Za-z]\w+/).map { Substring(String($0.0)) }))
    }
  }

  private static func types(in code: String) -> Set<Substring> {
    // What stands under a condition for a platform is indented.
    let indent = code.hasPrefix("#if") ? "  " : ""
    return Set(
      code.matches(of: /(?:^|\n)( *)(?:public )?(?:final )?(?:struct|class|enum|protocol|typealias) (\w+)/)
        .filter { $0.1 == indent }.map { Substring(String($0.2)) })
  }

  /// Functions outside types, and what is added to types of the standard library and Foundation.
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

  @Test("has an engine and machines that import nothing")
  func machines() throws {
    let files = try Self.files().filter { $0.folder == "StateMachine" || $0.name.contains(/Machine(\+\w+)?\.swift$/) }
    #expect(files.count > 20)
    for file in files {
      #expect(file.code.firstMatch(of: #/(?:^|\n) *(?:public )?import /#) == nil, "\(file.name)")
    }
  }

  @Test("has pure code that imports nothing but Foundation for its dates and C for its mathematics, and reads no clock")
  func pure() throws {
    let files = try Self.files().filter(\.isPure)
    #expect(files.count > 50)
    for file in files {
      let imports = Set(file.code.matches(of: /(?:^|\n) *(?:public )?import (\w+)/).map { String($0.1) })
      #expect(imports.isSubset(of: Self.pureImports), "\(file.name) imports \(imports)")
      for impure in ["Date()", "ContinuousClock", ".random(in: 0", "Task {", "DispatchQueue", "FileManager"] {
        #expect(!file.code.contains(impure), "\(file.name) has \(impure)")
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

  @Test("has arrows that point one way: each file uses its own folder and those below it, and no other")
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
        // A name that several folders declare belongs to each of them.
        if let folders = owners[word], folders.isDisjoint(with: allowed) {
          wrong.insert("\(file.folder)/\(file.name) uses \(folders.sorted().joined(separator: ", ")): \(word)")
        }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.sorted().joined(separator: "\n"))")
  }
}
