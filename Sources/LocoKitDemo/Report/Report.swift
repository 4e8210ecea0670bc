#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// What a report says.
  struct Report: Encodable {
    enum Kind: String, Encodable {
      case drive
      case replay
      case compare
    }

    var kind: Kind
    /// What was driven, played or compared, in a few words.
    var title: String
    /// What else it depends on, each in a few words.
    var facts: [String] = []
    var version = LocoKitDemo.version
    var summary: Summary?
    var recording: Recording?
    var comparison: Comparison.Figures?
    /// The least possible: errors in metres, and the share of the time with the GPS on.
    var least: [Least]?

    struct Least: Encodable {
      var errorMeters: Double
      var gpsOnShare: Double
    }

    /// A self-contained HTML page.
    var page: String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let json = (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
      return ReportAssets.beforeData + Self.escaped(json) + ReportAssets.afterData
    }

    /// JSON that does not end the element in which it stands: only its strings can hold a `<`.
    static func escaped(_ json: String) -> String {
      json.replacingOccurrences(of: "<", with: "\\u003c")
    }
  }

  /// The file of a report, readable by its owner alone. It is opened before what it reports on begins.
  struct ReportFile {
    private let file: LogFile

    init(_ file: URL) throws { self.file = try LogFile(file, isLive: false) }

    func write(_ report: Report) throws {
      file.write(report.page)
      try file.close()
    }
  }
#endif
