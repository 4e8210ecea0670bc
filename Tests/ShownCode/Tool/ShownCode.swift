import Foundation

/// Inserts the Swift code of the README, the articles and the documentation comments into test files.
///
/// A line of a test file names the code to insert: `// shown: FILE` or `// shown: FILE: LINE`. FILE is `README` or the name of a file in
/// `Sources`, without `.md`. LINE is the beginning of the block or, if no block begins with it, of any line in the block. Without LINE, all
/// of the file's blocks that no other line inserts are inserted. Each block except a manifest's must be inserted at least once. Compiler
/// errors name the line of the article or the comment.
///
/// usage: ShownCode FOLDER --templates FILE... --sources FILE...
@main
struct ShownCode {
  /// A block of Swift code in an article or a comment.
  struct Block {
    let file: String
    /// The number of the first line of code.
    let line: Int
    let lines: [Substring]
  }

  static func main() {
    let words = CommandLine.arguments.dropFirst()
    let parts = words.split { $0 == "--templates" || $0 == "--sources" }
    guard parts.count == 3, let folder = parts[0].first else {
      fail("usage: ShownCode FOLDER --templates FILE... --sources FILE...", status: 64)
    }
    let blocks = Dictionary(grouping: parts[2].flatMap { code(in: $0) }) { name(of: $0.file) }
    let templates = parts[1].map { Template(path: $0, lines: lines(of: $0)) }
    // The same code may be in several articles.
    var shown: Set<[Substring]> = []
    let named = templates.map { places(in: $0, blocks) }
    for place in named.joined() where place.start != nil { shown.insert(place.blocks[0].lines) }
    for (template, places) in zip(templates, named) {
      let name = URL(fileURLWithPath: template.path).lastPathComponent
      let file = URL(fileURLWithPath: folder).appendingPathComponent("Shown-\(name)")
      do { try Data(filled(template, places, &shown).utf8).write(to: file) } catch { fail("\(file.path): \(error)") }
    }
    for block in blocks.values.joined() where !shown.contains(block.lines) {
      fail("\(block.file):\(block.line): error: no test file in Shown shows this code")
    }
  }

  // MARK: - Code

  /// Returns the Swift blocks of an article, or of the documentation comments of a source.
  static func code(in path: String) -> [Block] {
    let isSource = path.hasSuffix(".swift")
    // The Swift files in a DocC catalog are the tutorial's code, and have no shown blocks.
    if isSource, path.contains(".docc/") { return [] }
    var (blocks, begun): ([Block], (line: Int, lines: [Substring])?) = ([], nil)
    for (index, whole) in lines(of: path).enumerated() {
      var line = whole
      if isSource {
        line = line.drop { $0 == " " }
        guard line.hasPrefix("///") else {
          if let begun { fail("\(path):\(begun.line): error: the end of this code is missing") }
          continue
        }
        line = line.dropFirst(line.hasPrefix("/// ") ? 4 : 3)
      }
      if line == "```swift" {
        begun = (index + 2, [])
      } else if line == "```" {
        // Manifests and their parts are left out: .ci/clients resolves the whole manifest.
        if let begun, !begun.lines.contains(where: { $0.contains("package: ") || $0.contains(".package(url: ") }) {
          blocks.append(Block(file: path, line: begun.line, lines: begun.lines))
        }
        begun = nil
      } else {
        begun?.lines.append(line)
      }
    }
    if let begun { fail("\(path):\(begun.line): error: the end of this code is missing") }
    return blocks
  }

  static func name(of path: String) -> String {
    let name = URL(fileURLWithPath: path).lastPathComponent
    return name.hasSuffix(".md") ? String(name.dropLast(3)) : name
  }

  // MARK: - Test files

  typealias Template = (path: String, lines: [Substring])

  /// A line that names code.
  struct Place {
    let path: String
    let index: Int
    let indent: Substring
    let file: String
    let start: String?
    /// The blocks that the line names.
    var blocks: [Block] = []

    var line: Int { index + 1 }
  }

  static func places(in template: Template, _ blocks: [String: [Block]]) -> [Place] {
    template.lines.enumerated().compactMap { index, line in
      let indent = line.prefix { $0 == " " }
      guard line.dropFirst(indent.count).hasPrefix("// shown: ") else { return nil }
      let name = line.dropFirst(indent.count + 10)
      let colon = name.firstRange(of: ": ")
      var place = Place(
        path: template.path, index: index, indent: indent, file: String(name[..<(colon?.lowerBound ?? name.endIndex)]),
        start: colon.map { String(name[$0.upperBound...]) })
      place.blocks = find(place, in: blocks)
      return place
    }
  }

  /// Returns the blocks that a line names.
  static func find(_ place: Place, in blocks: [String: [Block]]) -> [Block] {
    var found = blocks[place.file] ?? []
    if let start = place.start {
      let begins = found.filter { $0.lines.first?.hasPrefix(start) == true }
      let contains = found.filter { block in block.lines.contains { $0.drop { $0 == " " }.hasPrefix(start) } }
      found = begins.isEmpty ? contains : begins
      // The same code may be shown twice.
      if found.dropFirst().contains(where: { $0.lines != found[0].lines }) {
        fail("\(place.path):\(place.line): error: \(found.count) blocks of \(place.file) have such a line")
      }
    }
    if found.isEmpty { fail("\(place.path):\(place.line): error: \(place.file) has no such code") }
    return found
  }

  static func filled(_ template: Template, _ places: [Place], _ shown: inout Set<[Substring]>) -> String {
    let places = Dictionary(uniqueKeysWithValues: places.map { ($0.index, $0) })
    var lines = [location(template.path, 1)]
    for (index, line) in template.lines.enumerated() {
      guard let place = places[index] else {
        lines.append(String(line))
        continue
      }
      let inserted = place.start == nil ? place.blocks.filter { !shown.contains($0.lines) } : [place.blocks[0]]
      if inserted.isEmpty { fail("\(place.path):\(place.line): error: other lines show all code of \(place.file)") }
      for block in inserted {
        lines.append(location(block.file, block.line))
        lines += block.lines.map { $0.isEmpty ? "" : "\(place.indent)\($0)" }
      }
      shown.formUnion(inserted.map(\.lines))
      lines.append(location(template.path, index + 2))
    }
    return lines.joined(separator: "\n")
  }

  static func location(_ path: String, _ line: Int) -> String { "#sourceLocation(file: \"\(path)\", line: \(line))" }

  // MARK: - Files

  static func lines(of path: String) -> [Substring] {
    guard let data = FileManager.default.contents(atPath: path) else { fail("\(path): error: the file can't be read") }
    return String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
  }

  static func fail(_ message: String, status: Int32 = 1) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(status)
  }
}
