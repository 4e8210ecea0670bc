// Casts a provider or a store to the optional protocols that it conforms to. Embedded Swift has no casts to protocols, so
// `StateDiagrams/try/StandIns.swift` replaces this file.

extension LocationManager {
  static func observer(_ provider: any LocationProvider) -> (any TurnObserver)? { provider as? any TurnObserver }
  static func machine(_ provider: any LocationProvider) -> (any HostProvider)? { provider as? any HostProvider }
  static func presenceStore(_ store: any LocationStore) -> (any PresenceStore)? { store as? any PresenceStore }
}
