public import LocoFoundation

extension AcquisitionFailure: LocalizedError {
  /// The ``description``.
  public var errorDescription: String? { description }
}

extension FileFailure: LocalizedError {
  /// The ``description``.
  public var errorDescription: String? { description }
}
