#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// A kind of value of an option.
  struct ValueKind<Value> {
    let placeholder: String
    /// The kind in words, as the end of the sentence `--within is …`.
    let expectation: String
    var completion = Completion.nothing
    let read: (String) throws -> Value?

    func value(of name: String, _ text: String) throws -> Value {
      if let value = try read(text) { return value }
      var ending = "."
      if case .choices(let choices) = completion { ending = Suggestion.ending(for: text, in: choices) }
      throw Failure.usage("\(name) is \(expectation), not '\(text)'\(ending)")
    }
  }

  extension ValueKind where Value == Double {
    /// The greatest length, in metres.
    private static var longest: Double { 1e7 }

    static func metres(from least: Double) -> Self {
      ValueKind(placeholder: "METRES", expectation: "a number of metres from \(Int(least)) to 10000000") { text in
        Double(text).flatMap { (least...longest).contains($0) ? $0 : nil }
      }
    }

    /// An error bound.
    static var bound: Self { metres(from: LocationManager.minimumErrorBound) }

    static var metresAboveZero: Self {
      ValueKind(
        placeholder: "METRES", expectation: "a number of metres above 0, up to 10000000"
      ) { text in
        Double(text).flatMap { $0 > 0 && $0 <= longest ? $0 : nil }
      }
    }

    static func factor(to most: Double) -> Self {
      ValueKind(placeholder: "X", expectation: "a number from 0.001 to \(Int(most))") { text in
        Double(text).flatMap { (0.001...most).contains($0) ? $0 : nil }
      }
    }
  }

  extension ValueKind where Value == UInt64 {
    static var seed: Self {
      ValueKind(placeholder: "N", expectation: "a whole number from 0 to 2^64 - 1") { UInt64($0) }
    }
  }

  extension ValueKind where Value == Int {
    static func whole(_ range: ClosedRange<Int>, _ placeholder: String = "N") -> Self {
      ValueKind(
        placeholder: placeholder, expectation: "a whole number from \(range.lowerBound) to \(range.upperBound)"
      ) { text in
        Int(text).flatMap { range.contains($0) ? $0 : nil }
      }
    }
  }

  extension ValueKind where Value == Duration {
    /// A duration such as `90`, `90s`, `15m` or `1h30m`.
    static func duration(upTo most: Duration = .seconds(31_536_000), _ name: String = "a year") -> Self {
      ValueKind(
        placeholder: "DURATION", expectation: "a duration from a millisecond to \(name), such as 90, 90s, 15m or 1h30m"
      ) { text in
        var seconds = Double(text) ?? 0
        if let parts = text.wholeMatch(of: /(?:([0-9]{1,6})h)?(?:([0-9]{1,6})m)?(?:([0-9]{1,6})s)?/) {
          let units = [(parts.1, 3_600.0), (parts.2, 60), (parts.3, 1)]
          seconds = units.reduce(0) { $0 + (Double($1.0 ?? "") ?? 0) * $1.1 }
        }
        return seconds >= 0.001 && seconds <= most.seconds ? .seconds(seconds) : nil
      }
    }
  }

  extension ValueKind where Value == URL {
    static func file(_ placeholder: String = "FILE") -> Self {
      ValueKind(placeholder: placeholder, expectation: "a path", completion: .file) {
        $0.isEmpty ? nil : URL(filePath: $0)
      }
    }
  }

  extension ValueKind where Value == String {
    static func text(_ placeholder: String, _ expectation: String) -> Self {
      ValueKind(placeholder: placeholder, expectation: expectation) { $0.isEmpty ? nil : $0 }
    }

    /// A path that is passed on as it is.
    static func path(_ placeholder: String) -> Self {
      ValueKind(placeholder: placeholder, expectation: "a path", completion: .file) { $0.isEmpty ? nil : $0 }
    }
  }

  extension ValueKind where Value: RawRepresentable<String> & CaseIterable {
    static func choice(_ placeholder: String = "NAME") -> Self {
      let names = Value.allCases.map(\.rawValue)
      return ValueKind(
        placeholder: placeholder, expectation: "one of \(names.joined(separator: ", "))", completion: .choices(names)
      ) {
        Value(rawValue: $0)
      }
    }
  }
#endif
