import Foundation
import Testing

@testable import TestSupport

/// Tests that documentation comments have examples. The files in `Shown` compile the examples, and run most of them.
@Suite("Examples")
struct ExamplesTests {
  /// A public declaration and the examples in its documentation comment.
  struct Symbol: Sendable {
    /// The names of the enclosing types and the declaration's own name: `LocationManager/acquire`.
    let path: String
    let isStatic: Bool
    let examples: [String]
  }

  /// The sources of the package's libraries, with their paths relative to the package.
  static let sources = Result {
    try Repository.modules.flatMap { module in
      let folder = Repository.root.appending(path: "Sources/\(module)")
      let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
      return try names.filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }.map {
        (path: "Sources/\(module)/\($0)", text: try Repository.text("Sources/\(module)/\($0)"))
      }
    }
  }

  /// Returns the Swift code blocks in a source's documentation comments.
  static func examples(in source: String) -> [String] {
    let comments = source.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.drop { $0 == " " } }.map { $0.hasPrefix("///") ? $0.dropFirst(3).drop { $0 == " " } : "" }
    return ReadmeTests.blocks("swift", in: "\n" + comments.joined(separator: "\n"))
  }

  /// Returns the declarations in a source that are marked public, except subscripts. A declaration belongs to the nearest preceding type
  /// with less indentation.
  static func symbols(in source: String) -> [Symbol] {
    let types: Set<Substring> = ["struct", "class", "enum", "protocol", "extension"]
    let keywords = types.union(["typealias", "func", "var", "let", "init"])
    var scopes: [(indent: Int, name: String)] = []
    var comment: [Substring] = []
    var symbols: [Symbol] = []
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      let text = line.drop { $0 == " " }
      let indent = line.count - text.count
      if text.hasPrefix("///") {
        comment.append(text)
        continue
      }
      if text.hasPrefix("}") { scopes.removeAll { $0.indent >= indent } }
      // An attribute may follow the comment and precede the declaration.
      let code = !text.hasPrefix("@") ? text : text.replacing(/^(?:@\w+(?:\([^)]*\))? *)+/, with: "")
      if code.isEmpty, text.hasPrefix("@") { continue }
      defer { comment = [] }
      let words = code.split { !($0.isLetter || $0.isNumber || $0 == "." || $0 == "_") }
      let modifiers = words.prefix { !keywords.contains($0) }
      guard let keyword = words.dropFirst(modifiers.count).first else { continue }
      let name = keyword == "init" ? keyword : words.dropFirst(modifiers.count + 1).first ?? ""
      scopes.removeAll { $0.indent >= indent }
      let path = (scopes.map(\.name) + [String(name)]).joined(separator: "/")
      if types.contains(keyword) { scopes.append((indent, String(name.replacing(".", with: "/")))) }
      guard modifiers.contains("public") || modifiers.contains("open"), keyword != "extension" else { continue }
      let examples = examples(in: comment.joined(separator: "\n"))
      symbols.append(Symbol(path: path, isStatic: modifiers.contains("static"), examples: examples))
    }
    return symbols
  }

  /// The libraries' public declarations.
  static let symbols = Result { try sources.get().flatMap { symbols(in: $0.text) } }

  /// Returns the symbols listed on the first pages of the products' documentation, without parameter labels.
  static func listed() throws -> [String] {
    try Repository.products.flatMap { product in
      try Repository.text("Sources/\(product)/\(product).docc/\(product).md").matches(of: /\n- ``([^`(]+)[^`]*``/)
        .map { String($0.1) }
    }
  }

  @Test("Each symbol on a product's first page has an example", arguments: try listed())
  func firstLayer(_ path: String) throws {
    let declarations = try Self.symbols.get().filter { $0.path == path }
    #expect(!declarations.isEmpty, "\(path) is declared nowhere")
    #expect(declarations.allSatisfy { !$0.examples.isEmpty }, "\(path) has no example in its comment")
  }

  @Test("Each member of LocationManager except constants has an example, or appears in a related symbol's example")
  func members() throws {
    let elsewhere = ["init": "LocationManager", "listeners": "LocationManager", "resume": "LocationManager/pause"]
    let symbols = try Self.symbols.get()
    let members = symbols.filter { $0.path.matches(of: /^LocationManager\/\w+$/).count == 1 }
    // The instance members and `shared`. The other static members are constants.
    let called = members.filter { !$0.isStatic || $0.path.hasSuffix("/shared") }
    #expect(called.count > 20)
    for member in called {
      let name = String(member.path.dropFirst("LocationManager/".count))
      guard let other = elsewhere[name] else {
        #expect(!member.examples.isEmpty, "\(member.path) has no example in its comment")
        continue
      }
      let examples = symbols.filter { $0.path == other }.flatMap(\.examples)
      let use = name == "init" ? "LocationManager(" : ".\(name)"
      #expect(examples.contains { $0.contains(use) }, "\(other) does not show \(name)")
    }
  }

  @Test("The parser finds public declarations, their enclosing types and their examples")
  func found() throws {
    let symbols = Self.symbols(
      in: """
        /// A type.
        ///
        /// ```swift
        /// let shelf = Shelf()
        /// ```
        @available(macOS 14, *)
        @MainActor public final class Shelf {
          /// Has none.
          public enum Kind: String { case wide }
          let hidden = 1
          /// ```swift
          /// shelf.tidy()
          /// ```
          public func tidy() {
            let local = 2
          }
        }

        extension Shelf.Kind {
          #if os(Linux)
            /// Has none.
            public static let common = Shelf.Kind.wide
          #endif
        }
        """)
    #expect(symbols.map(\.path) == ["Shelf", "Shelf/Kind", "Shelf/tidy", "Shelf/Kind/common"])
    #expect(symbols.map(\.examples) == [["let shelf = Shelf()"], [], ["shelf.tidy()"], []])
    #expect(symbols.map(\.isStatic) == [false, false, false, true])
    let listed = try Self.listed()
    #expect(listed.count > 60 && listed.contains("LocationManager/errorBound"))
  }

  /// Returns the results stated in the trailing comments of a symbol's example.
  static func stated(by path: String) throws -> [String] {
    try symbols.get().filter { $0.path == path }.flatMap(\.examples).flatMap { ReadmeTests.lines($0) }
      .compactMap { $0.firstMatch(of: /\s\/\/ (.+)/).map { String($0.1) } }
  }
}

