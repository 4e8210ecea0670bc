/// Numbers for the cases of a type, 0 or more.
///
/// A value of an enumeration without payloads and with 2 to 256 cases is one byte, and the byte is the number. The compiler knows this, so
/// indexing a table by the number takes no branch. The byte is also the number for other types of one byte. Cases of types of another size
/// are looked up in a dictionary.
@frozen
@usableFromInline
package struct CaseNumbers<Case: Hashable & Sendable>: Sendable {
  /// One more than the largest number.
  @usableFromInline package let bound: Int
  @usableFromInline let numbers: [Case: Int]

  @inlinable
  static var isByte: Bool { MemoryLayout<Case>.size == 1 }

  init(_ cases: [Case]) {
    if Self.isByte {
      var bound = 0
      for element in cases { bound = max(bound, Self.byte(element) + 1) }
      (self.bound, numbers) = (bound, [:])
    } else {
      var numbers: [Case: Int] = [:]
      for element in cases where numbers.updateValue(numbers.count, forKey: element) != nil {
        preconditionFailure("allCases must list every case once; one is listed twice.")
      }
      (bound, self.numbers) = (cases.count, numbers)
    }
  }

  @inlinable
  package subscript(element: Case) -> Int {
    if Self.isByte { return Self.byte(element) }
    guard let number = numbers[element] else {
      preconditionFailure("allCases must list every case; the state or the event is not among them.")
    }
    return number
  }

  @inlinable
  static func byte(_ element: Case) -> Int { withUnsafeBytes(of: element) { Int($0[0]) } }
}
