import Foundation
import PhoneReplay

/// The program's exit codes, as in sysexits.h.
enum ExitCode: Int32 {
  case success = 0
  /// The arguments are invalid.
  case usage = 64
  /// A file is invalid, the folder or a file can't be read, or there is no outing.
  case data = 65
  /// The folder doesn't exist, or is a file.
  case noInput = 66
  /// The replay failed.
  case software = 70
}

/// An error that ends the program.
struct Failure: Error {
  var code: ExitCode
  var message: String
}

/// The program's arguments.
struct Arguments {
  var folder: String?
  var isJSON = false
  var isBattery = false
  var isBrief = false
  var isTrace = false
  var isTrips = false
  var isHelp = false
  var seeds = 3
  var policies = Policy.allCases
  var bounds = Candidate.bounds
  var outings: [String]?

  static let help = """
    usage: phone [FOLDER] [--json | --battery | --brief | --trace | --trips] [--write] [--seeds N] [--policies A,B] [--bounds X,Y]
                 [--outings A,B]

    Replays real phones' recorded outings with LocoKit's manager, and prints the cost of each policy and the error of the
    last location. FOLDER has the outings. The default is $MOBILITYNET, or shared/mobilitynet/develop next to the
    repository.

      --json        print a line of JSON for each policy and bound; shares are fractions, errors are in metres
      --battery     compare the power model with the drops of the batteries
      --brief       print only the short table
      --trace       print the phone's commands and reports and the error of the last location, for the first seed and the
                    policies with a manager
      --trips       compare the trips of an automatic trip recorder with the journeys: a line for each journey with the
                    first seed, and a table. Only --seeds and --outings apply
      --write       update the short table in the article Bounds in figures
      --seeds N     the number of replays of each outing, 1 to 100; the default is 3
      --policies    a selection of \(Policy.allCases.map(\.rawValue).joined(separator: ", "))
      --bounds      the bounds in metres, 100 to 1000000 each
      --outings     the names of the outings to replay

    \(OutingReader.format)
    """

  init(_ words: [String]) throws {
    var words = words[...]
    let names = Policy.allCases.map(\.rawValue).joined(separator: ", ")
    func next(of option: String) throws -> String {
      guard let value = words.popFirst() else { throw Self.usage("\(option) needs a value") }
      return value
    }
    while let word = words.popFirst() {
      switch word {
      case "--help", "-h": isHelp = true
      case "--json": isJSON = true
      case "--battery": isBattery = true
      case "--brief": isBrief = true
      case "--trace": isTrace = true
      case "--trips": isTrips = true
      case "--seeds":
        let value = try next(of: word)
        guard let number = Int(value), (1...100).contains(number) else {
          throw Self.usage("--seeds is a number from 1 to 100, not “\(value)”")
        }
        seeds = number
      case "--policies":
        policies = try next(of: word).split(separator: ",").map { name in
          guard let policy = Policy(rawValue: String(name)) else {
            throw Self.usage("there is no policy “\(name)”; the policies are \(names)")
          }
          return policy
        }
      case "--bounds":
        bounds = try next(of: word).split(separator: ",").map { text in
          guard let bound = Double(text), (100...1_000_000).contains(bound) else {
            throw Self.usage("a bound is 100 to 1000000 metres, not “\(text)”")
          }
          return bound
        }
      case "--outings": outings = try next(of: word).split(separator: ",").map(String.init)
      case _ where word.hasPrefix("-"): throw Self.usage("there is no option \(word)")
      default:
        guard folder == nil else { throw Self.usage("there is more than one folder: \(folder ?? "") and \(word)") }
        folder = word
      }
    }
    if [isJSON, isBattery, isBrief, isTrace, isTrips].count(where: { $0 }) > 1 {
      throw Self.usage("--json, --battery, --brief, --trace and --trips are different results: choose one")
    }
    if policies.isEmpty { throw Self.usage("--policies is empty") }
    if bounds.isEmpty { throw Self.usage("--bounds is empty") }
  }

