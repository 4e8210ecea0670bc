/// An optional floor in 2 bytes instead of 9, for the same reason as ``FiniteNumber``.
struct FloorNumber: Hashable, Codable, CustomStringConvertible, Sendable {
  /// The floor, or the smallest number for `nil`.
  private let stored: Int16

  init(_ value: Int?) { stored = value.map { Int16(min(max($0, -32_767), 32_767)) } ?? .min }

  var value: Int? { stored == .min ? nil : Int(stored) }
  var description: String { value.map { "\($0)" } ?? "nil" }
}
