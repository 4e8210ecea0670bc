/// A single request of a manager to its provider.
///
/// ```swift
/// func perform(_ request: ReceiverRequest) {
///   switch request {
///   case .authorization: onReport?(.authorization(.always))
///   case .restart: buoy.restart()
///   }
/// }
/// ```
public enum ReceiverRequest: String, CaseIterable, Hashable, Sendable {
  /// Ask the user for permission, and report ``ProviderReport/promptShown`` when the system shows the prompt, which may be later, such as in
  /// the foreground. If the answer is known, report the authorization immediately.
  case authorization
  /// Restart the receiver, which is on, so that it delivers a new fix. A receiver that delivers fixes continuously can ignore this.
  case restart
}
