import Foundation

/// A problem, with what the user can do.
struct Problem: Error, CustomStringConvertible {
  let description: String
  /// Whether the problem may pass, such as that of a disk that isn't mounted yet.
  var mayPass = false

  init(_ description: String) { self.description = description }
  init(_ what: String, _ error: Int32, mayPass: Bool = false) {
    (description, self.mayPass) = ("\(what): \(String(cString: strerror(error)))", mayPass)
  }
}

/// Writes a line to standard error, which must not contain a location. Nothing happens if standard error is closed or a full pipe.
func say(_ words: String) {
  guard takesLine(STDERR_FILENO) else { return }
  let line = String(words.map { $0.isNewline ? " " : $0 })
  try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
}

let usage = """
  locokit-tracker finds the locations of this machine with little energy, through gpsd, and sends them to a server.

  USAGE: locokit-tracker           runs until SIGTERM or Ctrl-C
         locokit-tracker status    prints the state of the running tracker; --json prints JSON
         locokit-tracker check     tests gpsd, its control socket, the modem and the server

  ENVIRONMENT:
    \(Settings.help.replacing("\n", with: "\n  "))

  EXIT CODES: 0 done, 1 a check has failed or no tracker runs, 64 wrong usage or a wrong setting, 73 a file or the socket
              can't be written
  """
