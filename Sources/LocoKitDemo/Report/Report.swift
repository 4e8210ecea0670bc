#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// The data of a report.
  struct Report: Encodable {
    enum Kind: String, Encodable {
      case drive, replay, compare
    }

    var kind: Kind
    /// The name of the route, the journal or the tracks.
    var title: String
    /// Settings, each in a few words.
    var facts: [String] = []
    var version = LocoKitDemo.version
    var words = ReportWords()
    var summary: Summary?
    var recording: Recording?
    var comparison: Comparison.Figures?
    /// The least possible GPS time for a range of errors.
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

    /// Escapes JSON so that it can't end its HTML element: only strings can contain a `<`.
    static func escaped(_ json: String) -> String {
      json.replacingOccurrences(of: "<", with: "\\u003c")
    }
  }
#endif
