package import LocoFoundation

/// The files of a journal in a folder.
package enum JournalFiles {
  static let last = 999_999_999

  static func name(_ number: Int) -> String {
    "journal-" + String(repeating: "0", count: max(0, 6 - "\(number)".count)) + "\(number).jsonl"
  }

  /// Returns the number in a file name; `nil` for other names.
  package static func number(of name: String) -> Int? {
    guard name.hasPrefix("journal-"), name.hasSuffix(".jsonl"),
      let number = Int(name.dropFirst("journal-".count).dropLast(".jsonl".count)), (1...last).contains(number)
    else { return nil }
    return number
  }

  package static func listed(in folder: URL) throws -> [(url: URL, number: Int)] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).compactMap { name in
      number(of: name).map { (folder.appending(path: name), $0) }
    }.sorted { $0.number < $1.number }
  }

  /// Returns the file of the secret of a journal, which is its folder or a file in it. The secret is beside the folder, because a shared
  /// folder must not contain it.
  package static func secret(of journal: URL) -> URL {
    let journal = journal.standardizedFileURL
    let folder = number(of: journal.lastPathComponent) == nil ? journal : journal.deletingLastPathComponent()
    return folder.deletingLastPathComponent().appending(path: folder.lastPathComponent + ".secret")
  }
}
