#if !hasFeature(Embedded)
  extension StateTransition: Codable {
    /// Decodes the names of the states and of the event.
    ///
    /// - Throws: An error of the decoder, or a `DecodingError` if the machine has no state or event of that name, as after an update that
    ///   renamed it.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: StateCodingKey.self)
      func decode<Case: RawRepresentable<String> & CaseIterable>(_ key: StateCodingKey) throws -> Case {
        try container.decodeCase(forKey: key, of: Machine.self)
      }
      self.init(from: try decode(.from), event: try decode(.event), to: try decode(.to))
    }

    /// Encodes the names of the states and of the event.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: StateCodingKey.self)
      try container.encode(from.rawValue, forKey: .from)
      try container.encode(event.rawValue, forKey: .event)
      try container.encode(to.rawValue, forKey: .to)
    }
  }

  extension KeyedDecodingContainer {
    /// Decodes the name of a state or an event that `allCases` lists.
    func decodeCase<Case: RawRepresentable<String> & CaseIterable>(
      forKey key: Key, of machine: Any.Type
    ) throws -> Case {
      let name = try decode(String.self, forKey: key)
      if let value = Case(rawValue: name), Case.allCases.contains(where: { $0.rawValue == value.rawValue }) {
        return value
      }
      let names = Case.allCases.map { $0.rawValue }.joined(separator: ", ")
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "The machine \(machine) has no \"\(name)\". It has \(names).")
    }
  }
#endif
