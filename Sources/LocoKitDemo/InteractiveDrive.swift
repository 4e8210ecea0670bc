import Foundation
import LocoKit

/// A drive in real time on a screen, with keys.
final class InteractiveDrive {
  private let options: DriveOptions
  private var calls: [String] = []

  init(_ options: DriveOptions) {
    self.options = options
  }

  func run() throws -> ExitCode {
    let (route, notes) = try options.route()
    let trip = try Trip(options, route: route)
    calls = notes.map { "note: \($0)" }
    trip.journal.onCall = { time, _, call in self.calls.append("\(time.clock)  \(call)") }
    let terminal = try Terminal()
    let code = drive(trip, terminal)
    terminal.restore()
    try trip.end()
    Output.standard.write(trip.summary.text)
    return code
  }

  private func drive(_ trip: Trip, _ terminal: Terminal) -> ExitCode {
    trip.manager.tryPromptAuthorization()
    let speed = options.speed ?? 1
    let start = ContinuousClock.now
    while trip.provider.uptime < trip.provider.route.duration {
      terminal.draw(screen(trip, width: terminal.width))
      switch terminal.key(within: 100) {
      case .key(let key):
        if press(key, trip) { return .done }
      case .interrupt: return .interrupted
      case .terminate: return .terminated
      case .none: break
      }
      let due = start.duration(to: .now).seconds * speed
      // A machine that was asleep does not catch up more than an hour at once.
      var steps = 0
      while trip.provider.uptime.seconds + 1 <= due, steps < 3_600 {
        trip.second()
        steps += 1
      }
    }
    return .done
  }

  /// Whether the key ends the drive.
  private func press(_ key: Character, _ trip: Trip) -> Bool {
    switch key {
    case "p": trip.manager.pause()
    case "r": trip.manager.resume()
    case "f": trip.manager.forceAcquireLocation()
    case "t": trip.manager.tryPromptAuthorization()
    case "T": trip.manager.forcePromptAuthorization()
    case "d": trip.provider.setAuthorization(.denied)
    case "a": trip.provider.setAuthorization(.always)
    case "q": return true
    default: break
    }
    return false
  }

  private func screen(_ trip: Trip, width: Int) -> [String] {
    let manager = trip.manager
    let place = manager.location.map { location in
      let age = trip.provider.date.timeIntervalSince(location.timestamp)
      return "\(location.short), \(Int(age)) s old"
    }
    let on = trip.provider.energy.gpsOn.seconds
    let time = trip.provider.uptime.seconds
    var lines = [
      "LocoKit   \(time.clock) of \(trip.provider.route.duration.seconds.clock)",
      "",
      "state          \(manager.state.rawValue)",
      "receiver       \(trip.provider.mode.rawValue)",
      "permission     \(manager.authorization.rawValue)",
      "last location  \(place ?? "none")",
      "GPS on         \(on.oneDecimal) s, \((time > 0 ? on / time * 100 : 0).oneDecimal) %",
      "",
    ]
    lines += calls.suffix(12)
    lines += Array(repeating: "", count: 12 - min(12, calls.count))
    lines += [
      "", "p pause   r resume   f force   t prompt   T force prompt   d deny   a allow (in the settings)   q quit",
    ]
    return lines.map { String($0.prefix(width)) }
  }
}

/// A terminal taken over for a while, and left as it was found.
final class Terminal {
  enum Input {
    case key(Character)
    case interrupt
    case terminate
    case none
  }

  private var found = termios()

  init() throws {
    guard tcgetattr(0, &found) == 0 else { throw Failure.usage("--interactive needs a terminal.") }
    var raw = found
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
    guard tcsetattr(0, TCSANOW, &raw) == 0 else { throw Failure.usage("the terminal takes no single keys.") }
    _ = signalPipe  // made here, not in a signal handler
    // Whoever started the program may have blocked signals in it.
    var awaited = sigset_t()
    sigemptyset(&awaited)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      sigaddset(&awaited, number)
      signal(number) { number in
        // Only what is safe in a signal handler: wake the loop.
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(signalPipe.entrance, &byte, 1)
      }
    }
    pthread_sigmask(SIG_UNBLOCK, &awaited, nil)
    Output.standard.write("\u{1B}[?1049h\u{1B}[?25l")
  }

  func restore() {
    Output.standard.write("\u{1B}[?25h\u{1B}[?1049l")
    tcsetattr(0, TCSANOW, &found)
  }

  var width: Int {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  func draw(_ lines: [String]) {
    Output.standard.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K\r\n" }.joined() + "\u{1B}[J")
  }

  /// The next key or signal, waiting so many milliseconds for one.
  func key(within milliseconds: Int32) -> Input {
    var wanted = [
      pollfd(fd: 0, events: Int16(POLLIN), revents: 0), pollfd(fd: signalPipe.exit, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&wanted, 2, milliseconds) > 0 else { return .none }
    var byte: UInt8 = 0
    if wanted[1].revents != 0, read(signalPipe.exit, &byte, 1) == 1 {
      return Int32(byte) == SIGINT ? .interrupt : .terminate
    }
    // A terminal that has gone reads as nothing.
    guard wanted[0].revents != 0, read(0, &byte, 1) == 1 else { return .terminate }
    return byte == 3 ? .interrupt : .key(Character(Unicode.Scalar(byte)))
  }
}

/// Where a signal handler leaves word for the loop.
private let signalPipe: (exit: Int32, entrance: Int32) = {
  var ends: [Int32] = [0, 0]
  precondition(pipe(&ends) == 0, "A process has two descriptors for a pipe.")
  return (ends[0], ends[1])
}()
