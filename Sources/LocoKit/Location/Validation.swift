/// Messages about values out of range; `nil` for a value in range.
enum Validation {
  static func length(_ name: String, _ metres: Double) -> String? {
    metres > 0 && metres.isFinite ? nil : "The \(name) must be a finite number of metres above 0, not \(metres)."
  }

  static func distance(_ name: String, _ metres: Double) -> String? {
    metres >= 0 && metres.isFinite ? nil : "The \(name) must be a finite number of metres, 0 or more, not \(metres)."
  }

  static func limit(_ name: String, _ time: Duration) -> String? {
    let isLimit = time > .zero && time <= .seconds(86_400)
    return isLimit ? nil : "The \(name) must be more than 0 and at most a day, not \(time.inSeconds) s."
  }

  static func pause(_ name: String, _ time: Duration) -> String? {
    let isPause = time >= .zero && time <= .seconds(86_400)
    return isPause ? nil : "The \(name) must be 0 to a day, not \(time.inSeconds) s."
  }

  /// Stops the program if there is a message.
  static func require(_ problem: String?) {
    if let problem { preconditionFailure(problem) }
  }
}
