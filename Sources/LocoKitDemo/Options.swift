#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// An option of a command. Parsing, help, refusals, suggestions and completion scripts derive from it:
  /// `Option(\.within, "--within", .metres(from: 100), help: "an error bound")`.
  struct Option<Options> {
    let name: String
    /// The name of the value in the help; `nil` for an option without a value.
    let placeholder: String?
    /// What the option does. A newline begins a new line in the help.
    let help: String
    let completion: Completion
    /// The commands that accept the option; `nil` for all that list it.
    private(set) var commands: [String]?
    private let set: (inout Options, _ value: String) throws -> Void

    private init(
      _ name: String, _ placeholder: String?, _ help: String, _ completion: Completion, _ commands: [String]? = nil,
      _ set: @escaping (inout Options, String) throws -> Void
    ) {
      self.name = name
      self.placeholder = placeholder
      self.help = help
      self.completion = completion
      self.commands = commands
      self.set = set
    }

    /// An option without a value, which sets a property to `true`.
    init(_ path: WritableKeyPath<Options, Bool>, _ name: String, help: String) {
      self.init(name, nil, help, .nothing) { options, _ in options[keyPath: path] = true }
    }

    /// An option with a value. The last value counts.
    init<Value>(_ path: WritableKeyPath<Options, Value>, _ name: String, _ kind: ValueKind<Value>, help: String) {
      self.init(name, kind.placeholder, help, kind.completion) { options, text in
        options[keyPath: path] = try kind.value(of: name, text)
      }
    }

    init<Value>(_ path: WritableKeyPath<Options, Value?>, _ name: String, _ kind: ValueKind<Value>, help: String) {
      self.init(name, kind.placeholder, help, kind.completion) { options, text in
        options[keyPath: path] = try kind.value(of: name, text)
      }
    }

    /// An option that may be repeated.
    init<Value>(each path: WritableKeyPath<Options, [Value]>, _ name: String, _ kind: ValueKind<Value>, help: String) {
      self.init(name, kind.placeholder, help, kind.completion) { options, text in
        options[keyPath: path].append(try kind.value(of: name, text))
      }
    }

    /// Returns the option as one of a command that contains the options of another.
    func within<Outer>(_ path: WritableKeyPath<Outer, Options>) -> Option<Outer> {
      Option<Outer>(name, placeholder, help, completion, commands) { try set(&$0[keyPath: path], $1) }
    }

    /// Returns the option for some of the commands that list it.
    func only(for commands: String...) -> Self {
      var option = self
      option.commands = commands
      return option
    }

    func apply(_ value: String, to options: inout Options) throws { try set(&options, value) }

    /// The option in the help.
    var helpLines: String {
      let head = "  " + name + (placeholder.map { " " + $0 } ?? "")
      let words = (commands.map { $0.joined(separator: ", ") + ": " } ?? "") + help
      let indent = String(repeating: " ", count: 24)
      var lines = words.split(separator: "\n", omittingEmptySubsequences: false).flatMap { wrapped(String($0), 102) }
      if head.count <= 22 {
        lines[0] = head.padding(toLength: 24, withPad: " ", startingAt: 0) + lines[0]
      } else {
        lines = [head, indent + lines[0]] + lines.dropFirst()
      }
      let first = head.count <= 22 ? 1 : 2
      return (lines.prefix(first) + lines.dropFirst(first).map { indent + $0 }).map { $0 + "\n" }.joined()
    }
  }

  /// What a shell completes after an option.
  enum Completion: Equatable {
    case nothing, file
    case choices([String])
  }

  /// A kind of value of an option.
  struct ValueKind<Value> {
    let placeholder: String
    /// What a value is, as the end of the sentence `--within is …`.
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

  /// Returns the lines of a text with at most `width` characters, broken between words.
  private func wrapped(_ text: String, _ width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if line.count + 1 + word.count <= width {
        lines[lines.count - 1] = line + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

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
