/// A search for a shorter failing sequence, which tries one candidate at a time.
///
/// This is delta debugging: the search omits halves, then quarters, down to single elements. It repeats the round of single elements while
/// that shortens the sequence. At the end, no single element can be omitted, unless the tries ran out or the whole sequence didn't fail.
package struct Shrinking<Element> {
  /// The shortest failing sequence so far, or the whole sequence.
  package private(set) var shortest: [Element]
  /// The sequence to try next; `nil` at the end.
  package private(set) var candidate: [Element]?
  /// Whether the tries have shown that no single element can be omitted.
  package private(set) var isMinimal = false
  private let repaired: (ArraySlice<Element>) -> [Element]
  private var triesLeft: Int
  private var start = 0
  private var size: Int
  /// The length of `shortest` at the start of this round; `nil` during the first try, which is the whole sequence.
  private var lengthBefore: Int?

  /// - Parameters:
  ///   - sequence: The sequence, which is the first candidate. If it doesn't fail, it remains the shortest.
  ///   - maximumTries: The greatest number of candidates, 1 or more.
  ///   - repaired: Returns the elements that remain after an omission, without those that can no longer occur.
  package init(
    _ sequence: [Element], maximumTries: Int, repaired: @escaping (ArraySlice<Element>) -> [Element] = { Array($0) }
  ) {
    precondition(maximumTries >= 1, "The maximum number of tries must be 1 or more.")
    (shortest, candidate) = (sequence, sequence)
    self.repaired = repaired
    triesLeft = maximumTries - 1
    size = max(1, sequence.count / 2)
  }

  /// Handles the candidate's result, and chooses the next candidate.
  package mutating func conclude(fails: Bool) {
    guard let candidate else { return }
    self.candidate = nil
    if lengthBefore == nil {
      guard fails else { return }
    } else if fails {
      shortest = candidate
    } else {
      start += size
    }
    if lengthBefore == nil || start >= shortest.count {
      if size == 1, shortest.count == lengthBefore { return isMinimal = true }
      if lengthBefore != nil { size = max(1, size / 2) }
      (lengthBefore, start) = (shortest.count, 0)
    }
    guard !shortest.isEmpty else { return isMinimal = true }
    guard triesLeft > 0 else { return }
    triesLeft -= 1
    self.candidate = repaired(shortest[..<start] + shortest[start...].dropFirst(size))
  }
}
