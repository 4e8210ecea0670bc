import Foundation
import Testing

@MainActor
@Suite("The house")
struct HouseTests {
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
}
