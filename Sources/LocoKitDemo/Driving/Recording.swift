import LocoKit

/// The events of a drive or a journal, for a report's page: columns of whole numbers.
///
/// The times in tenths of a second and the degrees are stored as differences from the previous value.
struct Recording: Encodable {
  /// Times in tenths of a second, and indexes of ``ReportWords``.
  struct Events: Encodable {
    var t: [Int] = []
    var v: [Int] = []
  }

  /// Times in tenths of a second, millionths of degrees, and accuracies in tenths of metres.
  struct Path: Encodable {
    var t: [Int] = []
    var lat: [Int] = []
    var lon: [Int] = []
    var acc: [Int]?
  }

  var seconds = 0.0
  /// The start, in seconds since 1970.
  var startedAt = 0.0
  var boundMeters: Double?
  /// The true positions; `nil` if they are unknown.
  var truth: Path?
  /// The starts and ends of gaps in a recorded track, in seconds.
  var unknown: [Int] = []
  /// The starts and ends of the dwelling times, in seconds.
  var dwelling: [Int] = []
  /// The fixes, if the true positions are unknown.
  var fixes: Path?
  var locations = Path()
  /// The estimates, in paths without a jump.
  var estimates: [Path] = []
  var states = Events()
  var looks = Events()
  /// The sources of wake-ups. A look that a wake-up starts has the same time.
  var wakes = Events()
  var rejections = Events()
  /// The times of failed acquisitions, in tenths of a second.
  var failures: [Int] = []
}

extension Recording.Path {
  init(_ path: ThinnedPath, hasAccuracy: Bool) { self.init(path.thinned, hasAccuracy: hasAccuracy) }

  init(_ points: [(time: Double, value: ThinnedPath.Value)], hasAccuracy: Bool) {
    self.init(
      t: Self.differences(points.map { ($0.time * 10).rounded() }),
      lat: Self.differences(points.map { ($0.value.x * 1e6).rounded() }),
      lon: Self.differences(points.map { ($0.value.y * 1e6).rounded() }),
      acc: hasAccuracy ? points.map { Int(($0.value.z * 10).rounded()) } : nil)
  }

  fileprivate static func differences(_ values: [Double]) -> [Int] {
    zip(values, [0] + values).map { Int($0 - $1) }
  }
}

extension Recording.Events {
  init(_ events: [(time: Double, value: Int)]) {
    self.init(t: Recording.Path.differences(events.map { ($0.time * 10).rounded() }), v: events.map { $0.value })
  }
}

extension Location {
  var valueInReport: ThinnedPath.Value {
    ThinnedPath.Value(latitude, longitude, ReportRecorder.limited(horizontalAccuracy))
  }
}
