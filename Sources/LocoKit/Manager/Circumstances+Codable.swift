extension LocationManager.Circumstances: Codable {
  private enum CodingKeys: String, CodingKey {
    case cause, battery, motion, isInForeground, isLowPowerMode, trip
  }

  /// Decodes circumstances. A value that this version of the library doesn't know becomes `nil`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func value<Value: Decodable>(_ key: CodingKeys) -> Value? { try? values.decodeIfPresent(Value.self, forKey: key) }
    self.init()
    (cause, motion) = (value(.cause), value(.motion))
    let status: LocationManager.BatteryStatus? = value(.battery)
    battery = status.map { LocationManager.BatteryStatus(level: $0.level, state: $0.state) }
    (isInForeground, isLowPowerMode, trip) = (value(.isInForeground), value(.isLowPowerMode), value(.trip))
  }

  /// Encodes the known values.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(cause, forKey: .cause)
    try values.encodeIfPresent(battery, forKey: .battery)
    try values.encodeIfPresent(motion, forKey: .motion)
    try values.encodeIfPresent(isInForeground, forKey: .isInForeground)
    try values.encodeIfPresent(isLowPowerMode, forKey: .isLowPowerMode)
    try values.encodeIfPresent(trip, forKey: .trip)
  }
}
