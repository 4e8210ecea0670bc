#if os(Linux) || os(macOS)
  import Foundation

  /// A standard stream, connected to a terminal, a pipe or a file.
  ///
  /// A failed write is recorded and not thrown, because listeners call ``write(_:)``. A program that keeps running checks ``isOpen``, and
  /// calls ``check()`` at its end.
  @MainActor
  final class Output {
    static let standard = Output(STDOUT_FILENO)
    static let error = Output(STDERR_FILENO)

    let isTerminal: Bool
    /// Whether the stream is a terminal with colors, and `NO_COLOR` isn't set.
    let hasColour: Bool
    private let descriptor: Int32
    /// The first error. Nothing is written after it.
    private var failure: Failure?

    private init(_ descriptor: Int32) {
      self.descriptor = descriptor
      isTerminal = isatty(descriptor) == 1
      let environment = ProcessInfo.processInfo.environment
      hasColour =
        isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && !["", "dumb"].contains(environment["TERM"] ?? "")
    }

    /// Prepares the streams, so that a write to a closed stream fails. Otherwise the write would end the program, or go to another file.
    static func prepare() {
      signal(SIGPIPE, SIG_IGN)
      // A file opened later would get the number of a closed stream.
      for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
      where fcntl(descriptor, F_GETFD) < 0 {
        _ = open("/dev/null", mode)
      }
    }

    /// Writes immediately, unless a write has failed before.
    func write(_ text: String) {
      guard failure == nil else { return }
      let error = writeAll(Array(text.utf8), to: descriptor)
      if error != 0 { fail(error) }
    }

    /// Whether the stream can be written. Detects before the next write that the reader is gone.
    var isOpen: Bool {
      var wanted = pollfd(fd: descriptor, events: 0, revents: 0)
      if failure == nil, poll(&wanted, 1, 0) == 1, wanted.revents & Int16(POLLERR | POLLHUP) != 0 {
        fail(isTerminal ? EIO : EPIPE)
      }
      return failure == nil
    }

    /// Throws the first error, if there is one.
    func check() throws {
      if let failure { throw failure }
    }

    private func fail(_ error: Int32) {
      failure =
        switch error {
        case EPIPE: Failure(code: .readerGone, message: nil)
        case EIO where isTerminal: Failure(code: .hungUp, message: nil)
        case EBADF: Failure(code: .ioError, message: "standard output is closed.")
        default: Failure(code: .ioError, message: "standard output cannot be written: \(errorText(error))")
        }
    }

    /// Returns the text in a color, if the stream has colors.
    func coloured(_ text: String, _ colour: Colour) -> String {
      hasColour ? Self.coloured(text, colour) : text
    }

    /// Writes the text of a help. Headings are bold and options colored, if the stream has colors.
    func writeHelp(_ help: String) { write(Self.styled(help, isColoured: hasColour)) }

    static func styled(_ help: String, isColoured: Bool) -> String {
      guard isColoured else { return help }
      return help.replacing(/(?m)^[A-Z][A-Z ]+:/) { coloured(String($0.output), .bold) }
        .replacing(/(?m)^  (--?[a-z-]+(?:, --[a-z-]+)?)/) { "  " + coloured(String($0.output.1), .cyan) }
    }

    private static func coloured(_ text: String, _ colour: Colour) -> String {
      "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }

    enum Colour: Int {
      case bold = 1
      case dim = 2
      case red = 31
      case green = 32
      case yellow = 33
      case cyan = 36
    }
  }

  extension Encodable {
    /// One line of JSON, with sorted keys.
    var jsonLine: String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? "{}\n"
    }
  }

  /// Returns a table with a label and a text in each row.
  func table(_ rows: [(String, String)]) -> String {
    rows.map { $0.padding(toLength: 15, withPad: " ", startingAt: 0) + $1 + "\n" }.joined()
  }

  /// Writes all bytes. Returns the error number, or 0.
  func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count == 0 {
        return EIO
      } else if errno == EAGAIN {
        // Another program made the stream non-blocking.
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if poll(&wanted, 1, 30_000) == 0 { return EAGAIN }
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
#endif
