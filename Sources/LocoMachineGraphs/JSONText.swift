/// JSON as text, for pages and for Embedded Swift, where Foundation's encoder doesn't exist.
enum JSONText {
  /// Returns an object. The values are JSON.
  static func object(_ members: [(name: String, value: String)]) -> String {
    "{" + members.map { quoted($0.name) + ":" + $0.value }.joined(separator: ",") + "}"
  }

  /// Returns an array. The elements are JSON.
  static func list(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

  /// Returns a string that can't end an HTML element; `null` for `nil`.
  static func quoted(_ text: String?) -> String {
    guard let text else { return "null" }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "<": quoted += "\\u003c"
      case _ where scalar.value < 32:
        quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
