#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// The command-line demo: a simulated drive through the real manager and machine.
  @main
  @MainActor
  enum LocoKitDemo {
    nonisolated static let version = "0.1.0"

    static func main() async {
      Output.prepare()
      do {
        let code = try await run(Array(CommandLine.arguments.dropFirst()))
        if code == .done { try Output.standard.check() }
        exit(code.rawValue)
      } catch let failure as Failure {
        if let message = failure.message { Output.error.write("LocoKitDemo: \(message)\n") }
        exit(failure.code.rawValue)
      } catch {
        Output.error.write("LocoKitDemo: \(error)\n")
        exit(ExitCode.software.rawValue)
      }
    }

    private static func run(_ arguments: [String]) async throws -> ExitCode {
      switch try Command(arguments) {
      case .help(let text):
        Output.standard.write(text)
      case .version:
        Output.standard.write("LocoKitDemo \(version)\n")
      case .diagram(let options):
        Output.standard.write(options.text)
      case .compare(let options):
        return try Compare(options).run()
      case .gpsd(let options):
        return try await GPSD(options).run()
      case .replay(let options):
        return try Replay(options).run()
      case .study(let options):
        return try Study(options).run()
      case .get(let options):
        return try await Uses(options).get()
      case .track(let options):
        return try await Uses(options).track()
      case .trip(let options):
        return try await Uses(options).trip()
      case .drive(let options) where options.isInteractive:
        return try InteractiveDrive(options).run()
      case .drive(let options):
        return try await Drive(options).run()
      }
      return .done
    }
  }

  /// How the program ends, by the convention of `sysexits.h`; a signal ends it with 128 and its number, as in a shell.
  enum ExitCode: Int32 {
    case done = 0
    case different = 1
    case usage = 64
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case cannotCreate = 73
    case ioError = 74
    case temporary = 75
    case noPermission = 77
    case hungUp = 129
    case interrupted = 130
    case quit = 131
    case readerGone = 141
    case terminated = 143
  }

  /// What a user is told before the program ends; `nil` where nobody is left to be told.
  struct Failure: Error {
    let code: ExitCode
    let message: String?

    static func usage(_ message: String) -> Failure {
      Failure(code: .usage, message: message + "\nTry 'LocoKitDemo --help'.")
    }
  }
#else
  /// Says where the demo runs: other platforms have no terminal and no gpsd, but build the whole package too.
  @main
  enum LocoKitDemo {
    static func main() { print("LocoKitDemo runs in a terminal, on macOS and on Linux.") }
  }
#endif
