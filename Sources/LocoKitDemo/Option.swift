#if os(Linux) || os(macOS)
  import Foundation

  /// An option of a command. Parsing, help, refusals, suggestions and completion scripts derive from it:
  /// `Option(\.within, "--within", .metres(from: 100), help: "an error bound")`.
  struct Option<Options> {
    let name: String
    /// The name of the value in the help; `nil` for an option without a value.
    let placeholder: String?
    /// The effect of the option. A newline begins a new line in the help.
    let help: String
    let completion: Completion
    /// The commands that accept the option; `nil` for each command that lists it.
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
#endif
