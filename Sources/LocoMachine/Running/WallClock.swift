#if !hasFeature(Embedded)
  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(WASILibc)
    import WASILibc
  #elseif canImport(ucrt)
    import ucrt
  #endif

  /// The system's wall clock, which the user can set.
  enum WallClock {
    /// The time since the beginning of 1970.
    static var sinceEpoch: Duration {
      var time = timespec()
      #if canImport(ucrt)
        timespec_get(&time, TIME_UTC)
      #else
        clock_gettime(CLOCK_REALTIME, &time)
      #endif
      return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
  }
#endif
