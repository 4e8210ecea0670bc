import LocoMachine

/// The problems that a store reports, on any thread.
struct Reports: Sendable {
  private let reports = Locked<[String]>([])
  var all: [String] { reports.change { $0 } }
  func add(_ report: String) { reports.change { $0.append(report) } }
}
