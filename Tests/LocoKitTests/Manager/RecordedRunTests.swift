#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import TestSupport

  /// Checks the core's rules on the reports of recorded phones: fixes in bursts, late and out of order, for hours.
  @Suite("Recorded runs")
  struct RecordedRunTests {
    /// A report of a recorded phone, with its time since the outing's start, in seconds.
    private struct Report {
      let time: Double
      let report: ProviderReport
    }

    private static let start = Date(timeIntervalSinceReferenceDate: 700_000_000)

    /// Returns the reports of each phone of an outing, in the order of time.
    private static func phones(of file: URL) throws -> [String: [Report]] {
      var phones: [String: [Report]] = [:]
      for line in try Outings.text(of: file).split(separator: "\n") {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        guard ["F", "A", "S"].contains(fields[0]), let time = Double(fields[2]), time >= 0,
          let report = report(fields)
        else { continue }
        phones[String(fields[1]), default: []].append(Report(time: time, report: report))
        // A region exit counts as a significant change, too.
        guard report == .regionExit else { continue }
        phones[String(fields[1]), default: []].append(Report(time: time, report: .significantChange(nil)))
      }
      return phones.mapValues { $0.sorted { $0.time < $1.time } }
    }

    private static func report(_ fields: [Substring]) -> ProviderReport? {
      func number(_ index: Int) -> Double { Double(fields[index]) ?? .nan }
      switch fields[0] {
      case "F":
        let accuracy = number(6)
        return .fixes([
          Location(
            latitude: number(4), longitude: number(5), horizontalAccuracy: accuracy,
            timestamp: start + number(3), source: accuracy < 65 ? .gps : .coarse)
        ])
      case "A":
        let motions: [Character: LocationManager.Motion] = [
          "S": .still, "W": .walking, "R": .walking, "B": .walking, "A": .vehicle,
        ]
        return fields[4] == "l" ? nil : fields[3].first.flatMap { motions[$0] }.map { .motion($0) }
      default:
        switch fields[4] {
        case "EXITED_GEOFENCE": return .regionExit
        case "VISIT_STARTED": return .arrival
        case "VISIT_ENDED": return .departure
        default: return nil
        }
      }
    }

    @Test(
      "The rules hold on the reports of recorded phones, at every turn, with timers that fire on time",
      .enabled(if: Outings.areThere, "the recordings aren't here"),
      arguments: isLong ? [nil, 100, 500, 2_000] : [nil, 500] as [Double?])
    func rules(bound: Double?) throws {
      var (turns, locations) = (0, 0)
      for outing in try Outings.files().prefix(isLong ? 12 : 1) {
        for (name, reports) in try Self.phones(of: outing).sorted(by: { $0.key < $1.key }) {
          for sources in [Sources.awake, .phone] {
            var player = Player(bound: bound, sources: sources, start: Self.start)
            for report in reports where player.violation == nil { player.pass(to: report.time, report.report) }
            turns += player.turns
            locations += player.locations
            let path = "\(outing.lastPathComponent), \(name), \(sources): \(player.last)"
            #expect(player.violation == nil, "\(path)")
          }
        }
      }
      print("bound \(bound.map { "\($0)" } ?? "none"): \(turns) turns, \(locations) locations")
      #expect(turns > 3_000 && locations > (bound == nil ? 0 : 100))
    }

    /// Plays recorded reports to a core.
    private struct Player {
      private var checked: CheckedCore
      private let start: Date
      private(set) var turns = 0
      private(set) var locations = 0
      private(set) var last = ""
      private var uptime = 0.0

      var violation: String? { checked.violation }

      init(bound: Double?, sources: Sources, start: Date) {
        self.start = start
        checked = CheckedCore(
          LocationCore(
            authorization: .always, policy: .loco, wakeSources: sources.kinds, backgroundUpdates: sources.updates,
            isPaused: false),
          at: LocationCore.Now(uptime: .zero, date: start))
        turn(.errorBound(bound))
        turn(.command(.tryPrompt))
        turn(.report(.authorization(.always)))
      }

      /// Fires the timers up to a time, and then passes a report to the core.
      mutating func pass(to time: Double, _ report: ProviderReport) {
        for _ in 0..<10_000 {
          guard let timer = checked.core.plan.timer, timer.inSeconds <= time, violation == nil else { break }
          uptime = max(uptime, timer.inSeconds)
          turn(.report(.timer))
        }
        uptime = max(uptime, time)
        turn(.report(report))
      }

      private mutating func turn(_ input: LocationCore.Input) {
        last = "\(input) after \(uptime) s"
        turns += 1
        let actions = checked.turn(input, at: LocationCore.Now(uptime: .seconds(uptime), date: start + uptime))
        locations += actions.count(where: \.isDelivery)
        checked.endTurn(input, actions)
        if let sources = checked.newSources { turn(.report(sources.report)) }
      }
    }
  }
#endif
