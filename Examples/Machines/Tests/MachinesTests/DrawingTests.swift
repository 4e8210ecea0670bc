import Foundation
import Testing

@testable import Machines

@Suite("The drawings")
struct DrawingTests {
  @Test("Each .dot file matches its machine", arguments: Main.drawings.map(\.name))
  func current(name: String) throws {
    let drawing = try #require(Main.drawings.first { $0.name == name })
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Drawings")
    let file = try String(contentsOf: folder.appendingPathComponent("\(name).dot"), encoding: .utf8)
    #expect(file == drawing.dot, "The machine has changed: see \"The drawings\" in README.md.")
  }
}
