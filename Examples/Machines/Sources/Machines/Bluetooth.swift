/// The functions of a Bluetooth stack that a pairing needs.
protocol Bluetooth: Sendable {
  /// Returns the identifier of the first device that is found.
  func scan() async throws -> String
  func connect(to device: String) async throws
  func verify(_ device: String) async throws
}

/// A simulated Bluetooth stack: the first attempt to connect fails, and each answer takes a second.
actor PretendBluetooth: Bluetooth {
  private var attempts = 0

  func scan() async throws -> String {
    try await Task.sleep(for: .seconds(1))
    return "headphones"
  }

  func connect(to device: String) async throws {
    attempts += 1
    try await Task.sleep(for: .seconds(1))
    if attempts == 1 { throw CancellationError() }
  }

  func verify(_ device: String) async throws { try await Task.sleep(for: .seconds(1)) }
}
