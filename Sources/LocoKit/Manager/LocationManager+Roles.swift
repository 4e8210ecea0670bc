// The further protocols that a provider or a store conforms to. Embedded Swift has no casts to protocols: its build replaces this file.

extension LocationManager {
  static func observer(_ provider: any LocationProvider) -> (any TurnObserver)? { provider as? any TurnObserver }
  static func machine(_ provider: any LocationProvider) -> (any MachineProvider)? { provider as? any MachineProvider }
  static func presenceStore(_ store: any LocationStore) -> (any PresenceStore)? { store as? any PresenceStore }
}
