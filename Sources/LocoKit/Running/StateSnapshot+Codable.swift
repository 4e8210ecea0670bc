extension StateSnapshot: Codable {
  private enum CodingKeys: CodingKey { case state, enteredAt }

  /// Reads the state's name and the time.
  ///
  /// - Throws: `DecodingError` where the machine has no state of that name, as after an update that renamed it.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .state)
    guard let state = Machine.State(rawValue: name), Machine.State.allCases.contains(state) else {
      throw DecodingError.dataCorruptedError(
        forKey: .state, in: container,
        debugDescription: "The machine \(Machine.self) has no state \"\(name)\". Its states are "
          + "\(Machine.State.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    self.init(state: state, enteredAt: try container.decode(Duration.self, forKey: .enteredAt))
  }

  /// Writes the state's name and the time.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(state.rawValue, forKey: .state)
    try container.encode(enteredAt, forKey: .enteredAt)
  }
}
