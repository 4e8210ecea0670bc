#if os(Linux) || os(macOS)
  /// A suggestion for a mistyped name.
  enum Suggestion {
    /// Returns the end of an error message: a suggestion, or `otherwise`.
    static func ending(for typed: String, in known: [String], otherwise: String = ".") -> String {
      let distances = known.map { ($0, distance(Array(typed), Array($0))) }
      guard let (name, distance) = distances.min(by: { $0.1 < $1.1 }), distance <= max(2, name.count / 3),
        distance * 2 <= name.drop(while: { $0 == "-" }).count
      else {
        return otherwise
      }
      return "; did you mean '\(name)'?"
    }

    /// Returns the Levenshtein distance, or `Int.max` if the first text has more than 100 characters.
    static func distance(_ first: [Character], _ second: [Character]) -> Int {
      guard first.count <= 100 else { return .max }
      var row = Array(0...second.count)
      for (above, letter) in first.enumerated() {
        var diagonal = row[0]
        row[0] = above + 1
        for (left, other) in second.enumerated() {
          let change = diagonal + (letter == other ? 0 : 1)
          diagonal = row[left + 1]
          row[left + 1] = min(change, row[left] + 1, row[left + 1] + 1)
        }
      }
      return row[second.count]
    }
  }
#endif
