import LocoKit

/// The names, words, shapes and colours of a report's page. The indexes of a ``Recording`` refer to these lists.
struct ReportWords: Encodable {
  /// What the page shows of a state, a cause, an event or a reason.
  struct Entry: Encodable {
    var name: String
    var words: String
    /// The words as a sentence.
    var sentence: String?
    /// The shape of a mark on the map.
    var shape: String?
    /// The colours on a light and a dark page.
    var colors: [String]?
    /// Whether the GPS is on in a state.
    var isGPS: Bool?
  }

  var states = LocationMachine.State.allCases.map { state in
    Entry(name: state.rawValue, words: state.style.words, colors: state.style.colors, isGPS: state.mode == .gps)
  }
  var causes = LookCause.allCases.map { Entry(name: $0.name, words: $0.words, sentence: $0.sentence) }
  var wakes = WakeKind.entries
  var reasons = RejectionReason.allCases.map { Entry(name: $0.rawValue, words: $0.words) }
  var outcomes = WakeMonitor.Outcome.allCases.map { Entry(name: $0.rawValue, words: $0.words) }
}

extension LocationMachine.State {
  fileprivate var style: (words: String, colors: [String]) {
    switch self {
    case .initial: ("not started", ["#c6ced6", "#4b5563"])
    case .prompted: ("permission prompt shown", ["#e0b03a", "#e5b544"])
    case .denied: ("permission denied", ["#c4183c", "#ff8291"])
    case .waitingSignificantChange: ("waiting", ["#bfd8f4", "#24466d"])
    case .acquiring: ("acquiring", ["#12824c", "#3ddc84"])
    case .paused: ("paused", ["#8b949e", "#8b949e"])
    }
  }
}

extension WakeKind {
  /// The marks of the kinds on a map, in their order. With more kinds than marks, they are used again.
  private static let marks: [(shape: String, colors: [String])] = [
    ("circle", ["#946200", "#e5b544"]), ("up", ["#c4183c", "#ff8291"]), ("down", ["#6b4fbb", "#b7a3f5"]),
    ("square", ["#0e7490", "#53d1e7"]), ("diamond", ["#b5277d", "#f890d1"]), ("dot", ["#5a6572", "#a7b2be"]),
    ("square", ["#7a4b00", "#ffb86b"]), ("diamond", ["#1d6b3a", "#7ddc93"]),
  ]

  fileprivate static var entries: [ReportWords.Entry] {
    allCases.enumerated().map { index, kind in
      let mark = marks[index % marks.count]
      return ReportWords.Entry(name: kind.rawValue, words: kind.facts.one, shape: mark.shape, colors: mark.colors)
    }
  }
}

extension WakeMonitor.Outcome {
  var words: String {
    switch self {
    case .acquisition: "started a look"
    case .coolDown: "in the cool-down after a look"
    case .withinBound: "not needed within the bound"
    case .off: "while the manager was off"
    case .running: "more, while the app was running"
    }
  }
}
