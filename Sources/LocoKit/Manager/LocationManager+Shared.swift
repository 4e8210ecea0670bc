#if canImport(CoreLocation) && canImport(ObjectiveC)
  extension LocationManager {
    /// A manager on the main actor over Core Location, which asks for the permission while the app is in use, and keeps the
    /// last location and a pause in ``LastLocationStore/standard``.
    ///
    /// ```swift
    /// let manager = LocationManager.shared
    /// manager.tryPromptAuthorization()
    /// ```
    ///
    /// For anything else make one of your own, once, from a ``CoreLocationProvider`` with your configuration.
    @MainActor public static let shared = LocationManager(
      provider: CoreLocationProvider(), store: LastLocationStore.standard)
  }
#endif
