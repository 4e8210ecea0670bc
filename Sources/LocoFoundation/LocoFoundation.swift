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
