import Foundation

/// The files of a journal in a folder.
enum JournalFiles {
  /// The greatest number of a file.
  static let last = 999_999_999

  static func name(_ number: Int) -> String {
    "journal-" + String(repeating: "0", count: max(0, 6 - "\(number)".count)) + "\(number).jsonl"
  }

  /// The number in a file's name; `nil` if it is not the name of a journal's file.
  static func number(of name: String) -> Int? {
    guard name.hasPrefix("journal-"), name.hasSuffix(".jsonl"),
      let number = Int(name.dropFirst("journal-".count).dropLast(".jsonl".count)), (1...last).contains(number)
    else { return nil }
    return number
  }

  /// The files of a folder by number; empty if the folder cannot be read.
  static func all(in folder: URL) -> [(url: URL, number: Int)] { (try? listed(in: folder)) ?? [] }

  static func listed(in folder: URL) throws -> [(url: URL, number: Int)] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).compactMap { name in
      number(of: name).map { (folder.appending(path: name), $0) }
    }.sorted { $0.number < $1.number }
  }

  /// The file of the secret: beside the folder, because a shared folder must not contain it.
  static func secret(of folder: URL) -> URL {
    let folder = folder.standardizedFileURL
    return folder.deletingLastPathComponent().appending(path: folder.lastPathComponent + ".secret")
  }
}
