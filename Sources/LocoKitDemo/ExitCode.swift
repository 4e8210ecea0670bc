#if os(Linux) || os(macOS)
  /// The exit codes. Most are from `sysexits.h`. The exit code of a signal is 128 plus its number, as in a shell.
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
    case readerGone = 141
    case terminated = 143
  }
#endif
