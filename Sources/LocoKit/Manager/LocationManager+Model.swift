#if canImport(Observation)
  public import Observation

  extension LocationManager {
    /// A manager's state, authorization, location and health, observable by SwiftUI.
    ///
    /// ```swift
    /// struct Status: View {
    ///   let model: LocationManager.Model
    ///   var body: some View { Text(model.state.rawValue) }
    /// }
    /// ```
    ///
    /// A model listens to its manager until the model is deinitialized, and belongs to the manager's actor. Send commands to the ``manager``.
    /// Listeners that were added before the model are notified before it, and read its previous state,
    /// authorization and location.
    @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
    @Observable
    public final class Model {
      /// The observed manager.
      @ObservationIgnored public let manager: LocationManager
      /// The current state.
      public private(set) var state: LocationMachine.State
      /// Whether the app may use locations.
      public private(set) var authorization: Authorization
      /// The last location delivered.
      public private(set) var location: Location?
      /// The reasons why the app may receive fewer locations than it expects: the manager's current ``LocationManager/health``.
      /// A change by time alone isn't announced.
      public var health: LocationManager.Health {
        access(keyPath: \.health)
        return manager.health
      }

      @ObservationIgnored private var token: LocationManager.ListenerToken?

      /// Creates a model of a manager.
      public init(_ manager: LocationManager) {
        self.manager = manager
        (state, authorization, location) = (manager.state, manager.authorization, manager.location)
        token = manager.listeners.add(
          onUpdate: { [weak self] in self?.location = $0 },
          onTransition: { [weak self] in self?.state = $0.to },
          onAuthorizationChange: { [weak self] in self?.authorization = $0 },
          onHealthChange: { [weak self] _ in self?.withMutation(keyPath: \.health) {} })
      }
    }
  }

  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  @available(*, unavailable)
  extension LocationManager.Model: Sendable {}
#endif
