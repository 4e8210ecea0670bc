#if os(Linux) || os(macOS)
  import Foundation

  /// A stream to write to: right in a terminal, in a pipe, and in a file.
  ///
  /// A failed write is remembered and not thrown, since listeners write: a program that runs on looks at ``isOpen``, and in
  /// the end it calls ``check()``.
  @MainActor
  final class Output {
    static let standard = Output(STDOUT_FILENO)
    static let error = Output(STDERR_FILENO)

    /// Whether a person looks at it.
    let isTerminal: Bool
    /// Whether it takes colours: a terminal that is not dumb, and no `NO_COLOR` in the environment.
    let hasColour: Bool
    private let descriptor: Int32
    /// Why nothing more can be written.
    private var failure: Failure?

    private init(_ descriptor: Int32) {
      self.descriptor = descriptor
      isTerminal = isatty(descriptor) == 1
      let environment = ProcessInfo.processInfo.environment
      hasColour = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Makes a write to a stream that has gone an error, and not the end of the program nor a write to another file.
    static func prepare() {
      signal(SIGPIPE, SIG_IGN)
      // A file or socket opened later would get the number of a stream that is closed. This way its writes fail.
      for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
      where fcntl(descriptor, F_GETFD) < 0 {
        _ = open("/dev/null", mode)
      }
    }

    /// Writes at once, unless a write has failed before.
    func write(_ text: String) {
      guard failure == nil else { return }
      let error = writeAll(Array(text.utf8), to: descriptor)
      if error != 0 { fail(error) }
    }

    /// Whether what is written still arrives. A reader that has gone is noticed here, before the next write.
    var isOpen: Bool {
      var wanted = pollfd(fd: descriptor, events: 0, revents: 0)
      if failure == nil, poll(&wanted, 1, 0) == 1, wanted.revents & Int16(POLLERR | POLLHUP) != 0 {
        fail(isTerminal ? EIO : EPIPE)
      }
      return failure == nil
    }

    /// - Throws: Why something could not be written.
    func check() throws {
      if let failure { throw failure }
    }

    private func fail(_ error: Int32) {
      failure =
        switch error {
        case EPIPE: Failure(code: .readerGone, message: nil)
        case EIO where isTerminal: Failure(code: .hungUp, message: nil)
        case EBADF: Failure(code: .ioError, message: "standard output is closed.")
        default:
          Failure(code: .ioError, message: "standard output cannot be written: \(String(cString: strerror(error)))")
        }
    }

    /// The text in a colour, where there are colours.
    func coloured(_ text: String, _ colour: Colour) -> String {
      hasColour ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    enum Colour: Int {
      case dim = 2
      case red = 31
      case green = 32
      case yellow = 33
      case cyan = 36
    }
  }

  /// A value whose key is always there in JSON, as `null` where it is unknown.
  @propertyWrapper
  struct OrNull<Value: Encodable>: Encodable {
    var wrappedValue: Value?

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(wrappedValue)
    }
  }

  extension Encodable {
    /// As one line of JSON, its keys sorted.
    var jsonLine: String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? "{}\n"
    }
  }

  /// Writes all of the bytes; returns the error number, or 0.
  func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count == 0 {
        return EIO
      } else if errno == EAGAIN {
        // Another program has made the stream non-blocking.
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if poll(&wanted, 1, 30_000) == 0 { return EAGAIN }
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
#endif
