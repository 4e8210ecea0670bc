#if os(Linux) || os(macOS)
  import Foundation

  /// The options of `compare`.
  struct CompareOptions: Command {
    var tracks: [URL] = []
    var builtIn = BuiltInRoute.freeway
    /// The error bounds, in metres.
    var bounds: [Double] = []
    var seed: UInt64 = 1
    var seedCount = 10
    var phone = Phone.background
    /// The median time to a fix after a hot start; `nil` uses the device's own.
    var hotStart: Duration?
    var isJSON = false
    var report: URL?

    var seeds: [UInt64] { (0..<UInt64(seedCount)).map { seed &+ $0 } }

    static var options: [Option<Self>] {
      [
        Option(
          each: \.tracks, "--gpx", .file(),
          help: "a recorded track; may be repeated: the seconds of all tracks are pooled"),
        Option(\.builtIn, "--route", .choice(), help: BuiltInRoute.help),
        Option(
          each: \.bounds, "--within", .bound,
          help: "an error bound, 100 or more; may be repeated (default: 200, 500 and 1000)"),
        Option(\.phone, "--phone", .choice(), help: Phone.help + "\nThe second table compares all phones."),
        Option(\.seed, "--seed", .seed, help: "the first seed of the random numbers (default: 1)"),
        Option(\.seedCount, "--seeds", .whole(1...1_000), help: "the number of seeds for each track (default: 10)"),
        Option(
          \.hotStart, "--hot-start", .duration(),
          help:
            "the median time to the first fix of a receiver with current satellite data (default: that of the device, "
            + "4s for a phone, 1.5s for gpsd)"),
        Option(\.isJSON, "--json", help: "print one JSON object"),
        Option(\.report, "--report", .file(), help: "write an HTML page with a chart of the policies"),
      ]
    }

    static func refusal(of names: Set<String>, for command: String) -> String? { BuiltInRoute.refusal(of: names) }

    mutating func finish(_ given: Given) throws { if bounds.isEmpty { bounds = [200, 500, 1_000] } }

    static let examples: KeyValuePairs = [
      "compare --gpx commute.gpx --gpx weekend.gpx --within 300": "what the policies and 300 m cost on your tracks",
      "compare --route day --within 200 --within 1000": "two bounds beside the others on the built-in day",
    ]

    static let about = """
      Compares the GPS time and the error of policies on the same drives: Loco's rules, looks at fixed intervals, error bounds, and
      the least possible.

      USAGE: LocoKitDemo compare [options]
      """

    static let notes = """
      GPS time, added power, starts and wake-ups are counted at all times. The error is the distance between the last location and the
      device, measured once a second while the device is under way, except in gaps of a track. A device is under way in a second if, at
      some time in the five minutes before or after, it is more than 100 m from its place in that second. Otherwise it dwells. The least
      possible is the GPS time of a policy that knows the whole route, and uses no coarse fixes. "× least" is the GPS time as a multiple of
      the least possible for errors of at most the policy's 95th percentile.

      EXIT CODES: 0 done, 64 wrong usage, 65 a file cannot be used, 66 it cannot be read,
                  73 the report cannot be created with access for its owner only, 74 the output or the report cannot be written,
                  141 the output's reader is gone (prints no message)
      """

    /// Drives the tracks with each policy.
    func run() throws -> ExitCode {
      var tracks: [Comparison.Track] = []
      for file in self.tracks {
        let (route, notes) = try BuiltInRoute.recorded(file)
        for note in notes { Output.error.write("note: \(file.lastPathComponent): \(note.printable)\n") }
        tracks.append(Comparison.Track(name: file.lastPathComponent, route: route, truth: GroundTruth(route)))
      }
      if tracks.isEmpty {
        let route = builtIn.route
        tracks = [Comparison.Track(name: builtIn.rawValue, route: route, truth: GroundTruth(route))]
      }
      let report = try report.map { try LogFile($0, isLive: false, isNot: self.tracks) }
      let policies = ComparedPolicy.all(bounds, on: phone)
      var comparison = Comparison(tracks: tracks, seeds: seeds, phone: phone, hotStart: hotStart)
      for (index, policy) in policies.enumerated() {
        guard Output.standard.isOpen else { break }
        if Output.error.isTerminal {
          Output.error.write("\r\u{1B}[K\(index * 100 / policies.count) %  \(policy.title)\r")
        }
        comparison.drive(policy)
      }
      if Output.error.isTerminal { Output.error.write("\r\u{1B}[K") }
      for bound in bounds { comparison.addLeast(within: bound) }
      Output.standard.write(isJSON ? comparison.figures.jsonLine : comparison.text(bounds))
      // Without its reader, the comparison isn't complete, and an earlier page remains.
      if Output.standard.isOpen { try report?.replace(with: comparison.page.page + "\n") }
      return .done
    }
  }
#endif
