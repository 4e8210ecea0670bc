#if os(Linux) || os(macOS)
  import Foundation

  /// The terminal in raw mode. ``restore()`` restores its settings.
  @MainActor
  final class Terminal {
    enum Input {
      case key(Character)
      /// The program must end: a signal, Ctrl-C, or a closed terminal.
      case end(ExitCode)
      /// Ctrl-Z, or its signal.
      case stop
      /// The program continues after it was suspended.
      case resumed
      /// Nothing arrived in time, or the size of the screen changed.
      case none
    }

    private var found = termios()

    /// Throws an error if there is no terminal with a screen.
    static func check() throws {
      guard Output.standard.isTerminal, isatty(STDIN_FILENO) == 1 else {
        throw Failure.usage("--interactive needs a terminal.")
      }
      let kind = ProcessInfo.processInfo.environment["TERM"] ?? ""
      guard !["", "dumb"].contains(kind) else {
        throw Failure.usage(
          "--interactive needs a terminal with a screen, but TERM is \(kind.isEmpty ? "not set" : "'\(kind)'").")
      }
    }

    init() throws {
      guard tcgetattr(STDIN_FILENO, &found) == 0 else { throw Failure.usage("--interactive needs a terminal.") }
      _ = signalPipe  // created here, not in a signal handler
      // The parent process may have blocked signals.
      var awaited = sigset_t()
      sigemptyset(&awaited)
      for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH] {
        sigaddset(&awaited, number)
        Self.listen(to: number)
      }
      pthread_sigmask(SIG_UNBLOCK, &awaited, nil)
      guard enter() else {
        restore()
        throw Failure.usage("the terminal cannot report single keys.")
      }
    }

    private nonisolated static func listen(to number: Int32) {
      signal(number) { number in
        // A signal handler may call only async-signal-safe functions, so it just wakes the loop.
        let error = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(signalPipe.entrance, &byte, 1)
        errno = error
      }
    }

    /// Enters raw mode: single keys without echo, the alternate screen, no cursor, no line wrapping.
    @discardableResult
    func enter() -> Bool {
      var raw = found
      raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
      raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
      let isRaw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0
      Output.standard.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
      return isRaw
    }

    func restore() {
      Output.standard.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
      tcsetattr(STDIN_FILENO, TCSANOW, &found)
    }

    /// Restores the terminal and suspends the program. Returns when the program continues.
    func stop() {
      restore()
      signal(SIGTSTP, SIG_DFL)
      raise(SIGTSTP)
      Self.listen(to: SIGTSTP)
      enter()
    }

    /// The size in characters.
    var size: (width: Int, height: Int) {
      var size = winsize()
      guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
        return (80, 24)
      }
      return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Shows lines. The caller limits them to the size of the screen.
    func draw(_ lines: [String]) {
      Output.standard.write("\u{1B}[H" + lines.joined(separator: "\u{1B}[K\r\n") + "\u{1B}[K\u{1B}[J")
    }

    /// Waits for the next key or signal.
    func input(within milliseconds: Int32) -> Input {
      var wanted = [
        pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signalPipe.exit, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&wanted, 2, milliseconds) > 0 else { return .none }
      var byte: UInt8 = 0
      if wanted[1].revents != 0, read(signalPipe.exit, &byte, 1) == 1 {
        switch Int32(byte) {
        case SIGTSTP: return .stop
        case SIGCONT: return .resumed
        case SIGWINCH: return .none
        default: return .end(ExitCode(rawValue: 128 + Int32(byte)) ?? .terminated)
        }
      }
      // Reading from a closed terminal fails.
      guard wanted[0].revents != 0, read(STDIN_FILENO, &byte, 1) == 1 else { return .end(.hungUp) }
      switch byte {
      case 3: return .end(.interrupted)
      case 26: return .stop
      default: return .key(Character(Unicode.Scalar(byte)))
      }
    }
  }

  /// A pipe from the signal handler to the loop.
  private let signalPipe: (exit: Int32, entrance: Int32) = {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0, "A pipe needs two file descriptors.")
    return (ends[0], ends[1])
  }()
#endif
