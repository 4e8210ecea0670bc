#if os(Linux) || os(macOS)
  import Foundation

  /// A script with which a shell completes the program's commands and options.
  @MainActor
  struct Completions {
    enum Shell: String, CaseIterable {
      case bash, zsh, fish
    }

    private let shell: Shell

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

    private var bash: String {
      var text = """
        # Completes LocoKitDemo in bash: source <(LocoKitDemo completions bash)
        _LocoKitDemo() {
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
          text +=
            "    \(name)) COMPREPLY=($(compgen -W \"\(choices.joined(separator: " "))\" -- \"$word\")); return ;;\n"
        }
      }
      let names = LocoKitDemo.commands.map(\.key) + ["completions"]
      text += """
          esac
          case $command in

        """
      for (name, command) in LocoKitDemo.commands {
        let options = command.completions.map(\.name) + ["--help", "--version"]
        text += "    \(name)) options=\"\(options.joined(separator: " "))\" ;;\n"
      }
      return text + """
            completions) options="\(Shell.allCases.map(\.rawValue).joined(separator: " "))" ;;
            *) options="" ;;
          esac
          [[ $COMP_CWORD -eq 1 ]] && options="\(names.joined(separator: " ")) $options"
          COMPREPLY=($(compgen -W "$options" -- "$word"))
          [[ $word != -* && $COMP_CWORD -gt 1 ]] && COMPREPLY+=($(compgen -f -- "$word"))
        }
        complete -o filenames -F _LocoKitDemo LocoKitDemo

        """
    }

    private var fish: String {
      let names = LocoKitDemo.commands.map(\.key) + ["completions"]
      let isFirst = "not __fish_seen_subcommand_from \(names.joined(separator: " "))"
      var text = "# Completes LocoKitDemo in fish: LocoKitDemo completions fish | source\n"
      text += "complete -c LocoKitDemo -f -n '\(isFirst)' -a '\(names.joined(separator: " "))'\n"
      for (name, command) in LocoKitDemo.commands {
        let condition =
          name == "drive" ? "\(isFirst); or __fish_seen_subcommand_from drive" : "__fish_seen_subcommand_from \(name)"
        for (option, completion, takesValue, help) in command.completions {
          var line = "complete -c LocoKitDemo -n '\(condition)' -l \(option.dropFirst(2))"
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
