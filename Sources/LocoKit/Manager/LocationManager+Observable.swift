#if canImport(Observation)
  public import Observation

  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  extension LocationManager: Observable {}
#endif
