import Foundation
import Testing

@testable import LocoKit
@testable import TestSupport

/// Compares the table of defaults with the code. `RECORD=1 swift test --filter Defaults` writes the table.
@Suite("The defaults in the articles")
struct DefaultsTests {
  /// The values of a policy, by property. The values of nested values follow.
  private static func values(_ policy: Any) -> [(name: String, text: String)] {
    Mirror(reflecting: policy).children.flatMap { child -> [(String, String)] in
      guard let name = child.label else { return [] }
      switch child.value {
      case let time as Duration: return [(name, "\(time.inSeconds.formatted(.number.grouping(.never))) s")]
      case let metres as Double: return [(name, "\(metres.formatted(.number.grouping(.never))) m")]
      case let flag as Bool: return [(name, flag ? "yes" : "no")]
      case let count as Int: return [(name, "\(count)")]
      case let optional where Mirror(reflecting: optional).displayStyle == .optional: return [(name, "none")]
      default: return values(child.value).map { ("\(name).\($0.name)", $0.text) }
      }
    }
  }

  private static var table: String {
    let (loco, standalone) = (values(AcquisitionPolicy.loco), values(AcquisitionPolicy.standaloneReceiver))
    var rows = zip(loco, standalone).map { "| `AcquisitionPolicy.\($0.name)` | \($0.text) | \($1.text) |" }
    rows += values(TrackingPolicy()).map { "| `TrackingPolicy.\($0.name)` | \($0.text) | \($0.text) |" }
    rows.append(
      "| `LocationManager.promptTimeLimit` | \(LocationMachine.promptTimeLimit.inSeconds.formatted()) s | the same |")
    return "| default | a phone | a receiver without assistance data |\n|---|---|---|\n" + rows.joined(separator: "\n")
  }

  @Test("The article lists the defaults as they are")
  func article() throws {
    let file = Repository.root.appending(path: "Sources/LocoKit/LocoKit.docc/UsingAManager.md")
    let recorded = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(recorded.range(of: "| default | a phone |")).lowerBound
    let end = try #require(recorded[start...].range(of: "\n\n")).lowerBound
    var article = recorded
    article.replaceSubrange(start..<end, with: Self.table)
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try article.write(to: file, atomically: true, encoding: .utf8)
    } else {
      let isSame = recorded == article
      #expect(isSame, "A default has changed; run RECORD=1 swift test --filter Defaults")
    }
  }
}
