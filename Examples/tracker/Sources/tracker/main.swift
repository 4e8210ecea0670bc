import Foundation

signal(SIGPIPE, SIG_IGN)
let words = Array(CommandLine.arguments.dropFirst())

func fail(_ problem: any Error, _ code: Int32) -> Never {
  say("locokit-tracker: \(problem)")
  exit(code)
}

func settings() -> Settings {
  do { return try Settings(ProcessInfo.processInfo.environment) } catch {
    fail(error, (error as? Problem)?.mayPass == true ? 73 : 64)
  }
}

switch words {
case ["-h"], ["--help"], ["help"]: print(usage)
case []:
  do { try await Tracker(settings()).run() } catch { fail(error, 73) }
case ["status"], ["status", "--json"]:
  do {
    // This user's tracker, or else the service's, which only root and its user may ask.
    let (own, service) = (settings().socket, "/run/locokit-tracker/locokit-tracker.sock")
    let status: Status
    do { status = try StatusSocket.ask(own) } catch {
      guard let other = try? StatusSocket.ask(service) else { throw error }
      status = other
    }
    print(words.count == 2 ? String(decoding: try JSONEncoder().encode(status), as: UTF8.self) : status.text)
  } catch { fail(error, 1) }
case ["check"]: exit(await check(settings()) ? 0 : 1)
default:
  let isCommand = ["status", "check"].contains(words[0]) && words.count > 1
  let problem = isCommand ? "\(words[0]) has no option \(words[words.count - 1])" : "\(words[0]) is no command"
  fail(Problem("\(problem); see locokit-tracker --help"), 64)
}