/// Collects the results of an example's expressions, as text in the format of the comments beside the expressions.
@resultBuilder
enum Results {
  static func buildExpression(_ nothing: Void) -> [String] { [] }
  static func buildExpression<Value>(_ value: Value) -> [String] { [describe(value)] }
  static func buildBlock(_ parts: [String]...) -> [String] { parts.flatMap { $0 } }
  static func buildArray(_ parts: [[String]]) -> [String] { parts.flatMap { $0 } }

  /// Returns a value as a Swift literal, without its type.
  private static func describe(_ value: Any) -> String {
    if let text = value as? String { return "\"\(text)\"" }
    // 50.0 is written as 50.
    if let number = value as? Double, let whole = Int(exactly: number) { return "\(whole)" }
    let mirror = Mirror(reflecting: value)
    let children = mirror.children.map { child in
      // Mirror's label of an unlabeled element of a tuple begins with a dot, such as `.0`.
      let label = child.label.flatMap { $0.hasPrefix(".") ? nil : "\($0): " } ?? ""
      return (label: label, text: describe(child.value))
    }
    switch mirror.displayStyle {
    case .optional: return children.first?.text ?? "nil"
    case .collection: return "[" + children.map(\.text).joined(separator: ", ") + "]"
    case .tuple: return children.map { $0.label + $0.text }.joined(separator: ", ")
    case .enum:
      guard let payload = mirror.children.first, let name = payload.label else { return ".\(value)" }
      let isTuple = Mirror(reflecting: payload.value).displayStyle == .tuple
      return ".\(name)(" + (isTuple ? describe(payload.value) : children[0].text) + ")"
    default: return "\(value)"
    }
  }
}
