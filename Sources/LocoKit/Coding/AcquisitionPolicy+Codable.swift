extension AcquisitionPolicy: Codable {
  private enum Key: String, CodingKey {
    case desiredAccuracy, acceptableAccuracy, timeLimit, maximumAge, cooldown, errorLimit
    case lookRecentFix, lookAfterFailure, lookOldEphemeris, lookFirstFix, acceptsReducedAccuracy
    case acceptsUnmeasuredLocations
  }

  private static let durations: [(key: Key, field: any (WritableKeyPath<AcquisitionPolicy, Duration> & Sendable))] = [
    (.timeLimit, \.timeLimit), (.maximumAge, \.maximumAge), (.cooldown, \.cooldown),
    (.lookRecentFix, \.lookLimits.recentFix), (.lookAfterFailure, \.lookLimits.afterFailure),
    (.lookOldEphemeris, \.lookLimits.oldEphemeris), (.lookFirstFix, \.lookLimits.firstFix),
  ]

  private static let flags: [(key: Key, field: any (WritableKeyPath<AcquisitionPolicy, Bool> & Sendable))] = [
    (.acceptsReducedAccuracy, \.acceptsReducedAccuracy), (.acceptsUnmeasuredLocations, \.acceptsUnmeasuredLocations),
  ]

  /// Encodes accuracies in metres and durations in seconds. ``acceptsReducedAccuracy`` and ``acceptsUnmeasuredLocations`` are encoded only
  /// if they differ from their defaults.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(desiredAccuracy, forKey: .desiredAccuracy)
    try values.encode(acceptableAccuracy, forKey: .acceptableAccuracy)
    for (key, field) in Self.durations { try values.encode(self[keyPath: field].inSeconds, forKey: key) }
    try values.encode(errorLimit, forKey: .errorLimit)
    for (key, field) in Self.flags where self[keyPath: field] != Self.loco[keyPath: field] {
      try values.encode(self[keyPath: field], forKey: key)
    }
  }

  /// Decodes accuracies in metres and durations in seconds. A missing ``acceptsReducedAccuracy`` is `false`, and a missing
  /// ``acceptsUnmeasuredLocations`` is `true`.
  ///
  /// - Throws: `DecodingError` if any other value is missing, or if a value has the wrong type or is out of range.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    self.init(
      desiredAccuracy: try values.decode(Double.self, forKey: .desiredAccuracy),
      acceptableAccuracy: try values.decode(Double.self, forKey: .acceptableAccuracy), timeLimit: .zero,
      errorLimit: try values.decode(Int.self, forKey: .errorLimit))
    for (key, field) in Self.flags {
      if let flag = try values.decodeIfPresent(Bool.self, forKey: key) { self[keyPath: field] = flag }
    }
    for (key, field) in Self.durations {
      let seconds = try values.decode(Double.self, forKey: key)
      // A larger value is out of range, and may overflow `Duration`.
      guard abs(seconds) <= 1e9 else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: values, debugDescription: "A duration must be 0 to a day.")
      }
      // A number of seconds isn't exact in binary. In nanoseconds, a duration is the same again.
      self[keyPath: field] = .nanoseconds(Int64((seconds * 1e9).rounded()))
    }
    if let problem {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
    }
  }
}
