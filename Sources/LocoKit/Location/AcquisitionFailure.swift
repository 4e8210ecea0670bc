/// Why no location came.
///
/// ```swift
/// do {
///   show(try await manager.acquire(desiredAccuracy: 50))
/// } catch AcquisitionFailure.timeLimit(let best?) {
///   show(best)
/// } catch AcquisitionFailure.accessNotRequested, AcquisitionFailure.accessDenied {
///   explainPermission()
/// } catch let failure as AcquisitionFailure {
///   print(failure)
/// }
/// ```
public enum AcquisitionFailure: Error, Hashable, Sendable {
  /// The time is over, and the best fix, if there was any, is not acceptable.
  case timeLimit(best: Location?)
  /// The receiver reported errors, one after the other.
  case tooManyErrors
  /// Nobody wants the location any more.
  case cancelled
  /// The app has not asked for the permission, or it is undecided again.
  case accessNotRequested
  /// The permission is refused.
  case accessDenied
  /// The app has paused.
  case paused
  /// Another ``LocationManager`` was made with this one's provider, which serves one manager at a time. Ask the new one.
  case replaced
}

extension AcquisitionFailure: CustomStringConvertible {
  /// A sentence without any coordinate in it, so that it may be logged.
  public var description: String {
    switch self {
    case .timeLimit(best: nil): "No fix came in time."
    case .timeLimit(let best?): "The best fix in time was accurate to \(best.horizontalAccuracy) m only."
    case .tooManyErrors: "The receiver reported too many errors, one after the other."
    case .cancelled: "Nobody wanted the location any more."
    case .accessNotRequested: "The permission was not asked for; call tryPromptAuthorization() first."
    case .accessDenied: "The permission is refused; forcePromptAuthorization() asks again."
    case .paused: "The manager is paused; call resume() first."
    case .replaced: "Another manager has been given this one's provider; ask that one."
    }
  }
}
