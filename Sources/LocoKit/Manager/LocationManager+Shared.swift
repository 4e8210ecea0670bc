#if canImport(CoreLocation) && canImport(ObjectiveC)
  extension LocationManager {
    /// A manager on the main actor that uses Core Location. It asks for *While Using the App*, and persists the last location and a pause
    /// in ``LastLocationStore/standard``.
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
