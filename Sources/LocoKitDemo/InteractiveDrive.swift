#if os(Linux) || os(macOS)
  import Foundation
  import LocoKitSimulation
  import LocoKit
  import LocoKitTrips

  /// A drive on a full screen, by default in real time, controlled by keys.
  @MainActor
  final class InteractiveDrive {
    private let options: DriveOptions
    /// The newest 1,000 calls, which are more than fit on a screen.
    private var calls: [String] = []

    init(_ options: DriveOptions) {
      self.options = options
    }

    func run() throws -> ExitCode {
      try Terminal.check()
      let (route, notes) = try options.route()
      let report = try options.report.map { try ReportFile($0, isNot: [options.gpx]) }
      let drive = try LoggedTrip(options, route: route)
      calls = notes.map { "note: \($0.printable)" }
      drive.events.onCall = { time, _, call in
        self.calls = self.calls.suffix(999) + ["\(time.clock)  \(call)"]
      }
      let terminal = try Terminal()
      let code = self.drive(drive, terminal)
      terminal.restore()
      Output.standard.write(drive.trip.summary.text)
      try report?.write(options.report(on: drive.trip))
      try drive.end()
      return code
    }

    private func drive(_ drive: LoggedTrip, _ terminal: Terminal) -> ExitCode {
      let trip = drive.trip
      trip.manager.tryPromptAuthorization()
      let speed = options.speed ?? 1
      let end = trip.provider.route.duration
      var start = ContinuousClock.now
      while trip.provider.uptime < end, Output.standard.isOpen {
        let size = terminal.size
        terminal.draw(screen(trip).lines(width: size.width, height: size.height))
        switch terminal.input(within: 100) {
        case .key(let key):
          if press(key, trip) { return .done }
        case .end(let code):
          return code
        case .stop:
          let stopped = ContinuousClock.now
          terminal.stop()
          start += stopped.duration(to: .now)
        case .resumed:
          terminal.enter()
        case .none:
          break
        }
        let due = Duration.seconds(min(start.duration(to: .now).seconds * speed, end.seconds))
        // After the computer was asleep, each pass catches up by at most an hour.
        var steps = 0
        while trip.provider.uptime < end, steps < 3_600 {
          let step = min(.seconds(1), end - trip.provider.uptime)
          guard trip.provider.uptime + step <= due else { break }
          drive.advance(by: step)
          steps += 1
        }
      }
      return .done
    }

    /// Handles a key, and returns whether it ends the drive.
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

    private func screen(_ trip: Trip) -> Screen {
      let manager = trip.manager
      let place = manager.location.map { location in
        let age = trip.provider.date.timeIntervalSince(location.timestamp)
        return "\(location.short), \(Int(age)) s old"
      }
      let on = trip.provider.energy.gpsOn.seconds
      let time = trip.provider.uptime.seconds
      let bound = trip.setup.bound.map { bound in
        let estimate = manager.estimate.map { ", estimate ±\(Int($0.accuracy)) m" } ?? ""
        return ("bound", "\(bound.oneDecimal) m" + estimate)
      }
      return Screen(
        title: "LocoKit   \(time.clock) of \(trip.provider.route.duration.seconds.clock)",
        state: manager.state.rawValue,
        values: [
          ("receiver", trip.provider.mode.rawValue),
          ("permission", manager.authorization.rawValue),
          ("last location", place ?? "none"),
          ("GPS on", "\(on.oneDecimal) s, \((time > 0 ? on / time : 0).percent)"),
        ] + (bound.map { [$0] } ?? []),
        calls: calls,
        keys: [
          "p pause", "r resume", "f force", "t prompt", "T force prompt", "d deny", "a allow (in the settings)",
          "q quit",
        ])
    }
  }

  /// The contents of the screen.
  struct Screen {
    var title: String
    var state: String
    var values: [(label: String, value: String)]
    var calls: [String]
    var keys: [String]

    /// Returns the most important lines that fit, in order, with the keys at the bottom.
    func lines(width: Int, height: Int) -> [String] {
      var lines: [(importance: Int, text: String)] = [
        (2, title), (4, ""), (0, Self.line("state", state, width: width)),
      ]
      lines += values.map { (2, Self.line($0.label, $0.value, width: width)) }
      lines.append((4, ""))
      let newest = calls.suffix(height)
      lines += newest.enumerated().map { index, call in
        let age = newest.count - 1 - index
        return (age == 0 ? 3 : 4 + age, call)
      }
      let bottom = [(4, "")] + wrappedKeys(width: width).map { (1, $0) }
      lines += Array(repeating: (.max, ""), count: max(0, height - lines.count - bottom.count)) + bottom
      let kept = lines.indices.sorted { (lines[$0].importance, $0) < (lines[$1].importance, $1) }.prefix(height)
      return kept.sorted().map { String(lines[$0].text.prefix(width)) }
    }

    /// Returns a label and a value in columns. If these are too wide, puts both closer together, or omits the label.
    private static func line(_ label: String, _ value: String, width: Int) -> String {
      let wide = label.padding(toLength: 15, withPad: " ", startingAt: 0) + value
      let narrow = "\(label) \(value)"
      return wide.count <= width ? wide : narrow.count <= width ? narrow : value
    }

    private func wrappedKeys(width: Int) -> [String] {
      keys.reduce(into: []) { lines, key in
        if let line = lines.last, line.count + 3 + key.count <= width {
          lines[lines.count - 1] = line + "   " + key
        } else {
          lines.append(key)
        }
      }
    }
  }
#endif
