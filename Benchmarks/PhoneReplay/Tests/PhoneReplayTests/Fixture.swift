import Foundation
import LocoKit

@testable import PhoneReplay

/// A made-up outing: five minutes of rest, a drive of ten minutes to the north at 10 m/s with two minutes underground, and rest.
enum Fixture {
  static let latitude = 37.4
  static let longitude = -122.0
  /// The seconds of the drive.
  static let drive = 300..<900
  static let underGround = 600..<720

  /// The folder of recorded outings: $MOBILITYNET, or next to the repository. `nil` if it has no `uni-01.csv.gz`.
  static let folder: URL? = {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<5 { root.deleteLastPathComponent() }
    let folder =
      ProcessInfo.processInfo.environment["MOBILITYNET"].map { URL(fileURLWithPath: $0) }
      ?? root.deletingLastPathComponent().appendingPathComponent("shared/mobilitynet/develop")
    return FileManager.default.fileExists(atPath: folder.appendingPathComponent("uni-01.csv.gz").path) ? folder : nil
  }()

  /// Converts metres north to degrees of latitude.
  static func degrees(_ metres: Double) -> Double { metres / Place.metresPerDegree }

  static func place(at second: Int) -> Place {
    let metres = 10 * Double(min(max(second, drive.lowerBound), drive.upperBound) - drive.lowerBound)
    return Place(latitude: latitude + degrees(metres), longitude: longitude)
  }

  static func text(
    exits: [Int] = [400], departures: [Int] = [800], activities: String = "A,ios-3,0,S,h\nA,ios-3,420,A,h",
    fixesFrom: Int = 405, seconds: Int = 1_800
  ) -> String {
    var lines = [
      "O,made-up,1500000000,by hand", "P,ios-3,MAHFDC,100m,1,1,-20,\(seconds),1,",
      "P,ios-4,control,off,0,0,0,\(seconds),1,", "J,300,900,a drive", "L,300,500,freeway", "L,500,900,light_rail",
      "D,0,299,\(latitude),\(longitude)",
    ]
    let end = place(at: drive.upperBound)
    lines.append("D,900,\(seconds),\(end.latitude),\(end.longitude)")
    for second in drive where !underGround.contains(second) {
      let place = place(at: second)
      lines.append("R,\(second),\(place.latitude),\(place.longitude)")
    }
    lines += exits.map { "S,ios-3,\($0),WAITING_FOR_TRIP_START,EXITED_GEOFENCE" }
    lines += departures.map { "S,ios-3,\($0),ONGOING_TRIP,VISIT_ENDED" }
    lines.append(activities)
    for second in stride(from: fixesFrom, to: 960, by: 6) {
      let place = place(at: second)
      lines.append("F,ios-3,\(second).5,\(second),\(place.latitude + degrees(20)),\(place.longitude),65,,")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  static func outing(_ text: String = text()) throws -> Outing { try OutingReader.read(text, file: "made-up.csv") }

  static func recording(_ text: String = text()) throws -> Recording {
    guard let recording = Recording(try outing(text)) else { throw ReplayFailure(problem: "no coarse stream") }
    return recording
  }
}

/// A log of a provider's reports, used in place of a manager.
final class Log {
  private(set) var reports: [(time: Double, report: ProviderReport)] = []

  func listen(to provider: ReplayProvider) {
    provider.onReport = ProviderReport.Handler { [weak self, unowned provider] report in
      let parts = provider.uptime.components
      self?.reports.append((Double(parts.seconds) + Double(parts.attoseconds) * 1e-18, report))
    }
  }

  var fixes: [(time: Double, location: Location)] {
    reports.flatMap { entry -> [(Double, Location)] in
      if case .fixes(let fixes) = entry.report { fixes.map { (entry.time, $0) } } else { [] }
    }
  }
  var exits: [Double] { reports.filter { $0.report == .wake(.regionExit) }.map(\.time) }
  var timers: [Double] { reports.filter { $0.report == .wake(.timer) }.map(\.time) }
  var changes: [Double] {
    reports.filter { if case .wake(.significantChange) = $0.report { true } else { false } }.map(\.time)
  }
  var motions: [(time: Double, motion: LocationManager.Motion)] {
    reports.compactMap { if case .wake(.motion(let motion)) = $0.report { ($0.time, motion) } else { nil } }
  }
}
