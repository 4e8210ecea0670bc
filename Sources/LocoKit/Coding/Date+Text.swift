package import LocoFoundation

extension Date {
  /// The date in ISO 8601 with milliseconds, such as `2026-05-03T19:00:05.250Z`, rounded to the nearest one. The format style alone would
  /// truncate it.
  package var textWithMilliseconds: String {
    let milliseconds = (timeIntervalSinceReferenceDate * 1_000).rounded()
    return Date(timeIntervalSinceReferenceDate: (milliseconds + 0.1) / 1_000)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
