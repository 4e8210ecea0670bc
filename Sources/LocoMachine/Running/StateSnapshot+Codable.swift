#if !hasFeature(Embedded)
  extension StateSnapshot: Codable {
    /// The permitted times: up to ten thousand years before and after zero, so that no difference overflows a `Duration`.
    static var times: ClosedRange<Duration> { .century * -100 ... .century * 100 }

    /// Decodes the state's name, the time and the settings. A setting that the machine no longer has is dropped.
    ///
    /// - Throws: An error of the decoder, or a `DecodingError` if the machine has no state of that name, as after an update that renamed
    ///   it, if the time is more than ten thousand years from zero, or if one of the machine's settings isn't more than zero and at most
    ///   a century. A custom `init?(rawValue:)` of the state's type can accept its earlier names.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: StateCodingKey.self)
      func fail(_ key: StateCodingKey, _ description: String) -> DecodingError {
        DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: description)
      }
      let state: Machine.State = try container.decodeCase(forKey: .state, of: Machine.self)
      let enteredAt = try container.decode(Duration.self, forKey: .enteredAt)
      guard Self.times.contains(enteredAt) else {
        throw fail(
          .enteredAt,
          "The machine \(Machine.self) can't have entered \"\(state.rawValue)\" more than ten thousand years from zero."
        )
      }
      self.init(state: state, enteredAt: enteredAt)
      let names = Deadline<Machine>.settings
      for (name, value) in try container.decodeIfPresent([String: Duration].self, forKey: .settings) ?? [:] {
        guard names.contains(name) else { continue }
        guard Deadline<Machine>.isPermitted(value) else {
          throw fail(.settings, Deadline<Machine>.problem(with: value, of: "The setting \"\(name)\""))
        }
        settings[name] = value
      }
    }

    /// Encodes the state's name, the time, and the settings if there are any.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: StateCodingKey.self)
      try container.encode(state.rawValue, forKey: .state)
      try container.encode(enteredAt, forKey: .enteredAt)
      if !settings.isEmpty { try container.encode(settings, forKey: .settings) }
    }
  }
#endif
