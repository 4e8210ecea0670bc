#if canImport(Observation)
  public import Observation

  /// A manager's state, authorization and location, for SwiftUI to observe.
  ///
  /// ```swift
  /// struct Status: View {
  ///   let model: LocationModel
  ///   var body: some View { Text(model.state.rawValue) }
  /// }
  /// ```
  ///
  /// A model listens to its manager from when it is made to when it is let go, and belongs to the same actor. What the app
  /// does, it does with the ``manager``.
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  @Observable
  public final class LocationModel {
    /// The manager that is mirrored.
    @ObservationIgnored public let manager: LocationManager
    /// The current state.
    public private(set) var state: LocationState
    /// Whether locations may be used.
    public private(set) var authorization: Authorization
    /// The last location delivered.
    public private(set) var location: Location?

    @ObservationIgnored private var token: LocationManager.ListenerToken?

    /// A model of a manager, as it is now and from now on.
    public init(_ manager: LocationManager) {
      self.manager = manager
      state = manager.state
      authorization = manager.authorization
      location = manager.location
      token = manager.listeners.add(
        onUpdate: { [weak self] in self?.location = $0 },
        onTransition: { [weak self] in self?.state = $0.to },
        onAuthorizationChange: { [weak self] in self?.authorization = $0 })
    }
  }

  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  @available(*, unavailable)
  extension LocationModel: Sendable {}
#endif
