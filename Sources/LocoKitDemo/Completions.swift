#if os(Linux) || os(macOS)
  import Foundation

  /// A script with which a shell completes the program's commands and options.
  @MainActor
  struct Completions {
    enum Shell: String, CaseIterable {
      case bash, zsh, fish
    }

    private let shell: Shell

    static let help = """
      Prints a script with which a shell completes the commands and options.

      USAGE: LocoKitDemo completions bash | zsh | fish

      EXAMPLES:
        source <(LocoKitDemo completions bash)
        LocoKitDemo completions fish | source

      """

    init(shell arguments: ArraySlice<String>) throws {
      guard arguments.count == 1, let name = arguments.first, let shell = Shell(rawValue: name) else {
        let names = Shell.allCases.map(\.rawValue)
        throw Failure.usage("completions needs a shell: \(names.joined(separator: ", ")).")
      }
      self.shell = shell
    }

    var script: String {
      switch shell {
      case .bash: bash
      case .zsh: "autoload -U +X bashcompinit && bashcompinit\n" + bash
      case .fish: fish
      }
    }

    /// The names of all commands.
    static var names: [String] { LocoKitDemo.commands.map(\.key) + ["completions"] }

    /// The options of each command but `help` and `completions`, in addition to its own.
    private static let common: [(name: String, completion: Completion, takesValue: Bool, help: String)] = [
      ("--help", .nothing, false, "show help"), ("--version", .nothing, false, "show the version"),
    ]

    /// The words that may follow a command, apart from its files.
    private static func words(after name: String) -> [String] {
      switch name {
      case "help": names
      case "completions": Shell.allCases.map(\.rawValue) + ["--help"]
      default:
        ((LocoKitDemo.commands.first { $0.key == name }?.value.completions ?? []) + common).map(\.name)
      }
    }

    /// Words between lines, as bash quotes them: names of files may contain spaces.
    private static func lines(_ words: [String]) -> String { "$'" + words.joined(separator: "\\n") + "'" }

    private var bash: String {
      var text = """
        # Completes LocoKitDemo in bash: source <(LocoKitDemo completions bash)
        _LocoKitDemo() {
          local IFS=$'\\n' options=
          local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]} command=drive
          [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} != -* ]] && command=${COMP_WORDS[1]}
          case $last in

        """
      var seen: Set<String> = []
      for (name, completion, _, _) in LocoKitDemo.commands.flatMap({ $0.value.completions })
      where seen.insert(name).inserted {
        switch completion {
        case .nothing: break
        case .file: text += "    \(name)) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
        case .choices(let choices):
          text += "    \(name)) COMPREPLY=($(compgen -W \(Self.lines(choices)) -- \"$word\")); return ;;\n"
        }
      }
      text += """
          esac
          case $command in

        """
      for name in Self.names { text += "    \(name)) options=\(Self.lines(Self.words(after: name))) ;;\n" }
      return text + """
          esac
          [[ $COMP_CWORD -eq 1 ]] && options=\(Self.lines(Self.names))$'\\n'$options
          COMPREPLY=($(compgen -W "$options" -- "$word"))
          [[ $word != -* && $COMP_CWORD -gt 1 ]] && COMPREPLY+=($(compgen -f -- "$word"))
        }
        complete -o filenames -F _LocoKitDemo LocoKitDemo

        """
    }

    private var fish: String {
      var text = """
        # Completes LocoKitDemo in fish: LocoKitDemo completions fish | source
        function __LocoKitDemo_is
          set -l words (commandline -opc) drive
          if string match -q -- '-*' $words[2]
            set words[2] drive
          end
          test $words[2] = $argv[1]
        end
        complete -c LocoKitDemo -f -n 'test (count (commandline -opc)) -eq 1' -a '\(Self.names.joined(separator: " "))'

        """
      for name in ["help", "completions"] {
        text +=
          "complete -c LocoKitDemo -f -n '__LocoKitDemo_is \(name)' -a '\(Self.words(after: name).joined(separator: " "))'\n"
      }
      for (name, command) in LocoKitDemo.commands where name != "help" {
        for (option, completion, takesValue, help) in command.completions + Self.common {
          var line = "complete -c LocoKitDemo -n '__LocoKitDemo_is \(name)' -l \(option.dropFirst(2))"
          switch completion {
          case .nothing: if takesValue { line += " -x" }
          case .file: line += " -rF"
          case .choices(let choices): line += " -xa '\(choices.joined(separator: " "))'"
          }
          let words = help.prefix { $0 != "\n" && $0 != ":" }.replacingOccurrences(of: "'", with: "\\'")
          text += line + " -d '\(words)'\n"
        }
      }
      return text
    }
  }
#endif