  static func usage(_ problem: String) -> Failure {
    Failure(code: .usage, message: "phone: \(problem).\n" + "See phone --help.")
  }
}

/// Shows the progress on standard error if that is a terminal. Notes are always shown.
struct Progress {
  private let isShown = isatty(STDERR_FILENO) == 1

  func show(_ text: String) {
    if isShown { write("\r\u{1B}[K\(text)") }
  }

  func note(_ text: String) { write((isShown ? "\r\u{1B}[K" : "") + text + "\n") }

  func end() {
    if isShown { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

@main
struct PhoneReplayCommand {
  static func main() {
    let progress = Progress()
    do {
      try run(Arguments(Array(CommandLine.arguments.dropFirst())), progress)
    } catch let failure as Failure {
      progress.note(failure.message)
      exit(failure.code.rawValue)
    } catch let error as OutingError {
      progress.note(error.description)
      exit(ExitCode.data.rawValue)
    } catch {
      progress.note("\(error)")
      exit(ExitCode.software.rawValue)
    }
  }

  private static func run(_ arguments: Arguments, _ progress: Progress) throws {
    if arguments.isHelp { return print(Arguments.help) }
    let files = try files(arguments)
    var recordings: [Recording] = []
    var checks: [BatteryCheck] = []
    var missing = arguments.outings ?? []
    for (index, file) in files.enumerated() {
      progress.show("reading \(index + 1) of \(files.count): \(file.lastPathComponent)")
      let outing = try OutingReader.read(contentsOf: file)
      if let names = arguments.outings, !names.contains(outing.name) { continue }
      missing.removeAll { $0 == outing.name }
      checks += BatteryCheck.check(outing)
      if let recording = Recording(outing) {
        recordings.append(recording)
      } else {
        progress.note("skipped \(outing.name): no phone in 100 m mode has fixes and a data connection")
      }
    }
    guard missing.isEmpty else {
      throw Failure(
        code: .data, message: "there is no outing \(missing.joined(separator: ", ")) (O line); see --outings")
    }
    if arguments.isBattery {
      progress.end()
      return print(BatteryCheck.table(checks))
    }
    guard !recordings.isEmpty else {
      throw Failure(code: .data, message: "no outing is left: each was skipped, or --outings lacks its name (O line)")
    }
    if arguments.isTrace {
      progress.end()
      return try trace(recordings, arguments)
    }
    // A filtered stream lacks the fixes at rest, so a second table has these outings; --json, --brief and --trips
    // leave them out. With --outings, one result has both kinds.
    var filtered = arguments.outings == nil ? recordings.filter(\.isFiltered) : []
    if filtered.count == recordings.count { filtered = [] }
    if !filtered.isEmpty { recordings.removeAll(where: \.isFiltered) }
    if arguments.isTrips { return try trips(recordings, arguments, progress) }
    let rows = try rows(of: recordings, arguments, progress)
    var others: [Row] = []
    if filtered.contains(where: { !$0.outing.isStill }), !arguments.isJSON, !arguments.isBrief {
      var arguments = arguments
      arguments.policies = [.default]
      others = try Self.rows(of: filtered, arguments, progress)
    }
    progress.end()
    if arguments.isJSON { return print(rows.map(\.json).joined(separator: "\n")) }
    print(text(rows, recordings, checks, arguments))
    guard !others.isEmpty else { return }
    let names = filtered.filter { !$0.outing.isStill }.map(\.outing.name).joined(separator: ", ")
    print(
      "\nOutings whose coarse fixes were recorded with a distance filter, and are missing at rest: \(names).\n\n\(Row.table(others))"
    )
  }

  private static func files(_ arguments: Arguments) throws -> [URL] {
    let path =
      arguments.folder ?? ProcessInfo.processInfo.environment["MOBILITYNET"] ?? "../shared/mobilitynet/develop"
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
      throw Failure(
        code: .noInput,
        message: """
          phone: there is no folder \(path).
          The replay needs outings of MobilityNet: locations, motion, batteries and the true route of four iPhones that were
          carried together. Get bin/data of github.com/MobilityNet/mobilitynet-analysis-scripts (BSD 3-Clause), convert each
          outing to the format that --help describes, and pass the folder: phone FOLDER.
          """)
    }
    return try OutingReader.files(in: URL(fileURLWithPath: path, isDirectory: true))
  }

  private static func trace(_ recordings: [Recording], _ arguments: Arguments) throws {
    let candidates = Candidate.all(bounds: arguments.bounds, policies: arguments.policies)
    for candidate in candidates where ![.tracking100m, .trackingBest, .oracle].contains(candidate.policy) {
      for recording in recordings {
        print(
          "\(recording.outing.name), \(candidate.policy.rawValue)" + (candidate.bound.map { ", \(Int($0)) m" } ?? ""))
        try Replay.trace(recording, candidate, seed: 0) { print("  " + $0) }
      }
    }
  }

  private static func trips(_ recordings: [Recording], _ arguments: Arguments, _ progress: Progress) throws {
    var sum = TripTally()
    var lines: [String] = []
    for recording in recordings {
      for seed in 0..<arguments.seeds {
        progress.show("\(recording.outing.name), \(seed + 1) of \(arguments.seeds)")
        sum += try Replay.trips(recording, seed: UInt64(seed)) { if seed == 0 { lines.append($0) } }
      }
    }
    progress.end()
    print(lines.joined(separator: "\n"))
    print("\n\(sum.table)\n\nReplayed with `Benchmarks/phone --trips`, \(arguments.seeds) seeds for each outing.")
  }

  private static func rows(of recordings: [Recording], _ arguments: Arguments, _ progress: Progress) throws -> [Row] {
    let candidates = Candidate.all(bounds: arguments.bounds, policies: arguments.policies)
    return try candidates.enumerated().map { index, candidate in
      var row = Row(candidate, trips: Tally())
      for recording in recordings {
        progress.show(
          "\(index + 1) of \(candidates.count): \(candidate.policy.rawValue) \(candidate.bound.map { "\(Int($0)) m" } ?? "")"
            + ", \(recording.outing.name)")
        for seed in 0..<arguments.seeds {
          let tally = try Replay.run(recording, candidate, seed: UInt64(seed))
          if recording.outing.isStill { row.still += tally } else { row.trips += tally }
        }
      }
      return row
    }
  }

  private static func text(
    _ rows: [Row], _ recordings: [Recording], _ checks: [BatteryCheck], _ arguments: Arguments
  ) -> String {
    let trips = recordings.filter { !$0.outing.isStill }
    let counts = rows.first?.trips.counts ?? Counts()
    let hours = [true, false].map { isMoving in
      String(format: "%.1f", counts.seconds(moving: isMoving) / 3_600 / Double(arguments.seeds))
    }
    let elsewhere = rows.filter { [.default, .pessimistic].contains($0.candidate.policy) }.compactMap(\.elsewhereShare)
    let shares = [elsewhere.min(), elsewhere.max()].map { String(format: "%.1f %%", ($0 ?? 0) * 100) }
    let short = """
      \(Row.shortTable(rows))

      Each cell: power while moving · battery use per hour on a day of 22 hours at rest and 2 moving: of an iPhone 6, and in \
      parentheses the least and the most that an iPhone 13 Pro Max may use, because its coarse updates and wake-ups were not measured · error that \
      isn't exceeded in 95 % of the moving time on the surface · share of that time beyond the bound. Power is above that of an idle phone in the \
      same pocket.

      Replayed with `Benchmarks/phone` on \(trips.count) outings of MobilityNet, \(hours[0]) hours moving and \(hours[1]) at \
      rest, \(arguments.seeds) seeds each. While \
      `LocationManager.presence` named a place, the phone was not there for \(shares[0]) to \(shares[1]) of the time, by bound, in the first two rows.
      """
    if arguments.isBrief { return short }
    return """
      \(short)

      \(Row.table(rows))

      Outings: \(trips.map(\.outing.name).joined(separator: ", ")).

      \(BatteryCheck.summary(checks))
      """
  }
}
