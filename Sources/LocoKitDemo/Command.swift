#if os(Linux) || os(macOS)
  import Foundation

  /// A command of the program: the values of its options, which are read from the arguments.
  protocol Command: SendableMetatype {
    /// The options, in the order of the help.
    static var options: [Option<Self>] { get }
    /// What the command does, and its usage: the text before the options.
    static var about: String { get }
    /// Command lines, each with what it shows.
    static var examples: KeyValuePairs<String, String> { get }
    /// The text after the examples.
    static var notes: String { get }
    /// The names of the arguments that aren't options, such as `FILE`; `nil` if the command takes none.
    static var operands: String? { get }
    /// Returns an error message if the command doesn't accept these options together; otherwise `nil`.
    static func refusal(of names: Set<String>, for command: String) -> String?
    init()
    /// Takes the arguments that aren't options, and checks what depends on several options.
    mutating func finish(_ given: Given) throws
    @MainActor func run() async throws -> ExitCode
  }

  extension Command {
    static var notes: String { "" }
    static var operands: String? { nil }
    static func refusal(of names: Set<String>, for command: String) -> String? { nil }
    mutating func finish(_ given: Given) throws {}

    static var help: String {
      about + "\n\nOPTIONS:\n" + options.map(\.helpLines).joined()
        + "  -h, --help            print this\n  -v, --version         print the version\n"
        + "\nEXAMPLES:\n" + examples.map { "  LocoKitDemo \($0.key)\n      \($0.value)\n" }.joined()
        + (notes.isEmpty ? "" : "\n" + notes + "\n")
    }

    /// Reads the arguments: `--name`, `--name value` or `--name=value`, and operands.
    ///
    /// - Returns: The command, or `nil` after the help or the version is printed.
    @MainActor static func parse(_ arguments: ArraySlice<String>, as command: String) throws -> Self? {
      var (result, given, rest) = (Self(), Given(command: command), arguments)
      var failure: Failure?
      while let argument = rest.popFirst() {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if operands != nil, !argument.hasPrefix("-") {
          given.operands.append(URL(filePath: argument))
          continue
        }
        guard argument.hasPrefix("-"), let name = parts.first else {
          throw Failure.usage("'\(argument)' is not expected here\(ending(for: argument))")
        }
        if ["--help", "-h", "--version", "-v"].contains(name) {
          guard parts.count == 1 else { throw Failure.usage("\(name) takes no value.") }
          given.names.insert(name)
          continue
        }
        guard let option = options.first(where: { $0.name == name }) else {
          throw unknown(name, beside: arguments, for: command)
        }
        let value: String
        if option.placeholder == nil {
          guard parts.count == 1 else { throw Failure.usage("\(name) takes no value.") }
          value = ""
        } else if let text = parts.count == 2 ? parts[1] : rest.popFirst() {
          value = text
        } else {
          throw Failure.usage("\(name) needs a value.")
        }
        given.names.insert(name)
        do { try option.apply(value, to: &result) } catch let error as Failure { failure = failure ?? error }
      }
      if !given.names.isDisjoint(with: ["--help", "-h"]) {
        Output.standard.writeHelp(help)
        return nil
      }
      if !given.names.isDisjoint(with: ["--version", "-v"]) {
        Output.standard.write("LocoKitDemo \(LocoKitDemo.version)\n")
        return nil
      }
      if let refusal = refusal(among: given.names, for: command) { throw Failure.usage(refusal) }
      // A value that can't be read counts only if the option is accepted.
      if let failure { throw failure }
      try result.finish(given)
      return result
    }

    private static func refusal(among names: Set<String>, for command: String) -> String? {
      for option in options where names.contains(option.name) {
        if let commands = option.commands, !commands.contains(command) {
          return "\(option.name) is for \(commands.joined(separator: " and ")), not for \(command)."
        }
      }
      return refusal(of: names, for: command)
    }

    /// Returns the end of the error of an argument that isn't expected: the option for such a file, or a full stop.
    private static func ending(for argument: String) -> String {
      let option = "--" + URL(filePath: argument).pathExtension
      return options.contains { $0.name == option } ? "; did you mean '\(option) \(argument)'?" : "."
    }

    /// Returns the error of an unknown option. An option that would be refused isn't suggested.
    private static func unknown(
      _ name: String, beside arguments: ArraySlice<String>, for command: String
    ) -> Failure {
      let known = options.map(\.name)
      let others = Set(known).intersection(arguments.map { String($0.prefix { $0 != "=" }) })
      let accepted = known.filter { refusal(among: others.union([$0]), for: command) == nil }
      return .usage(
        "there is no option '\(name)'\(Suggestion.ending(for: name, in: accepted + ["--help", "--version"]))")
    }

    /// The options for completion scripts.
    static var completions: [(name: String, completion: Completion, takesValue: Bool, help: String)] {
      options.map { ($0.name, $0.completion, $0.placeholder != nil, $0.help) }
    }
  }
#endif
