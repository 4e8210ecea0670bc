/// An optional number whose magnitude is at most ``largest``, in 8 bytes instead of 16: a turn copies its location dozens of times.
struct FiniteNumber: Hashable, Codable, CustomStringConvertible, Sendable {
  /// The number, or infinity for `nil`. Unlike NaN, infinity equals itself.
  private let stored: Double

  /// No altitude, speed, angle or accuracy is larger. Calculations with larger ones could exceed the range of a `Double`.
  private static let largest = 1e9

  init(_ value: Double?) { stored = value.flatMap { $0.magnitude <= Self.largest ? $0 : nil } ?? .infinity }

  var value: Double? { stored == .infinity ? nil : stored }
  var description: String { value.map { "\($0)" } ?? "nil" }
}
