extension LocationManager.Circumstances {
  /// Decodes circumstances. A value that this version of the library doesn't know becomes `nil`.
  ///
  /// - Throws: `DecodingError` if the encoded value isn't an object.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func value<Value: Decodable>(_ key: CodingKeys) -> Value? { try? values.decodeIfPresent(Value.self, forKey: key) }
    self.init()
    (cause, motion) = (value(.cause), value(.motion))
    let status: LocationManager.BatteryStatus? = value(.battery)
    battery = status.map { LocationManager.BatteryStatus(level: $0.level, state: $0.state) }
    (isInForeground, isLowPowerMode, trip) = (value(.isInForeground), value(.isLowPowerMode), value(.trip))
  }
}
