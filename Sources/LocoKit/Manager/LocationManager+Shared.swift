#if canImport(CoreLocation) && canImport(ObjectiveC)
  extension LocationManager {
    /// A manager on the main actor over Core Location. It asks for the permission while the app is in use, and persists the last
    /// location and a pause in ``LastLocationStore/standard``.
    ///
    /// ```swift
    /// let manager = LocationManager.shared
    /// manager.tryPromptAuthorization()
    /// ```
    ///
    /// For another configuration, create one manager with a ``CoreLocationProvider`` instead.
    @MainActor public static let shared = LocationManager(
      provider: CoreLocationProvider(), store: LastLocationStore.standard)
  }
#endif
