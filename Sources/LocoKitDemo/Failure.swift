#if os(Linux) || os(macOS)
  import Foundation

  /// An error that ends the program. Its message is `nil` if the output's reader or the terminal is gone.
  struct Failure: Error {
    let code: ExitCode
    let message: String?

    static func usage(_ message: String) -> Failure { Failure(code: .usage, message: message) }
  }

  /// Returns the text of a system error.
  func errorText(_ number: Int32 = errno) -> String { String(cString: strerror(number)) }
#endif
