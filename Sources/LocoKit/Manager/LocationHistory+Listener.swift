#if canImport(Dispatch) && !os(Windows) && !os(WASI)
  extension LocationHistory: LocationManagerListener {
    /// Appends the location.
    public func locationManager(_ manager: LocationManager, didUpdate location: Location) { append(location) }
  }
#endif
