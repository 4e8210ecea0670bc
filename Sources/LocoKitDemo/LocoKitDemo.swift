#if os(Linux) || os(macOS)
  import Foundation

  /// The command-line demo: simulated drives and real receivers, with the library's own manager and machines.
  @main
  @MainActor
  enum LocoKitDemo {
    nonisolated static let version = "0.1.0"

    static var commands: KeyValuePairs<String, any Command.Type> {
      [
        "drive": DriveOptions.self, "compare": CompareOptions.self, "get": ReceiverOptions.self,
        "track": ReceiverOptions.self, "trip": ReceiverOptions.self, "gpsd": GPSDOptions.self,
        "replay": ReplayOptions.self, "study": StudyOptions.self, "test": JournalTestOptions.self,
        "diagram": DiagramOptions.self,
        "help": DriveOptions.self,
      ]
    }

    static func main() async {
      Output.prepare()
      do {
        let code = try await run(CommandLine.arguments.dropFirst())
        if code == .done { try Output.standard.check() }
        exit(code.rawValue)
      } catch {
        let failure = error as? Failure ?? Failure(code: .software, message: "\(error)")
        if let message = failure.message {
          let hint = failure.code == .usage ? "\nTry '\(helpCommand)'." : ""
          Output.error.write("\(Output.error.coloured("LocoKitDemo:", .red)) \(message.printable)\(hint)\n")
        }
        exit(failure.code.rawValue)
      }
    }

    /// The command line that shows the help of the command that was given.
    private static var helpCommand: String {
      let name = CommandLine.arguments.dropFirst().first ?? ""
      let isCommand = name != "help" && commands.contains { $0.key == name }
      return "LocoKitDemo \(isCommand ? name + " " : "")--help"
    }

    private static func run(_ arguments: ArraySlice<String>) async throws -> ExitCode {
      if arguments.isEmpty {
        Output.standard.write(Overview().text)
        return .done
      }
      var arguments = arguments
      let name = arguments.first?.hasPrefix("-") == false ? arguments.removeFirst() : "drive"
      if name == "completions" {
        Output.standard.write(arguments == ["--help"] ? Completions.help : try Completions(shell: arguments).script)
        return .done
      }
      let command = try command(named: name)
      if name == "help" {
        if arguments.count > 1 {
          throw Failure.usage("help takes one command, not also '\(arguments.dropFirst().joined(separator: " "))'.")
        }
        if arguments.first == "completions" {
          Output.standard.write(Completions.help)
        } else {
          Output.standard.writeHelp(try Self.command(named: arguments.first ?? "drive").help)
        }
        return .done
      }
      return try await command.parse(arguments, as: name)?.run() ?? .done
    }

    private static func command(named name: String) throws -> any Command.Type {
      guard let command = commands.first(where: { $0.key == name }) else {
        let names = Completions.names
        let list = ". The commands are \(names.joined(separator: ", "))."
        throw Failure.usage("there is no command '\(name)'\(Suggestion.ending(for: name, in: names, otherwise: list))")
      }
      return command.value
    }
  }
#else
  /// The demo on platforms without a terminal and gpsd, where only the library can be used.
  @main
  enum LocoKitDemo {
    static func main() { print("LocoKitDemo runs in a terminal on macOS and Linux.") }
  }
#endif
