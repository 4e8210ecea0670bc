package import LocoFoundation

/// The reason why the contents of a store can't be used.
package struct Unreadable: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }

  /// Creates the reason why contents in JSON can't be used: their version, or else a problem.
  package init(_ contents: Data, otherwise problem: String) {
    struct Contents: Decodable { let version: Int }
    let version = (try? JSONDecoder().decode(Contents.self, foreign: contents))?.version ?? Self.version
    self.init(version == Self.version ? problem : "its version is \(version), and this LocoKit reads version 1")
  }

  /// The version of each store's format.
  private static let version = 1
}
