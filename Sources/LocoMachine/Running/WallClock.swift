#if !hasFeature(Embedded)
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The system's wall clock, which the user can set.
  enum WallClock {
    /// The time since the beginning of 1970.
    static var sinceEpoch: Duration {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
  }
#endif
