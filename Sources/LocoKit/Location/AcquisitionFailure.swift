/// The reason why an acquisition returned no location.
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
public enum AcquisitionFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The time limit has passed, or the app's background time has expired, and the best fix, if there is one, isn't acceptable.
  case timeLimit(best: Location?)
  /// The receiver reported several errors without a fix between them: see ``AcquisitionPolicy/errorLimit``.
  case tooManyErrors
  /// The request was cancelled, or only its caller received a location, such as one that isn't accurate enough for the listeners.
  case cancelled
  /// The app hasn't asked for permission, the prompt expired, or the permission is undecided again.
  case accessNotRequested
  /// The permission is denied or restricted.
  case accessDenied
  /// The app has paused the manager.
  case paused
  /// Another ``LocationManager`` was created with the provider. A provider serves one manager at a time: use the new manager.
  case replaced

  /// A sentence without coordinates, for logs.
  public var description: String {
    switch self {
    case .timeLimit(best: nil): "No fix came in time."
    case .timeLimit(let best?): "The best fix in time was accurate to \(best.horizontalAccuracy) m only."
    case .tooManyErrors: "The receiver reported too many errors, one after the other."
    case .cancelled: "The request was cancelled, or only its caller received a location."
    case .accessNotRequested: "The user hasn't decided on the permission: call tryPromptAuthorization()."
    case .accessDenied: "The permission is denied or restricted; forcePromptAuthorization() asks again."
    case .paused: "The manager is paused; call resume() first."
    case .replaced: "Another manager uses this one's provider; use that manager."
    }
  }
}
