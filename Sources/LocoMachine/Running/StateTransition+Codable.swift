#if !hasFeature(Embedded)
  extension StateTransition: Codable {
    private enum CodingKeys: CodingKey { case from, event, to }

    /// Decodes the names of the states and of the event.
    ///
    /// - Throws: An error of the decoder, or a `DecodingError` if the machine has no state or event of a name.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      func value<Value: RawRepresentable<String>>(_ key: CodingKeys) throws -> Value {
        let name = try container.decode(String.self, forKey: key)
        if let value = Value(rawValue: name) { return value }
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "The machine \(Machine.self) has no \"\(name)\".")
      }
      self.init(from: try value(.from), event: try value(.event), to: try value(.to))
    }

    /// Encodes the names of the states and of the event.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(from.rawValue, forKey: .from)
      try container.encode(event.rawValue, forKey: .event)
      try container.encode(to.rawValue, forKey: .to)
    }
  }
#endif
