#if os(Linux) || os(macOS)
  /// The options of `get`, `track` and `trip`, with a simulated device or a real receiver behind gpsd.
  struct ReceiverOptions: Command {
    private(set) var command = ""
    /// Whether the receiver is a real one behind gpsd.
    var isReal = false
    var drive = DriveOptions()
    var gpsd = GPSDOptions()
    var desiredAccuracy = 100.0
    var timeout = Duration.seconds(30)
    var distanceFilter = 0.0
    var isJSON = false

    static var options: [Option<Self>] {
      [
        Option(\.desiredAccuracy, "--desired", .metresAboveZero, help: "the desired accuracy (default: 100)")
          .only(for: "get", "track"),
        Option(\.timeout, "--timeout", .duration(upTo: .seconds(86_400), "a day"), help: "the timeout (default: 30s)")
          .only(for: "get"),
        Option(
          \.distanceFilter, "--distance-filter", .metres(from: 0),
          help: "the minimum distance between locations, unless a new one is at least twice as accurate (default: 0)"
        ).only(for: "track"),
        Option(\.isJSON, "--json", help: "print each result as a line of JSON"),
        Option(\.isReal, "--gpsd", help: "a real receiver behind gpsd, instead of the simulated device"),
      ] + JournalOptions.options.map { $0.within(\.drive.journal) } + DriveOptions.device.map { $0.within(\.drive) }
        + GPSDOptions.receiver.map { $0.within(\.gpsd) }
    }

    static func refusal(of names: Set<String>, for command: String) -> String? {
      let isReal = names.contains("--gpsd")
      let others = isReal ? DriveOptions.device.map(\.name) : GPSDOptions.receiver.map(\.name)
      if let name = others.first(where: names.contains) {
        return isReal
          ? "\(name) is for a simulated device, and --gpsd is a real one."
          : "\(name) is for a real receiver: add --gpsd."
      }
      return BuiltInRoute.refusal(of: names) ?? JournalOptions.refusal(of: names)
    }

    mutating func finish(_ given: Given) throws {
      command = given.command
      gpsd.journal = drive.journal
    }

    func run() async throws -> ExitCode {
      let uses = try ReceiverCommands(self)
      let code =
        switch command {
        case "get": try await uses.get()
        case "track": try await uses.track()
        default: try await uses.trip()
        }
      try uses.receiver.journal?.finish()
      return code
    }

    static let examples: KeyValuePairs = [
      "get --desired 20 --timeout 30": "one location of 20 m or better, within 30 s",
      "track --gpsd --json": "every location of a real receiver",
      "trip --gpx commute.gpx": "the distance of a recorded drive",
    ]

    static let about = """
      Finds one location, tracks, or measures a trip.

      USAGE: LocoKitDemo get [options]       one location, as LocateMe does
             LocoKitDemo track [options]     every location, until the route or --for ends
             LocoKitDemo trip [options]      the distance and the duration, with the signal strength
      """

    static let notes = """
      With --gpsd, the program releases the receiver before it ends, also if it is hung up, interrupted or terminated, or if the output's
      reader is gone.

      EXIT CODES: 0 done, 64 wrong usage, 65 the file cannot be used, 66 it cannot be read, 69 gpsd was never reached,
                  73 the journal cannot be created with access for its owner only, 74 the output or the journal cannot be written,
                  75 no location before the timeout or the end, 77 the permission was denied or never given,
                  129 hung up, 130 interrupted, 141 the output's reader is gone (prints no message), 143 terminated
      """
  }
#endif
