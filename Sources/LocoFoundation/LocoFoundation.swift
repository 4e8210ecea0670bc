// Re-exports the C library and Foundation's dates, files and JSON. On Linux, all of Foundation would add 46 MB to a static program, so only
// FoundationEssentials is imported.

#if canImport(FoundationEssentials) && !LOCOKIT_STAND_INS
  @_exported public import FoundationEssentials
#else
  @_exported public import Foundation
#endif

#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#endif

extension Date {
  /// The date in ISO 8601 with milliseconds, such as `2026-05-03T19:00:05.250Z`, rounded to the nearest one. The format style alone would
  /// truncate it.
  package var textWithMilliseconds: String {
    let milliseconds = (timeIntervalSinceReferenceDate * 1_000).rounded()
    return Date(timeIntervalSinceReferenceDate: (milliseconds + 0.1) / 1_000)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
