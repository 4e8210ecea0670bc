/// A reason not to decode text as JSON.
package enum ForeignJSONError: Error {
  case nestsTooDeep
  /// A byte of the text is 0: a damaged block of a disk, or another encoding than UTF-8.
  case containsZero
}
